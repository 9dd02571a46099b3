//! Byte sizes as people write them: `192GiB`, `512 MB`, `4096`.

use serde::de::{self, Deserializer, Visitor};
use std::fmt;
use std::str::FromStr;

/// Number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size: write a number of bytes, or a number with one of B, kB, MB, GB, TB, KiB, MiB, GiB, TiB")]
pub struct SizeError(String);

const UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

impl FromStr for ByteSize {
    type Err = SizeError;
    fn from_str(s: &str) -> Result<Self, SizeError> {
        let text = s.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let unit = text[digits..].trim();
        let factor = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|u| u.1);
        text[..digits]
            .parse::<u64>()
            .ok()
            .zip(factor)
            .and_then(|(n, f)| n.checked_mul(f))
            .map(Self)
            .ok_or_else(|| SizeError(s.to_owned()))
    }
}

impl<'de> serde::Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Size;
        impl Visitor<'_> for Size {
            type Value = ByteSize;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"192GiB\" or a number of bytes")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<ByteSize, E> {
                v.parse().map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<ByteSize, E> {
                u64::try_from(v).map(ByteSize).map_err(|_| E::custom(SizeError(v.to_string())))
            }
        }
        deserializer.deserialize_any(Size)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSize;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        let read = |s: &str| s.parse::<ByteSize>().map(|b| b.0);
        assert_eq!(read("192GiB"), Ok(206_158_430_208));
        assert_eq!(read("4096"), Ok(4096));
        assert_eq!(read(" 2 MB "), Ok(2_000_000));
        assert_eq!(read("1kib"), Ok(1024));
        for bad in ["", "GiB", "-1", "1.5GiB", "10 potatoes", "99999999999TiB"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
