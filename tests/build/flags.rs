//! The table of nvcc's flags against what the installed nvcc lists.

use super::support::nvcc;
use scuba::nvcc::flags::{FlagMatch, FlagValue, find};
use std::process::Command;

#[test]
fn flags_that_nvcc_lists_are_known() {
    let help = Command::new(nvcc()).arg("--help").output().unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    // `--Werror <kind>,...   (-Werror)`; a description is indented.
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with("--")).map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.len() > 150, "{} flags: `nvcc --help` has another form", rows.len());
    let mut wrong = vec![];
    for row in rows {
        let (name, short) = (row[0], row[row.len() - 1].trim_matches(['(', ')']));
        let shows_value = row.len() > 2;
        for word in [name, short] {
            match find(word.as_bytes()) {
                FlagMatch::Alone(flag) => {
                    // Some rows do not show that a flag has a value.
                    let fits = !shows_value || flag.value != FlagValue::None;
                    if flag.long != name || !fits {
                        wrong.push(format!("{} has {:?}: {}", flag.long, flag.value, row.join(" ")));
                    }
                }
                _ => wrong.push(format!("{word} is unknown")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
