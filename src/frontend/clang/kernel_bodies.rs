//! Bodies of kernels that are templates, on the side of the host: nvcc's host compiler gets a function that launches the kernel, and nothing that
//! the body names is looked up for it. So a body may call what is declared where `__CUDA_ARCH__` is defined alone. clang instantiates it.
//!
//! In: what clang said, a source. Out: the source with the bodies of such kernels empty. For the host alone: there clang generates no code of a
//! kernel's body, so its module is the same.

use super::source_overlay::{is_word, place, skip_text};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Line and column, from one, of something that was refused, or whose instantiation was.
pub(super) type Place = (usize, usize);

const KERNEL: &[u8] = b"__global__";

/// Where clang refused what it instantiated, with all places that led there (clang/lib/Sema/SemaTemplateInstantiate.cpp, LLVM 22). A kernel of
/// which something else is wrong is none of them: nvcc refuses it, too.
pub(super) fn instantiated(stderr: &str) -> Vec<(PathBuf, Place)> {
    let mut found = vec![];
    let mut error = None;
    for line in stderr.lines() {
        let here = || place(line).map(|(file, line, column)| (file.to_owned(), (line, column)));
        if line.contains(" error: ") {
            error = here();
        } else if line.contains(" warning: ") {
            error = None;
        } else if line.contains(" note: in instantiation of ") && line.ends_with(" requested here") {
            found.extend(error.take());
            found.extend(here());
        }
    }
    found
}

/// Lines keep their numbers, and directives stay. What is not in the body of a kernel stays, and so does a body that macros write.
pub(super) fn emptied(source: &[u8], places: &BTreeSet<Place>) -> Vec<u8> {
    let mut out = source.to_vec();
    if places.is_empty() {
        return out;
    }
    let starts: Vec<usize> =
        std::iter::once(0).chain(source.iter().enumerate().filter(|b| *b.1 == b'\n').map(|b| b.0 + 1)).collect();
    let at: Vec<usize> = places
        .iter()
        .filter_map(|(line, column)| Some(starts.get(line.wrapping_sub(1))? + column.saturating_sub(1)))
        .collect();
    for body in bodies(source).iter().filter(|b| at.iter().any(|at| (b.open..b.close).contains(at))) {
        for i in body.open + 1..body.close {
            if source[i] != b'\n' && !body.directives.iter().any(|d| (d.0..d.1).contains(&i)) {
                out[i] = b' ';
            }
        }
    }
    out
}

/// The body of a kernel: where its braces are, and the directives between them.
struct Body {
    open: usize,
    close: usize,
    directives: Vec<(usize, usize)>,
}

/// A block that is open: where it begins, and whether it is a kernel's.
#[derive(Clone, Copy)]
struct Block {
    open: usize,
    is_kernel: bool,
}

/// What was read of a source.
#[derive(Default)]
struct Scan {
    open: Vec<Block>,
    /// The blocks at `#if`, and those at the end of its first branch.
    conditions: Vec<(Vec<Block>, Option<Vec<Block>>)>,
    directives: Vec<(usize, usize)>,
    /// Where branches end that leave different blocks open.
    uneven: Vec<usize>,
    bodies: Vec<Body>,
    /// Of the declaration that is read: whether it is a kernel's, its open parentheses, its last character.
    is_kernel: bool,
    parentheses: usize,
    last: u8,
}

/// All bodies of kernels. Of branches of the preprocessor the last one counts, and a body with branches that differ in the blocks they leave
/// open is none.
fn bodies(s: &[u8]) -> Vec<Body> {
    let mut scan = Scan::default();
    let (mut line_begins, mut i) = (true, 0);
    while i < s.len() {
        let skipped = skip_text(s, i);
        if skipped > i {
            line_begins = s[i] == b'/' && (line_begins || s[i + 1] == b'/');
            if s[i] != b'/' {
                scan.last = s[i];
            }
            i = skipped;
        } else if s[i] == b'#' && line_begins {
            let end = directive_end(s, i);
            scan.directive(i, end, s[i + 1..end].trim_ascii_start());
            i = end;
        } else if is_word(s[i]) {
            let end = word_end(s, i);
            scan.is_kernel |= &s[i..end] == KERNEL;
            scan.last = s[i];
            line_begins = false;
            i = end;
        } else {
            scan.sign(i, s[i]);
            line_begins = s[i] == b'\n' || line_begins && s[i].is_ascii_whitespace();
            i += 1;
        }
    }
    scan.bodies
}

impl Scan {
    fn directive(&mut self, at: usize, end: usize, text: &[u8]) {
        // A loop that a pragma speaks of is gone with the body.
        if !text.starts_with(b"pragma") {
            self.directives.push((at, end));
        }
        if text.starts_with(b"if") {
            self.conditions.push((self.open.clone(), None));
        } else if text.starts_with(b"el")
            && let Some((at_if, first)) = self.conditions.last_mut()
        {
            first.get_or_insert_with(|| self.open.clone());
            self.open.clone_from(at_if);
        } else if text.starts_with(b"endif")
            && let Some((at_if, first)) = self.conditions.pop()
            && first.unwrap_or(at_if).len() != self.open.len()
        {
            self.uneven.push(at);
        }
    }

    fn sign(&mut self, at: usize, sign: u8) {
        match sign {
            b'(' => self.parentheses += 1,
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            // Braces of an initial value stand in parentheses, or behind a name.
            b'{' => self
                .open
                .push(Block { open: at, is_kernel: self.is_kernel && self.parentheses == 0 && self.last == b')' }),
            b'}' => self.close(at),
            _ => {}
        }
        if matches!(sign, b';' | b'{' | b'}') {
            (self.is_kernel, self.parentheses) = (false, 0);
        }
        if !sign.is_ascii_whitespace() {
            self.last = sign;
        }
    }

    fn close(&mut self, close: usize) {
        let Some(Block { open, is_kernel: true }) = self.open.pop() else { return };
        if !self.uneven.iter().any(|at| (open..close).contains(at)) {
            let directives = self.directives.iter().copied().filter(|d| (open..close).contains(&d.0)).collect();
            self.bodies.push(Body { open, close, directives });
        }
    }
}

/// The end of a word or number that begins at `from`.
fn word_end(s: &[u8], from: usize) -> usize {
    let of_number =
        |at: usize| s[from].is_ascii_digit() && s[at] == b'\'' && s.get(at + 1).is_some_and(|b| is_word(*b));
    (from..s.len()).find(|at| !is_word(s[*at]) && !of_number(*at)).unwrap_or(s.len())
}

/// Behind a directive and the lines that continue it, before the end of the last one.
fn directive_end(s: &[u8], from: usize) -> usize {
    let mut i = from;
    while i < s.len() && s[i] != b'\n' {
        i = match s[i..] {
            [b'\\', b'\n', ..] => i + 2,
            [b'\\', b'\r', b'\n', ..] => i + 3,
            // It may go on over lines.
            [b'/', b'*', ..] => skip_text(s, i),
            _ => i + 1,
        };
    }
    i.min(s.len())
}

#[cfg(test)]
mod tests {
    use super::{emptied, instantiated};

    #[test]
    fn places_that_led_to_an_instantiation_are_found() {
        let text = "a.h:4:3: error: no matching function for call to 'f'\n\
                    a.h:9:5: note: in instantiation of function template specialization 'g<int>' requested here\n\
                    a.h:2:1: note: candidate function not viable: no known conversion\n\
                    a.cu:7:2: note: in instantiation of member function 'S<int>::h' requested here\n\
                    a.cu:8:1: error: use of undeclared identifier 'x'\n\
                    a.cu:9:1: warning: w\na.cu:9:2: note: in instantiation of template class 'S<int>' requested here\n";
        let places = [("a.h", (4, 3)), ("a.h", (9, 5)), ("a.cu", (7, 2))].map(|(file, at)| (file.into(), at));
        assert_eq!(instantiated(text)[..3], places);
        assert!(!instantiated(text).iter().any(|(_, at)| matches!(at, (8, 1) | (9, 1))));
    }

    /// The source with the bodies emptied of the kernels in which `@` stands; an emptied body is one blank wide, but for its lines.
    fn with(s: &str) -> String {
        let places = s.match_indices('@').map(|(at, _)| {
            let before = &s[..at];
            (before.matches('\n').count() + 1, at - before.rfind('\n').map_or(0, |n| n + 1) + 1)
        });
        let out = String::from_utf8(emptied(s.as_bytes(), &places.collect())).unwrap();
        assert_eq!((out.len(), out.matches('\n').count()), (s.len(), s.matches('\n').count()), "places are kept");
        let mut short = String::new();
        for c in out.chars() {
            if c != ' ' || !short.ends_with(' ') {
                short.push(c);
            }
        }
        short
    }

    #[test]
    fn bodies_of_kernels_are_emptied() {
        assert_eq!(
            with(
                "namespace n {\ntemplate <class T, int = 1'0> __global__ void k(T *p) // {\n{ if (p) {\n @f(\"}\"); } R\"(}})\"; }\nvoid h() { @ }\n}"
            ),
            "namespace n {\ntemplate <class T, int = 1'0> __global__ void k(T *p) // {\n{ \n }\nvoid h() { @ }\n}"
        );
        assert_eq!(
            with(
                "__global__ void k() {\n#if A // {\n if (a) {\n# else /* \n*/\n if (b) {\n#endif\n @ }\n#pragma unroll\n for (;;) ; }"
            ),
            "__global__ void k() {\n#if A // {\n \n# else /* \n*/\n \n#endif\n \n \n }"
        );
    }

    #[test]
    fn everything_else_stays() {
        for s in [
            "__device__ void f() { @ }",
            "__global__ void k(); void f() { @ }",
            "struct S { friend __global__ void k(int); void f() { @ } };",
            "__global__ void k(T a = T{@ f() }) { }",
            "__global__ void k(T a = T( [] (int) { @ })) { }",
            "__global__ void k() {\n#if A\n if (a) {\n#endif\n @\n#if A\n }\n#endif\n }",
            "__global__ void k() { @",
            "#define K __global__ void k()\nvoid f() { @ }",
        ] {
            assert_eq!(with(s), s);
        }
    }
}
