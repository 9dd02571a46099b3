//! The remote cache: checkouts in different folders and machines share readings and verdicts, nobody else's entries are
//! believed, and a store in trouble costs a line.

use super::{Project, SAFE, Said, buggy, nvcc};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const KEY: &str = "the key of the team, for tests";

/// A program that includes a header of its project, so that its facts name two files.
fn with_header(program: &str) -> String {
    format!("#include \"kernels.cuh\"\n{}", program.replace("__global__", "KERNEL"))
}

/// A checkout of one project, at a path of its own with a cache of its own: another machine, as far as paths go.
pub(super) struct Checkout {
    project: Project,
    pub cache: PathBuf,
    key: String,
    /// Further variables of the environment.
    pub environment: Vec<(&'static str, String)>,
}

impl Checkout {
    /// Makes a checkout that uses the cache at a URL. An answer may take as long as a busy machine needs.
    pub fn new(url: &str) -> Self {
        Self::with_settings(url, "wait_ms = 60000\n")
    }

    pub fn with_settings(url: &str, more: &str) -> Self {
        let project = Project::new();
        project.write("scuba.toml", &settings(url, more));
        project.write("src/kernels.cuh", "#define KERNEL __global__\n");
        project.write("src/bad.cu", &with_header(&buggy()));
        project.write("src/good.cu", &with_header(SAFE));
        Self { project, cache: super::cache::fresh(), key: KEY.into(), environment: vec![] }
    }

    /// Changes the longest wait for an answer.
    pub fn wait(&self, url: &str, milliseconds: u32) {
        self.project.write("scuba.toml", &settings(url, &format!("wait_ms = {milliseconds}\n")));
    }

    fn root(&self) -> PathBuf {
        self.project.root()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command();
        command.env("SCUBA_CACHE", &self.cache).env("SCUBA_CACHE_KEY", &self.key).args(arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn scuba(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Document of a check, without its time.
    pub fn document(&self, file: &str) -> String {
        let said = self.scuba(&["check", "-q", "--message-format", "json", file]);
        assert_eq!(said.err, "", "{said:?}");
        let mut document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        document["summary"]["seconds"] = 0.into();
        assert_eq!(document["summary"]["not_analysed"], 0, "{said:?}");
        serde_json::to_string_pretty(&document).unwrap()
    }

    /// What `scuba cache` says of the remote cache.
    pub fn remote(&self) -> String {
        let said = self.scuba(&["cache"]).status(0);
        let at = said.out.find("remote cache ").unwrap_or_else(|| panic!("{said:?}"));
        said.out[at..].to_owned()
    }

    /// Waits until as many entries are sent.
    pub fn sent(&self, entries: u32) {
        self.says(&format!("; {entries} entries sent\n"));
    }

    /// Waits until `scuba cache` says something of the remote cache.
    fn says(&self, text: &str) {
        let start = Instant::now();
        while !self.remote().contains(text) {
            assert!(start.elapsed() < Duration::from_secs(120), "{}", self.remote());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Compiles through the shim.
    pub fn compile(&self, arguments: &[&str]) -> Said {
        let mut shim = Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
        shim.current_dir(self.root()).env("SCUBA_NVCC", nvcc());
        shim.env("SCUBA_CACHE", &self.cache).env("SCUBA_CACHE_KEY", &self.key);
        shim.args(arguments).output().unwrap().into()
    }
}

fn settings(url: &str, more: &str) -> String {
    format!("[cache]\nurl = \"{url}\"\n{more}")
}

/// A store in a folder.
struct FolderStore(tempfile::TempDir);

impl FolderStore {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("store")
    }

    fn url(&self) -> String {
        format!("fs://{}", self.root().display())
    }

    /// Entries, sorted by kind.
    fn entries(&self) -> Vec<PathBuf> {
        let inside = |folder: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().path()).collect()
        };
        let mut all: Vec<PathBuf> =
            inside(&self.root()).iter().filter(|f| !f.ends_with(".writing")).flat_map(|kind| inside(kind)).collect();
        all.sort();
        all
    }
}

/// Line of trouble with a store.
fn trouble(url: &str, why: &str) -> String {
    format!("remote cache {url}: {why}; only the local cache is used")
}

#[test]
fn checkouts_at_different_paths_share() {
    let store = FolderStore::new();
    let (one, two) = (Checkout::new(&store.url()), Checkout::new(&store.url()));
    let plain = Checkout::new(&store.url());
    let without = plain.command(&[]).env("SCUBA_CACHE", "off").args(["check", "src/bad.cu"]).output().unwrap();
    assert_eq!(without.status.code(), Some(1));
    assert!(store.entries().is_empty(), "`off` is off");

    let first = one.document("src/bad.cu");
    one.sent(2);
    assert!(one.remote().contains("hits: 0 of "), "{}", one.remote());
    let kinds: Vec<_> = store.entries().iter().map(|e| e.parent().unwrap().file_name().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["readings", "verdicts"]);
    for entry in store.entries() {
        let bytes = std::fs::read(&entry).unwrap();
        let root = one.root();
        let path = root.as_os_str().as_encoded_bytes();
        assert!(!bytes.windows(path.len()).any(|w| w == path), "an entry names its checkout");
    }

    // Another folder, an empty cache: nothing is read or checked anew, and the document is the same.
    assert_eq!(two.document("src/bad.cu"), first);
    let said = two.remote();
    assert!(
        said.starts_with(&format!("remote cache {}\n  hits: 2 of 2 (100 %); 0 refused; 0 ", store.url())),
        "{said}"
    );
    // Findings lie in this checkout.
    let short = two.scuba(&["check", "--message-format", "short", "src/bad.cu"]).status(1);
    assert!(short.err.contains("src/bad.cu:5:") && !short.err.contains(&one.root().display().to_string()), "{short:?}");
    // They are here now: the store is not asked again.
    assert!(two.remote().contains("hits: 2 of 2 "), "{}", two.remote());

    // Other contents of the source or of a header are read.
    two.project.write("src/kernels.cuh", "#define KERNEL __global__\n#define N 1\n");
    two.scuba(&["check", "-q", "src/bad.cu"]).status(1);
    assert!(!two.remote().contains("hits: 4 of"), "{}", two.remote());
    two.project.write("src/bad.cu", &with_header(SAFE));
    two.scuba(&["check", "-q", "src/bad.cu"]).status(0);
}

/// Branches that differ in a header share a store: none replaces the entries of the other.
#[test]
fn branches_that_differ_in_a_header_share_a_store() {
    let store = FolderStore::new();
    let on_branch = |number: u32| {
        let checkout = Checkout::new(&store.url());
        checkout.project.write("src/kernels.cuh", &format!("#define KERNEL __global__\n#define BRANCH {number}\n"));
        checkout
    };
    for number in 1..=3 {
        let first = on_branch(number);
        first.scuba(&["check", "-q", "src/bad.cu"]).status(1);
        // The code is the same, and so is the verdict.
        first.sent(if number == 1 { 2 } else { 1 });
    }
    for number in 1..=3 {
        let later = on_branch(number);
        later.scuba(&["check", "-q", "src/bad.cu"]).status(1);
        assert!(later.remote().contains("hits: 2 of 2 "), "{number}: {}", later.remote());
    }
}

#[test]
fn builds_share_what_their_commands_read() {
    let store = FolderStore::new();
    let (one, two) = (Checkout::new(&store.url()), Checkout::new(&store.url()));
    let arguments = ["-arch=sm_80", "-c", "src/good.cu", "-o", "good.o"];
    let said = one.compile(&arguments).status(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    // The command did not wait for that.
    one.sent(2);
    let said = two.compile(&arguments).status(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    assert!(two.remote().contains("hits: 2 of 2 "), "{}", two.remote());
    assert!(two.root().join("good.o").is_file());
    // `upload = false` only reads.
    let reader = Checkout::with_settings(&store.url(), "wait_ms = 60000\nupload = false\n");
    reader.compile(&["-arch=sm_80", "-c", "src/bad.cu", "-o", "bad.o"]).status(1);
    let said = reader.scuba(&["check", "-q"]).status(1);
    assert_eq!(said.err.matches("remote cache").count(), 0, "{said:?}");
    assert_eq!(store.entries().len(), 2);
}

#[test]
fn entries_that_this_key_did_not_sign_are_refused() {
    let store = FolderStore::new();
    let one = Checkout::new(&store.url());
    let first = one.document("src/bad.cu");
    one.document("src/good.cu");
    one.sent(4);
    let good = store.entries();
    let contents: Vec<Vec<u8>> = good.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let restore = || good.iter().zip(&contents).for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    assert_eq!(good.len(), 4, "two readings, two verdicts");

    // Another key.
    let mut other = Checkout::new(&store.url());
    other.key = "the key of another team".into();
    let said = other.scuba(&["check", "-v", "src/bad.cu"]).status(1);
    assert_eq!(said.err.matches(" refused: ").count(), 1, "{said:?}");
    assert!(said.err.contains("another key signed it, or it was changed"), "{said:?}");
    assert!(other.remote().contains("; 2 refused; "), "{}", other.remote());
    other.sent(2);
    restore();

    // Every byte counts, as do the length and the name: the entry of the harmless program is none of the other one.
    let spoil: [(&str, &dyn Fn()); 4] = [
        ("a changed byte", &|| {
            for (path, bytes) in good.iter().zip(&contents) {
                let mut bytes = bytes.clone();
                *bytes.last_mut().unwrap() ^= 1;
                std::fs::write(path, bytes).unwrap();
            }
        }),
        ("cut off", &|| {
            for (path, bytes) in good.iter().zip(&contents) {
                std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
            }
        }),
        ("under another name", &|| {
            for pair in [[0, 1], [2, 3]] {
                std::fs::write(&good[pair[0]], &contents[pair[1]]).unwrap();
                std::fs::write(&good[pair[1]], &contents[pair[0]]).unwrap();
            }
        }),
        ("not signed", &|| {
            for (path, bytes) in good.iter().zip(&contents) {
                std::fs::write(path, &bytes["scuba-entry-1\n".len() + 32..]).unwrap();
            }
        }),
    ];
    for (what, spoil) in spoil {
        spoil();
        let reader = Checkout::with_settings(&store.url(), "wait_ms = 60000\nupload = false\n");
        assert_eq!(reader.document("src/bad.cu"), first, "{what}");
        assert!(reader.remote().contains("hits: 0 of "), "{what}: {}", reader.remote());
        assert!(reader.remote().contains("; 2 refused; "), "{what}: {}", reader.remote());
        restore();
    }
}

#[test]
fn a_store_that_never_answers_costs_a_line_and_one_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("redis://user:hunter2@{}/0", listener.local_addr().unwrap());
    let shown = format!("redis://{}/0", listener.local_addr().unwrap());
    let here = Checkout::with_settings(&url, "wait_ms = 300\n");
    let line = trouble(&shown, "no answer within 300 ms");
    let said = here.scuba(&["check", "src/bad.cu"]).status(1);
    assert_eq!(said.err.matches(&line).count(), 1, "{said:?}");
    assert_eq!(said.err.matches("remote cache").count(), 1, "{said:?}");
    let asked = || std::iter::from_fn(|| listener.accept().ok()).count();
    assert!(asked() > 0);

    // Later commands leave it alone, and only `-v` says so.
    let said = here.scuba(&["check", "src/good.cu"]).status(0);
    assert!(!said.err.contains("remote cache"), "{said:?}");
    let said = here.scuba(&["check", "-v", "src/good.cu"]).status(0);
    assert_eq!(said.err.matches(&line).count(), 1, "{said:?}");
    let objects = ["a.o", "b.o"];
    let errors: String = objects.iter().map(|o| here.compile(&["-c", "src/good.cu", "-o", o]).status(0).err).collect();
    // A build, whose first command did not fail by itself, says it once.
    assert_eq!(errors.matches(&line).count(), 1, "{errors}");
    assert_eq!(asked(), 0);
    let said = here.remote();
    let age = said.split_once("last error, ").unwrap().1.split_once(": ").unwrap().0;
    assert!(age.ends_with(" s ago") || age.ends_with(" min ago"), "{said}");
    assert!(said.contains("not used now: no answer within 300 ms"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn a_store_that_goes_away_during_a_build_costs_a_line() {
    let store = FolderStore::new();
    let here = Checkout::new(&store.url());
    here.compile(&["-c", "src/good.cu", "-o", "good.o"]).status(0);
    here.sent(2);
    std::fs::remove_dir_all(store.root()).unwrap();
    std::fs::write(store.root(), "no folder").unwrap();
    let bad = here.with_program("src/other.cu");
    let said: Vec<Said> = ["x.o", "y.o", "z.o"].map(|o| here.compile(&["-c", &bad, "-o", o])).into();
    for one in &said {
        assert_eq!((one.status, one.out.as_str()), (0, ""), "{one:?}");
    }
    let errors: String = said.into_iter().map(|s| s.err).collect();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains(&format!("remote cache {}: ", store.url())), "{errors}");
}

/// Entries can be read there and not written.
#[test]
fn a_store_that_takes_nothing_costs_a_line() {
    let store = FolderStore::new();
    std::fs::create_dir(store.root()).unwrap();
    for kind in ["readings", "verdicts"] {
        std::os::unix::fs::symlink("/nowhere/at/all", store.root().join(kind)).unwrap();
    }
    let here = Checkout::new(&store.url());
    let said = here.scuba(&["check", "src/good.cu"]).status(0);
    let lines: Vec<&str> = said.err.lines().filter(|l| l.contains("remote cache")).collect();
    let start = format!("scuba: note: remote cache {}: cannot send entries: ", store.url());
    // The command waits for its sender, though not for ever.
    assert!(lines.len() <= 1 && lines.iter().all(|line| line.starts_with(&start)), "{said:?}");
    here.says("cannot send entries: ");
}

#[test]
fn a_store_that_nobody_runs_costs_a_line() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let here = Checkout::with_settings(&format!("redis://127.0.0.1:{port}"), "wait_ms = 1000\n");
    let said = here.scuba(&["check", "src/good.cu"]).status(0);
    let lines: Vec<&str> = said.err.lines().filter(|l| l.contains("remote cache")).collect();
    assert!(lines.len() == 1 && lines[0].contains("only the local cache is used"), "{said:?}");
}

#[test]
fn what_is_missing_is_told() {
    let store = FolderStore::new();
    let here = Checkout::new(&store.url());
    let said: Said = here.command(&["check", "src/good.cu"]).env_remove("SCUBA_CACHE_KEY").output().unwrap().into();
    let line =
        trouble(&store.url(), "there is no key: set SCUBA_CACHE_KEY, SCUBA_CACHE_KEY_FILE or `[cache] key_file`");
    assert!(said.status == 0 && said.err.contains(&format!("scuba: note: {line}\n")), "{said:?}");
    let said: Said = here.command(&["check", "src/good.cu"]).env("SCUBA_CACHE_KEY", "short").output().unwrap().into();
    assert!(said.status == 0 && said.err.contains("SCUBA_CACHE_KEY has 5 characters: use at least 16"), "{said:?}");
    // The key of a file, and the URL of the environment.
    here.project.write("key", KEY);
    here.project.write("scuba.toml", "[cache]\nkey_file = \"key\"\nwait_ms = 60000\n");
    let mut command = here.command(&["check", "src/good.cu"]);
    command.env_remove("SCUBA_CACHE_KEY").env("SCUBA_CACHE", store.url()).env("XDG_CACHE_HOME", &here.cache);
    let said: Said = command.output().unwrap().into();
    assert!(said.status == 0 && !said.err.contains("remote cache"), "{said:?}");
    let start = Instant::now();
    while store.entries().len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(120), "{said:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(here.cache.join("scuba/verdicts").is_dir());

    // Without the helper beside it.
    let programs = here.root().join("programs");
    std::fs::create_dir(&programs).unwrap();
    for name in ["scuba", "scuba-extract"] {
        let program = super::scuba().with_file_name(name);
        let there = programs.join(name);
        std::fs::hard_link(&program, &there).or_else(|_| std::fs::copy(&program, &there).map(drop)).unwrap();
    }
    here.project.write("scuba.toml", &format!("[cache]\nurl = \"{}\"\n", store.url()));
    let mut command = Command::new(programs.join("scuba"));
    command.current_dir(here.root()).env("SCUBA_NVCC", nvcc()).env("SCUBA_CACHE", super::cache::fresh());
    let said: Said = command.env("SCUBA_CACHE_KEY", KEY).args(["check", "src/good.cu"]).output().unwrap().into();
    assert!(said.status == 0 && said.err.contains("scuba-cache-remote does not exist; only the local"), "{said:?}");
}

impl Checkout {
    /// Adds a program of its own; returns its path.
    pub fn with_program(&self, path: &str) -> String {
        self.project.write(path, &with_header(&SAFE.replace("1.0f", "2.0f")));
        path.to_owned()
    }
}

/// The programs that builds wait for carry nothing that speaks to stores.
#[test]
fn only_the_helper_links_what_speaks_to_stores() {
    let has = |program: &str| {
        let bytes = std::fs::read(super::scuba().with_file_name(program)).unwrap();
        bytes.windows(7).any(|w| w == b"opendal")
    };
    assert!(has("scuba-cache-remote"));
    for program in ["scuba", "scuba-nvcc", "scuba-extract"] {
        assert!(!has(program), "{program}");
    }
}
