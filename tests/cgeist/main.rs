//! cgeist as a front end: recorded output in three shapes, a replayed process, and its reading beside clang's.

mod programs;
