//! The command that shows a finding: the program with its arguments, standard input and files, or the call of an
//! operator from Python.

use crate::{Finding, Replay, RunFile};
use std::fmt::Write as _;

/// Most bytes of a standard input or of a file that a command spells.
const SPELT: usize = 200;
/// Fewest equal lines at the end that are not spelt.
const EQUAL: usize = 8;
/// Fewest zeros at the end of a file that are not spelt.
const ZEROS: usize = 8;

impl Finding {
    /// Returns the command that shows the finding, in words of a POSIX shell, or the call from Python. `None` if no
    /// replay reached the finding, if other code calls the function, or if the inputs are too long for a line.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let w = self.witness.as_ref().filter(|w| w.replay == Replay::Reached)?;
        if let Some(call) = &w.run.call {
            return Some(call.clone());
        }
        if self.root != "main" || self.program.is_empty() {
            return None;
        }
        let is_path = self.program.contains('/');
        let program = if is_path { self.program.clone() } else { format!("./{}", self.program) };
        let words = std::iter::once(program.as_str()).chain(w.run.argv.iter().map(String::as_str));
        let mut run = shlex::try_join(words).ok()?;
        if !w.run.stdin.is_empty() {
            run = format!("{} | {run}", print(w.run.stdin.as_bytes())?);
        }
        let mut all = w.run.files.iter().map(file).collect::<Option<Vec<String>>>()?;
        all.push(run);
        Some(all.join(" && "))
    }
}

/// Returns the command that writes a file.
fn file(f: &RunFile) -> Option<String> {
    let name = shlex::try_quote(&f.name).ok()?;
    let end = f.bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    if f.bytes.len() - end < ZEROS {
        return Some(format!("{} > {name}", print(&f.bytes)?));
    }
    let size = f.bytes.len();
    match end {
        0 => Some(format!("truncate -s 0 {name} && truncate -s {size} {name}")),
        _ => Some(format!("{} > {name} && truncate -s {size} {name}", printf(&f.bytes[..end])?)),
    }
}

/// Returns the command that prints these bytes; `None` if they are too many. Equal lines at the end are counted.
fn print(bytes: &[u8]) -> Option<String> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    let last = lines.last().and_then(|l| l.strip_suffix(b"\n")).and_then(|l| std::str::from_utf8(l).ok());
    let equal = lines.iter().rev().take_while(|l| Some(l) == lines.last().as_ref()).count();
    let Some(last) = last.filter(|l| equal >= EQUAL && l.bytes().all(|b| matches!(b, b' '..=b'~'))) else {
        return printf(bytes);
    };
    let option = if last.starts_with('-') { "-- " } else { "" };
    let many = format!("yes {option}{} | head -n {equal}", shlex::try_quote(last).ok()?);
    match lines[..lines.len() - equal].concat() {
        none if none.is_empty() => Some(many),
        first => Some(format!("{{ {}; {many}; }}", printf(&first)?)),
    }
}

fn printf(bytes: &[u8]) -> Option<String> {
    if bytes.len() > SPELT {
        return None;
    }
    let mut text = String::new();
    for b in bytes {
        // Writing to a string does not fail.
        let _ = match b {
            b'\n' => write!(text, "\\n"),
            b'%' => write!(text, "%%"),
            b'\\' => write!(text, "\\\\"),
            // A quote would end the quoted text.
            b' '..=b'~' if *b != b'\'' => write!(text, "{}", char::from(*b)),
            _ => write!(text, "\\{b:03o}"),
        };
    }
    Some(format!("printf '{text}'"))
}

#[cfg(test)]
mod tests {
    use crate::{Replay, RunFile, samples};

    #[test]
    fn words_are_quoted_for_a_shell() {
        let mut f = samples::finding();
        assert_eq!(f.command().unwrap(), "./app 1");
        f.program = "build/heat".into();
        f.witness.as_mut().unwrap().run.argv = vec!["-n".into(), "a b".into(), "it's".into(), String::new()];
        assert_eq!(f.command().unwrap(), "build/heat -n 'a b' \"it's\" ''");
        f.witness.as_mut().unwrap().replay = Replay::Incomplete;
        assert_eq!(f.command(), None);
    }

    #[test]
    fn input_and_files_are_written_first() {
        let mut f = samples::finding();
        let run = &mut f.witness.as_mut().unwrap().run;
        run.stdin = "3 50%\n".into();
        let file = |name: &str, bytes: &[u8]| RunFile { name: name.into(), bytes: bytes.to_vec() };
        run.files = vec![file("sizes.txt", b"1'\\2\n"), file("my data", &[5, 0, 0, 0, 0, 0, 0, 0, 0])];
        assert_eq!(
            f.command().unwrap(),
            "printf '1\\047\\\\2\\n' > sizes.txt && printf '\\005' > 'my data' && truncate -s 9 'my data' && \
             printf '3 50%%\\n' | ./app 1"
        );
        f.witness.as_mut().unwrap().run.files = vec![file("zeros", &[0; 64])];
        assert!(f.command().unwrap().starts_with("truncate -s 0 zeros && truncate -s 64 zeros && "));
        f.witness.as_mut().unwrap().run.files =
            vec![file("lines", "5\n-1\n".replace("-1\n", &"-1\n".repeat(90)).as_bytes())];
        assert!(f.command().unwrap().starts_with("{ printf '5\\n'; yes -- -1 | head -n 90; } > lines && "));
        f.witness.as_mut().unwrap().run.files = vec![file("large", &[7; 4096])];
        assert_eq!(f.command(), None, "too long for a line");
    }

    #[test]
    fn other_roots_have_no_command_but_operators_have_a_call() {
        let mut f = samples::finding();
        f.root = "launch(int)".into();
        assert_eq!(f.command(), None);
        f.witness.as_mut().unwrap().run.call = Some("scale(torch.zeros(1))".into());
        assert_eq!(f.command().unwrap(), "scale(torch.zeros(1))");
    }
}
