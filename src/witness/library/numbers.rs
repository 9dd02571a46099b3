//! Parses numbers in strings as the C library does (C11, 7.22.1; glibc), and as C++ streams do (C++17, 25.4.2.1.2).

/// Whether a byte is white space in the "C" locale.
pub const fn is_space(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

fn skip_space(s: &[u8]) -> usize {
    s.iter().take_while(|b| is_space(**b)).count()
}

/// Parses an integer like `strtol`; returns it and the bytes used (0 if there is none). `binary`: `0b` is a prefix,
/// as in C23. The absolute value saturates at 2^70.
pub fn parse_int(s: &[u8], base: u64, binary: bool) -> (i128, usize) {
    let mut i = skip_space(s);
    let negative = match s.get(i) {
        Some(b'-') => {
            i += 1;
            true
        }
        Some(b'+') => {
            i += 1;
            false
        }
        _ => false,
    };
    let mut base = base;
    let digit =
        |at: usize, base: u64| s.get(at).and_then(|b| char::from(*b).to_digit(36)).filter(|d| u64::from(*d) < base);
    for (letter, its, allowed) in [(b'x', 16, true), (b'b', 2, binary)] {
        let prefix = allowed
            && s.get(i) == Some(&b'0')
            && s.get(i + 1).is_some_and(|b| b | 32 == letter)
            && digit(i + 2, its).is_some();
        if prefix && (base == 0 || base == its) {
            i += 2;
            base = its;
            break;
        }
    }
    if base == 0 {
        base = if s.get(i) == Some(&b'0') { 8 } else { 10 };
    }
    let start = i;
    let mut v: i128 = 0;
    while let Some(d) = digit(i, base) {
        v = (v * i128::from(base) + i128::from(d)).min(1 << 70);
        i += 1;
    }
    if i == start {
        return (0, 0);
    }
    (if negative { -v } else { v }, i)
}

/// Clamps an integer to the range of `long`.
#[expect(clippy::cast_possible_truncation, reason = "within its limits")]
pub fn as_signed(v: i128) -> i64 {
    v.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Result of `strtoul`: the largest value on overflow, otherwise modulo 2^64.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "modulo 2^64")]
pub fn as_unsigned(v: i128) -> u64 {
    if v.unsigned_abs() > u128::from(u64::MAX) { u64::MAX } else { v as u64 }
}

/// Parses a floating-point number like `strtod` and like `strtof`; returns both and the bytes used. `None` if it has
/// more hexadecimal digits than the parser models.
pub fn parse_float(s: &[u8]) -> Option<(f64, f32, usize)> {
    let lead = skip_space(s);
    let t = &s[lead..];
    let sign = usize::from(matches!(t.first(), Some(b'+' | b'-')));
    let negative = t.first() == Some(&b'-');
    let word = |w: &[u8]| t.len() >= sign + w.len() && t[sign..sign + w.len()].eq_ignore_ascii_case(w);
    if let Some(w) = [&b"infinity"[..], b"inf"].into_iter().find(|w| word(w)) {
        let v = if negative { f64::NEG_INFINITY } else { f64::INFINITY };
        #[expect(clippy::cast_possible_truncation, reason = "infinite")]
        return Some((v, v as f32, lead + sign + w.len()));
    }
    if word(b"nan") {
        let rest = &t[sign + 3..];
        let inner = rest.iter().skip(1).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let more = if rest.first() == Some(&b'(') && rest.get(inner + 1) == Some(&b')') { inner + 2 } else { 0 };
        return Some((f64::NAN, f32::NAN, lead + sign + 3 + more));
    }
    if t.get(sign) == Some(&b'0')
        && t.get(sign + 1).is_some_and(|b| b | 32 == b'x')
        && let Some((v, n)) = hexadecimal(&t[sign + 2..])?
    {
        let v = if negative { -v } else { v };
        #[expect(clippy::cast_possible_truncation, reason = "few digits: exact, or beyond the limits of either")]
        return Some((v, v as f32, lead + sign + 2 + n));
    }
    let mut i = sign;
    let digits = |i: &mut usize| {
        let s = *i;
        while t.get(*i).is_some_and(u8::is_ascii_digit) {
            *i += 1;
        }
        *i - s
    };
    let mut n = digits(&mut i);
    if t.get(i) == Some(&b'.') {
        let mut j = i + 1;
        let behind = digits(&mut j);
        if n + behind > 0 {
            i = j;
            n += behind;
        }
    }
    if n == 0 {
        return Some((0.0, 0.0, 0));
    }
    if matches!(t.get(i), Some(b'e' | b'E')) {
        let mut j = i + 1;
        if matches!(t.get(j), Some(b'+' | b'-')) {
            j += 1;
        }
        if digits(&mut j) > 0 {
            i = j;
        }
    }
    let text = std::str::from_utf8(&t[..i]).ok()?;
    Some((text.parse().ok()?, text.parse().ok()?, lead + i))
}

/// Parses hexadecimal digits of at most 24 bits, with an optional point and exponent. `Some(None)` if there is no
/// digit, `None` if there are more.
fn hexadecimal(t: &[u8]) -> Option<Option<(f64, usize)>> {
    let (mut i, mut digits, mut mantissa, mut exponent, mut point) = (0, 0, 0u64, 0i32, false);
    while let Some(b) = t.get(i) {
        if *b == b'.' && !point {
            point = true;
            i += 1;
            continue;
        }
        let Some(d) = char::from(*b).to_digit(16) else { break };
        if mantissa >= 1 << 20 {
            return None;
        }
        mantissa = mantissa << 4 | u64::from(d);
        exponent -= if point { 4 } else { 0 };
        digits += 1;
        i += 1;
    }
    if digits == 0 {
        return Some(None);
    }
    if t.get(i).is_some_and(|b| b | 32 == b'p') {
        let mut j = i + 1;
        let negative = t.get(j) == Some(&b'-');
        if matches!(t.get(j), Some(b'+' | b'-')) {
            j += 1;
        }
        let n = t[j..].iter().take_while(|b| b.is_ascii_digit()).count();
        if n > 0 {
            let e: i32 = std::str::from_utf8(&t[j..j + n]).ok()?.parse().unwrap_or(100_000);
            exponent += if negative { -e } else { e }.clamp(-100_000, 100_000);
            i = j + n;
        }
    }
    if exponent.abs() > 100 && mantissa != 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "24 bits")]
    Some(Some((mantissa as f64 * 2f64.powi(exponent), i)))
}

/// Result of an extraction from a C++ stream: the stored value, bytes used, and whether it failed.
pub struct Extracted<T> {
    pub value: T,
    pub used: usize,
    pub failed: bool,
}

/// Extracts an integer of `bits` bits in base 10. If it does not fit, the extraction fails and gives the nearest
/// value that does (C++17, 25.4.2.1.2).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "two's complement of the width asked for")]
pub fn extract_int(s: &[u8], bits: u32, signed: bool) -> Extracted<u64> {
    let lead = skip_space(s);
    let sign = usize::from(matches!(s.get(lead), Some(b'+' | b'-')));
    let (v, used) = parse_int(&s[lead..], 10, false);
    if used == 0 {
        return Extracted { value: 0, used: lead + sign, failed: true };
    }
    let (lo, hi) = if signed {
        (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (-((1i128 << bits) - 1), (1 << bits) - 1)
    };
    let fits = (lo..=hi).contains(&v);
    let kept = if fits {
        v
    } else if signed {
        v.clamp(lo, hi)
    } else {
        hi
    };
    Extracted { value: kept as u64, used: lead + used, failed: !fits }
}

/// Extracts a floating-point number: takes the characters that may belong to one, then parses them like `strtod`.
pub fn extract_float(s: &[u8]) -> Option<Extracted<f64>> {
    let lead = skip_space(s);
    let t = &s[lead..];
    let (mut i, mut point, mut exponent, mut digits) =
        (usize::from(matches!(t.first(), Some(b'+' | b'-'))), false, false, false);
    while let Some(b) = t.get(i) {
        match b {
            b'0'..=b'9' => digits = true,
            b'.' if !point && !exponent => point = true,
            b'e' | b'E' if digits && !exponent => {
                exponent = true;
                if matches!(t.get(i + 1), Some(b'+' | b'-')) {
                    i += 1;
                }
            }
            _ => break,
        }
        i += 1;
    }
    let (v, _, used) = parse_float(&t[..i])?;
    let whole = used == i && i > 0;
    if !whole {
        return Some(Extracted { value: 0.0, used: lead + i, failed: true });
    }
    if v.is_infinite() {
        return None;
    }
    Some(Extracted { value: v, used: lead + i, failed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_strtol_does() {
        assert_eq!(parse_int(b"  -42x", 10, false), (-42, 5));
        assert_eq!(parse_int(b"0x1fz", 0, false), (31, 4));
        assert_eq!(parse_int(b"0x", 16, false), (0, 1));
        assert_eq!(parse_int(b"017", 0, false), (15, 3));
        assert_eq!((parse_int(b"0b11", 0, true), parse_int(b"0b11", 0, false)), ((3, 4), (0, 1)));
        assert_eq!(parse_int(b"abc", 10, false), (0, 0));
        assert_eq!(parse_int(b"", 10, false), (0, 0));
        assert_eq!(parse_int(b"\x0b+7", 10, false), (7, 3));
        assert_eq!((as_unsigned(-1), as_unsigned(1 << 64), as_signed(1 << 64)), (u64::MAX, u64::MAX, i64::MAX));
    }

    #[test]
    fn floats_are_read_as_strtod_does() {
        for (text, v, n) in [
            (" 1.5e3x", 1500.0, 6),
            ("2e", 2.0, 1),
            (".5", 0.5, 2),
            ("-inf", f64::NEG_INFINITY, 4),
            (".", 0.0, 0),
            ("0x1.8p1z", 3.0, 7),
            ("0xg", 0.0, 1),
            ("5.", 5.0, 2),
        ] {
            assert_eq!(parse_float(text.as_bytes()).map(|x| (x.0, x.2)), Some((v, n)), "{text}");
        }
    }

    #[test]
    fn streams_fail_where_a_number_does_not_fit() {
        let int = |s: &str, signed| {
            let e = extract_int(s.as_bytes(), 32, signed);
            (e.value as i32, e.used, e.failed)
        };
        assert_eq!(
            (int(" 12x", true), int("x", true), int("3000000000", true)),
            ((12, 3, false), (0, 0, true), (i32::MAX, 10, true))
        );
        assert_eq!((int("-1", false), int("4294967296", false)), ((-1, 2, false), (-1, 10, true)));
        assert!(
            extract_float(b"1e").is_some_and(|e| e.failed) && extract_float(b"1.5").is_some_and(|e| e.value == 1.5)
        );
    }
}
