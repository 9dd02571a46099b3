//! State at a launch, for `--dump state`: its configuration, its arguments, and the memory that they point into.

use engine::symbolic::exec::events::LaunchEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::ObjId;
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::display;
use engine::symbolic::terms::term::TermId;
use ir::FuncRef;
use std::collections::BTreeSet;

/// Returns the state of a launch, as lines.
pub(crate) fn at_launch(e: &Executor<'_>, launch: &LaunchEvent, kernel: FuncRef) -> String {
    let a = &e.arena;
    let term = |t: TermId| display::term(a, t);
    let three = |t: &[TermId; 3]| t.iter().map(|t| term(*t)).collect::<Vec<_>>().join(", ");
    let config = &launch.config;
    let mut lines = vec![
        format!("launch of `{}` where {}", e.program.func(kernel).display, term(launch.path)),
        format!("  grid {}; block {}; shared {} bytes", three(&config.grid), three(&config.block), term(config.shared)),
    ];
    let mut objects: BTreeSet<ObjId> = BTreeSet::new();
    for (i, value) in launch.args.iter().enumerate() {
        let said = match value {
            Value::Int(t) => term(*t),
            Value::Ptr(targets) => {
                let each = targets.iter().map(|t| {
                    let base = match &t.base {
                        Base::Object(o) => {
                            objects.insert(*o);
                            format!("`{}`", e.object(*o).name)
                        }
                        Base::Null => "null".to_owned(),
                        Base::Func(f) => format!("function `{}`", e.program.func(*f).display),
                        Base::Unknown(lost) => lost.to_string(),
                    };
                    let cond =
                        if a.as_bool(t.cond) == Some(true) { String::new() } else { format!(" if {}", term(t.cond)) };
                    format!("{base} + {}{cond}", term(t.offset))
                });
                each.collect::<Vec<_>>().join(" or ")
            }
            other => format!("{other:?}"),
        };
        lines.push(format!("  argument {}: {said}", i + 1));
    }
    for o in objects {
        let object = e.object(o);
        let extent = object.extent.map_or_else(|| "an unknown number of".to_owned(), term);
        let held = launch.memory.get(&o).map_or_else(|| "nothing is known about it".to_owned(), |m| format!("{m:?}"));
        let held: String = held.chars().take(400).collect();
        lines.push(format!("  `{}` ({:?}): {extent} bytes; {held}", object.name, object.kind));
    }
    lines.join("\n")
}
