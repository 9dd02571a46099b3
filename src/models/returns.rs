//! How a call of a function ends. Types alone, below the table whose rows have them.

/// Whether a call goes on behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// The program or the thread ends, or goes on elsewhere.
    Never,
    /// It ends unless this argument, counted from 0, is 0.
    IfZero(usize),
    /// A signal: it ends where this argument is one that ends programs, and the program does not handle or block signals.
    IfHandled(usize),
    /// Only where it fails, or when something else happens.
    Perhaps,
}
