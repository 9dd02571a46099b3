//! What decides kept elsewhere: a size, a bound or a flag of `main` in a variable of file scope or a member of a structure that is
//! set on some ways only. A finished program is changed, so that everything in it may come to depend on such a place.

use super::{Gen, Int, Scope, Stmt, Ty};

impl Gen {
    /// Lets a program keep some of what decides in such places.
    pub fn keep(&mut self, items: &mut Vec<Stmt>) {
        let Some(Stmt::Block { head, mut body, tail }) = items.pop() else { return };
        for _ in 0..=self.below(2) {
            if self.chance(70) {
                self.keep_number(items, &mut body);
            } else {
                self.keep_flag(items, &mut body);
            }
        }
        items.push(Stmt::Block { head, body, tail });
    }

    /// A place that no way has set yet; its first value where it has one.
    fn place(&mut self, items: &mut Vec<Stmt>, body: &mut Vec<Stmt>, at: &mut usize, first: &str) -> String {
        match self.weigh(&[40, 25, 20, 15]) {
            0 => {
                let g = self.name('g');
                items.push(Stmt::line(format!("static int @{g} = {first};")));
                format!("@{g}")
            }
            1 => {
                let (t, g) = (self.name('S'), self.name('g'));
                items.push(Stmt::line(format!("struct @{t} {{ int m; int n; bool on; }};")));
                items.push(Stmt::line(format!("static @{t} @{g} = {{1, {first}, false}};")));
                format!("@{g}.n")
            }
            of => {
                let (t, p) = (self.name('S'), self.name('p'));
                items.push(Stmt::line(format!("struct @{t} {{ int n; int m; bool on; }};")));
                body.insert(*at, Stmt::line(format!("@{t} {p} = {{{first}, 2, true}};")));
                *at += 1;
                if of == 2 {
                    return format!("{p}.n");
                }
                let q = self.name('q');
                body.insert(*at, Stmt::line(format!("@{t} *{q} = &{p};")));
                *at += 1;
                format!("{q}->n")
            }
        }
    }

    /// What is declared in `main` itself before a statement.
    fn declared_before(body: &[Stmt], at: usize) -> Scope {
        let ints = body[..at].iter().filter_map(|s| match s {
            Stmt::Line(l) => l.strip_prefix("int v").and_then(|r| r.split_once(' ')).map(|(n, _)| Int {
                name: format!("v{}", n.trim_end_matches(';')),
                ty: Ty::I32,
                mutable: true,
                data: false,
            }),
            Stmt::Block { .. } => None,
        });
        Scope { ints: ints.collect(), ..Scope::default() }
    }

    fn keep_number(&mut self, items: &mut Vec<Stmt>, body: &mut Vec<Stmt>) {
        // Where most is still to come: right behind a declaration or a check.
        let mut at = 1 + self.below(body.len());
        if self.chance(60) {
            at = at.min(1 + self.below(body.len()));
        }
        at = between(body, at.min(body.len() - 1));
        let s = Self::declared_before(body, at);
        let Some(v) = self.int(&s).map(|v| v.name) else { return };
        let first = self.choose(&["0", "1", "1", "4", "8"]);
        let place = self.place(items, body, &mut at, first);
        let (c, e) = (self.cond(&s, 1), self.nearly(&v));
        let set = match self.weigh(&[24, 20, 16, 14, 12, 14]) {
            0 => vec![format!("if ({c}) {place} = {e};")],
            1 => {
                let k = self.expr(&s, 1);
                vec![format!("{place} = {e};"), format!("if ({c}) {place} = {k};")]
            }
            2 => {
                let k = self.positive();
                vec![format!("if ({c}) {place} = {e}; else {place} = {k};")]
            }
            3 => {
                let f = self.name('f');
                items.push(Stmt::block(
                    format!("static void @{f}(int *out, int by) {{"),
                    vec![
                        Stmt::line(format!("if (by {} {}) return;", self.choose(&["<", ">", "=="]), self.positive())),
                        Stmt::line("*out = by;"),
                    ],
                ));
                vec![format!("@{f}(&{place}, {e});")]
            }
            4 => {
                let j = self.name('v');
                let k = self.choose(&["% 2 == 0", "> 2", "& 1", "< 3"]);
                vec![format!("for (int {j} = 0; {j} {} {v}; {j}++) if ({j} {k}) {place} = {j};", self.less())]
            }
            _ => {
                let q = self.name('q');
                let w = self.int(&s).map_or(v.clone(), |w| w.name);
                vec![format!("int *{q} = {c} ? &{place} : &{w};"), format!("*{q} = {e};")]
            }
        };
        for text in set {
            body.insert(at, Stmt::line(text));
            at += 1;
        }
        let all = self.chance(60);
        for s in &mut body[at..] {
            if all || self.chance(60) {
                replace(s, &v, &place);
            }
        }
    }

    /// Moves a check into a flag that is asked later.
    fn keep_flag(&mut self, items: &mut Vec<Stmt>, body: &mut Vec<Stmt>) {
        let checks: Vec<usize> = (0..body.len()).filter(|i| matches!(&body[*i], Stmt::Line(l) if l.starts_with("if (v") && (l.ends_with(" return 1;") || l.ends_with(" return 0;")))).collect();
        if checks.is_empty() {
            return;
        }
        let mut at = self.choose(&checks);
        let Stmt::Line(check) = body[at].clone() else { return };
        let Some((test, leave)) = check.rsplit_once(") ") else { return };
        let flag = self.place(items, body, &mut at, "0");
        let value = self.choose(&["1", "1", "-1"]);
        body[at] = Stmt::line(format!("{test}) {flag} = {value};"));
        // Asked before, or only around, what it was to keep from.
        let launches: Vec<usize> = (at + 1..body.len()).filter(|i| is_launch(&body[*i])).collect();
        if !launches.is_empty() && self.chance(50) {
            for i in launches {
                if !self.slip() {
                    let s = body[i].clone();
                    body[i] = Stmt::block(format!("if (!{flag}) {{"), vec![s]);
                }
            }
        } else {
            let last = body.len() - at - 1;
            let to = at + 1 + if self.chance(70) { self.below(last.min(3)) } else { self.below(last) };
            body.insert(between(body, to), Stmt::line(format!("if ({flag}) {leave}")));
        }
    }
}

/// Where a statement can be put: from there on, but not between an `if` and its `else`.
fn between(body: &[Stmt], at: usize) -> usize {
    at + body[at..].iter().take_while(|s| matches!(s, Stmt::Block { head, .. } if head.starts_with("else"))).count()
}

fn is_launch(s: &Stmt) -> bool {
    matches!(s, Stmt::Line(l) if l.contains("<<<"))
}

/// Replaces a variable by a place wherever the statement names it.
fn replace(s: &mut Stmt, name: &str, place: &str) {
    match s {
        Stmt::Line(l) => *l = renamed(l, name, place),
        Stmt::Block { head, body, .. } => {
            *head = renamed(head, name, place);
            for s in body {
                replace(s, name, place);
            }
        }
    }
}

fn renamed(text: &str, name: &str, place: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices(name) {
        if text[..at].ends_with(word) || text[at + name.len()..].starts_with(word) || text[..at].ends_with(['.', '@']) {
            continue;
        }
        out.push_str(&text[from..at]);
        out.push_str(place);
        from = at + name.len();
    }
    out.push_str(&text[from..]);
    out
}
