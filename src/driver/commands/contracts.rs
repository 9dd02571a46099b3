//! `scuba contracts`: what kernels need of their arguments, for people, for programs, for scuba.toml and for sources.

use super::check;
use crate::check::inference::{self, Inferred};
use crate::driver::args::{ContractFormat, ContractsArgs};
use crate::driver::programs::stored;
use crate::driver::session::Session;
use crate::driver::worker::guarded;
use crate::driver::{Status, output};
use crate::ir::{Module, Program};
use crate::report::contracts::{self as text, Function};
use crate::report::levels::Overrides;
use anyhow::{Context, Result, bail};
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::sync::Arc;

/// # Errors
/// When there is nothing to analyse, or a pattern, settings or flags cannot be understood.
pub fn run(args: &ContractsArgs, overrides: &Overrides) -> Result<Status> {
    let wanted = patterns(&args.function)?;
    let (session, programs) = programs(args, overrides)?;
    let mut functions: Vec<Function> = vec![];
    for (name, code) in programs {
        match infer(code, &session, wanted.clone()) {
            Ok(found) => {
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
        bail!("there is no kernel here{}", if args.function.is_empty() { "" } else { " of such a name" });
    }
    output::print(&match args.format {
        ContractFormat::Human => text::human(&functions),
        ContractFormat::Json => text::json(&functions).context("cannot render JSON")?,
        ContractFormat::Toml => text::toml(&functions),
        ContractFormat::Checks => text::checks(&functions),
    });
    Ok(Status::Clean)
}

/// Programs with their code.
type Programs = Vec<(String, Vec<Arc<Module>>)>;

fn programs(args: &ContractsArgs, overrides: &Overrides) -> Result<(Session, Programs)> {
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
            return Ok((session, vec![(plan.name, units.into_iter().flat_map(|u| u.modules).collect())]));
        }
    };
    if !args.flags.is_empty() {
        bail!("flags behind `--` are for sources: `scuba contracts FILE.cu -- FLAGS`; facts of a build have theirs");
    }
    let (mut stored, session) = stored::open_with_session(dir, &args.common, overrides)?;
    stored.refresh(&session);
    let mut all = vec![];
    for plan in stored.plans() {
        let mut code = vec![];
        for &i in &plan.units {
            code.extend(stored.modules(i)?);
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
        all.add(Glob::new(pattern).with_context(|| format!("--function: `{pattern}` is no pattern of names"))?);
    }
    Ok(Some(all.build().context("--function")?))
}

fn infer(
    mut code: Vec<Arc<Module>>,
    session: &Session,
    wanted: Option<GlobSet>,
) -> Result<Vec<Inferred>, guarded::Fault> {
    code.sort_by(|a, b| a.source.cmp(&b.source));
    let options = session.check_options();
    guarded::within(options.seconds, move || {
        inference::of_program(&Program::link(code), &options, |symbol, display| {
            let name = display.split(['(', '<']).next().unwrap_or_default();
            wanted.as_ref().is_none_or(|w| [symbol, display, name].iter().any(|n| w.is_match(n)))
        })
    })
}

/// As it is shown: paths relative to the project.
fn written(f: Inferred, session: &Session) -> Function {
    let place = |p: inference::Place| text::Place {
        file: session.root.show(&p.position.file),
        line: p.position.line,
        column: p.position.column,
        array: p.array,
    };
    Function {
        file: session.root.show(&f.position.file),
        line: f.position.line,
        function: f.function,
        symbol: f.symbol,
        parameters: f.parameters.into_iter().collect(),
        requires: f
            .conditions
            .into_iter()
            .map(|c| text::Requirement {
                text: c.condition.to_string(),
                condition: c.condition,
                evidence: c.evidence.name(),
                if_no_wrap: c.wraps,
                covers: c.covers.into_iter().map(place).collect(),
            })
            .collect(),
        safe: f.safe,
        open: f.open.into_iter().map(|o| text::Open { place: place(o.place), reason: o.reason }).collect(),
        partly: f.partly,
    }
}
