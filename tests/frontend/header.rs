//! Precompiled headers: what is read with one is what is read without, and none outlives what it was made of.

use super::{Project, options};
use scuba::frontend::{ExtractOptions, Extraction, Precompile, extract};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const SOURCE: &str = "#include <cstdio>\n#include <vector>\n#include <cuda_fp16.h>\n\
    #ifdef MINE\n#define MORE 1\n#else\n#define MORE 0\n#endif\n\
    struct Pair { int a; __half b; };\n\
    __global__ void k(Pair *p, int n) { int i = threadIdx.x; if (i < n) { atomicAdd(&p[i].a, __ldcg(&n) + MORE); p[i].b = __float2half(1.0f); printf(\"%d\", i); } }\n\
    int main() { std::vector<int> v(4); Pair *p; cudaMalloc(&p, v.size() * sizeof *p); k<<<1, 32>>>(p, 4); return cudaDeviceSynchronize(); }\n";

/// With a clang that writes down how it is run.
pub(super) struct Kept {
    pub project: Project,
    pub headers: PathBuf,
    pub clang: PathBuf,
}

impl Kept {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Project::new(files);
        let headers = project.path().join("cache/headers");
        let clang = project.path().join("clang");
        std::fs::write(
            &clang,
            format!("#!/bin/sh\necho \"$*\" >> {}\nexec clang++-22 \"$@\"\n", project.path().join("runs").display()),
        )
        .unwrap();
        std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { project, headers, clang }
    }

    pub fn extract(&self, flags: &str) -> Extraction {
        let options = ExtractOptions { headers: Some(self.headers.clone()), clang: self.clang.clone(), ..options() };
        extract(&self.project.unit(flags), &options).unwrap()
    }

    /// How often clang compiled with a precompiled header and with ours since this was asked last.
    pub fn compiled(&self) -> (usize, usize) {
        let text = std::fs::read_to_string(self.project.path().join("runs")).unwrap_or_default();
        std::fs::write(self.project.path().join("runs"), "").unwrap();
        let count = |what: &str| text.lines().filter(|l| l.contains(what) && !l.contains("-emit-pch")).count();
        (count("-include-pch "), count("-include /"))
    }

    /// The headers that are there, and when they were made.
    pub fn made(&self) -> Vec<(PathBuf, SystemTime)> {
        let folders = std::fs::read_dir(&self.headers).into_iter().flatten().flatten();
        let mut out: Vec<_> = folders
            .filter_map(|f| {
                let p = f.path().join("header.pch");
                Some((p.clone(), p.metadata().ok()?.modified().ok()?))
            })
            .collect();
        out.sort();
        out
    }
}

/// Two extractions of one unit say the same, the order of the files aside.
pub(super) fn assert_alike(a: &Extraction, b: &Extraction) {
    assert_eq!(a.not_analysed, b.not_analysed);
    assert_eq!((&a.dependencies, &a.notes, &a.frontend), (&b.dependencies, &b.notes, &b.frontend));
    for (m, n) in a.modules.iter().zip(&b.modules) {
        assert_eq!(format!("{m:#?}"), format!("{n:#?}"));
    }
    assert_eq!(a.modules.len(), b.modules.len());
}

#[test]
fn what_is_read_with_one_is_what_is_read_without() {
    let kept = Kept::new(&[("a.cu", SOURCE), ("mine.h", "#define MINE\n")]);
    // What the source begins with is precompiled too, unless the command includes something before it.
    for (flags, at_once, later) in [("a.cu -std=c++17", 2, 4), ("a.cu -arch=sm_80 -include mine.h -DNDEBUG", 2, 2)] {
        let before = kept.made().len();
        let without = kept.project.extract(flags);
        assert!(without.not_analysed.is_empty(), "{:?}", without.not_analysed);
        kept.compiled();
        let first = kept.extract(flags);
        assert_eq!(kept.compiled(), (2, 0), "both sides");
        assert_eq!(kept.made().len(), before + at_once, "one for each side");
        let second = kept.extract(flags);
        assert_eq!(kept.compiled(), (2, 0));
        let third = kept.extract(flags);
        assert_eq!(kept.compiled(), (2, 0));
        let made = kept.made();
        assert_eq!(made.len(), before + later);
        let fourth = kept.extract(flags);
        assert_eq!(kept.compiled(), (2, 0));
        assert_eq!(kept.made(), made, "made once");
        for e in [&first, &second, &third, &fourth] {
            assert_alike(e, &without);
        }
    }
}

/// Another project, with other macros and folders, takes the headers of the first; a macro or a file that they depend on
/// leads to others.
#[test]
fn projects_share_those_that_mean_the_same_to_them() {
    let lead = "#include <string>\n#include <vector>\n";
    let body = "__global__ void k(int *p) { p[N] = 1; }\nint main() { std::vector<int> v(N); std::string s(N, 'x'); k<<<1, 1>>>(nullptr); return v.size() + s.size(); }\n";
    let source = format!("{lead}{body}");
    let first = Kept::new(&[("a.cu", "#include <string>\n"), ("b.cu", lead)]);
    let ahead = ExtractOptions { headers: Some(first.headers.clone()), precompile: Precompile::Ahead, ..options() };
    for source in ["a.cu", "b.cu"] {
        extract(&first.project.unit(&format!("{source} -DN=3")), &ahead).unwrap();
    }
    let made = first.made();
    let same = |files: &[(&str, &str)], flags: &str, shares: bool| {
        let second = Kept::new(files);
        let options = ExtractOptions { headers: Some(first.headers.clone()), ..options() };
        let read = extract(&second.project.unit(flags), &options).unwrap();
        assert!(read.not_analysed.is_empty(), "{:?}", read.not_analysed);
        assert_alike(&read, &second.project.extract(flags));
        assert_eq!(first.made() == made, shares, "{flags}");
    };
    same(&[("b.cu", &source), ("inc/own.h", "")], "b.cu -DN=4 -DOTHER -Iinc", true);
    // In a header of the user's, with a macro that no header mentions.
    let own = format!("#ifndef OWN_H\n#define OWN_H\n{lead}#endif\n");
    same(&[("src/b.cu", &format!("#include \"own.h\"\n{body}")), ("src/own.h", &own)], "src/b.cu -DN=4", true);
    // Code comes before the second one.
    let apart = format!("#include <string>\nint first;\n#include <vector>\n{body}");
    same(&[("b.cu", &apart)], "b.cu -DN=5", true);
    // Macros that the headers mention, in the source and in the flags.
    let defining = format!("#define _GLIBCXX_ASSERTIONS 1\n{source}");
    same(&[("b.cu", &defining)], "b.cu -DN=5", true);
    same(&[("b.cu", &source), ("inc/bits/move.h", "#include_next <bits/move.h>\n")], "b.cu -DN=5 -Iinc", true);
    same(&[("b.cu", &source)], "b.cu -DN=5 -D_GLIBCXX_ASSERTIONS=1", false);
}

/// A macro that only the first of two headers mentions keeps a source from both.
#[test]
fn macros_of_all_headers_of_a_sequence_count() {
    let lead = "#include <ftw.h>\n#include <glob.h>\n";
    let first = Kept::new(&[("a.cu", "#include <ftw.h>\n"), ("b.cu", lead)]);
    let ahead = ExtractOptions { headers: Some(first.headers.clone()), precompile: Precompile::Ahead, ..options() };
    for source in ["a.cu", "b.cu"] {
        extract(&first.project.unit(source), &ahead).unwrap();
    }
    let body = "__global__ void k(int *p) { p[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); return FTW_D; }\n";
    let second = Kept::new(&[("b.cu", &format!("{lead}{body}"))]);
    let options = ExtractOptions { headers: Some(first.headers.clone()), ..options() };
    // The second is no C++: the macro stands for an enumerator where that is declared.
    for (flags, refused) in [("b.cu", 0), ("b.cu -DFTW_D=9", 2)] {
        let read = extract(&second.project.unit(flags), &options).unwrap();
        assert_eq!(read.not_analysed.len(), refused, "{flags}");
        assert_alike(&read, &second.project.extract(flags));
    }
}

/// All headers of a sequence are made at once where that is asked for.
#[test]
fn they_are_made_ahead() {
    let kept = Kept::new(&[("a.cu", "#include <string>\n#include <vector>\n"), ("b.cu", SOURCE)]);
    let options = ExtractOptions {
        headers: Some(kept.headers.clone()),
        clang: kept.clang.clone(),
        precompile: Precompile::Ahead,
        ..options()
    };
    extract(&kept.project.unit("a.cu"), &options).unwrap();
    let made = kept.made();
    assert_eq!(made.len(), 4, "for each side the base, and both headers on top of it");
    extract(&kept.project.unit("a.cu"), &options).unwrap();
    assert_eq!(kept.made(), made);
    kept.compiled();
    assert_alike(&kept.extract("b.cu"), &kept.project.extract("b.cu"));
}

/// clang's header of textures is left out for those who use none: whoever does, directly or in a header, is read as ever.
#[test]
fn textures_are_read_where_they_are_used() {
    let header =
        "template <class T> __device__ T at(cudaTextureObject_t t, float x) { return tex2D<T>(t, x, 0.0f); }\n";
    let kernel = "__global__ void k(cudaTextureObject_t t, float *out) { *out = at<float>(t, 1.0f); }\n";
    for (source, runs) in [
        ("#include \"at.h\"\n__global__ void k(float *out) { *out = 1.0f; }\n".to_owned(), 1),
        (format!("#include \"at.h\"\n{kernel}"), 2),
        (format!("{header}{kernel}"), 1),
    ] {
        let kept = Kept::new(&[("a.cu", &source), ("at.h", header)]);
        let read = kept.extract("a.cu");
        assert_eq!((read.modules.len(), &read.not_analysed[..]), (2, &[][..]), "{source}");
        let text = std::fs::read_to_string(kept.project.path().join("runs")).unwrap();
        assert_eq!(
            text.lines().filter(|l| l.contains("--cuda-device-only") && !l.contains("-emit-pch")).count(),
            runs,
            "{source}"
        );
        let reads = |m: &scuba::ir::Module| format!("{m:?}").contains("tex.2d.");
        assert_eq!(read.modules.iter().any(reads), source.contains("at<float>"), "{source}");
    }
}

#[test]
fn flags_that_include_something_before_it_have_none() {
    let kept = Kept::new(&[("a.cu", SOURCE), ("mine.h", "#define MINE\n")]);
    let flags = "a.cu -Xcompiler -include,mine.h";
    for _ in 0..3 {
        assert_alike(&kept.extract(flags), &kept.project.extract(flags));
    }
    assert_eq!(kept.made(), []);
}

#[test]
fn a_file_that_it_was_made_of_and_that_changes_is_read_anew() {
    let time = |number: u32| format!("#include_next <time.h>\n#undef NUMBER\n#define NUMBER {number}\n");
    let source = "__global__ void k(int *p) { p[NUMBER] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n";
    let kept = Kept::new(&[("a.cu", source), ("inc/time.h", &time(1))]);
    let flags = "a.cu -Iinc";
    for _ in 0..3 {
        kept.extract(flags);
    }
    let made = kept.made();
    assert_eq!(made.len(), 4, "two that units without such a file share");
    std::fs::write(kept.project.path().join("inc/time.h"), time(22_222)).unwrap();
    assert_alike(&kept.extract(flags), &kept.project.extract(flags));
    let anew = kept.made().iter().zip(&made).filter(|(new, old)| new.1 > old.1).count();
    assert_eq!(anew, 2, "made anew");
    assert_alike(&kept.extract(flags), &kept.project.extract(flags));
}

#[test]
fn one_that_clang_cannot_read_is_as_good_as_none() {
    let kept = Kept::new(&[("a.cu", SOURCE)]);
    kept.extract("a.cu");
    for (path, modified) in kept.made() {
        let bytes = path.metadata().unwrap().len();
        std::fs::write(&path, vec![b'x'; usize::try_from(bytes).unwrap()]).unwrap();
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
    }
    kept.compiled();
    assert_alike(&kept.extract("a.cu"), &kept.project.extract("a.cu"));
    assert_eq!(kept.compiled(), (2, 0), "told from those that were made, and made again");
    // One that is gone, and a folder that cannot be written.
    for (path, _) in kept.made() {
        std::fs::remove_file(path).unwrap();
    }
    assert_alike(&kept.extract("a.cu"), &kept.project.extract("a.cu"));
    assert_eq!(kept.made().len(), 2, "made again");
    let nowhere = ExtractOptions { headers: Some(Path::new("/proc/none/headers").into()), ..options() };
    assert_alike(&extract(&kept.project.unit("a.cu"), &nowhere).unwrap(), &kept.project.extract("a.cu"));
}

/// Nothing of it is read twice, lines and names stay, and a change in it or in what it includes is seen.
#[test]
fn what_a_source_begins_with_is_part_of_it() {
    const LEAD: &str =
        "// A comment.\n#include <vector>\n#include \"own.h\"\n#ifdef MORE\n#include \"more.h\"\n#endif\n#define N 4\n";
    let own = |n: u32| format!("static int own(int i) {{ return i + {n}; }}\nstruct Own {{ int a[{n}]; }};\n");
    let body = |text: &str| {
        format!(
            "{LEAD}struct Pair {{ int a; Own b; }};\n__global__ void k(Pair *p) {{ p->b.a[N] = {text}; }}\n\
             int main() {{ std::vector<int> v(own(N)); Pair *p; cudaMalloc(&p, v.size()); k<<<1, 1>>>(p); }}\n"
        )
    };
    let kept = Kept::new(&[
        ("sub/a.cu", &body("__LINE__")),
        ("sub/own.h", &own(3)),
        ("sub/more.h", "#error not to be read\n"),
        ("own.h", "#error another folder's\n"),
    ]);
    let write = |name: &str, text: &str| std::fs::write(kept.project.path().join(name), text).unwrap();
    let skipping = || {
        let text = std::fs::read_to_string(kept.project.path().join("runs")).unwrap_or_default();
        write("runs", "");
        text.lines().filter(|l| l.contains("-preamble-bytes=")).count()
    };
    let flags = "sub/a.cu -I. -std=c++17";
    let same = || {
        let without = kept.project.extract(flags);
        assert!(without.not_analysed.is_empty(), "{:?}", without.not_analysed);
        assert_alike(&kept.extract(flags), &without);
    };
    same();
    assert_eq!(skipping(), 0);
    same();
    assert_eq!(skipping(), 2, "both sides");
    let made = kept.made();
    write("sub/a.cu", &body("N + 1"));
    same();
    assert_eq!((skipping(), kept.made()), (2, made.clone()), "another body");
    write("sub/own.h", &own(70));
    same();
    assert_eq!(skipping(), 2);
    let anew = kept.made().iter().zip(&made).filter(|(new, old)| new.1 > old.1).count();
    assert_eq!(anew, 2, "made anew");
    write("sub/a.cu", &body("1").replace("#include <vector>\n", "#include <vector>\n#include <cstdio>\n"));
    same();
    assert_eq!(skipping(), 0, "another lead");
}
