//! Commands that show a finding.

use crate::kept::ReportOrigin;
use finding::{Finding, TensorArgument};
use std::fmt::Write as _;

/// Longest text of standard input that a command line repeats.
const INPUT: usize = 200;

/// Returns the commands, shortest way first: the program itself where its command line decides, and the run on a GPU.
#[must_use]
pub fn commands(f: &Finding, origin: &ReportOrigin) -> Vec<(&'static str, String)> {
    let Some(w) = &f.witness else { return vec![] };
    let mut all = Vec::new();
    if let Some(operator) = &w.run.operator {
        all.push(("from Python", call(operator, f)));
    } else if f.root == "main" {
        all.push(("the program, on a GPU", program(f)));
    }
    all.push(("the same on a GPU under Compute Sanitizer", confirm(f, origin)));
    all
}

/// Formats the run of a program: its files, its standard input and its arguments.
fn program(f: &Finding) -> String {
    let Some(run) = f.witness.as_ref().map(|w| &w.run) else { return String::new() };
    let mut text = String::new();
    for file in &run.files {
        let name = quoted(&file.name);
        match std::str::from_utf8(&file.bytes).ok().filter(|t| t.len() <= INPUT && is_plain(t)) {
            Some(t) => _ = writeln!(text, "printf '%b' {} > {name}", single_quoted(&escaped(t))),
            None => _ = writeln!(text, "# {name}: {} bytes, which `scuba confirm --bundle` writes", file.bytes.len()),
        }
    }
    if !run.stdin.is_empty() && run.stdin.len() <= INPUT && is_plain(&run.stdin) {
        let _ = write!(text, "printf '%b' {} | ", single_quoted(&escaped(&run.stdin)));
    }
    let name = if f.program.is_empty() { "program" } else { &f.program };
    let _ = write!(text, "./{}", quoted(name));
    for argument in &run.argv {
        let _ = write!(text, " {}", quoted(argument));
    }
    text
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t'))
}

/// Escapes a text for `printf '%b'`.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Quotes a word of a command line where a shell needs it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { single_quoted(word) }
}

/// Formats the call of an operator from Python, its tensors by sizes.
fn call(operator: &str, f: &Finding) -> String {
    let dotted = operator.replace("::", ".");
    let name = if operator.contains("::") { format!("torch.ops.{dotted}") } else { dotted };
    let of = |(name, t): (&String, &TensorArgument)| format!("{name}={}", tensor(t));
    let arguments: Vec<String> = f.arguments.iter().map(of).collect();
    let w = f.witness.as_ref().map(|w| w.inputs.as_slice()).unwrap_or_default();
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_') && !f.arguments.contains_key(name);
    let numbers = w.iter().filter(|i| plain(&i.name)).map(|i| format!("{}={}", i.name, i.value));
    format!("{name}({})", arguments.into_iter().chain(numbers).collect::<Vec<_>>().join(", "))
}

fn tensor(t: &TensorArgument) -> String {
    let list = |all: &[i64]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let device = if t.on_device { ", device=\"cuda\"" } else { "" };
    let made = if t.is_packed() {
        format!("torch.zeros([{}], dtype=torch.{}{device})", list(&t.sizes), t.dtype)
    } else {
        let (sizes, strides) = (list(&t.sizes), list(&t.strides));
        format!("torch.empty_strided([{sizes}], [{strides}], dtype=torch.{}{device})", t.dtype)
    };
    let elements = t.elements.iter().filter(|(_, v)| **v != 0).count();
    if elements > 0 { format!("{made} /* with the elements above */") } else { made }
}

/// Formats the confirmation on a GPU: of the sources that were named, else of the build's finding.
fn confirm(f: &Finding, origin: &ReportOrigin) -> String {
    if origin.sources.is_empty() {
        return format!("scuba confirm {}", f.fingerprint);
    }
    let words = origin.sources.iter().map(|s| quoted(s)).collect::<Vec<_>>().join(" ");
    let mut text = format!("scuba confirm {words}");
    if !origin.flags.is_empty() {
        let _ = write!(text, " -- {}", origin.flags.iter().map(|s| quoted(s)).collect::<Vec<_>>().join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::commands;
    use crate::kept::ReportOrigin;
    use finding::{RunFile, TensorArgument, samples};

    #[test]
    fn a_program_is_run_with_its_arguments_input_and_files() {
        let mut f = samples::finding();
        let run = &mut f.witness.as_mut().unwrap().run;
        run.argv = vec!["-n".into(), "it's 1".into()];
        run.stdin = "3 4\n".into();
        run.files = vec![
            RunFile { name: "a.txt".into(), bytes: b"7\n".to_vec() },
            RunFile { name: "b.bin".into(), bytes: vec![0xff, 0] },
        ];
        let origin =
            ReportOrigin { sources: vec!["scale.cu".into()], flags: vec!["-DN=1 2".into()], ..ReportOrigin::default() };
        let all = commands(&f, &origin);
        let lines: Vec<&str> = all[0].1.lines().collect();
        assert_eq!(lines[0], "printf '%b' '7\\n' > a.txt");
        assert!(lines[1].starts_with("# b.bin: 2 bytes"), "{lines:?}");
        assert_eq!(lines[2], "printf '%b' '3 4\\n' | ./app -n 'it'\\''s 1'");
        assert_eq!(all[1].1, "scuba confirm scale.cu -- '-DN=1 2'");
    }

    #[test]
    fn an_operator_is_called_from_python() {
        let mut f = samples::finding();
        f.root = "scale(at::Tensor, long)".into();
        f.fingerprint = "12ab".into();
        let w = f.witness.as_mut().unwrap();
        w.run.operator = Some("ext::scale".into());
        w.inputs[0].name = "n".into();
        w.inputs[0].value = "5".into();
        let x = TensorArgument {
            dtype: "float32".into(),
            sizes: vec![1, 8],
            strides: vec![8, 1],
            on_device: true,
            elements: Default::default(),
        };
        f.arguments.insert("x".into(), x);
        assert_eq!(
            commands(&f, &ReportOrigin::default()).into_iter().map(|(_, command)| command).collect::<Vec<_>>(),
            [
                "torch.ops.ext.scale(x=torch.zeros([1, 8], dtype=torch.float32, device=\"cuda\"), n=5)",
                "scuba confirm 12ab"
            ]
        );
    }
}
