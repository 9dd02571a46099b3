//! Precompiled headers of foreign trees: what is read with one is what is read without.

use super::header::{Kept, assert_alike};

const ALL: &str = "#pragma once\n#include <vector>\n#include \"part.h\"\n#ifndef SIZE\n#define SIZE 3\n#endif\n\
    template <class T> struct Grid { T a[SIZE]; __host__ __device__ T &at(int i) { return a[i]; } };\n\
    inline std::vector<Grid<int>> grids(int n) { return std::vector<Grid<int>>(part(n)); }\n\
    static const int counted = __COUNTER__ + sizeof(__FILE__);\n";
const PART: &str = "#ifndef PART_H\n#define PART_H\ninline int part(int n) { return n + 1; }\n#endif\n";
const BODY: &str = "__global__ void k(Grid<int> *g, int n) { if (threadIdx.x < n) g->at(threadIdx.x) = __COUNTER__; }\n\
    int main() { auto all = grids(2); Grid<int> *g; cudaMalloc(&g, all.size() * sizeof *g); k<<<1, 4>>>(g, SIZE); }\n";

fn source(lead: &str) -> String {
    format!("{lead}{BODY}")
}

fn project(more: &[(&str, &str)]) -> Kept {
    let [one, own] = ["#include <big/all.h>\n", "#include \"own.h\"\n#include <big/all.h>\n"].map(source);
    let files = [
        ("a.cu", one.as_str()),
        ("sub/b.cu", &one),
        ("c.cu", &one),
        ("own.cu", &own),
        ("own.h", "#define OWN 1\n"),
        ("ext/big/all.h", ALL),
        ("ext/big/part.h", PART),
        ("earlier/none.h", ""),
        ("inc/none.h", ""),
    ];
    Kept::new(&[&files[..], more].concat())
}

impl Kept {
    /// Reads a unit with and without precompiled headers; both are alike.
    fn same(&self, flags: &str) {
        let without = self.project.extract(flags);
        assert_eq!(without.not_analysed, [], "{flags}");
        assert_alike(&self.extract(flags), &without);
    }

    /// Number of headers that are there.
    fn number(&self) -> usize {
        self.made().len()
    }
}

#[test]
fn units_share_them_from_the_second_on() {
    let kept = project(&[]);
    kept.same("a.cu -isystem ext");
    assert_eq!(kept.number(), 2, "the base for each side");
    kept.same("sub/b.cu -isystem ext");
    assert_eq!(kept.number(), 4);
    let made = kept.made();
    for flags in ["c.cu -isystem ext", "c.cu -DOTHER=1 -Iinc -isystem ext", "own.cu -isystem ext"] {
        kept.same(flags);
        assert_eq!(kept.made(), made, "{flags}");
    }
}

#[test]
fn what_they_depend_on_makes_others() {
    let kept = project(&[]);
    for unit in ["a.cu", "sub/b.cu"] {
        kept.same(&format!("{unit} -isystem ext"));
    }
    let made = kept.made();
    // A macro that a file mentions: known at once.
    kept.same("c.cu -DSIZE=5 -isystem ext");
    assert_eq!(kept.number(), made.len() + 2);
    kept.same("c.cu -DSIZE=6 -isystem ext");
    kept.same("c.cu -isystem ext -USIZE");
    kept.same("c.cu -DSIZE=5 -isystem ext");
    // A macro of the source.
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(kept.project.path().join(name).parent().unwrap()).unwrap();
        std::fs::write(kept.project.path().join(name), text).unwrap();
    };
    write("c.cu", &source("#define SIZE 7\n#include <big/all.h>\n"));
    kept.same("c.cu -isystem ext");
    write("c.cu", &source("#include <big/all.h>\n#include <cstdio>\n"));
    // A file of theirs.
    write("ext/big/part.h", &PART.replace("n + 1", "n + 22222"));
    kept.same("c.cu -isystem ext");
    // A file that comes before one of theirs.
    kept.same("c.cu -isystem earlier -isystem ext");
    kept.same("a.cu -isystem earlier -isystem ext");
    write("earlier/big/all.h", &ALL.replace("\"part.h\"", "\"../../ext/big/part.h\"").replace("n));", "n) + 5);"));
    kept.same("c.cu -isystem earlier -isystem ext");
    write("inc/part.h", "#error another project's\n");
    kept.same("c.cu -Iinc -isystem ext");
    write("inc/big/all.h", &ALL.replace("\"part.h\"", "\"../../ext/big/part.h\""));
    kept.same("c.cu -Iinc -isystem ext");
}

/// The leading includes of a source that is read again lie on top of what it shares with others.
#[test]
fn a_source_that_is_read_again_needs_no_copy_of_them() {
    let kept = project(&[]);
    kept.same("own.cu -isystem ext");
    kept.same("own.cu -isystem ext");
    assert_eq!(kept.number(), 6, "for each side the base, the foreign header, the source's");
    std::fs::write(
        kept.project.path().join("own.cu"),
        source("#include \"own.h\"\n#include <big/all.h>\n") + "\n// c\n",
    )
    .unwrap();
    let made = kept.made();
    kept.compiled();
    kept.same("own.cu -isystem ext");
    assert_eq!((kept.compiled(), kept.made()), ((2, 0), made));
}

/// A header without a guard would be read twice.
#[test]
fn a_header_without_a_guard_ends_the_sequence() {
    let lead = source("#include <big/all.h>\n#include <big/twice.h>\n");
    let kept = project(&[("t.cu", &lead), ("u.cu", &lead), ("ext/big/twice.h", "static int twice() { return 2; }\n")]);
    for unit in ["t.cu", "u.cu", "t.cu", "u.cu"] {
        kept.same(&format!("{unit} -isystem ext"));
    }
}

/// What headers define for every source: clang emits it in another order from a precompiled header.
#[test]
fn what_headers_define_comes_in_one_order() {
    const EMITTED: &str = "#pragma once\n#include <iostream>\n#include <memory>\n\
        struct Failed : std::exception { const char *what() const noexcept override; std::shared_ptr<int> n; };\n\
        inline const char *Failed::what() const noexcept { return n ? \"failed\" : \"unknown\"; }\n\
        __attribute__((used)) inline int used_b(std::shared_ptr<char> p) { return *p; }\n\
        __attribute__((used)) inline int used_a(std::shared_ptr<long> p) { return *p; }\n\
        __global__ void second(int *p) { *p = 2; }\n__global__ void first(int *p) { *p = 1; }\n";
    const TWICE: &str =
        "#pragma once\n#include <emitted.h>\nint seed(int);\nstatic int one = seed(1), two = seed(one);\n";
    let body = "__global__ void own(int *p) { p[0] = 3; }\n\
        int main() { int *p; cudaMalloc(&p, 4); second<<<1, 1>>>(p); first<<<1, 1>>>(p); own<<<1, 1>>>(p); throw Failed(); }\n";
    let [once, twice] = ["emitted.h", "twice.h"].map(|h| format!("#include <{h}>\n{body}"));
    let files = [
        ("a.cu", once.as_str()),
        ("b.cu", &once),
        ("c.cu", &once),
        ("s.cu", &twice),
        ("t.cu", &twice),
        ("u.cu", &twice),
        ("ext/emitted.h", EMITTED),
        ("ext/twice.h", TWICE),
    ];
    let kept = Kept::new(&files);
    for unit in ["a.cu", "b.cu", "c.cu", "s.cu", "t.cu", "u.cu", "u.cu"] {
        kept.same(&format!("{unit} -isystem ext"));
    }
}
