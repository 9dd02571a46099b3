//! The spellings of GPU architectures on nvcc's command line.
//!
//! In: values of `-arch` and `-gencode`. Out: compute capabilities (80 for 8.0). It starts no process: what `native` means is
//! asked from its caller.
//!
//! The virtual architecture decides `__CUDA_ARCH__` and with it what is compiled, so `-arch=compute_80 -code=sm_86` is 80.

/// What one `-arch` or `-gencode` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    One(u32),
    /// `-arch=native`: the GPUs of this machine.
    Native,
    /// `-arch=all`.
    All,
    /// `-arch=all-major`.
    AllMajor,
}

/// What CUDA 13.0 compiles for `-arch=all`. Older toolkits begin lower; only the lowest is analysed, and clang 22 does not know
/// much below that.
const ALL: [u32; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
/// The major versions, and the earliest of all.
const ALL_MAJOR: [u32; 6] = [75, 80, 90, 100, 110, 120];

/// The value of `-arch`: `sm_80`, `compute_90a`, `lto_75`, `native`, `all`, `all-major`. `None` for what is none of these.
pub fn architecture(value: &[u8]) -> Option<Asked> {
    match value {
        b"native" => Some(Asked::Native),
        b"all" => Some(Asked::All),
        b"all-major" => Some(Asked::AllMajor),
        _ => number(value).map(Asked::One),
    }
}

/// The value of `-gencode`: `arch=compute_80,code=sm_80`, the list after `code=` also in brackets or quotes.
pub fn generate_code(value: &[u8]) -> Option<Asked> {
    value
        .split(|&byte| byte == b',')
        .find_map(|part| {
            let part = trim(part);
            number(part.strip_prefix(b"arch=")?)
        })
        .map(Asked::One)
}

/// Compute capabilities in the order asked for, each once.
pub fn resolve(asked: &[Asked], native: impl FnOnce() -> Vec<u32>) -> Vec<u32> {
    let mut native = Some(native);
    let mut found: Vec<u32> = Vec::new();
    for one in asked {
        let more = match one {
            Asked::One(number) => vec![*number],
            Asked::Native => native.take().map(|ask| ask()).unwrap_or_default(),
            Asked::All => ALL.to_vec(),
            Asked::AllMajor => ALL_MAJOR.to_vec(),
        };
        for number in more {
            if !found.contains(&number) {
                found.push(number);
            }
        }
    }
    found
}

/// `sm_90a` → 90.
fn number(name: &[u8]) -> Option<u32> {
    let name = trim(name);
    let digits = [b"compute_".as_slice(), b"sm_", b"lto_"].iter().find_map(|prefix| name.strip_prefix(*prefix))?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

fn trim(text: &[u8]) -> &[u8] {
    let outer = |byte: &u8| !matches!(byte, b' ' | b'"' | b'\'' | b'[' | b']');
    let start = text.iter().position(outer).unwrap_or(text.len());
    let end = text.iter().rposition(outer).map_or(start, |last| last + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (value, expected) in [
            ("sm_80", Some(Asked::One(80))),
            ("compute_90a", Some(Asked::One(90))),
            ("sm_120f", Some(Asked::One(120))),
            ("lto_75", Some(Asked::One(75))),
            ("native", Some(Asked::Native)),
            ("all", Some(Asked::All)),
            ("all-major", Some(Asked::AllMajor)),
            ("80", None),
            ("sm_", None),
            ("sm_99999999999", None),
            ("", None),
        ] {
            assert_eq!(architecture(value.as_bytes()), expected, "{value}");
        }
        for (value, expected) in [
            ("arch=compute_80,code=sm_80", Some(Asked::One(80))),
            ("arch=compute_80,code=[compute_80,sm_86]", Some(Asked::One(80))),
            ("arch=compute_80,code=\"sm_80,compute_80\"", Some(Asked::One(80))),
            ("\"arch=compute_90a,code=sm_90a\"", Some(Asked::One(90))),
            ("code=sm_80,arch=compute_75", Some(Asked::One(75))),
            ("code=sm_80", None),
        ] {
            assert_eq!(generate_code(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn several() {
        let asked = [Asked::One(86), Asked::One(75), Asked::One(86), Asked::Native];
        assert_eq!(resolve(&asked, || vec![90, 75]), [86, 75, 90]);
        assert_eq!(resolve(&[Asked::All], || unreachable!()).first(), Some(&75));
        assert!(resolve(&[], || unreachable!()).is_empty());
    }
}
