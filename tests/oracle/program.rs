//! A generated program: a tree of statements, so that it can be made smaller, and the inputs that it is run on.

/// A piece of source text. `@` stands for the program's own prefix in every name of file scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Line(String),
    /// `head` ends in `{`, `tail` begins with `}`.
    Block {
        head: String,
        body: Vec<Stmt>,
        tail: String,
    },
}

impl Stmt {
    pub fn line(text: impl Into<String>) -> Self {
        Self::Line(text.into())
    }
    pub fn block(head: impl Into<String>, body: Vec<Self>) -> Self {
        Self::Block { head: head.into(), body, tail: "}".into() }
    }

    /// With another end than `}`.
    pub fn ended(self, end: &str) -> Self {
        match self {
            Self::Block { head, body, .. } => Self::Block { head, body, tail: end.into() },
            line => line,
        }
    }

    fn write(&self, depth: usize, out: &mut String) {
        let indent = "    ".repeat(depth);
        let mut push = |text: &str| {
            out.push_str(&indent);
            out.push_str(text);
            out.push('\n');
        };
        match self {
            Self::Line(text) => push(text),
            Self::Block { head, body, tail } => {
                push(head);
                for s in body {
                    s.write(depth + 1, out);
                }
                out.push_str(&indent);
                out.push_str(tail);
                out.push('\n');
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub seed: u64,
    /// File scope, the last one `int @main(int argc, char **argv)`.
    pub items: Vec<Stmt>,
    /// Values to try for `argv[1]`, `argv[2]`…
    pub inputs: Vec<Vec<i64>>,
    /// It has arrays of indices.
    pub indices: bool,
}

impl Program {
    /// A program written by hand. Its first line gives the values of each argument: `// argv: 0 1 2 | 3 4`; names of file
    /// scope begin with `@`.
    pub fn read(text: &str) -> Self {
        let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
        let values = head.strip_prefix("// argv:").expect("the first line is `// argv: …`");
        let inputs = values
            .split('|')
            .map(|one| one.split_whitespace().map(|v| v.parse().expect("a number")).collect())
            .collect();
        Self { seed: 0, items: rest.lines().map(Stmt::line).collect(), inputs, indices: false }
    }

    /// The source with names that belong to this program alone.
    pub fn text(&self, prefix: &str) -> String {
        let mut out = String::new();
        for i in &self.items {
            i.write(0, &mut out);
        }
        out.replace('@', prefix)
    }

    /// Whether it calls `rand`.
    pub fn draws(&self) -> bool {
        self.text("").contains("rand()")
    }

    /// Whether it reads the standard input.
    pub fn reads(&self) -> bool {
        let text = self.text("");
        text.contains("stdin") || text.contains("scanf(\"")
    }

    /// Every combination of the inputs, small ones first, at most `most`.
    pub fn runs(&self, most: usize) -> Vec<Vec<i64>> {
        let mut all: Vec<Vec<usize>> = vec![vec![]];
        for values in &self.inputs {
            all = all
                .iter()
                .flat_map(|head| (0..values.len()).map(|i| head.iter().copied().chain([i]).collect()))
                .collect();
        }
        all.sort_by_key(|ix| ix.iter().sum::<usize>());
        all.truncate(most);
        all.into_iter().map(|ix| ix.iter().zip(&self.inputs).map(|(i, v)| v[*i]).collect()).collect()
    }

    /// Number of combinations of the inputs.
    pub fn all_runs(&self) -> usize {
        self.inputs.iter().map(Vec::len).product()
    }

    /// Programs with one statement less, or one block replaced by what is in it.
    pub fn smaller(&self) -> Vec<Self> {
        let mut out = Vec::new();
        variants(&self.items, &mut |items| out.push(Self { items, ..self.clone() }));
        out.retain(|p| {
            p.items.last().is_some_and(|m| matches!(m, Stmt::Block { head, .. } if head.contains("@main(")))
                && p.declared()
        });
        out
    }

    /// Whether every name that the original declares and this still uses is still declared: the last word before `=`,
    /// `[` or `;` of a line that begins with a type.
    fn declared(&self) -> bool {
        let text = self.text("");
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|w| is_generated(w))
            .all(|name| text.match_indices(name).any(|(at, _)| declares(&text, at, name)))
    }
}

/// Generated names end in a digit: `v3`, `a0`, `f1`.
fn is_generated(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.ends_with(|c: char| c.is_ascii_digit())
        && word[1..].chars().all(|c| c.is_ascii_digit())
}

fn declares(text: &str, at: usize, name: &str) -> bool {
    let whole = !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let before = text[..at].trim_end_matches([' ', '*', '&']);
    let word: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let spaced = text[..at].ends_with([' ', '*', '&']);
    whole && spaced && !word.is_empty() && (TYPES.contains(&word.as_str()) || word.starts_with('S'))
}

const TYPES: [&str; 12] =
    ["bool", "auto", "int", "unsigned", "char", "short", "long", "float", "double", "void", "dim3", "size_t"];

fn variants(items: &[Stmt], emit: &mut dyn FnMut(Vec<Stmt>)) {
    for i in 0..items.len() {
        let with = |new: Vec<Stmt>| -> Vec<Stmt> {
            items[..i].iter().cloned().chain(new).chain(items[i + 1..].iter().cloned()).collect()
        };
        emit(with(vec![]));
        if let Stmt::Block { head, body, tail } = &items[i] {
            if head.starts_with("if") || head.starts_with("for") || head == "{" {
                emit(with(body.clone()));
            }
            variants(body, &mut |b| emit(with(vec![Stmt::Block { head: head.clone(), body: b, tail: tail.clone() }])));
        }
    }
}
