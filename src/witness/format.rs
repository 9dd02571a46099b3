//! `printf` and `scanf` formats.

use super::libc::{parse_float, parse_int};
use super::value::{Reason, Val, float_bits, mask, signed};

/// One value that `scanf` stores.
#[derive(Debug, PartialEq)]
pub enum Conversion {
    Bits { bits: u32, value: u64 },
    /// With a NUL behind it.
    Text(Vec<u8>),
    /// Without.
    Char(Vec<u8>),
}

/// Width of an integer by its length modifier.
fn int_bits(length: &[u8]) -> u32 {
    match length {
        b"hh" => 8,
        b"h" => 16,
        b"" => 32,
        _ => 64,
    }
}

/// Reads the string that a `%s` points to.
pub type Reader<'a> = &'a mut dyn FnMut(Val) -> Result<Vec<u8>, Reason>;

/// What `printf` would print. `args` are values and whether they are floating point; `string` reads a `%s`.
///
/// Where something is not known there is an error; with `lenient` a question mark stands in its place, and floating-point
/// formats other than `%f` are spelt approximately.
pub fn format(fmt: &[u8], args: &[(Val, bool)], lenient: bool, string: Reader<'_>) -> Result<Vec<u8>, Reason> {
    if lenient {
        // Piece by piece, so that one unknown value spoils only its own.
        let (mut out, mut used, mut start) = (Vec::new(), 0, 0);
        let mut ends: Vec<usize> = conversions(fmt);
        ends.push(fmt.len());
        for end in ends {
            let piece = &fmt[start..end];
            start = end;
            let takes = piece.iter().filter(|c| **c == b'*').count() + usize::from(piece.contains(&b'%') && !piece.ends_with(b"%%"));
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
        return Ok(out);
    }
    let mut out = Vec::new();
    let mut next = args.iter();
    let mut take = || next.next().map_or(Err(Reason::OPEN), |(v, f)| if v.is_poison() { Err(v.poison) } else { Ok((v.bits, *f)) });
    let mut i = 0;
    while i < fmt.len() {
        if fmt[i] != b'%' { out.push(fmt[i]); i += 1; continue; }
        i += 1;
        let (mut minus, mut zero, mut plus) = (false, false, false);
        while let Some(c) = fmt.get(i).filter(|c| b"-+ #0'".contains(c)) {
            match c { b'-' => minus = true, b'0' => zero = true, b'+' => plus = true, _ => {} }
            i += 1;
        }
        let mut number = |i: &mut usize| -> Result<Option<usize>, Reason> {
            if fmt.get(*i) == Some(&b'*') {
                *i += 1;
                return Ok(usize::try_from(signed(take()?.0, 32)).ok());
            }
            let start = *i;
            while fmt.get(*i).is_some_and(u8::is_ascii_digit) { *i += 1; }
            Ok(std::str::from_utf8(&fmt[start..*i]).ok().and_then(|s| s.parse().ok()))
        };
        let width = number(&mut i)?.unwrap_or(0).min(4096);
        let precision = if fmt.get(i) == Some(&b'.') {
            i += 1;
            Some(number(&mut i)?.unwrap_or(0).min(4096))
        } else { None };
        let start = i;
        while fmt.get(i).is_some_and(|c| b"hlLqjzt".contains(c)) { i += 1; }
        let bits = int_bits(&fmt[start..i]);
        let Some(&c) = fmt.get(i) else { break };
        i += 1;
        let mut body: Vec<u8> = match c {
            b'%' => { out.push(b'%'); continue; }
            b'd' | b'i' => {
                let v = signed(take()?.0 & mask(bits), bits);
                if plus && v >= 0 { format!("+{v}") } else { v.to_string() }.into()
            }
            b'u' => (take()?.0 & mask(bits)).to_string().into(),
            b'x' => format!("{:x}", take()?.0 & mask(bits)).into(),
            b'X' => format!("{:X}", take()?.0 & mask(bits)).into(),
            b'o' => format!("{:o}", take()?.0 & mask(bits)).into(),
            b'p' => format!("{:#x}", take()?.0).into(),
            b'c' => vec![(take()?.0 & 0xff) as u8],
            b's' => {
                let mut s = string(Val::new(take()?.0))?;
                s.truncate(precision.unwrap_or(usize::MAX));
                s
            }
            b'f' | b'F' => {
                let v = f64::from_bits(take()?.0);
                format!("{v:.*}", precision.unwrap_or(6)).into()
            }
            // `%g` and `%e`: not spelt exactly as C does.
            _ => return Err(Reason::OPEN),
        };
        if body.len() < width {
            let fill = width - body.len();
            if minus { body.resize(width, b' '); } else {
                let digit = zero && !b"sc".contains(&c);
                let at = usize::from(digit && matches!(body.first(), Some(b'-' | b'+')));
                body.splice(at..at, std::iter::repeat_n(if digit { b'0' } else { b' ' }, fill));
            }
        }
        out.extend(body);
    }
    Ok(out)
}

/// Where each conversion of a format ends.
fn conversions(fmt: &[u8]) -> Vec<usize> {
    let (mut out, mut i) = (Vec::new(), 0);
    while i < fmt.len() {
        if fmt[i] != b'%' { i += 1; continue; }
        i += 1;
        while fmt.get(i).is_some_and(|c| b"-+ #0'123456789.*hlLqjzt".contains(c)) { i += 1; }
        i = (i + 1).min(fmt.len());
        out.push(i);
    }
    out
}

/// What `scanf` stores, in order; bytes used; whether it stopped before the format's end.
pub fn scan(fmt: &[u8], input: &[u8]) -> (Vec<Conversion>, usize, bool) {
    let (mut out, mut at, mut i) = (Vec::new(), 0, 0);
    let space = |at: &mut usize| while input.get(*at).is_some_and(u8::is_ascii_whitespace) { *at += 1; };
    while i < fmt.len() {
        let c = fmt[i];
        i += 1;
        if c.is_ascii_whitespace() { space(&mut at); continue; }
        if c != b'%' {
            if input.get(at) != Some(&c) { return (out, at, true); }
            at += 1;
            continue;
        }
        let skip = fmt.get(i) == Some(&b'*');
        i += usize::from(skip);
        let start = i;
        while fmt.get(i).is_some_and(u8::is_ascii_digit) { i += 1; }
        let width: usize = std::str::from_utf8(&fmt[start..i]).ok().and_then(|s| s.parse().ok()).unwrap_or(usize::MAX);
        let start = i;
        while fmt.get(i).is_some_and(|c| b"hlLqjzt".contains(c)) { i += 1; }
        let length = &fmt[start..i];
        let Some(&c) = fmt.get(i) else { break };
        i += 1;
        if !matches!(c, b'c' | b'[' | b'n' | b'%') { space(&mut at); }
        let rest = &input[at..at.saturating_add(width).min(input.len())];
        let (value, used) = match c {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let base = match c { b'i' => 0, b'x' | b'X' => 16, b'o' => 8, _ => 10 };
                let (v, n) = parse_int(rest, base);
                let bits = int_bits(length);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "two's complement of the width asked for")]
                (Some(Conversion::Bits { bits, value: v as u64 & mask(bits) }), n)
            }
            b'f' | b'e' | b'g' | b'E' | b'G' | b'a' => {
                let (v, n) = parse_float(rest);
                let bits = if length.is_empty() { 32 } else { 64 };
                (Some(Conversion::Bits { bits, value: float_bits(v, bits) }), n)
            }
            b's' => {
                let n = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
                (Some(Conversion::Text(rest[..n].to_vec())), n)
            }
            b'c' => {
                let n = rest.len().min(if width == usize::MAX { 1 } else { width });
                (Some(Conversion::Char(rest[..n].to_vec())), n)
            }
            b'[' => {
                let negated = fmt.get(i) == Some(&b'^');
                i += usize::from(negated);
                let start = i;
                // A bracket that comes first belongs to the set.
                i += usize::from(fmt.get(i) == Some(&b']'));
                while fmt.get(i).is_some_and(|c| *c != b']') { i += 1; }
                let set = &fmt[start..i];
                i += 1;
                let holds = |b: u8| {
                    let range = set.windows(3).any(|w| w[1] == b'-' && (w[0]..=w[2]).contains(&b));
                    (set.contains(&b) || range) != negated
                };
                let n = rest.iter().take_while(|b| holds(**b)).count();
                (Some(Conversion::Text(rest[..n].to_vec())), n)
            }
            b'n' => {
                out.push(Conversion::Bits { bits: 32, value: at as u64 });
                continue;
            }
            b'%' => {
                if rest.first() != Some(&b'%') { return (out, at, true); }
                (None, 1)
            }
            _ => return (out, at, true),
        };
        if used == 0 { return (out, at, true); }
        at += used;
        if let Some(v) = value.filter(|_| !skip) { out.push(v); }
    }
    (out, at, false)
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
        assert_eq!(print("%d|%5d|%-5d|%05d|%u", &[v(-1), v(42), v(42), v(-42), v(0xffff_ffff)]), "-1|   42|42   |-0042|4294967295");
        assert_eq!(print("%s_%ld.%x%%", &[v(8), v(-7), v(255)]), "abc_-7.ff%");
        assert_eq!(print("%.2f %f", &[(Val::f64(1.005), true), (Val::f64(0.5), true)]), "1.00 0.500000");
        assert_eq!(format(b"%d", &[(Val::UNINIT, false)], false, &mut |_| Ok(vec![])), Err(Reason::UNINIT));
        let lenient = format(b"a %d %% %s %g.\n", &[(Val::UNINIT, false), v(1), (Val::f64(2.5), true)], true, &mut |_| Ok(b"b".to_vec())).unwrap();
        assert_eq!(String::from_utf8(lenient).unwrap(), "a ? % b 2.5.\n");
    }

    #[test]
    fn scanf_reads_as_c_does() {
        let (v, used, failed) = scan(b"%d %lf %s", b" 12 2.5 word rest");
        assert_eq!(v, vec![
            Conversion::Bits { bits: 32, value: 12 },
            Conversion::Bits { bits: 64, value: 2.5f64.to_bits() },
            Conversion::Text(b"word".to_vec()),
        ]);
        assert_eq!((used, failed), (12, false));
        let (v, _, failed) = scan(b"%d,%d", b"3;4");
        assert_eq!((v.len(), failed), (1, true));
        assert_eq!(scan(b"%*d %2d", b"9 123").0, vec![Conversion::Bits { bits: 32, value: 12 }]);
        assert_eq!(scan(b"%[^,],%c", b"ab,c").0, vec![Conversion::Text(b"ab".to_vec()), Conversion::Char(b"c".to_vec())]);
    }
}
