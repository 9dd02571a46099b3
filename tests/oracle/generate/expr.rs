//! Integer expressions and conditions.

use super::{Gen, Int, Scope, Ty};

impl Gen {
    pub fn small(&mut self) -> String {
        self.choose(&["0", "1", "1", "2", "2", "3", "4", "5", "7", "8", "15", "16"]).into()
    }
    pub fn positive(&mut self) -> String {
        self.choose(&["1", "2", "2", "3", "4", "4", "5", "7", "8", "16"]).into()
    }

    pub fn ty(&mut self) -> Ty {
        let all = [Ty::I32, Ty::U32, Ty::I64, Ty::U64, Ty::I16, Ty::U16, Ty::I8, Ty::U8];
        if self.narrow {
            return all[self.weigh(&[24, 12, 4, 6, 12, 10, 18, 14])];
        }
        all[self.weigh(&[50, 16, 6, 8, 5, 4, 4, 6])]
    }

    pub fn int(&mut self, s: &Scope) -> Option<Int> {
        if s.ints.is_empty() {
            return None;
        }
        // Later ones are closer to what is being written.
        for _ in 0..4 {
            let n = s.ints.len();
            let i = if self.chance(50) { self.below(n) } else { n - 1 - self.below(n.min(3)) };
            if !s.ints[i].data || self.chance(15) {
                return Some(s.ints[i].clone());
            }
        }
        Some(s.ints[0].clone())
    }

    fn leaf(&mut self, s: &Scope) -> String {
        if self.chance(22) {
            return self.small();
        }
        match self.int(s) {
            Some(v) => v.name,
            None => self.small(),
        }
    }

    pub fn expr(&mut self, s: &Scope, depth: u32) -> String {
        if depth == 0 || self.chance(25) {
            return self.leaf(s);
        }
        let d = depth - 1;
        match self.weigh(&[24, 18, 12, 8, 8, 5, 3, 6, 2, 2, 6, 5, 6, 2, 3, 3, 2]) {
            0 => format!("({} + {})", self.expr(s, d), self.expr(s, d)),
            1 => format!("({} - {})", self.expr(s, d), self.expr(s, d)),
            2 => format!("({} * {})", self.expr(s, d), self.expr(s, d)),
            3 => format!("({} / {})", self.expr(s, d), self.positive()),
            4 => format!("({} % {})", self.expr(s, d), self.positive()),
            5 => format!("({} >> {})", self.expr(s, d), self.choose(&["1", "2", "3"])),
            6 => format!("({} << {})", self.expr(s, d), self.choose(&["1", "2", "3"])),
            7 => format!("({} & {})", self.expr(s, d), self.choose(&["1", "3", "7", "15", "31", "255", "~1", "~3"])),
            8 => format!("({} | {})", self.expr(s, d), self.choose(&["1", "3", "4"])),
            9 => format!("({} ^ {})", self.expr(s, d), self.choose(&["1", "2", "3", "7"])),
            10 => {
                let f = if s.device { self.choose(&["min", "max"]) } else { self.choose(&["std::min", "std::max"]) };
                format!("{f}((int){}, (int){})", self.expr(s, d), self.expr(s, d))
            }
            11 => format!("({} ? {} : {})", self.cond(s, d.min(1)), self.expr(s, d), self.expr(s, d)),
            12 => {
                let t = self.ty();
                format!("({}){}", t.name(), atom(&self.expr(s, d)))
            }
            13 => format!("(-{})", atom(&self.expr(s, d))),
            14 => {
                let (a, b) = (self.expr(s, d), self.leaf(s));
                format!("({a} / ({b} > 0 ? {b} : 1))")
            }
            15 => {
                let (a, b) = (self.expr(s, d), self.leaf(s));
                format!("({a} % ({b} > 0 ? {b} : 1))")
            }
            _ => format!("(~{})", atom(&self.expr(s, d))),
        }
    }

    pub fn less(&mut self) -> &'static str {
        if self.slip() { "<=" } else { "<" }
    }
    pub fn least(&mut self) -> &'static str {
        if self.slip() { ">" } else { ">=" }
    }

    pub fn cond(&mut self, s: &Scope, depth: u32) -> String {
        let d = depth.saturating_sub(1);
        match self.weigh(&[50, 14, 12, if depth > 0 { 12 } else { 0 }, if depth > 0 { 8 } else { 0 }, 4]) {
            0 => {
                let op = self.choose(&["<", "<=", ">", ">=", "==", "!="]);
                format!("{} {op} {}", self.expr(s, d), self.expr(s, d))
            }
            1 => format!("{} < {}", self.leaf(s), self.leaf(s)),
            2 => format!("{} % {} == {}", self.leaf(s), self.choose(&["2", "3", "4"]), self.choose(&["0", "0", "1"])),
            3 => format!("({} && {})", self.cond(s, d), self.cond(s, d)),
            4 => format!("({} || {})", self.cond(s, d), self.cond(s, d)),
            _ => format!("!({})", self.cond(s, d)),
        }
    }

    /// An expression, or a slightly different one.
    pub fn nearly(&mut self, e: &str) -> String {
        if !self.slip() {
            return e.to_owned();
        }
        match self.below(5) {
            0 => format!("({e} + 1)"),
            1 | 2 => format!("({e} - 1)"),
            3 => format!("({e} / 2)"),
            _ => format!("({e} * 2)"),
        }
    }
}

/// An expression that may stand behind a cast or a sign.
pub fn atom(e: &str) -> String {
    let word = e.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '@');
    if word || e.starts_with("((") { e.to_owned() } else { format!("({e})") }
}
