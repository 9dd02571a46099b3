//! A generated program, as a translation unit with others takes it (`tests/oracle/unit.rs`).

pub struct Program {
    pub seed: u64,
    source: String,
}

impl Program {
    /// `@` stands for the program's own prefix in every name of file scope.
    pub const fn new(seed: u64, source: String) -> Self {
        Self { seed, source }
    }
    pub fn text(&self, prefix: &str) -> String {
        self.source.replace('@', prefix)
    }
}
