//! Every access counts: each line that accesses memory in nvcc's own code (`nvcc -G -ptx`) must have an access of that kind in what the check
//! looked at. What nvcc's code accesses is written down in `accesses.txt` (by `make audit-record`), so that no test waits for nvcc.

use crate::expectations::Header;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::OnceLock;

/// What nvcc's code accesses in one program.
#[derive(Debug)]
pub struct Recorded {
    fingerprint: String,
    /// File, line, kinds (`read`, `write`, `atomic`).
    lines: Vec<(String, u32, Vec<String>)>,
}

type Records = BTreeMap<String, Recorded>;

fn read_records(text: &str) -> Records {
    let mut records = Records::new();
    let mut name = String::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        if let Some(place) = line.strip_prefix("  ") {
            // nvcc does not take the program: its code is nobody's judge.
            if place.starts_with("rejected: ") {
                continue;
            }
            let (place, kinds) = place.rsplit_once(' ').unwrap();
            let (file, number) = place.rsplit_once(':').unwrap();
            let kinds = kinds.split(',').map(str::to_owned).collect();
            records.get_mut(&name).unwrap().lines.push((file.to_owned(), number.parse().unwrap(), kinds));
        } else {
            let (program, fingerprint) = line.split_once(' ').unwrap();
            program.clone_into(&mut name);
            records.insert(name.clone(), Recorded { fingerprint: fingerprint.to_owned(), lines: Vec::new() });
        }
    }
    records
}

fn records() -> &'static Records {
    static RECORDS: OnceLock<Records> = OnceLock::new();
    RECORDS.get_or_init(|| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/accesses.txt");
        read_records(&std::fs::read_to_string(file).unwrap())
    })
}

/// Of a program's code: what changes in comments alone changes no access. `tools/audit.py` computes the same.
fn fingerprint<'t>(flags: &[String], texts: impl Iterator<Item = &'t str>) -> String {
    let mut digest = Sha256::new_with_prefix(flags.join(" "));
    for line in texts.flat_map(str::lines) {
        digest.update("\n");
        digest.update(line.split("//").next().unwrap_or_default().trim_end());
    }
    digest.finalize().iter().take(8).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// What `--dump accesses` shows: file, line and kind.
fn looked_at(dump: &str) -> BTreeSet<(String, u32, String)> {
    dump.lines()
        .filter_map(|line| {
            let (place, rest) = line.split_once(' ')?;
            let mut parts = place.rsplitn(3, ':').skip(1);
            let number = parts.next()?.parse().ok()?;
            Some((parts.next()?.to_owned(), number, rest.split(' ').next()?.to_owned()))
        })
        .collect()
}

/// One line of text for each access of nvcc's code that was not looked at. `name` is that of the record, `dump` what `--dump accesses` wrote.
pub fn differences(name: &str, header: &Header, texts: &[(String, String)], dump: &str) -> String {
    let now = fingerprint(&header.flags, texts.iter().map(|(_, text)| text.as_str()));
    let Some(recorded) = records().get(name).filter(|r| r.fingerprint == now) else {
        return "  its code is new: `make audit-record` writes down which accesses nvcc has for it\n".to_owned();
    };
    let seen = looked_at(dump);
    let mut text = String::new();
    for (file, line, kinds) in &recorded.lines {
        for kind in kinds {
            let has = |kind: &str| {
                seen.iter()
                    .any(|(f, l, k)| l == line && k == kind && Path::new(f).file_name() == Path::new(file).file_name())
            };
            // An atomic operation is both of the others; one of the others is none of it.
            let counted = has(kind) || kind != "atomic" && has("atomic");
            if !counted {
                let _ = writeln!(text, "  {file}:{line}: nvcc's code has a {kind} that is not counted");
            }
        }
    }
    text
}

/// That it can fail: a record with an access more, and one of other code.
pub fn what_is_missing_is_said() {
    let records = read_records(
        "# nvcc\ntests/ui/x.cu 0123\n  x.cu:4 read,write\n  x.cu:5 atomic\nother.cu 45\n  rejected: why\n",
    );
    assert_eq!(records["tests/ui/x.cu"].lines[0], ("x.cu".to_owned(), 4, vec!["read".to_owned(), "write".to_owned()]));
    assert!(records["other.cu"].lines.is_empty());
    let seen = looked_at("x.cu:4:5 read a\n/home/y z/x.cu:5:1 atomic b[1]\nnot one\n");
    assert!(seen.contains(&("x.cu".to_owned(), 4, "read".to_owned())) && seen.len() == 1, "{seen:?}");
    let flags = ["-DN=4".to_owned()];
    let of = |text: &str| fingerprint(&flags, std::iter::once(text));
    assert_eq!(of("int a; // of one\n"), of("int a; //~ oob-global proved\n"));
    assert_ne!(of("int a;\n"), of("int b;\n"));
}
