//! What a front end read is not read again while it would read the same, and is read again as soon as it would not.

use super::{Project, Said};
use std::path::Path;
use std::time::SystemTime;

/// Writes one element more than `N` says where `EXTRA` is 1.
const PROGRAM: &str = "#include \"size.h\"
#if __has_include(\"extra.h\")
#include \"extra.h\"
#else
#define EXTRA 0
#endif
__global__ void k(int *a) { a[threadIdx.x + EXTRA + MORE] = 1; }
int main() { int *a; if (cudaMalloc(&a, 32 * sizeof(int))) return 1; k<<<1, 32>>>(a); return cudaDeviceSynchronize(); }
";

struct Kept {
    project: Project,
}

impl Kept {
    fn new() -> Self {
        let project = Project::new();
        project.write("a.cu", PROGRAM);
        project.write("later/size.h", "#define MORE 0\n");
        project.write("first/unused.h", "");
        Self { project }
    }

    #[track_caller]
    fn check(&self, status: i32, flags: &[&str]) {
        let cache = self.project.root().join("cache");
        let said: Said = self
            .project
            .command()
            .env("SCUBA_CACHE", &cache)
            .args(["check", "a.cu", "--", "-Ifirst", "-Ilater"])
            .args(flags)
            .output()
            .unwrap()
            .into();
        let said = said.status(status);
        assert!(!said.err.contains("not analysed"), "{said:?}");
    }

    /// Other text of as many bytes, with the time of what was there.
    fn replace_unseen(&self, name: &str, from: &str, to: &str) {
        assert_eq!(from.len(), to.len());
        let path = self.project.root().join(name);
        let modified = path.metadata().unwrap().modified().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        std::fs::write(&path, text.replace(from, to)).unwrap();
        touch(&path, modified);
    }
}

fn touch(path: &Path, time: SystemTime) {
    std::fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn what_is_as_it_was_is_not_read_again() {
    let kept = Kept::new();
    kept.check(0, &[]);
    // What a file holds decides, whatever its size and time say.
    kept.replace_unseen("later/size.h", "MORE 0", "MORE 1");
    kept.check(1, &[]);
    // Another command has nothing from before.
    kept.check(1, &["-DOTHER"]);
    touch(&kept.project.root().join("later/size.h"), SystemTime::now());
    kept.check(1, &[]);
    kept.replace_unseen("later/size.h", "MORE 1", "MORE 0");
    touch(&kept.project.root().join("later/size.h"), SystemTime::now());
    kept.check(0, &[]);
}

#[test]
fn a_header_that_comes_before_another_is_seen() {
    let kept = Kept::new();
    kept.check(0, &[]);
    kept.project.write("first/size.h", "#define MORE 1\n");
    kept.check(1, &[]);
    std::fs::remove_file(kept.project.root().join("first/size.h")).unwrap();
    kept.check(0, &[]);
    kept.project.write("size.h", "#define MORE 1\n");
    kept.check(1, &[]);
}

#[test]
fn a_header_that_was_asked_for_in_vain_is_seen() {
    let kept = Kept::new();
    kept.check(0, &[]);
    kept.project.write("later/extra.h", "#define EXTRA 1\n");
    kept.check(1, &[]);
}

#[test]
fn what_could_not_be_read_is_tried_again() {
    let kept = Kept::new();
    let p = &kept.project;
    p.write("a.cu", "#include \"none.h\"\nint main() {}\n");
    let check = || -> Said {
        p.command()
            .env("SCUBA_CACHE", p.root().join("cache"))
            .args(["check", "a.cu", "--", "-Ilater"])
            .output()
            .unwrap()
            .into()
    };
    assert!(check().err.contains("none.h"));
    p.write("later/none.h", "");
    assert!(!check().err.contains("none.h"));
}

/// Models of library functions are kept as bitcode beside the readings; a damaged one is compiled again.
#[test]
fn damaged_models_are_no_models() {
    let kept = Kept::new();
    let sorts = "#include <cstdlib>\nint order(const void *, const void *) { return 0; }\n";
    let program = |size: u32| {
        let main = format!(
            "int main() {{ int n[2] = {{1, 2}}; qsort(n, 2, sizeof(int), order); int *a; if (cudaMalloc(&a, {size} * \
             sizeof(int))) return 1; k<<<1, 32>>>(a); return cudaDeviceSynchronize(); }}\n"
        );
        format!("{sorts}__global__ void k(int *a) {{ a[threadIdx.x] = 1; }}\n{main}")
    };
    kept.project.write("a.cu", &program(32));
    kept.check(0, &[]);
    let models: Vec<_> = std::fs::read_dir(kept.project.root().join("cache/headers"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.file_name().unwrap().to_string_lossy().starts_with("models-"))
        .collect();
    assert_eq!(models.len(), 1, "{models:?}");
    for size in [31, 33] {
        let half = std::fs::read(&models[0]).unwrap();
        std::fs::write(&models[0], &half[..half.len() / 2]).unwrap();
        kept.project.write("a.cu", &program(size));
        kept.check(i32::from(size < 32), &[]);
    }
}

/// Number of readings in a cache, and when the last one was stored.
fn readings(cache: &Path) -> (usize, Option<SystemTime>) {
    let files = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|f| f.path());
    let all: Vec<_> = files(&cache.join("readings")).flat_map(|f| files(&f).collect::<Vec<_>>()).collect();
    (all.len(), all.iter().filter_map(|f| f.metadata().ok()?.modified().ok()).max())
}

/// A cache that is restored for another checkout, with other times of files: nothing is read, and clang does not run.
#[test]
fn a_cache_serves_checkouts_in_other_folders() {
    let text = "#include \"size.h\"\n__global__ void k(int *a) { a[threadIdx.x + MORE] = 1; }\n\
        int main() { int *a; if (cudaMalloc(&a, 32 * sizeof(int))) return 1; k<<<1, 32>>>(a); return cudaDeviceSynchronize(); }\n";
    let cache = tempfile::tempdir().unwrap();
    let kept = std::cell::RefCell::new((0, None));
    let check = |more: &str, flags: &[&str], read: bool, status: i32| {
        let project = Project::new();
        project.write("src/a.cu", text);
        project.write("inc/size.h", more);
        project.write("scuba.toml", "");
        let inc = project.root().join("inc");
        let said: Said = project
            .command()
            .env("SCUBA_CACHE", cache.path())
            .args(["check", "src/a.cu", "--", "-I", inc.to_str().unwrap()])
            .args(flags.iter().map(|f| f.replace("ROOT", project.root().to_str().unwrap())))
            .output()
            .unwrap()
            .into();
        let said = said.status(status);
        assert!(said.err.contains("src/a.cu") || status == 0, "paths are those of this checkout: {said:?}");
        let now = readings(cache.path());
        assert_eq!(now != *kept.borrow(), read, "each reading is kept");
        kept.replace(now);
    };
    check("#define MORE 0\n", &[], true, 0);
    check("#define MORE 0\n", &[], false, 0);
    check("#define MORE 1\n", &[], true, 1);
    check("#define MORE 1\n", &[], false, 1);
    // The folder is part of the code.
    let flags = &["-DFOLDER=\"ROOT/data\""];
    check("#define MORE 0\nconst char *folder = FOLDER;\n", flags, true, 0);
    check("#define MORE 0\nconst char *folder = FOLDER;\n", flags, true, 0);
}
