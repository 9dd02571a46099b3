//! Statements of a program's sources about their functions, beside scuba.toml: contracts and entry points of scuba.h.
//!
//! In: a program and the settings. Out: settings with the statements of the sources; statements that cannot be
//! parsed, one line each; and wrong contracts.

use super::names;
use super::options::CheckOptions;
use super::report::ContractFault;
use contracts::ast::{Comparison, CondKind, MemberOperator, TermKind};
use contracts::{Cond, Contract, ContractTerm, ENTRY, Invariant, Requirement, Span, parse, plain_name};
use ir::{ModuleId, Program, Side, TypeKind, pointee_name, source_name};

/// Returns the settings for a program, without conditions that have unresolved names.
pub(super) fn with_sources(
    program: &Program,
    options: &CheckOptions,
) -> (CheckOptions, Vec<String>, Vec<ContractFault>) {
    let (mut options, mut problems) = (options.clone(), vec![]);
    for (r, _, f) in program.functions() {
        let mut requires: Vec<Requirement> = vec![];
        for stated in &f.requires {
            let loc = program.users_loc(r.module, stated.loc);
            let origin = format!("{}:{}", loc.file, loc.line);
            match parse(&stated.text) {
                Ok(condition) => {
                    let text = if stated.text.trim_start().starts_with('"') {
                        condition.to_string()
                    } else {
                        stated.text.trim().to_owned()
                    };
                    let known = options.contracts.iter().filter(|c| c.function == f.name).flat_map(|c| &c.requires);
                    // Each unit has its copy of an inline function.
                    if known.chain(&requires).all(|k| k.text != text) {
                        let file = loc.file.rsplit('/').next().unwrap_or_default();
                        let short = format!("{file}:{}", loc.line);
                        requires.push(Requirement { text, condition, origin: short, at: Some((loc.file, loc.line)) });
                    }
                }
                Err(e) => {
                    let problem = format!("{origin}: `{}` is not a contract: {e}", stated.text);
                    if !problems.contains(&problem) {
                        problems.push(problem);
                    }
                }
            }
        }
        if !requires.is_empty() {
            options.contracts.push(Contract { function: f.name.clone(), requires, modifies_nothing: None });
        }
    }
    counted_members(program, &mut options, &mut problems);
    for f in program.annotated_functions(ENTRY) {
        let symbol = &program.func(f).name;
        if !options.entry.functions.contains(symbol) {
            options.entry.functions.push(symbol.clone());
        }
    }
    let faults = names::take_misnamed(&program.modules, &mut options.contracts, &mut options.invariants);
    options.owed = invariants_owed(program, &options);
    (options, problems, faults)
}

/// Returns the obligations of an entry point's callers: invariants of the objects that its parameters lead to, which
/// the entry point assumes.
fn invariants_owed(program: &Program, options: &CheckOptions) -> Vec<Contract> {
    let mut out = vec![];
    if options.invariants.is_empty() {
        return out;
    }
    for (r, m, f) in program.functions() {
        if m.side != Side::Host || f.is_declaration() || !options.entry.names(&f.name, &f.display) {
            continue;
        }
        let mut requires: Vec<Requirement> = vec![];
        for p in &f.params {
            let name = p.source_name();
            let declared = f.declared_type(name).unwrap_or_default();
            let pointee = pointee_name(declared).filter(|_| p.byval.is_none());
            let reference = pointee.is_none() || declared.trim_end().ends_with('&');
            let of = plain_name(pointee.unwrap_or(declared));
            for invariant in options.invariants.iter().filter(|i| plain_name(&i.type_name) == of) {
                for said in invariant.conditions.iter().flat_map(Requirement::parts) {
                    let whole = !matches!(said.condition.kind, CondKind::Forall(_) | CondKind::Disjoint(_));
                    let object = ContractTerm::name(name);
                    let access = if reference { MemberOperator::Dot } else { MemberOperator::Arrow };
                    let condition = said.condition.of_object(&object, access);
                    let null =
                        Cond::compare(Comparison::Eq, object, ContractTerm::new(TermKind::Null, Span::default()));
                    // A caller that passes no object has no obligation for it.
                    let condition = if reference || !whole { condition } else { Cond::any(vec![null, condition]) };
                    let text = condition.to_string();
                    if requires.iter().all(|r| r.text != text) {
                        requires.push(Requirement { text, condition, ..said });
                    }
                }
            }
        }
        if !requires.is_empty() {
            out.push(Contract { function: program.func(r).name.clone(), requires, modifies_nothing: None });
        }
    }
    out
}

/// Adds the `SCUBA_COUNTED_BY` statements on members as invariants of their types.
fn counted_members(program: &Program, options: &mut CheckOptions, problems: &mut Vec<String>) {
    for (n, m) in (0..).zip(&program.modules) {
        for def in &m.types {
            let TypeKind::Struct { name: Some(llvm), fields } = &def.kind else { continue };
            for field in fields {
                let (Some(member), Some(counted)) =
                    (&field.name, field.declared.as_ref().and_then(|d| d.counted_by.as_ref()))
                else {
                    continue;
                };
                let loc = program.users_loc(ModuleId(n), counted.loc);
                let file = loc.file.rsplit('/').next().unwrap_or_default();
                let type_name = source_name(llvm).to_owned();
                let text = format!("elements({member}) >= ({})", counted.text.trim());
                let known = options.invariants.iter().filter(|i| i.type_name == type_name);
                if known.flat_map(|i| &i.conditions).any(|k| k.text == text) {
                    continue;
                }
                match parse(&text) {
                    Ok(condition) => {
                        let origin =
                            format!("SCUBA_COUNTED_BY of `{type_name}::{member}`, used at {file}:{}", loc.line);
                        let said = Requirement { text, condition, origin, at: Some((loc.file.clone(), loc.line)) };
                        options.invariants.push(Invariant { type_name, conditions: vec![said] });
                    }
                    Err(e) => {
                        let problem = format!("{type_name}::{member}: `{}` is not a count: {e}", counted.text);
                        if !problems.contains(&problem) {
                            problems.push(problem);
                        }
                    }
                }
            }
        }
    }
}
