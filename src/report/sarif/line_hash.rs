//! The fingerprint `primaryLocationLineHash`, by which GitHub recognises an alert in another revision of a file.
//!
//! The algorithm is that of `hash` in `src/fingerprints.ts` of github/codeql-action (v3 and v4): a polynomial over the
//! UTF-16 code units of the line and of the text below it, without spaces and tabs, 100 of them. Its action computes the
//! same value for documents without one and warns of another value.

use rustc_hash::FxHashMap;

/// Number of code units that a hash covers.
const UNITS: usize = 100;
const BASE: u64 = 37;
/// Code unit after the last of a file.
const END: u16 = u16::MAX;

/// Returns the fingerprint of each line, the first line first: a hash in hexadecimal digits, and the number of lines up
/// to this one with the same hash.
pub(super) fn of_lines(text: &str) -> Vec<String> {
    let (units, starts) = squeeze(text);
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    starts
        .into_iter()
        .map(|start| {
            let window = units[start..].iter().copied().chain(std::iter::repeat(0)).take(UNITS);
            let hash = window.fold(0_u64, |hash, unit| hash.wrapping_mul(BASE).wrapping_add(u64::from(unit)));
            let count = seen.entry(hash).or_insert(0);
            *count += 1;
            format!("{hash:x}:{count}")
        })
        .collect()
}

/// Returns the code units that count, with one line feed for each end of a line, and where in them each line starts.
fn squeeze(text: &str) -> (Vec<u16>, Vec<usize>) {
    let (space, tab, feed, carriage) = (u16::from(b' '), u16::from(b'\t'), u16::from(b'\n'), u16::from(b'\r'));
    let mut units = Vec::new();
    let mut starts = Vec::new();
    let (mut after_carriage, mut at_start) = (false, true);
    for unit in text.encode_utf16().chain([END]) {
        if unit == space || unit == tab || (after_carriage && unit == feed) {
            after_carriage = false;
            continue;
        }
        after_carriage = unit == carriage;
        if at_start {
            starts.push(units.len());
        }
        at_start = unit == feed || unit == carriage;
        units.push(if after_carriage { feed } else { unit });
    }
    (units, starts)
}

#[cfg(test)]
mod tests {
    use super::of_lines;

    /// Values that `hash` of github/codeql-action gives for these texts.
    #[test]
    fn hashes_are_those_of_github() {
        let values = [
            ("", &["c129715d7a2bc9a3:1"] as &[&str]),
            ("a[i] = 1;\n", &["cf5d8f54654a50e0:1", "c129715d7a2bc9a3:1"] as &[&str]),
            (
                "  if (i < n)\n\ta[i] = b[i];\n}\n",
                &["4d214ae915b80a76:1", "e23ca3a14602a879:1", "32dce9ccfdbc9d3e:1", "c129715d7a2bc9a3:1"] as &[&str],
            ),
            (
                "x\r\ny\r\n\r\nz",
                &["6810f633cf347bf0:1", "32d282a2940c442e:1", "483058b3d6ce6067:1", "76dcabf80cb35c79:1"] as &[&str],
            ),
            (
                "x\ry\r \nz\n",
                &[
                    "976542771af57de6:1",
                    "4c9e5682af2fc0b4:1",
                    "3b306224f79348fd:1",
                    "95de0951c928fa27:1",
                    "c129715d7a2bc9a3:1",
                ] as &[&str],
            ),
            (
                "int i = blockIdx.x * blockDim.x + threadIdx.x;\nint i = blockIdx.x * blockDim.x + threadIdx.x;\nint i = blockIdx.x * blockDim.x + threadIdx.x;\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                &[
                    "578d2403977939eb:1",
                    "578d2403977939eb:2",
                    "5583eeaf6ea15031:1",
                    "5084e6f4b11bf03a:1",
                    "c129715d7a2bc9a3:1",
                ] as &[&str],
            ),
            (
                "// größer 🙂 als n\na[i] = 0;\n",
                &["2081e0b9b9040af5:1", "be9552c7d5a66f77:1", "c129715d7a2bc9a3:1"] as &[&str],
            ),
        ];
        for (text, expected) in values {
            assert_eq!(of_lines(text), expected, "{text:?}");
        }
    }
}
