//! What users meet around an installation: the advice of `scuba doctor`, `SCUBA_CACHE`, and set-up beside another apt.

use super::{Project, SAFE, Said, nvcc};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// `scuba` alone, in an environment that pip has installed it into, without the rest of the wheel.
fn half_a_wheel(p: &Project) -> PathBuf {
    let scuba = p.root().join("venv/bin/scuba");
    std::fs::create_dir_all(scuba.parent().unwrap()).unwrap();
    std::fs::copy(assert_cmd::cargo::cargo_bin!("scuba"), &scuba).unwrap();
    p.write("venv/lib/python3.11/site-packages/scuba_cuda-0.1.0.dist-info/RECORD", "");
    scuba
}

fn line<'a>(said: &'a Said, name: &str) -> &'a str {
    said.out.lines().find(|l| l.starts_with(&format!("{name} "))).unwrap_or_else(|| panic!("{name}: {}", said.out))
}

#[test]
fn doctor_speaks_of_the_wheel_to_who_has_the_wheel() {
    let p = Project::new();
    let scuba = half_a_wheel(&p);
    let run = |nvcc: &Path| -> Said {
        let mut command = Command::new(&scuba);
        command.env_clear().envs([("PATH", "/usr/bin:/bin"), ("SCUBA_CACHE", "off")]).env("SCUBA_NVCC", nvcc);
        command.current_dir(p.root()).arg("doctor").output().unwrap().into()
    };
    let said = run(Path::new("/no/such/nvcc")).status(2);
    for name in ["scuba-nvcc", "scuba-extract"] {
        let line = line(&said, name);
        assert!(line.contains("MISSING") && line.contains("install the wheel scuba-cuda again"), "{line}");
    }
    assert!(line(&said, "CMake package").contains("the wheel scuba-cuda"), "{}", said.out);
    // Nothing that only a checkout has: neither its make nor its pages.
    assert!(!said.out.contains("make") && !said.out.contains("docs/"), "{}", said.out);
    // A page is named by the path that the wheel gave it.
    let page = p.write("venv/share/doc/scuba/docs/evaluation/toolkits.md", "");
    script(&p.root().join("venv/bin/scuba-extract"), "echo usage >&2; exit 1");
    let said = run(&nvcc()).status(2);
    let small = line(&said, "a small program");
    assert!(small.contains("MISSING") && small.contains(&format!("tested toolkits: {}", page.display())), "{small}");
    // From a checkout the same lines name its build.
    let own = p.root().join("checkout/target/release/scuba");
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::copy(&scuba, &own).unwrap();
    p.write("checkout/Cargo.toml", "");
    p.write("checkout/scuba.toml.example", "");
    let said: Said = p.command().args(["doctor"]).output().unwrap().into();
    assert!(said.status == 0, "{said:?}");
    let said: Said = Command::new(&own).arg("doctor").env("SCUBA_NVCC", nvcc()).output().unwrap().into();
    assert!(line(&said, "scuba-nvcc").contains("run `make build`"), "{}", said.out);
}

#[test]
fn doctor_looks_for_the_host_compiler_and_says_how_to_get_it() {
    let p = Project::new();
    let folder = p.root().join("bin");
    // All that the search itself needs, and no g++.
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["sh", "clang++-22"] {
        let path = std::env::var_os("PATH").unwrap();
        let mut found = std::env::split_paths(&path).map(|d| d.join(name));
        std::os::unix::fs::symlink(found.find(|f| f.is_file()).unwrap(), folder.join(name)).unwrap();
    }
    let run = |ccbin: Option<&Path>| -> Said {
        let mut command = p.command();
        command.env("PATH", &folder).env_remove("NVCC_CCBIN");
        command.envs(ccbin.map(|c| ("NVCC_CCBIN", c))).arg("doctor").output().unwrap().into()
    };
    let said = run(None).status(2);
    let host = line(&said, "host compiler");
    assert!(
        host.contains("MISSING") && host.contains("g++ was not found") && host.contains("apt install g++"),
        "{host}"
    );
    assert!(line(&said, "nvcc compiles").contains("nvcc has no host compiler"), "{}", said.out);
    // Another one by its name, or by the folder of its g++.
    script(&p.root().join("other/g++"), "echo 'g++ (Other) 12.2.0'");
    for named in [p.root().join("other"), p.root().join("other/g++")] {
        let said = run(Some(&named));
        assert!(
            line(&said, "host compiler").contains("ok") && said.out.contains("(g++ (Other) 12.2.0)"),
            "{}",
            said.out
        );
    }
    let said = run(Some(Path::new("/no/such/c++"))).status(2);
    assert!(line(&said, "host compiler").contains("NVCC_CCBIN: /no/such/c++ was not found"), "{}", said.out);
}

#[test]
fn a_url_of_no_store_is_no_cache() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    let url = "ftp://user:hunter2@host/scuba";
    let run =
        |arguments: &[&str]| -> Said { p.command().env("SCUBA_CACHE", url).args(arguments).output().unwrap().into() };
    let text = "SCUBA_CACHE: `ftp://host/scuba` names no store of remote caches: use one of azblob, fs, gcs, ghac, redis, \
                rediss, s3, webdav; or name a folder, or `off`";
    for arguments in [&["check", "a.cu"][..], &["build", "--", "true"], &["cache"]] {
        assert_eq!(run(arguments).status(2).err, format!("scuba: {text}\n"), "{arguments:?}");
    }
    assert!(line(&run(&["doctor"]).status(2), "cache").contains(text));
    // A build is not stopped by it: its result is the same, a line says it once, and no folder of that name appears.
    let compile = |object: &str| -> Said {
        let mut shim = Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
        shim.current_dir(p.root()).env("SCUBA_NVCC", nvcc()).env("SCUBA_CACHE", url);
        shim.env("XDG_CACHE_HOME", super::cache::fresh());
        shim.args(["-arch=sm_80", "-c", "a.cu", "-o", object]).output().unwrap().into()
    };
    let said = compile("a.o").status(0);
    assert_eq!(said.err.matches(text).count(), 1, "{said:?}");
    assert!(said.err.contains("scuba: note: ") && said.err.contains("; only the local cache is used"), "{said:?}");
    assert_eq!(compile("b.o").status(0).err, "");
    let names: Vec<_> = std::fs::read_dir(p.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().any(|n| n == "a.o") && !names.iter().any(|n| n == "ftp:"), "{names:?}");
}

/// A checkout in which `tools/setup.sh` finds all but patchelf, and an apt-get that another program locks out at first.
struct SetUp {
    project: Project,
}

impl SetUp {
    fn new() -> Self {
        let project = Project::new();
        let root = project.root();
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        for file in ["tools/setup.sh", "tools/find-nvcc.sh"] {
            std::fs::create_dir_all(root.join("tools")).unwrap();
            std::fs::copy(source.join(file), root.join(file)).unwrap();
        }
        project.write("Cargo.toml", "rust-version = \"1.88\"\n");
        let bin = root.join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        for name in [
            "bash", "sh", "sed", "head", "sort", "mktemp", "cat", "rm", "mkdir", "flock", "dirname", "grep",
            "readlink", "ln", "basename",
        ] {
            let all = ["/usr/bin", "/bin"].map(|d| Path::new(d).join(name));
            std::os::unix::fs::symlink(all.iter().find(|f| f.is_file()).unwrap(), bin.join(name)).unwrap();
        }
        for name in ["g++", "ninja", "clang++-22", "python3", "cargo", "llvm/bin/llvm-config"] {
            script(&bin.join(name), "exit 0");
        }
        project.write("bin/llvm/lib/libLLVM.so", "");
        script(&bin.join("cmake"), "echo cmake version 3.25.1");
        script(&bin.join("rustc"), "echo 'rustc 1.90.0 (x)'; echo 'host: x86_64-unknown-linux-gnu'");
        script(&bin.join("nvcc"), "exit 0");
        script(&bin.join("id"), "echo 0");
        script(&bin.join("apt-cache"), "exit 0");
        script(&bin.join("sleep"), &format!("echo waited >> {0}/log; rm -f {0}/locked", root.display()));
        let apt = format!(
            "echo \"$1\" >> {0}/log\n\
             [ ! -e {0}/locked ] || {{ echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt)' >&2; exit 100; }}\n\
             [ \"$1\" != install ] || {{ echo '#!/bin/sh' > {0}/bin/patchelf; {1} +x {0}/bin/patchelf; }}",
            root.display(),
            ["/usr/bin/chmod", "/bin/chmod"].into_iter().find(|f| Path::new(f).is_file()).unwrap()
        );
        script(&bin.join("apt-get"), &apt);
        project.write(".deps/cuda/z3/lib/libz3.so", "");
        let pins = std::fs::read_to_string(source.join("tools/setup.sh")).unwrap();
        let z3 = pins.lines().find_map(|l| l.strip_prefix("z3_pin=z3-solver==")).unwrap();
        project.write(&format!(".deps/cuda/z3_solver-{z3}.dist-info/RECORD"), "");
        Self { project }
    }

    /// Runs it for `make dist`; returns what it said and what it asked of apt.
    fn run(&self) -> (Said, String) {
        let root = self.project.root();
        let bin = root.join("bin");
        let mut command = Command::new(bin.join("bash"));
        command.env_clear().env("PATH", &bin).env("HOME", &root).env("SCUBA_NVCC", bin.join("nvcc"));
        command.env("LLVM_SYS_221_PREFIX", bin.join("llvm"));
        let said = command.arg(root.join("tools/setup.sh")).arg("dist").output().unwrap().into();
        (said, std::fs::read_to_string(root.join("log")).unwrap_or_default())
    }
}

#[test]
fn set_up_waits_for_apts_lock_and_asks_nothing_of_it_where_all_is_there() {
    let setup = SetUp::new();
    setup.project.write("locked", "");
    let (said, log) = setup.run();
    let said = said.status(0);
    assert_eq!(log, "update\nwaited\nupdate\ninstall\n", "{said:?}");
    assert_eq!(said.err.matches("another program holds apt's lock; waiting for it").count(), 1, "{said:?}");
    // Now all is there, and apt could not even start.
    std::fs::remove_file(setup.project.root().join("log")).unwrap();
    std::fs::remove_file(setup.project.root().join("bin/apt-get")).unwrap();
    let (said, log) = setup.run();
    assert_eq!((said.status(0).err.as_str(), log.as_str()), ("", ""));
}

#[test]
fn set_up_does_not_wait_where_apt_fails_otherwise() {
    let setup = SetUp::new();
    let apt = setup.project.root().join("bin/apt-get");
    script(&apt, &format!("echo \"$1\" >> {}/log; echo 'E: no network' >&2; exit 100", setup.project.root().display()));
    let (said, log) = setup.run();
    assert_eq!(log, "update\ninstall\n");
    let said = said.status(1);
    assert!(said.err.contains("E: no network") && said.err.contains("apt could not install patchelf"), "{said:?}");
}
