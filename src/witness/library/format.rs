//! `printf` and `scanf` formats.

use super::numbers::{as_signed, as_unsigned, is_space, parse_float, parse_int};
use crate::machine::value::{Reason, Val, mask, signed};

/// A value that `scanf` stores.
#[derive(Debug, PartialEq)]
pub enum ScanValue {
    Bits {
        bits: u32,
        value: u64,
    },
    /// Number of bytes read so far (`%n`), which does not count as a conversion.
    Position {
        bits: u32,
        value: u64,
    },
    /// Characters followed by a NUL.
    Text(Vec<u8>),
    /// Characters without a NUL.
    Char(Vec<u8>),
}

/// Width in bits of an integer with a length modifier.
fn int_bits(length: &[u8]) -> u32 {
    match length {
        b"hh" => 8,
        b"h" => 16,
        b"" => 32,
        _ => 64,
    }
}

/// Reads the string that a `%s` points to.
pub type StringReader<'a> = &'a mut dyn FnMut(Val) -> Result<Vec<u8>, Reason>;

/// Output of `printf` (C11, 7.21.6.1). `args` are values and whether they are floating point; `string` reads a `%s`.
///
/// Fails if a value is unknown. With `lenient`, a question mark replaces an unknown value, and floating-point formats
/// other than `%f` are spelt approximately.
pub fn format(fmt: &[u8], args: &[(Val, bool)], lenient: bool, string: StringReader<'_>) -> Result<Vec<u8>, Reason> {
    if lenient {
        return Ok(format_leniently(fmt, args, string));
    }
    let mut out = Vec::new();
    let mut next = args.iter();
    let mut take =
        || next.next().map_or(Err(Reason::OPEN), |(v, _)| if v.is_poison() { Err(v.poison) } else { Ok(v.bits) });
    let mut i = 0;
    while i < fmt.len() {
        if fmt[i] != b'%' {
            out.push(fmt[i]);
            i += 1;
            continue;
        }
        i += 1;
        let Some(s) = Specification::read(fmt, &mut i, &mut take)? else { break };
        if s.unmodelled {
            return Err(Reason::OPEN);
        }
        if s.conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let body = s.spell(&mut take, string)?;
        out.extend(s.pad(body));
    }
    Ok(out)
}

/// Formats conversion by conversion, so that an unknown value only spoils its own.
fn format_leniently(fmt: &[u8], args: &[(Val, bool)], string: StringReader<'_>) -> Vec<u8> {
    let (mut out, mut used, mut start) = (Vec::new(), 0, 0);
    let mut ends: Vec<usize> = conversions(fmt);
    ends.push(fmt.len());
    for end in ends {
        let piece = &fmt[start..end];
        start = end;
        let takes = piece.iter().filter(|c| **c == b'*').count()
            + usize::from(piece.contains(&b'%') && !piece.ends_with(b"%%"));
        let mine = args.get(used..(used + takes).min(args.len())).unwrap_or_default();
        used += takes;
        let other = piece.iter().position(|c| *c == b'%');
        match (format(piece, mine, false, string), other, mine.last()) {
            (Ok(s), ..) => out.extend(s),
            (Err(_), Some(at), Some((v, true))) if !v.is_poison() => {
                out.extend(&piece[..at]);
                out.extend(f64::from_bits(v.bits).to_string().bytes());
            }
            (Err(_), at, _) => {
                out.extend(&piece[..at.unwrap_or(0)]);
                out.push(b'?');
            }
        }
    }
    out
}

/// Returns the bits of the next argument.
type ArgumentReader<'a> = &'a mut dyn FnMut() -> Result<u64, Reason>;

/// A `printf` conversion: flags, width, precision, and the conversion specifier.
struct Specification {
    minus: bool,
    zero: bool,
    sign: &'static str,
    width: usize,
    precision: Option<usize>,
    /// Width of an integer argument in bits.
    bits: u32,
    conversion: u8,
    /// Whether there are other flags, or `long double`.
    unmodelled: bool,
}

impl Specification {
    /// Parses the conversion after a `%`; `None` if the format ends before its end.
    fn read(fmt: &[u8], i: &mut usize, take: ArgumentReader<'_>) -> Result<Option<Self>, Reason> {
        let (mut minus, mut zero, mut sign, mut other) = (false, false, "", false);
        while let Some(c) = fmt.get(*i).filter(|c| b"-+ #0'".contains(c)) {
            match c {
                b'-' => minus = true,
                b'0' => zero = true,
                b'+' => sign = "+",
                b' ' => {
                    if sign.is_empty() {
                        sign = " ";
                    }
                }
                _ => other = true,
            }
            *i += 1;
        }
        let width = star_or_number(fmt, i, take)?.unwrap_or(0).min(4096);
        let precision = if fmt.get(*i) == Some(&b'.') {
            *i += 1;
            Some(star_or_number(fmt, i, take)?.unwrap_or(0).min(4096))
        } else {
            None
        };
        let start = *i;
        while fmt.get(*i).is_some_and(|c| b"hlLqjzt".contains(c)) {
            *i += 1;
        }
        let length = &fmt[start..*i];
        let Some(&conversion) = fmt.get(*i) else { return Ok(None) };
        *i += 1;
        let zero = zero && (precision.is_none() || !b"diuxXo".contains(&conversion));
        let unmodelled = other || length.contains(&b'L');
        Ok(Some(Self { minus, zero, sign, width, precision, bits: int_bits(length), conversion, unmodelled }))
    }

    /// Spells the argument without the padding to the width.
    fn spell(&self, take: ArgumentReader<'_>, string: StringReader<'_>) -> Result<Vec<u8>, Reason> {
        let (bits, sign) = (self.bits, self.sign);
        // With a precision, zeros fill an integer up to the precision, and none fill the width.
        let digits = |d: String| match self.precision {
            Some(0) if d == "0" => String::new(),
            Some(n) => "0".repeat(n.saturating_sub(d.len())) + &d,
            None => d,
        };
        Ok(match self.conversion {
            b'd' | b'i' => {
                let v = signed(take()? & mask(bits), bits);
                (if v < 0 { "-" } else { sign }.to_owned() + &digits(v.unsigned_abs().to_string())).into()
            }
            b'u' => digits((take()? & mask(bits)).to_string()).into(),
            b'x' => digits(format!("{:x}", take()? & mask(bits))).into(),
            b'X' => digits(format!("{:X}", take()? & mask(bits))).into(),
            b'o' => digits(format!("{:o}", take()? & mask(bits))).into(),
            b'c' => vec![(take()? & 0xff) as u8],
            b's' => {
                let mut s = string(Val::new(take()?))?;
                s.truncate(self.precision.unwrap_or(usize::MAX));
                s
            }
            b'f' | b'F' => {
                let v = f64::from_bits(take()?);
                if !v.is_finite() {
                    return Err(Reason::OPEN);
                }
                let spelt = format!("{v:.*}", self.precision.unwrap_or(6));
                (if v.is_sign_negative() { "" } else { sign }.to_owned() + &spelt).into()
            }
            // `%g` and `%e` are not spelt exactly as C does.
            _ => return Err(Reason::OPEN),
        })
    }

    /// Pads the text to the width.
    fn pad(&self, mut body: Vec<u8>) -> Vec<u8> {
        if body.len() < self.width {
            let fill = self.width - body.len();
            if self.minus {
                body.resize(self.width, b' ');
            } else {
                let digit = self.zero && !b"sc".contains(&self.conversion);
                let at = usize::from(digit && matches!(body.first(), Some(b'-' | b'+' | b' ')));
                body.splice(at..at, std::iter::repeat_n(if digit { b'0' } else { b' ' }, fill));
            }
        }
        body
    }
}

/// Parses a width or precision: an integer, or `*` for an argument.
fn star_or_number(fmt: &[u8], i: &mut usize, take: ArgumentReader<'_>) -> Result<Option<usize>, Reason> {
    if fmt.get(*i) == Some(&b'*') {
        *i += 1;
        // A negative one is not modelled.
        return usize::try_from(signed(take()?, 32)).map(Some).map_err(|_| Reason::OPEN);
    }
    let start = *i;
    while fmt.get(*i).is_some_and(u8::is_ascii_digit) {
        *i += 1;
    }
    Ok(std::str::from_utf8(&fmt[start..*i]).ok().and_then(|s| s.parse().ok()))
}

/// End of each conversion of a format.
fn conversions(fmt: &[u8]) -> Vec<usize> {
    let (mut out, mut i) = (Vec::new(), 0);
    while i < fmt.len() {
        if fmt[i] != b'%' {
            i += 1;
            continue;
        }
        i += 1;
        while fmt.get(i).is_some_and(|c| b"-+ #0'123456789.*hlLqjzt".contains(c)) {
            i += 1;
        }
        i = (i + 1).min(fmt.len());
        out.push(i);
    }
    out
}

/// Result of `scanf`.
#[derive(Debug, Default, PartialEq)]
pub struct Scanned {
    /// Values to store, in order.
    pub found: Vec<ScanValue>,
    /// Bytes used.
    pub used: usize,
    /// Whether it read past the last byte.
    pub ended: bool,
    /// Whether it stopped because there was no more input.
    pub no_input: bool,
}

/// Set of bytes that a `%[` accepts, and the end of the set.
fn set_of(fmt: &[u8], start: usize) -> Option<([bool; 256], usize)> {
    let mut i = start;
    let negated = fmt.get(i) == Some(&b'^');
    i += usize::from(negated);
    let mut set = [false; 256];
    let first = i;
    // A bracket at the start belongs to the set; a minus between two other characters makes a range.
    while let Some(c) = fmt.get(i).filter(|c| **c != b']' || i == first) {
        match (fmt.get(i + 1), fmt.get(i + 2)) {
            (Some(b'-'), Some(to)) if *to != b']' && to >= c => {
                for b in *c..=*to {
                    set[usize::from(b)] = true;
                }
                i += 3;
            }
            _ => {
                set[usize::from(*c)] = true;
                i += 1;
            }
        }
    }
    fmt.get(i)?;
    for b in &mut set {
        *b ^= negated;
    }
    Some((set, i + 1))
}

/// Result of `scanf` for a format and an input (C11, 7.21.6.2; glibc). `None` if it is not modelled. `binary`: `%i`
/// reads `0b` as C23 does.
pub fn scan(fmt: &[u8], input: &[u8], binary: bool) -> Option<Scanned> {
    let (mut out, mut at, mut i) = (Scanned::default(), 0, 0);
    let space = |at: &mut usize| {
        while input.get(*at).is_some_and(|b| is_space(*b)) {
            *at += 1;
        }
    };
    while i < fmt.len() {
        let c = fmt[i];
        i += 1;
        if is_space(c) {
            space(&mut at);
            out.ended |= at == input.len();
            continue;
        }
        if c != b'%' {
            if input.get(at) != Some(&c) {
                return Some(stopped(out, at, input));
            }
            at += 1;
            continue;
        }
        let Directive { skip, width, length, conversion: c } = Directive::read(fmt, &mut i)?;
        if !matches!(c, b'c' | b'[' | b'n') {
            space(&mut at);
        }
        let rest = &input[at..at.saturating_add(width).min(input.len())];
        // Only the end of the input stops the conversion.
        let cut = rest.len() == input.len() - at && rest.len() < width;
        let (value, used) = match c {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => match scan_integer(c, length, rest, binary)? {
                // White space is consumed; `scanf` does not put back a sign without digits.
                (_, 0) if matches!(rest.first(), Some(b'+' | b'-')) => {
                    at += 1;
                    let ended = out.ended || at == input.len();
                    return Some(Scanned { no_input: false, ended, ..stopped(out, at, input) });
                }
                (v, n) => (Some(v), n),
            },
            b'f' | b'e' | b'g' | b'E' | b'G' | b'a' | b'F' | b'A' => {
                let (v, n) = scan_float(length, rest)?;
                (Some(v), n)
            }
            b's' if length.is_empty() => {
                let n = rest.iter().take_while(|b| !is_space(**b)).count();
                (Some(ScanValue::Text(rest[..n].to_vec())), n)
            }
            b'c' if length.is_empty() => {
                let n = rest.len().min(if width == usize::MAX { 1 } else { width });
                if n == 0 {
                    return Some(stopped(out, at, input));
                }
                out.ended |= width != usize::MAX && n < width;
                at += n;
                if !skip {
                    out.found.push(ScanValue::Char(rest[..n].to_vec()));
                }
                continue;
            }
            b'[' if length.is_empty() => {
                let (set, end) = set_of(fmt, i)?;
                i = end;
                let n = rest.iter().take_while(|b| set[usize::from(**b)]).count();
                (Some(ScanValue::Text(rest[..n].to_vec())), n)
            }
            b'n' => {
                if skip {
                    return None;
                }
                out.found.push(ScanValue::Position { bits: int_bits(length), value: at as u64 });
                continue;
            }
            b'%' => {
                if rest.first() != Some(&b'%') {
                    return Some(stopped(out, at, input));
                }
                at += 1;
                continue;
            }
            _ => return None,
        };
        if used == 0 {
            return Some(stopped(out, at, input));
        }
        out.ended |= cut && used == rest.len();
        at += used;
        if let Some(v) = value.filter(|_| !skip) {
            out.found.push(v);
        }
    }
    out.used = at;
    Some(out)
}

/// A `scanf` conversion.
struct Directive<'f> {
    skip: bool,
    width: usize,
    length: &'f [u8],
    conversion: u8,
}

impl<'f> Directive<'f> {
    /// Parses the conversion after a `%`.
    fn read(fmt: &'f [u8], i: &mut usize) -> Option<Self> {
        let skip = fmt.get(*i) == Some(&b'*');
        *i += usize::from(skip);
        let start = *i;
        while fmt.get(*i).is_some_and(u8::is_ascii_digit) {
            *i += 1;
        }
        let width: usize = std::str::from_utf8(&fmt[start..*i]).ok().and_then(|s| s.parse().ok()).unwrap_or(usize::MAX);
        if width == 0 {
            return None;
        }
        let start = *i;
        while fmt.get(*i).is_some_and(|c| b"hlLqjzt".contains(c)) {
            *i += 1;
        }
        let length = &fmt[start..*i];
        let conversion = *fmt.get(*i)?;
        *i += 1;
        Some(Self { skip, width, length, conversion })
    }
}

/// Parses an integer at the start of `rest`; returns it and its length in bytes, 0 if there is none. `None` for a
/// prefix `0x` or `0b` without a digit after it, which `scanf` does not put back.
fn scan_integer(c: u8, length: &[u8], rest: &[u8], binary: bool) -> Option<(ScanValue, usize)> {
    let base = match c {
        b'i' => 0,
        b'x' | b'X' => 16,
        b'o' => 8,
        _ => 10,
    };
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let (v, n) = parse_int(rest, base, binary);
    let prefix = matches!(base, 0 | 16)
        && rest.get(sign) == Some(&b'0')
        && rest.get(sign + 1).is_some_and(|b| b | 32 == b'x' || binary && b | 32 == b'b')
        && n == sign + 1;
    if prefix {
        return None;
    }
    let bits = int_bits(length);
    let v = if matches!(c, b'd' | b'i') { as_signed(v).cast_unsigned() } else { as_unsigned(v) };
    Some((ScanValue::Bits { bits, value: v & mask(bits) }, n))
}

/// Parses a floating-point number at the start of `rest`; returns it and its length in bytes. `None` for text that
/// only begins like a number, which `scanf` does not put back.
fn scan_float(length: &[u8], rest: &[u8]) -> Option<(ScanValue, usize)> {
    let (double, float, n) = parse_float(rest)?;
    let begins = |b: &u8| b.is_ascii_digit() || b"+-.".contains(b);
    let more = rest.get(n).is_some_and(|b| b"eExXpPnNiI(".contains(b));
    if n == 0 && rest.first().is_some_and(|b| begins(b) || b"nNiI".contains(b)) || n > 0 && more {
        return None;
    }
    let value = match length {
        b"" => u64::from(float.to_bits()),
        b"l" => double.to_bits(),
        _ => return None,
    };
    Some((ScanValue::Bits { bits: if length.is_empty() { 32 } else { 64 }, value }, n))
}

/// Result after a mismatch or at the end of the input.
fn stopped(out: Scanned, at: usize, input: &[u8]) -> Scanned {
    let nothing = at >= input.len();
    Scanned { used: at, no_input: nothing, ended: out.ended || nothing, ..out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(fmt: &str, args: &[(Val, bool)]) -> String {
        String::from_utf8(format(fmt.as_bytes(), args, false, &mut |_| Ok(b"abc".to_vec())).unwrap()).unwrap()
    }

    #[test]
    fn printf_formats_as_c_does() {
        let v = |x: i64| (Val::new(x.cast_unsigned()), false);
        assert_eq!(
            print("%d|%5d|%-5d|%05d|%u", &[v(-1), v(42), v(42), v(-42), v(0xffff_ffff)]),
            "-1|   42|42   |-0042|4294967295"
        );
        assert_eq!(print("%s_%ld.%x%%", &[v(8), v(-7), v(255)]), "abc_-7.ff%");
        assert_eq!(print("%.2f %f", &[(Val::f64(1.005), true), (Val::f64(0.5), true)]), "1.00 0.500000");
        assert_eq!(format(b"%d", &[(Val::UNINIT, false)], false, &mut |_| Ok(vec![])), Err(Reason::UNINIT));
        let lenient =
            format(b"a %d %% %s %g.\n", &[(Val::UNINIT, false), v(1), (Val::f64(2.5), true)], true, &mut |_| {
                Ok(b"b".to_vec())
            })
            .unwrap();
        assert_eq!(String::from_utf8(lenient).unwrap(), "a ? % b 2.5.\n");
    }

    #[test]
    fn scanf_reads_as_c_does() {
        let read = |f: &str, s: &str| scan(f.as_bytes(), s.as_bytes(), false).unwrap();
        let int = |value| ScanValue::Bits { bits: 32, value };
        let r = read("%d %lf %s", " 12 2.5 word rest");
        assert_eq!(
            r.found,
            vec![int(12), ScanValue::Bits { bits: 64, value: 2.5f64.to_bits() }, ScanValue::Text(b"word".to_vec())]
        );
        assert_eq!((r.used, r.ended, r.no_input), (12, false, false));
        assert_eq!(read("%d,%d", "3;4"), Scanned { found: vec![int(3)], used: 1, ended: false, no_input: false });
        assert_eq!(read("%*d %2d", "9 123").found, vec![int(12)]);
        assert_eq!(
            read("%[^,],%c", "ab,c").found,
            vec![ScanValue::Text(b"ab".to_vec()), ScanValue::Char(b"c".to_vec())]
        );
        assert_eq!(read("%[a-c]", "b-").found, vec![ScanValue::Text(b"b".to_vec())]);
        assert_eq!(
            read("%d%n", "99999999999 "),
            Scanned {
                found: vec![int(99_999_999_999 & 0xffff_ffff), ScanValue::Position { bits: 32, value: 11 }],
                used: 11,
                ended: false,
                no_input: false
            }
        );
        assert_eq!((read("%d", "").no_input, read("%d", "x").no_input, read("%d", "5").ended), (true, false, true));
        for f in ["%ms", "%Lf", "%ls", "%p"] {
            assert_eq!(scan(f.as_bytes(), b"1", false), None, "{f}");
        }
    }
}
