//! A readable dump of a module, for `--dump-ir`, logs and tests.

use super::Module;
use std::fmt;

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "module {:?} {} ({})", self.side, self.source, self.producer)?;
        for (i, g) in self.globals.iter().enumerate() {
            writeln!(f, "  global g{i} {} {:?} space {} init {:?}", g.name, g.ty, g.space, g.init)?;
        }
        for func in &self.functions {
            writeln!(f, "  fn {} [{}]{}", func.name, func.display, if func.is_declaration() { ";" } else { "" })?;
            for (bi, b) in func.blocks.iter().enumerate() {
                writeln!(f, "    b{bi} {}:", b.name)?;
                for inst in &b.insts {
                    let loc = self.locs.get(inst.loc.index()).map_or((0, 0), |l| (l.line, l.column));
                    match inst.result {
                        Some(r) => writeln!(f, "      %{} = {:?} @{}:{}", r.0, inst.op, loc.0, loc.1)?,
                        None => writeln!(f, "      {:?} @{}:{}", inst.op, loc.0, loc.1)?,
                    }
                }
                writeln!(f, "      {:?}", b.term)?;
            }
        }
        Ok(())
    }
}
