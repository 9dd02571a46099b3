//! Loop summaries for `--dump loops`: one line for each variable that the body changes.

use super::accelerate::SolvedForms;
use super::transition::LoopAt;
use super::types::{Form, LoopVar};
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::display::term;
use ir::{FuncRef, Op};

impl MemoryDomain<'_> {
    /// Describes the forms of a loop's variables at iteration `k`.
    pub(super) fn describe_summary(&self, func: FuncRef, at: &LoopAt<'_>, solved: &SolvedForms) -> String {
        let mut vars: Vec<(&LoopVar, &Form)> = solved.forms.iter().collect();
        vars.sort_by_key(|(v, _)| **v);
        let value = |v: &Value| match v {
            Value::Int(t) | Value::Bool(t) => term(&self.arena, *t),
            Value::Ptr(targets) => {
                let offsets: Vec<String> = targets.iter().map(|t| term(&self.arena, t.offset)).collect();
                format!("a pointer, {} bytes into its object", offsets.join(" or "))
            }
            other => format!("{other:?}"),
        };
        let mut lines = vec![format!("{}, at iteration {}", self.name_of_loop(func, at), term(&self.arena, solved.k))];
        for (v, form) in vars {
            let name = match v {
                LoopVar::Phi(id) => {
                    let of = self.function(func).blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(*id));
                    format!("%{}{}", id.0, if of.is_some_and(|i| matches!(i.op, Op::Phi(_))) { " (phi)" } else { "" })
                }
                LoopVar::Cell(o, at, size) => format!("`{}` [{at}, {size} bytes]", self.object(*o).name),
                LoopVar::Whole(o) => format!("all of `{}`", self.object(*o).name),
                LoopVar::Life(o) => format!("whether `{}` is freed", self.object(*o).name),
            };
            lines.push(match form {
                Form::Closed(x) => format!("  {name} = {}", value(x)),
                Form::Bounded(x, facts) => {
                    let facts: Vec<String> = facts.iter().map(|f| term(&self.arena, *f)).collect();
                    format!(
                        "  {name} = {} where {}",
                        value(x),
                        if facts.is_empty() { "nothing more is known".into() } else { facts.join(" && ") }
                    )
                }
                Form::Arbitrary => format!("  {name}: havocked"),
            });
        }
        for (o, _) in &solved.arrays {
            lines.push(format!("  `{}`: filled element by element", self.object(*o).name));
        }
        lines.join("\n")
    }
}

impl ValueDomain<'_> {
    /// Name of a loop: its function and source position.
    pub(super) fn name_of_loop(&self, func: FuncRef, at: &LoopAt<'_>) -> String {
        let f = self.function(func);
        let loc = self.program.loc(func.module, f.blocks[at.header.index()].term_loc);
        format!(
            "loop in `{}` at {}:{}:{}",
            f.display,
            loc.file.rsplit('/').next().unwrap_or_default(),
            loc.line,
            loc.column
        )
    }
}
