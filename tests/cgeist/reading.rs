//! What the analysis sees of a program, in words that do not depend on which front end read it.

use scuba::Models;
use scuba::contracts::EntrySelector;
use scuba::host::{root_state, roots};
use scuba::ir::Program;
use scuba::symbolic::exec::events::{AccessKind, LaunchEvent};
use scuba::symbolic::exec::executor::Executor;
use scuba::symbolic::limits::budget::Allowance;
use scuba::symbolic::memory::object::{ObjId, ObjKind};
use scuba::symbolic::memory::value::Base;
use scuba::symbolic::terms::arena::Arena;
use scuba::symbolic::terms::functions::UninterpretedFunction;
use scuba::symbolic::terms::term::{SymKind, Term, TermId};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Kernel, grid, block and shared memory, in order.
    pub launches: Vec<String>,
    /// Extents of device memory, in order of allocation.
    pub allocations: Vec<String>,
    /// Kernel, line where there is one, direction, base, byte offset and width.
    pub accesses: Vec<String>,
}

/// Reads a program from its roots. Lines are left out where only some readings have them.
pub fn read(p: &Program, lines: bool) -> Reading {
    std::thread::scope(|s| {
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn_scoped(s, || read_here(p, lines))
            .unwrap()
            .join()
            .unwrap()
    })
}

fn read_here(p: &Program, lines: bool) -> Reading {
    let mut out = Reading::default();
    for root in roots(p, &[], &EntrySelector::default()) {
        let mut e = Executor::new(p, &Models);
        let (args, state) = root_state(&mut e, &root);
        drop(e.call(root.func, args, state, 0));
        assert_eq!(e.limits.gave_up(), None);
        let launches = std::mem::take(&mut e.events.launches);
        let heap: Vec<ObjId> = (0u32..)
            .zip(e.heap.objects())
            .filter(|(_, o)| matches!(o.kind, ObjKind::DeviceHeap))
            .map(|(i, _)| ObjId(i))
            .collect();
        out.allocations.extend(heap.iter().map(|o| e.object(*o).extent.map_or("?".into(), |x| show(&e.arena, x))));
        for l in &launches {
            launch(p, &mut e, l, &heap, lines, &mut out);
        }
    }
    out
}

fn launch(p: &Program, e: &mut Executor<'_>, l: &LaunchEvent, heap: &[ObjId], lines: bool, out: &mut Reading) {
    let kernel = *l.kernel.as_ref().unwrap();
    let name = p.func(kernel).display.clone();
    let dims = |t: [TermId; 3]| t.map(|t| show(&e.arena, t)).join(", ");
    out.launches.push(format!(
        "{name} <<<({}), ({}), {}>>>",
        dims(l.config.grid),
        dims(l.config.block),
        show(&e.arena, l.config.shared)
    ));
    let mut facts = e.launch_axioms(&l.config);
    facts.push(l.path);
    let run = e.run_kernel(kernel, l, facts, Allowance::default());
    assert_eq!(run.gave_up, None);
    for a in &run.accesses {
        let site = a
            .stack
            .iter()
            .rev()
            .copied()
            .find(|s| {
                let (m, l) = e.location(*s);
                let l = p.loc(m, l);
                l.line > 0 && !l.system
            })
            .unwrap_or(a.site);
        let (m, at) = e.location(site);
        let line = if lines { format!(":{}", p.loc(m, at).line) } else { String::new() };
        let what = match a.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "updates",
        };
        for t in a.targets.iter() {
            let base = match &t.base {
                Base::Object(o) => {
                    let object = e.object(*o);
                    match object.kind {
                        ObjKind::DeviceHeap => format!(
                            "allocation {}",
                            heap.iter().position(|h| h == o).map_or("?".into(), |i| i.to_string())
                        ),
                        ObjKind::SharedStatic(_) => format!(
                            "shared {} of {}",
                            object.name,
                            object.extent.map_or("?".into(), |x| show(&e.arena, x))
                        ),
                        ObjKind::SharedDynamic => "dynamic shared memory".into(),
                        ObjKind::Constant(_) | ObjKind::DeviceGlobal(_) => format!("variable {}", object.name),
                        ObjKind::DeviceLocal => format!(
                            "local {} of {}",
                            object.name,
                            object.extent.map_or("?".into(), |x| show(&e.arena, x))
                        ),
                        _ => object.name.clone(),
                    }
                }
                Base::Null => "null".into(),
                Base::Func(_) => "a function".into(),
                Base::Unknown(_) => "an unknown pointer".into(),
            };
            let offset = if matches!(t.base, Base::Unknown(_)) { String::new() } else { show(&e.arena, t.offset) };
            out.accesses.push(format!("{name}{line} {what} {base} [{offset}] {}", show(&e.arena, a.bytes)));
        }
    }
}

/// A term in a form that does not depend on the order in which terms were made.
pub fn show(a: &Arena, t: TermId) -> String {
    let list = |v: &[TermId], by: &str| {
        let mut v: Vec<String> = v.iter().map(|t| show(a, *t)).collect();
        v.sort();
        v.join(by)
    };
    match a.get(t) {
        Term::Int(v) => v.to_string(),
        Term::Sym(s) | Term::BoolSym(s) => match &a.symbol(*s).kind {
            SymKind::Iteration { .. } => "k".into(),
            SymKind::Unknown { .. } | SymKind::Content { .. } => "?".into(),
            _ => a.symbol(*s).name.clone(),
        },
        Term::Poly(p) => {
            let mut terms: Vec<String> = p
                .terms
                .iter()
                .map(|(m, c)| {
                    let mut f: Vec<String> = m.iter().map(|x| show(a, *x)).collect();
                    f.sort();
                    f.insert(0, c.to_string());
                    f.join("*")
                })
                .collect();
            terms.sort();
            format!("({})", terms.join(" + "))
        }
        Term::Div(x, y) => format!("({} / {})", show(a, *x), show(a, *y)),
        Term::Rem(x, y) => format!("({} % {})", show(a, *x), show(a, *y)),
        Term::FloorDiv(x, c) => format!("({} // {c})", show(a, *x)),
        Term::Mod(x, c) => format!("({} mod {c})", show(a, *x)),
        Term::Ite(c, x, y) => format!("({} ? {} : {})", show(a, *c), show(a, *x), show(a, *y)),
        Term::Wrap { arg, bits, signed } => format!("{}{bits}({})", if *signed { 'i' } else { 'u' }, show(a, *arg)),
        Term::BitAnd(x, y, _) => format!("and({})", list(&[*x, *y], ", ")),
        Term::BitOr(x, y, _) => format!("or({})", list(&[*x, *y], ", ")),
        Term::BitXor(x, y, _) => format!("xor({})", list(&[*x, *y], ", ")),
        Term::Pow2(x) => format!("2^{}", show(a, *x)),
        // Contents carry the numbers of objects and versions.
        Term::Apply { function: UninterpretedFunction::Content, .. } => "?".into(),
        Term::Apply { function, args, .. } => {
            format!("{function}({})", args.iter().map(|x| show(a, *x)).collect::<Vec<_>>().join(", "))
        }
        Term::True => "true".into(),
        Term::False => "false".into(),
        Term::Le(x) => format!("{} <= 0", show(a, *x)),
        Term::EqZ(x) => format!("{} == 0", show(a, *x)),
        Term::Not(x) => format!("!({})", show(a, *x)),
        Term::And(v) => format!("({})", list(v, " && ")),
        Term::Or(v) => format!("({})", list(v, " || ")),
    }
}
