//! `scuba contracts`: writes the requirements of kernels on their arguments, for people, programs, scuba.toml and
//! sources.

use super::check;
use crate::args::{ContractFormat, ContractsArgs};
use crate::programs::architectures;
use crate::programs::stored;
use crate::session::Session;
use crate::worker::guarded;
use crate::{Status, output};
use ::check::inference::{self, Inferred, ProgramRequirements};
use anyhow::{Context, Result, anyhow, bail};
use base::own_program;
use finding::names::base_name;
use globset::{Glob, GlobSet, GlobSetBuilder};
use ir::{Module, Program};
use report::contracts::{self as text, FunctionContract};
use report::levels::Overrides;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// # Errors
/// If there is nothing to analyse, or a pattern, settings or flags cannot be understood.
pub fn run(args: &ContractsArgs, overrides: &Overrides) -> Result<Status> {
    let wanted = patterns(&args.function)?;
    let (session, programs) = programs(args, overrides)?;
    let mut functions: Vec<FunctionContract> = vec![];
    let mut wrong = false;
    for (name, code) in programs {
        match infer(code, &session, wanted.clone()) {
            Ok(ProgramRequirements { functions: found, faults, internal, nets }) => {
                for fault in internal {
                    output::complain(&format!("{name}: not analysed: {fault}"));
                }
                for fault in faults {
                    wrong = true;
                    output::print_error(&format!("{}\n\n", fault.shown));
                }
                for net in nets {
                    output::complain(&format!(
                        "{name}: {} was reached: another run, or a higher limit, may find more",
                        net.setting()
                    ));
                }
                for f in found {
                    let f = written(f, &session);
                    // A library's kernel is in many programs.
                    if !functions.contains(&f) {
                        functions.push(f);
                    }
                }
            }
            Err(fault) => output::complain(&format!("{name}: not analysed: {fault}")),
        }
    }
    if functions.is_empty() {
        bail!(
            "there is no kernel and no function that launches one here{}",
            if args.function.is_empty() { "" } else { " with such a name (`knn`, `ns::knn`, `knn_*`)" }
        );
    }
    if let Some(other) = &args.diff {
        let changes = text::changes(&earlier(other, args)?, &functions);
        output::print(&match args.format {
            ContractFormat::Json => text::json_changes(&changes).context("cannot render JSON")?,
            _ => text::human_changes(&changes),
        });
        return Ok(if wrong { Status::Unable } else { Status::Clean });
    }
    output::print(&match args.format {
        ContractFormat::Human => text::human(&functions),
        ContractFormat::Json => text::json(&functions).context("cannot render JSON")?,
        ContractFormat::Toml => text::toml(&functions),
        ContractFormat::Checks => text::checks(&functions),
    });
    Ok(if wrong { Status::Unable } else { Status::Clean })
}

/// Returns the requirements of another version: from a document of an earlier run, or from the same sources in a
/// revision.
fn earlier(other: &Path, args: &ContractsArgs) -> Result<Vec<FunctionContract>> {
    let text = if other.is_file() {
        std::fs::read_to_string(other).with_context(|| format!("cannot read {}", other.display()))?
    } else {
        of_revision(other, args)?
    };
    text::read(&text)
        .map_err(|e| anyhow!("{} is not a document of `scuba contracts --format json`: {e}", other.display()))
}

/// Runs this program on the same sources in a revision of their repository, and returns its document.
fn of_revision(revision: &Path, args: &ContractsArgs) -> Result<String> {
    if args.paths.is_empty() || args.paths.iter().any(|p| p.is_dir()) {
        bail!("--diff with a revision needs sources: `scuba contracts FILE.cu --diff {}`", revision.display());
    }
    let here = std::env::current_dir().context("the working folder does not exist")?;
    let git = |arguments: &[&OsStr]| -> Result<Vec<u8>> {
        let out = Command::new("git").current_dir(&here).args(arguments).output().context("cannot run git")?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr);
            bail!("{} is neither a file nor a revision here: {}", revision.display(), said.trim());
        }
        Ok(out.stdout)
    };
    let within = git(&["rev-parse".as_ref(), "--show-prefix".as_ref()])?;
    let within = PathBuf::from(String::from_utf8_lossy(&within).trim_end().to_owned());
    let top = git(&["rev-parse".as_ref(), "--show-toplevel".as_ref()])?;
    let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end().to_owned());
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let archive = folder.path().join("sources.tar");
    let archived = Command::new("git")
        .current_dir(&top)
        .args(["archive", "--format=tar", "-o"])
        .arg(&archive)
        .arg(revision)
        .output()
        .context("cannot run git")?;
    if !archived.status.success() {
        let said = String::from_utf8_lossy(&archived.stderr);
        bail!("{} is neither a file nor a revision here: {}", revision.display(), said.trim());
    }
    let tree = folder.path().join("tree");
    std::fs::create_dir(&tree).context("cannot make a temporary folder")?;
    let unpacked =
        Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&tree).status().context("cannot run tar")?;
    if !unpacked.success() {
        bail!("cannot unpack the sources of {}", revision.display());
    }
    let this = own_program::path().context("cannot find this program")?;
    let mut again = Command::new(this);
    again.current_dir(tree.join(within)).args(["contracts", "--format", "json", "--quiet"]);
    again.args(args.function.iter().map(|f| format!("--function={f}")));
    again.args(args.common.config.iter().map(|c| format!("--config={}", here.join(c).display())));
    again.args(&args.paths).arg("--").args(&args.flags);
    let out = again.output().context("cannot run this program again")?;
    if !out.status.success() {
        bail!("of {}: {}", revision.display(), String::from_utf8_lossy(&out.stderr).trim());
    }
    String::from_utf8(out.stdout).context("its document is not UTF-8")
}

/// Names of programs with their code.
type NamedPrograms = Vec<(String, Vec<Arc<Module>>)>;

fn programs(args: &ContractsArgs, overrides: &Overrides) -> Result<(Session, NamedPrograms)> {
    let dir = match args.paths.as_slice() {
        [] => None,
        [dir] if dir.is_dir() => Some(dir.as_path()),
        files => {
            let (session, units, plan) = check::read_files(files, &args.flags, &args.common, overrides)?;
            for unit in &units {
                for n in &unit.facts.not_analysed {
                    let file = session.root.show(&unit.facts.source().to_string_lossy());
                    output::complain(&format!("{file}: {} side not analysed: {}", n.side, n.reason));
                }
            }
            return Ok((
                session,
                vec![(plan.name, units.iter().flat_map(|u| architectures::lowest(&u.modules)).collect())],
            ));
        }
    };
    if !args.flags.is_empty() {
        bail!(
            "flags after `--` apply to sources only: `scuba contracts FILE.cu -- FLAGS`; a build's facts have their own"
        );
    }
    let (mut stored, session) = stored::open_with_session(dir, &args.common, overrides)?;
    stored.refresh(&session);
    let mut all = vec![];
    for plan in stored.plans() {
        let mut code = vec![];
        for &i in &plan.units {
            code.extend(architectures::lowest(&stored.modules(i)?));
        }
        all.push((plan.name, code));
    }
    Ok((session, all))
}

fn patterns(given: &[String]) -> Result<Option<GlobSet>> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut all = GlobSetBuilder::new();
    for pattern in given {
        all.add(Glob::new(pattern).with_context(|| format!("--function: `{pattern}` is not a name pattern"))?);
    }
    Ok(Some(all.build().context("--function")?))
}

fn infer(
    mut code: Vec<Arc<Module>>,
    session: &Session,
    wanted: Option<GlobSet>,
) -> Result<ProgramRequirements, guarded::WorkerFailure> {
    code.sort_by(|a, b| a.source.cmp(&b.source));
    let options = session.check_options();
    guarded::within(options.time(), move || {
        inference::of_program(&Program::link(code), &options, |symbol, display| {
            let (name, base) = (display.split(['(', '<']).next().unwrap_or_default(), base_name(display));
            wanted.as_ref().is_none_or(|w| [symbol, display, name, &base].iter().any(|n| w.is_match(n)))
        })
    })
}

/// Converts the contract of a function for output, with paths relative to the project.
fn written(f: Inferred, session: &Session) -> FunctionContract {
    let place = |p: inference::SourceAccess| text::AccessPosition {
        file: session.root.show(&p.position.file),
        line: p.position.line,
        column: p.position.column,
        array: p.array,
    };
    FunctionContract {
        file: session.root.show(&f.position.file),
        line: f.position.line,
        function: f.function,
        symbol: f.symbol,
        kernel: f.kernel,
        numbers: f.numbers.into_iter().map(|(name, bits, signed)| (name, (bits, signed))).collect(),
        requires: f
            .conditions
            .into_iter()
            .map(|c| text::ReportedRequirement {
                text: c.condition.to_string(),
                condition: c.condition,
                evidence: c.evidence.name().to_owned(),
                if_no_wrap: c.wraps,
                covers: c.covers.into_iter().map(place).collect(),
            })
            .collect(),
        safe: f.safe,
        safe_if_no_wrap: f.safe_if_no_wrap.into_iter().map(place).collect(),
        open: f.open.into_iter().map(|o| text::UndecidedAccess { place: place(o.place), reason: o.reason }).collect(),
        partly: f.partly,
    }
}
