//! Selects the accesses of a unit that get a compiled-in check, and those that are checked in one launch.
//!
//! In: launches of one unit that replays reached. Out: the unit's code with a check at each of their accesses, and
//! attempts that run it. Accesses with the same launch share a run, which skips bad accesses so that none hides
//! another. Each access also has its own run, because a skipped access may affect others.

use super::kernel_check::{self, CheckRow};
use super::manifest::{Attempt, CommandWord, Manifest};
use super::prepare::{CaseLaunch, Generated, Material, bytes, describe};
use base::rules::CompiledCheck;
use finding::Witness;
use frontend::ExtractOptions;
use frontend::checks::CheckedAccess;
use std::time::Instant;
use witness::{AccessFault, BadAccess, ObjectKind};

/// Adds attempts for the accesses of these launches, and a note to cases without one. `witness_of` returns a case's
/// witness. Code that is not complete at `until` is left out.
pub fn add<'w>(
    manifest: &mut Manifest,
    launches: &[&CaseLaunch],
    witness_of: &dyn Fn(usize) -> &'w Witness,
    m: &Material<'_>,
    options: &ExtractOptions,
    until: Option<Instant>,
) -> Vec<Generated> {
    let mut rows: Vec<(&CaseLaunch, CheckedAccess)> = Vec::new();
    for l in launches {
        let e = &manifest.cases[l.case].expected;
        let place = if e.rule.info().confirmation.check.is_some() {
            kernel_check::place(
                m.program,
                &l.launched.bad,
                l.launched.parts.as_ref(),
                e.direction,
                e.bytes,
                &l.launched.snapshot,
            )
        } else {
            Err("it knows bounds only".into())
        };
        match place {
            Ok(place) => rows.push((l, place)),
            Err(why) => note(manifest, l.case, &why),
        }
    }
    let Some((first, _)) = rows.first() else { return vec![] };
    let Some(module) = m.program.modules.get(first.launched.snapshot.kernel.module.0 as usize) else { return vec![] };
    let places: Vec<CheckedAccess> = rows.iter().map(|r| r.1.clone()).collect();
    let compiled = match kernel_check::compile(m.units[first.unit], module, &places, options, until) {
        Ok(made) => made,
        Err(why) => {
            for (l, _) in &rows {
                note(manifest, l.case, &why);
            }
            return vec![];
        }
    };
    let code = format!("checks/{}unit-{}.ptx", m.prefix, first.unit);
    let guarded = format!("checks/{}unit-{}-guarded.ptx", m.prefix, first.unit);
    let all: Vec<CheckRow<'_>> = rows
        .iter()
        .enumerate()
        .map(|(number, (l, place))| CheckRow {
            number,
            place,
            shared: l.shared || kernel_check::serves_several(m.program, l.launched.bad.site, place.mode),
            part: begins(&l.launched.bad),
            witness: witness_of(l.case),
            nowhere: manifest.cases[l.case].expected.rule.info().confirmation.check == Some(CompiledCheck::Memory)
                || matches!(l.launched.snapshot.target_kind, Some(ObjectKind::Wild | ObjectKind::HostHeap)),
        })
        .collect();
    for (number, why) in &compiled.failed {
        note(manifest, rows[*number].0.case, why);
    }
    let made: Vec<InsertedCheck<'_>> = rows
        .iter()
        .zip(&all)
        .filter(|(_, row)| !compiled.failed.iter().any(|f| f.0 == row.number))
        .map(|((ready, _), row)| {
            let snapshot = &ready.launched.snapshot;
            InsertedCheck {
                ready,
                row,
                launch: (m.program.func(snapshot.kernel).name.clone(), describe(m.program, snapshot, true)),
            }
        })
        .collect();
    for one in &made {
        let together: Vec<&InsertedCheck<'_>> =
            made.iter().filter(|other| other.shares_a_run_with(one, &made)).collect();
        let runs = if together.len() > 1 && one.shares_a_run_with(one, &made) {
            vec![together, vec![one]]
        } else {
            vec![vec![one]]
        };
        let attempts = &mut manifest.cases[one.ready.case].attempts;
        attempts.extend(runs.iter().map(|on| one.attempt(on, &all, &code)));
        // Last, because it takes longest: other bad accesses of the kernel do not end it.
        if compiled.guarded.is_some() {
            attempts.extend(one.guarded_attempt(&all, &guarded));
        }
    }
    let guarded = compiled.guarded.map(|text| Generated { name: guarded, text });
    std::iter::once(Generated { name: code, text: compiled.ptx }).chain(guarded).collect()
}

/// An access whose check is in the code.
struct InsertedCheck<'a> {
    ready: &'a CaseLaunch,
    row: &'a CheckRow<'a>,
    /// Kernel symbol, and the launch in the launcher's format.
    launch: (String, String),
}

impl InsertedCheck<'_> {
    /// Whether one launch can check both accesses: they have the same launch, and neither has a second check in it
    /// that the first would hide.
    fn shares_a_run_with(&self, other: &Self, all: &[InsertedCheck<'_>]) -> bool {
        let alone = |one: &Self| {
            !all.iter()
                .any(|o| o.launch == one.launch && o.row.number != one.row.number && o.row.is_same_access(one.row))
        };
        self.launch == other.launch && alone(self) && alone(other)
    }

    /// Attempt in which the checks of these accesses are enabled.
    fn attempt(&self, on: &[&InsertedCheck<'_>], all: &[CheckRow<'_>], code: &str) -> Attempt {
        let on: Vec<_> = on.iter().map(|o| (o.row, &o.ready.launched.snapshot)).collect();
        Attempt::Check {
            code: CommandWord::Bundle(code.into()),
            kernel: self.launch.0.clone(),
            description: self.launch.1.clone() + &kernel_check::statements(&on, all),
            row: self.row.number,
            extent: self.row.witness.extent_bytes,
            device_bytes: bytes(&self.ready.launched.snapshot),
            guard: None,
        }
    }

    /// Separate attempt in which all other accesses are guarded.
    fn guarded_attempt(&self, all: &[CheckRow<'_>], code: &str) -> Option<Attempt> {
        let ranges = kernel_check::ranges(&self.ready.launched.snapshot)?;
        let Attempt::Check { code, kernel, description, row, extent, device_bytes, .. } =
            self.attempt(&[self], all, code)
        else {
            return None;
        };
        Some(Attempt::Check {
            code,
            kernel,
            description: description + &ranges,
            row,
            extent,
            device_bytes,
            guard: Some(all.len()),
        })
    }
}

fn note(manifest: &mut Manifest, case: usize, why: &str) {
    manifest.cases[case].notes.push(format!("the check compiled into the kernel: {why}"));
}

/// Start of the part that an access left, in bytes from the start of its object.
fn begins(bad: &BadAccess) -> Option<i64> {
    match bad.fault {
        AccessFault::Part(part) => Some(part.start),
        _ => None,
    }
}
