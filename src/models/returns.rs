//! Ends of a function's call. Types only; the table's rows use them.

/// Ways in which a call may not return to the code after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// The program or the thread ends, or continues elsewhere.
    Never,
    /// Ends unless this argument, counted from 0, is 0.
    IfZero(usize),
    /// A signal: ends where this argument is a signal that ends programs, and the program does not handle or block
    /// signals.
    IfHandled(usize),
    /// Returns only on failure or when another event happens.
    Perhaps,
}
