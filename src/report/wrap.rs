//! Text at the width of a terminal: notes continue on lines of their own, under their first word.
//!
//! In: rendered text. Out: the same with long notes wrapped. Excerpts of sources stay as they are, and so do commands
//! and titles, which people copy or search for.

use textwrap::core::display_width;
use textwrap::{Options, WordSplitter};

/// Narrowest text.
const NARROW: usize = 40;

/// Wraps the notes of a text at `width` columns. Escape sequences of colours count nothing.
#[must_use]
pub fn wrap(text: &str, width: usize) -> String {
    let width = width.max(NARROW);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        match hanging(content).filter(|_| display_width(content) > width) {
            Some(indent) => {
                let indent = " ".repeat(indent.min(width / 2));
                let options = Options::new(width)
                    .subsequent_indent(&indent)
                    .break_words(false)
                    .word_splitter(WordSplitter::NoHyphenation);
                out.push_str(&textwrap::fill(content, options));
            }
            None => out.push_str(content),
        }
        out.push_str(end);
    }
    out
}

/// Returns the column at which a line continues; `None` for a line that is not wrapped.
fn hanging(line: &str) -> Option<usize> {
    let plain = without_colours(line);
    let trimmed = plain.trim_start();
    let indent = plain.len() - trimmed.len();
    for prefix in ["= note: ", "= help: "] {
        if trimmed.starts_with(prefix) {
            return Some(indent + prefix.len());
        }
    }
    if plain.starts_with("scuba: ") || plain.starts_with("undecided: ") {
        return Some(2);
    }
    // Further lines of a note: plain, or numbered. Excerpts have a bar, a number before it, or an arrow.
    let is_of_note = indent >= "= note: ".len() && !trimmed.starts_with(['|', '-', ':', '=']);
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = if digits > 0 && trimmed[digits..].starts_with(". ") { digits + 2 } else { 0 };
    is_of_note.then_some(indent + numbered)
}

/// Removes escape sequences of colours.
fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::wrap;

    const TEXT: &str = "\
error[oob-global]: write past the end of `energy` in a title that is longer than the width
  --> a.cu:19:49
   |
15 |     cudaMalloc(&energy, n * sizeof(float)); // a long line of the source
   |     -------------------------------------- allocated here: `4 * argv[1]` bytes
   |
   = note: for example with argv[1] = 1: grid (1, 1, 1), thread (1, 0, 0) of block (0, 0, 0)
           accesses bytes 4 to 7 of `energy`, which has 4 bytes and no more than that
   = run: ./members 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21
   = note: step by step:
           12. `step` is launched: grid `(n + 128) / 128` = 1, block 128 (members.cu:35)
   = help: check `i`
undecided: 1 access: what a very long reason says of an access that is not decided
";

    #[test]
    fn notes_are_wrapped_under_their_first_word_and_sources_and_commands_are_not() {
        insta::assert_snapshot!(wrap(TEXT, 60));
        assert_eq!(wrap(TEXT, 100), TEXT);
    }

    #[test]
    fn colours_count_nothing() {
        let note =
            "   \u{1b}[1m\u{1b}[94m= \u{1b}[0m\u{1b}[1mnote\u{1b}[0m: one two three four five six seven eight nine";
        assert_eq!(wrap(note, 60), note);
        let wrapped = wrap(note, 40);
        assert!(wrapped.ends_with("\n           seven eight nine") || wrapped.contains("\n           "), "{wrapped:?}");
    }

    #[test]
    fn words_are_never_cut() {
        let path = format!("   = note: {}", "/a/long/path".repeat(9));
        assert_eq!(wrap(&path, 40).replace(['\n', ' '], ""), path.replace(' ', ""));
        assert_eq!(wrap("", 40), "");
    }
}
