//! Texts for commands, their output, and sizes.

use super::process::RunEnd;
use std::process::Command;

/// Number of bytes for people: `8.6 GiB (9234179688 bytes)`.
pub fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let power = (bytes.max(1).ilog2() / 10).min(4);
    match power.checked_sub(1).and_then(|i| units.get(i as usize)) {
        None => format!("{bytes} bytes"),
        Some(unit) => {
            // One decimal, rounded up: the size must not appear smaller.
            let tenths = (u128::from(bytes) * 10).div_ceil(1 << (10 * power));
            format!("{}.{} {unit} ({bytes} bytes)", tenths / 10, tenths % 10)
        }
    }
}

pub fn last_line(ended: &RunEnd) -> Option<&str> {
    ended
        .output
        .lines()
        .map(|l| l.trim_start_matches('=').trim())
        .rfind(|l| !l.is_empty() && *l != "COMPUTE-SANITIZER" && !l.starts_with("ERROR SUMMARY"))
}

/// A command as a user could type it.
pub fn shown(command: &Command) -> String {
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|w| {
            let text = w.to_string_lossy();
            shlex::try_quote(&text).map_or_else(|_| text.to_string(), std::borrow::Cow::into_owned)
        })
        .collect();
    format!("$ {}\n", words.join(" "))
}

pub fn head_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

pub fn end_of(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut start = text.len() - bytes;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    format!("[…]{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_told_in_units_and_bytes() {
        assert_eq!(size(504), "504 bytes");
        assert_eq!(size(1 << 30), "1.0 GiB (1073741824 bytes)");
        assert_eq!(size(8_600_000_001), "8.1 GiB (8600000001 bytes)");
        assert_eq!(size(u64::MAX), "16777216.0 TiB (18446744073709551615 bytes)");
    }
}
