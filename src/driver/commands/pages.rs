//! `scuba __pages PREFIX`: writes manual pages and shell completions from the description of the command line that
//! also parses it.
//!
//! Packagers run it (`make dist`): the files go where man, bash, zsh and fish search under a prefix.

use crate::Status;
use crate::args::Cli;
use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::path::Path;

pub const COMMAND: &str = "__pages";

/// Paths under the prefix where each shell searches completions.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/scuba"),
    (Shell::Zsh, "share/zsh/site-functions/_scuba"),
    (Shell::Fish, "share/fish/vendor_completions.d/scuba.fish"),
];

/// Sections of the manual pages, and the pages of the book that hold their tables.
const SECTIONS: [(&str, &str); 3] = [
    ("EXIT STATUS", include_str!("../../../docs/book/exit-status.md")),
    ("ENVIRONMENT", include_str!("../../../docs/book/environment.md")),
    ("FILES", include_str!("../../../docs/book/files.md")),
];

/// # Errors
/// If a file cannot be written.
pub fn run(prefix: &Path) -> anyhow::Result<Status> {
    let cli = shown(&Cli::command());
    for (shell, place) in COMPLETIONS {
        let mut text = vec![];
        clap_complete::generate(shell, &mut cli.clone(), "scuba", &mut text);
        write(&prefix.join(place), &text)?;
    }
    let manual = prefix.join("share/man/man1");
    std::fs::create_dir_all(&manual)
        .and_then(|()| manual_pages(cli, &manual))
        .and_then(|()| manual_pages(shim(), &manual))
        .with_context(|| format!("cannot write manual pages to {}", manual.display()))?;
    Ok(Status::Clean)
}

/// Writes the page of a command and of each of its subcommands, with the sections that hold for all.
fn manual_pages(command: Command, folder: &Path) -> std::io::Result<()> {
    fn write(command: &Command, folder: &Path) -> std::io::Result<()> {
        let man = Man::new(command.clone());
        let mut text = vec![];
        man.render(&mut text)?;
        for (name, page) in SECTIONS {
            section(name, page).to_writer(&mut text)?;
        }
        std::fs::write(folder.join(man.get_filename()), text)?;
        command.get_subcommands().filter(|c| !c.is_hide_set()).try_for_each(|c| write(c, folder))
    }
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write(&command, folder)
}

/// Returns a section of a manual page from the first table of a page: a term for each row, and below it the other columns, under their heads if
/// there are several.
fn section(name: &str, page: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [name]);
    let rows = page.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
    let mut rows = rows.map(|l| l.trim_matches('|').split(" | ").map(|c| plain(c.trim())).collect::<Vec<_>>());
    let heads = rows.next().unwrap_or_default();
    for row in rows.skip(1) {
        roff.control("TP", []);
        roff.text([bold(row[0].clone())]);
        let several = row.len() > 2;
        let columns = heads.iter().zip(&row).skip(1);
        let text = columns.map(|(head, text)| if several { format!("{head}: {text}") } else { text.clone() });
        roff.text([roman(text.collect::<Vec<_>>().join("; ") + ".")]);
    }
    roff
}

/// Removes marks of Markdown.
fn plain(cell: &str) -> String {
    cell.replace('`', "")
}

/// Returns the command line without hidden commands between SCuBA's processes, which completions would offer.
fn shown(all: &Command) -> Command {
    let about = all.get_about().cloned().unwrap_or_default();
    let after = all.get_after_help().cloned().unwrap_or_default();
    Command::new("scuba")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .after_help(after)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommands(all.get_subcommands().filter(|c| !c.is_hide_set()).cloned())
}

/// Describes the shim, which has no options of its own.
fn shim() -> Command {
    Command::new("scuba-nvcc")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Run nvcc, and check the memory accesses of what it compiles")
        .override_usage("scuba-nvcc [NVCC-ARGUMENT]...\n       scuba-nvcc NVCC [NVCC-ARGUMENT]...")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .after_help(
            "All arguments are nvcc's: nvcc is run with them, unchanged, and its outputs, streams and exit status stay its own. \
             The nvcc that is run is the one that SCUBA_NVCC or scuba.toml names, else the first argument (perhaps behind a launcher such \
             as ccache), CUDA_HOME, CUDA_PATH or PATH.\n\n\
             Exit status: nvcc's own; 1 where nvcc succeeded and a finding is denied (what the command wrote is removed); 2 only \
             with SCUBA_STRICT=1, where a unit could not be analysed.\n\n\
             Environment: SCUBA_OFF=1 runs nvcc alone. SCUBA_NVCC, SCUBA_CONFIG, SCUBA_CACHE, SCUBA_DIR, SCUBA_MESSAGE_FORMAT, \
             SCUBA_STRICT, SCUBA_LOG and NO_COLOR are those of scuba(1).",
        )
}

fn write(file: &Path, text: &[u8]) -> anyhow::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(file, text))
        .with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_completions_know_it() {
        let prefix = tempfile::tempdir().unwrap();
        run(prefix.path()).unwrap();
        let read = |place: &str| std::fs::read_to_string(prefix.path().join(place)).unwrap();
        for command in Cli::command().get_subcommands() {
            let page = prefix.path().join(format!("share/man/man1/scuba-{}.1", command.get_name()));
            assert_eq!(page.is_file(), !command.is_hide_set(), "{}", page.display());
        }
        for (_, place) in COMPLETIONS {
            let text = read(place);
            assert!(
                text.contains("doctor") && text.contains("message-format") && !text.contains("__analyze"),
                "{place}"
            );
        }
        assert!(read("share/man/man1/scuba.1").contains("scuba\\-check(1)"));
        for page in ["scuba.1", "scuba-check.1", "scuba-nvcc.1"] {
            let text = read(&format!("share/man/man1/{page}"));
            for section in [".SH \"EXIT STATUS\"", ".SH ENVIRONMENT", ".SH FILES"] {
                assert_eq!(text.matches(section).count(), 1, "{page}: {section}: {text}");
            }
            for said in
                ["\\fBSCUBA_CACHE\\fR", "only with SCUBA_STRICT=1", "\\fB.scuba/ in the build folder", "removed by: rm"]
            {
                assert!(text.replace("\\-", "-").contains(said), "{page}: {said}: {text}");
            }
        }
        assert!(read("share/man/man1/scuba-nvcc.1").contains("SCUBA_OFF=1"));
    }
}
