//! `scuba __analyze`: what the shim runs beside nvcc.
//!
//! In: a [`Request`] as JSON on standard input. Out: findings on standard error and nothing else, except one line for a
//! unit that could not be analysed; facts in the output's `.scuba`. Exit status 0, 1 (denied) or 2 (could not analyse).

use super::confirm::{self, Project};
use super::programs;
use super::session::{Session, folder_of, not_analysed};
use super::{Status, extraction, output};
use crate::confirm::prepare::Ways;
use crate::facts::join::{self, Plan};
use crate::facts::{LinkFacts, Store, Told, Unit, UnitFacts, dir};
use crate::nvcc::notes::Notes;
use crate::nvcc::request::Request;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is left of a shim's time for telling what was found.
const SPARE: Duration = Duration::from_secs(3);

/// Never fails: what goes wrong is one line and status 2.
pub fn run() -> Status {
    analyze().unwrap_or_else(|e| {
        output::complain(&output::harmless(&format!("not analysed: {e:#}")));
        Status::Unable
    })
}

fn analyze() -> Result<Status> {
    let request: Request = serde_json::from_reader(std::io::stdin().lock()).context("the shim's request cannot be read; are `scuba` and `scuba-nvcc` of one version?")?;
    let start = match request.units.first() {
        Some(unit) => folder_of(&unit.directory.join(&unit.source))?,
        None => request.directory.clone(),
    };
    let session = Session::of_shim(&start, u32::try_from(request.units.len().max(1)).unwrap_or(u32::MAX))?.with_baseline()?;
    let link = request.link.as_ref();
    let units: Vec<Unit> = request.units.iter().map(|u| extraction::extract(u, link, &session)).collect();

    // All facts of one command lie together.
    let output = request.units.iter().find_map(|u| u.output.as_deref()).or_else(|| link.map(|l| l.output.as_path()));
    let store = Store::new(dir::of_this_process(output, &request.directory));
    // Facts that cannot be kept do not make the analysis of this command worth less.
    let mut unkept = None;
    for unit in &units { unkept = unkept.or(store.write_unit(unit).err()); }
    if let Some(link) = link {
        let record = LinkFacts { link: link.clone(), units: units.iter().map(|u| u.facts.key.clone()).collect() };
        unkept = unkept.or(store.write_link(&record).err());
    }
    if let Some(e) = unkept { output::complain(&output::harmless(&e.to_string())); }

    let session = session.with_confirmations(vec![store.folder().to_owned()]);
    let joined = Joined::new(&store, &units, link.map(|l| l.output.as_path()));
    let mut checked = programs::check(&joined.plans, &joined.facts, |i| joined.modules(i, &units, &store), &session, |_| {});
    let notes = Notes::new(output, &request.directory);
    for note in checked.notes.iter().chain(&checked.problems) { notes.add("check", note); }
    // Comments are judged by whole runs only, and others' failures were told when they were compiled.
    checked.found.files.clear();
    let own: BTreeSet<PathBuf> = units.iter().map(|u| u.facts.source()).collect();
    checked.found.not_analysed.retain(|n| own.contains(Path::new(&n.file)));
    let (mut assembled, sources) = session.assemble(checked.found, checked.frontend);
    assembled.leave_out(|f| joined.told.iter().any(|t| t.covers(&f.fingerprint, f.level)));
    for n in &assembled.report.not_analysed {
        output::complain(&output::harmless(&not_analysed(n)));
    }
    if assembled.report.denied() {
        let project = Project {
            facts: joined.facts.iter().collect(),
            modules: Box::new(|i| joined.modules(i, &units, &store)),
            plans: joined.plans.clone(), links: &[], stores: vec![store.folder().to_owned(); joined.facts.len()],
        };
        // The build stops here anyway, and single launches take a moment.
        let room = Duration::from_secs(u64::from(session.config.confirm.timeout_s));
        let room = session.left().map_or(room, |left| room.min(left.saturating_sub(SPARE)));
        if let Some(line) = confirm::automatically(&mut assembled, &sources, &project, Ways { program: false, checks: None, until: Some(Instant::now() + room) }, &session) {
            notes.add("confirm", &line);
        }
    }
    if !assembled.report.findings.is_empty() { session.write(&assembled, &sources)?; }

    let told: Vec<Told> = assembled.report.findings.iter()
        .map(|f| Told { fingerprint: f.fingerprint.clone(), level: f.level }).collect();
    let denied = assembled.report.denied();
    if !told.is_empty() {
        for unit in &units {
            if let Err(e) = store.note_verdict(&unit.facts.key, denied, &told) { output::complain(&output::harmless(&e.to_string())); }
        }
    }
    Ok(if denied {
        Status::Denied
    } else if assembled.report.not_analysed.is_empty() {
        Status::Clean
    } else {
        Status::Unable
    })
}

/// The programs that this command completes.
struct Joined {
    /// The command's own units first, in their order.
    facts: Vec<UnitFacts>,
    plans: Vec<Plan>,
    /// What users were told of when the other units were compiled.
    told: Vec<Told>,
}

impl Joined {
    fn new(store: &Store, units: &[Unit], link: Option<&Path>) -> Self {
        let own: Vec<UnitFacts> = units.iter().map(|u| u.facts.clone()).collect();
        // Without readable facts of others there is nothing to join.
        let contents = store.read().unwrap_or_default();
        let mut facts = own.clone();
        facts.extend(contents.units.into_iter().filter(|f| !own.iter().any(|o| o.key == f.key)));
        let linked = |i: &usize| link.is_some_and(|l| contents.links.iter().any(|r| r.link.output == l && r.units.contains(&facts[*i].key)));
        let mine: BTreeSet<usize> = (0..own.len()).collect();
        let mut plans = Vec::new();
        let mut alone = mine.clone();
        for plan in join::programs(&facts, &contents.links) {
            let concerned = plan.units.iter().any(|i| mine.contains(i)) || (link.is_some() && plan.units.iter().any(linked));
            if !concerned { continue; }
            // A stale or denied unit is compiled again before the program can be; the join waits for it.
            let ready = plan.units.iter().filter(|i| !mine.contains(i)).all(|&i| !facts[i].denied && facts[i].is_current());
            if ready {
                for i in &plan.units { alone.remove(i); }
                plans.push(plan);
            }
        }
        // What no program is ready for is checked by itself.
        for i in alone {
            let name = facts[i].unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            plans.push(Plan { name, units: vec![i] });
        }
        let told = plans.iter().flat_map(|p| &p.units).filter(|i| !mine.contains(i))
            .flat_map(|&i| facts[i].told.clone()).collect();
        Self { facts, plans, told }
    }

    fn modules(&self, i: usize, units: &[Unit], store: &Store) -> Result<Vec<std::sync::Arc<crate::ir::Module>>> {
        match units.get(i) {
            Some(own) => Ok(own.modules.clone()),
            None => Ok(store.modules(&self.facts[i].key)?),
        }
    }
}
