//! GPU architectures on nvcc's command line.
//!
//! In: values of `-arch` and `-gencode`. Out: compilations of device code, by compute capability (80 for 8.0) and
//! feature set. This module starts no process: its caller resolves `native`.
//!
//! The virtual architecture determines `__CUDA_ARCH__`, and with it what is compiled, so `-arch=compute_80 -code=sm_86`
//! is 80.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Feature set that an architecture's letter selects ("Feature Set Compiler Targets", CUDA C++ Programming Guide 13.0,
/// 5.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FeatureSet {
    /// `sm_100`
    Plain,
    /// `sm_100f`
    Family,
    /// `sm_100a`
    Specific,
}

/// A compilation of a unit's device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeviceCompilation {
    pub number: u32,
    pub features: FeatureSet,
}

impl DeviceCompilation {
    #[must_use]
    pub fn plain(number: u32) -> Self {
        Self { number, features: FeatureSet::Plain }
    }
}

impl fmt::Display for DeviceCompilation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.features {
            FeatureSet::Plain => "",
            FeatureSet::Family => "f",
            FeatureSet::Specific => "a",
        };
        write!(f, "sm_{}{letter}", self.number)
    }
}

/// Architectures that one `-arch` or `-gencode` requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchitectureRequest {
    One(u32),
    /// An architecture with a letter, given by `-gencode`.
    Lettered(DeviceCompilation),
    /// An architecture with a letter, given by `-arch`.
    Short(DeviceCompilation),
    /// `-arch=native`: the GPUs of this machine.
    Native,
    /// `-arch=all`.
    All,
    /// `-arch=all-major`.
    AllMajor,
}

/// Architectures that CUDA 13.0 compiles for `-arch=all`. Older toolkits begin lower; only the lowest is analysed, and
/// clang 22 does not know much below that.
const ALL: [u32; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
/// Architectures of `-arch=all-major`: the major versions, and the earliest of all.
const ALL_MAJOR: [u32; 6] = [75, 80, 90, 100, 110, 120];

/// Parses the value of `-arch`: `sm_80`, `compute_90a`, `lto_75`, `native`, `all`, `all-major`. `None` for other
/// values.
pub fn architecture(value: &[u8]) -> Option<ArchitectureRequest> {
    match value {
        b"native" => Some(ArchitectureRequest::Native),
        b"all" => Some(ArchitectureRequest::All),
        b"all-major" => Some(ArchitectureRequest::AllMajor),
        _ => compiled(value).map(|c| {
            if c.features == FeatureSet::Plain {
                ArchitectureRequest::One(c.number)
            } else {
                ArchitectureRequest::Short(c)
            }
        }),
    }
}

/// Parses the value of `-gencode`: `arch=compute_80,code=sm_80`. The list after `code=` may be in brackets or quotes.
pub fn generate_code(value: &[u8]) -> Option<ArchitectureRequest> {
    value
        .split(|&byte| byte == b',')
        .find_map(|part| {
            let part = trim(part);
            compiled(part.strip_prefix(b"arch=")?)
        })
        .map(|c| {
            if c.features == FeatureSet::Plain {
                ArchitectureRequest::One(c.number)
            } else {
                ArchitectureRequest::Lettered(c)
            }
        })
}

/// Images that a command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Images {
    /// `-arch=sm_90a` abbreviates an image for it and PTX for `compute_90` (nvcc 13.0, `--dryrun`).
    WithPlainPtx,
    /// `-ptx`, `-cubin` and `-code` make only the images that they name.
    AsNamed,
}

/// Returns the requested compilations in order, each once.
pub fn resolve(
    asked: &[ArchitectureRequest],
    images: Images,
    native: impl FnOnce() -> Vec<u32>,
) -> Vec<DeviceCompilation> {
    let mut native = Some(native);
    let mut found: Vec<DeviceCompilation> = Vec::new();
    let plain = |numbers: &[u32]| numbers.iter().map(|n| DeviceCompilation::plain(*n)).collect::<Vec<_>>();
    for one in asked {
        let more = match one {
            ArchitectureRequest::One(number) => plain(&[*number]),
            ArchitectureRequest::Short(c) if images == Images::WithPlainPtx => {
                vec![DeviceCompilation::plain(c.number), *c]
            }
            ArchitectureRequest::Lettered(c) | ArchitectureRequest::Short(c) => vec![*c],
            ArchitectureRequest::Native => plain(&native.take().map(|ask| ask()).unwrap_or_default()),
            ArchitectureRequest::All => plain(&ALL),
            ArchitectureRequest::AllMajor => plain(&ALL_MAJOR),
        };
        for one in more {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// Returns the compute capabilities of compilations in order, each once.
pub fn numbers(compiled: &[DeviceCompilation]) -> Vec<u32> {
    let mut found = Vec::new();
    for one in compiled {
        if !found.contains(&one.number) {
            found.push(one.number);
        }
    }
    found
}

/// Parses an architecture: `sm_90a` is 90 with its own features.
fn compiled(name: &[u8]) -> Option<DeviceCompilation> {
    let name = trim(name);
    let digits = [b"compute_".as_slice(), b"sm_", b"lto_"].iter().find_map(|prefix| name.strip_prefix(*prefix))?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let features = match &digits[end..] {
        b"a" => FeatureSet::Specific,
        b"f" => FeatureSet::Family,
        _ => FeatureSet::Plain,
    };
    Some(DeviceCompilation { number: std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?, features })
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
            ("sm_80", Some(ArchitectureRequest::One(80))),
            (
                "compute_90a",
                Some(ArchitectureRequest::Short(DeviceCompilation { number: 90, features: FeatureSet::Specific })),
            ),
            (
                "sm_120f",
                Some(ArchitectureRequest::Short(DeviceCompilation { number: 120, features: FeatureSet::Family })),
            ),
            ("lto_75", Some(ArchitectureRequest::One(75))),
            ("native", Some(ArchitectureRequest::Native)),
            ("all", Some(ArchitectureRequest::All)),
            ("all-major", Some(ArchitectureRequest::AllMajor)),
            ("80", None),
            ("sm_", None),
            ("sm_99999999999", None),
            ("", None),
        ] {
            assert_eq!(architecture(value.as_bytes()), expected, "{value}");
        }
        for (value, expected) in [
            ("arch=compute_80,code=sm_80", Some(ArchitectureRequest::One(80))),
            ("arch=compute_80,code=[compute_80,sm_86]", Some(ArchitectureRequest::One(80))),
            ("arch=compute_80,code=\"sm_80,compute_80\"", Some(ArchitectureRequest::One(80))),
            (
                "\"arch=compute_90a,code=sm_90a\"",
                Some(ArchitectureRequest::Lettered(DeviceCompilation { number: 90, features: FeatureSet::Specific })),
            ),
            ("code=sm_80,arch=compute_75", Some(ArchitectureRequest::One(75))),
            ("code=sm_80", None),
        ] {
            assert_eq!(generate_code(value.as_bytes()), expected, "{value}");
        }
    }

    fn shown(asked: &[ArchitectureRequest], images: Images) -> Vec<String> {
        resolve(asked, images, || vec![90, 75]).iter().map(DeviceCompilation::to_string).collect()
    }

    #[test]
    fn several() {
        let asked = [
            ArchitectureRequest::One(86),
            ArchitectureRequest::One(75),
            ArchitectureRequest::One(86),
            ArchitectureRequest::Native,
        ];
        assert_eq!(shown(&asked, Images::AsNamed), ["sm_86", "sm_75", "sm_90"]);
        assert_eq!(shown(&[ArchitectureRequest::All], Images::AsNamed).first().map(String::as_str), Some("sm_75"));
        assert!(shown(&[], Images::WithPlainPtx).is_empty());
    }

    /// Expected values as `nvcc --dryrun` of CUDA 13.0 prints them.
    #[test]
    fn a_letter_stays_and_the_short_form_compiles_twice() {
        let short = [architecture(b"sm_90a").unwrap()];
        assert_eq!(shown(&short, Images::WithPlainPtx), ["sm_90", "sm_90a"]);
        assert_eq!(shown(&short, Images::AsNamed), ["sm_90a"]);
        let long = [generate_code(b"arch=compute_100f,code=sm_103f").unwrap(), ArchitectureRequest::One(80)];
        assert_eq!(shown(&long, Images::WithPlainPtx), ["sm_100f", "sm_80"]);
        let both = resolve(&short, Images::WithPlainPtx, Vec::new);
        assert_eq!(numbers(&both), [90]);
    }
}
