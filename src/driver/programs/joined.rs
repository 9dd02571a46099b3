//! The programs that one command of a build completes.
//!
//! In: the units and the link of the command, the facts of the others. Out: the programs to check now, with their code. A program
//! waits while one of its units is about to be compiled again: its facts are of a version that will never be linked.

use super::pending;
use crate::driver::session::Session;
use crate::facts::generated::Planned;
use crate::facts::join::{self, Plan};
use crate::facts::{Present, Second, Store, StoreError, Told, Unit, UnitFacts, gone};
use crate::ir::Module;
use crate::nvcc::request::Link;
use anyhow::Result;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many units of the host's compiler are read for one command; programs that need more are left to `scuba check`.
const MOST_PENDING: usize = 8;

pub struct Joined {
    /// The command's own units first, in their order.
    pub facts: Vec<UnitFacts>,
    pub plans: Vec<Plan>,
    /// What users were told of when the other units were compiled.
    pub told: Vec<Told>,
    /// Which programs wait and for what, one line each.
    pub waiting: Vec<String>,
    /// Code that need not be read from the store.
    code: HashMap<usize, Vec<Arc<Module>>>,
    /// The command's own units as another front end reads them.
    second: HashMap<usize, Second>,
}

impl Joined {
    /// `units` and `link` are kept in the store already. Units that are read on the way are kept there, too.
    pub fn new(store: &Store, units: &[Unit], link: Option<&Link>, present: &Present, session: &Session) -> Self {
        // Without readable facts of others there is nothing to join.
        let contents = store.read().unwrap_or_default();
        let own: BTreeSet<PathBuf> = units.iter().map(|u| u.facts.key.clone()).collect();
        let mut facts: Vec<UnitFacts> = units.iter().map(|u| u.facts.clone()).collect();
        facts.extend(contents.units.into_iter().filter(|f| !own.contains(&f.key)));
        let outputs = facts.iter().map(|f| f.key.as_path()).chain(link.map(|l| l.output.as_path()));
        let planned = Planned::of(outputs, present);
        planned.ask_cmake();
        let mut gone = gone::units(&facts, &planned);
        gone.iter_mut().take(units.len()).for_each(|own| *own = false);
        gone::remove(&mut facts, &gone);

        let code = units.iter().enumerate().map(|(i, u)| (i, u.modules.clone())).collect();
        let second = units.iter().enumerate().filter_map(|(i, u)| Some((i, u.second.clone()?))).collect();
        let mut joined = Self { facts, plans: vec![], told: vec![], waiting: vec![], code, second };
        let links = join::links(contents.links, &planned);
        let plans = join::programs(&joined.facts, &links);
        joined.choose(plans, units.len(), link, present);
        joined.read_pending(store, session);
        for plan in &mut joined.plans {
            let linked = link.is_some_and(|l| plan.output.as_deref() == Some(&l.output));
            plan.tentative = !linked && (plan.unknown_objects || plan.output.is_none() && plan.units.len() > 1);
        }
        joined.add_alone(units.len());
        joined.told = joined
            .plans
            .iter()
            .flat_map(|p| &p.units)
            .filter(|&&i| i >= units.len())
            .flat_map(|&i| joined.facts[i].told.clone())
            .collect();
        joined
    }

    /// Keeps the programs that this command completes. The first `own` units are the command's.
    fn choose(&mut self, plans: Vec<Plan>, own: usize, link: Option<&Link>, present: &Present) {
        for plan in plans.into_iter().filter(|p| pending::concerns(p, &self.facts)) {
            // What is linked now was compiled as it had to be; it is only for changes since.
            let linked = link.is_some_and(|l| plan.output.as_deref() == Some(&l.output));
            if !linked && !plan.units.iter().any(|&i| i < own) {
                continue;
            }
            let ready =
                |u: &UnitFacts| if linked { !u.denied && present.inputs_unchanged(u) } else { present.up_to_date(u) };
            let stale = plan.units.iter().find(|&&i| i >= own && !ready(&self.facts[i]));
            match stale {
                Some(&i) => {
                    self.waiting.push(format!("{} waits for {}", plan.name, self.facts[i].unit.source.display()));
                }
                None if plan.incomplete && !linked => {
                    self.waiting.push(format!("{} waits for more of its objects", plan.name));
                }
                None => self.plans.push(plan),
            }
        }
    }

    /// Reads what the programs need and nobody has read; those that need too much wait.
    fn read_pending(&mut self, store: &Store, session: &Session) {
        for plan in std::mem::take(&mut self.plans) {
            let needed = pending::needed(&plan, &self.facts);
            if needed.len() > MOST_PENDING {
                self.waiting.push(format!(
                    "{} waits for `scuba check`: {} C++ units are to be read",
                    plan.name,
                    needed.len()
                ));
                continue;
            }
            let before: Vec<&UnitFacts> = needed.iter().map(|&i| &self.facts[i]).collect();
            let read = pending::read(&before, session, &|_| {});
            for (&i, unit) in needed.iter().zip(read) {
                // It is read again next time where it cannot be kept.
                let _: Result<(), StoreError> = store.write_unit(&unit);
                self.facts[i] = unit.facts;
                self.code.insert(i, unit.modules);
            }
            self.plans.push(plan);
        }
    }

    /// What no program is ready for is checked by itself.
    fn add_alone(&mut self, own: usize) {
        let placed: BTreeSet<usize> = self.plans.iter().flat_map(|p| p.units.clone()).collect();
        for i in (0..own).filter(|i| !placed.contains(i) && !self.facts[*i].pending) {
            let name = self.facts[i].unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            self.plans.push(Plan { name, units: vec![i], ..Plan::default() });
        }
    }

    /// # Errors
    /// When a unit's facts have gone or cannot be decoded.
    pub fn modules(&self, i: usize, store: &Store) -> Result<Vec<Arc<Module>>> {
        match self.code.get(&i) {
            Some(code) => Ok(code.clone()),
            None => Ok(store.modules(&self.facts[i].key)?),
        }
    }

    /// The same of another front end, where that read it just now.
    #[must_use]
    pub fn second(&self, i: usize) -> Option<Second> {
        self.second.get(&i).cloned()
    }

    /// Whether this is the source of one of the command's units, or was read for it.
    #[must_use]
    pub fn is_read_now(&self, source: &Path) -> bool {
        self.code.keys().any(|&i| self.facts[i].source() == source)
    }
}
