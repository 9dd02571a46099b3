//! Runs cgeist, and `polygeist-opt` if cgeist does not print the generic form itself.
//!
//! In: a unit's flags. Out: MLIR as text, or one line that says why there is none. cgeist may be missing, crash, hang,
//! or print anything, in any amount.

use super::root::NAME_ONE;
use super::text::TextError;
use base::cpu_time::TimeLimit;
use base::paths;
use files::{ContentStore, Hashes, program};
use nvcc::processes::{self, TimeAllowance, Unfinished};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Project page, for messages.
pub const HOME: &str = "https://github.com/llvm/Polygeist";

/// Largest size of a module, in bytes; the largest observed in a real program is 20 MiB.
pub const MAX_OUTPUT: usize = 128 << 20;
/// Largest part of a message that is repeated, in characters.
const MAX_LINE: usize = 400;
/// Time limit of `--help` and `--version`, which take some milliseconds.
const PROBE: TimeLimit = TimeLimit { cpu: Duration::from_secs(5), wall: Some(Duration::from_secs(5)) };

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CgeistError {
    #[error("`{program}` was not found; name it by SCUBA_CGEIST or `[frontend] cgeist`, or build Polygeist ({HOME})", program = .program.display())]
    Missing { program: PathBuf },
    #[error("{program} cannot be run: {message}", program = .program.display())]
    Start { program: PathBuf, message: String },
    #[error("{program} took too long (limits.tu_seconds)")]
    TimedOut { program: String },
    #[error("{program} printed more than {} MiB", MAX_OUTPUT >> 20)]
    TooMuch { program: String },
    #[error("{program} failed ({how}){line}")]
    Failed { program: String, how: String, line: String },
    #[error(
        "cgeist prints MLIR in its custom form, and `polygeist-opt`, which makes it generic, is neither beside it nor in PATH"
    )]
    NoOpt,
    #[error("the CUDA headers for cgeist cannot be used: {folder} {why}; {NAME_ONE}", folder = .folder.display())]
    Root { folder: PathBuf, why: String },
    #[error("a small program is read wrongly: {why}")]
    Probe { why: String },
    #[error(transparent)]
    Text(#[from] TextError),
}

/// Abilities of an installed cgeist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CgeistTool {
    pub cgeist: PathBuf,
    /// Version of its LLVM, e.g. `17.0.6`.
    pub version: Option<String>,
    /// True where it supports `--mlir-print-op-generic` itself.
    pub generic: bool,
    /// True where it supports `--print-debug-info`. Upstream's flag does nothing.
    pub debug: bool,
    /// `polygeist-opt`, beside it or in `PATH`.
    pub opt: Option<PathBuf>,
    /// Headers of its own clang (`-resource-dir`).
    pub resources: Option<PathBuf>,
}

impl CgeistTool {
    /// Finds the named cgeist, or `cgeist` in `PATH`, with its abilities.
    ///
    /// # Errors
    /// [`CgeistError::Missing`]; [`CgeistError::Start`] if it cannot be run at all.
    pub fn find(named: Option<&Path>) -> Result<Self, CgeistError> {
        let named = named.unwrap_or(Path::new("cgeist"));
        let path = which::which(named).map_err(|_| CgeistError::Missing { program: named.to_owned() })?;
        let kept = paths::user_cache().map(|folder| ContentStore::new(folder).of_tools()).zip(cache_key(&path));
        // Its helper programs may have been removed since.
        let there = |p: &Option<PathBuf>| p.as_ref().is_none_or(|p| p.exists());
        let known = kept.as_ref().and_then(|(store, key)| store.get(key));
        if let Some(tool) = known.filter(|tool: &Self| there(&tool.opt) && there(&tool.resources)) {
            return Ok(tool);
        }
        let tool = Self::probe(path)?;
        if let Some((store, key)) = kept {
            store.put(&key, false, &tool);
        }
        Ok(tool)
    }

    fn probe(cgeist: PathBuf) -> Result<Self, CgeistError> {
        let ask = |flag: &str| {
            let mut c = Command::new(&cgeist);
            c.arg(flag);
            run(c, "cgeist", None, &TimeAllowance::new(PROBE, 1)).map(|o| String::from_utf8_lossy(&o).into_owned())
        };
        // Some versions fail on `--version`; only a program that cannot be started is no cgeist.
        let version = match ask("--version") {
            Ok(t) => version_of(&t),
            Err(e @ CgeistError::Start { .. }) => return Err(e),
            Err(_) => None,
        };
        let help = ask("--help").unwrap_or_default();
        let beside = cgeist.canonicalize().unwrap_or_else(|_| cgeist.clone()).with_file_name("polygeist-opt");
        let opt = if beside.is_file() { Some(beside) } else { which::which("polygeist-opt").ok() };
        let resources = resources(&cgeist, version.as_deref());
        Ok(Self {
            generic: help.contains("mlir-print-op-generic"),
            debug: help.contains("print-debug-info"),
            version,
            opt,
            resources,
            cgeist,
        })
    }

    /// Returns name and version: `cgeist 17.0.6`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.version {
            Some(v) => format!("cgeist {v}"),
            None => "cgeist".into(),
        }
    }

    /// Describes the abilities, for `scuba doctor`.
    #[must_use]
    pub fn abilities(&self) -> String {
        let form = match (&self.opt, self.generic) {
            (_, true) => "prints the generic form".to_owned(),
            (Some(p), _) => format!("generic form by {}", p.display()),
            (None, _) => "no polygeist-opt: usable only if it prints the generic form".to_owned(),
        };
        let resources =
            if self.resources.is_some() { "" } else { "; headers of its clang (lib/clang) not found beside it" };
        format!("{form}{resources}")
    }

    /// Returns the module of a unit as text in generic form.
    ///
    /// # Errors
    /// Fails without one; see [`CgeistError`].
    pub fn module(
        &self,
        arguments: &[OsString],
        directory: &Path,
        time: &TimeAllowance,
    ) -> Result<ModuleText, CgeistError> {
        let mut command = Command::new(&self.cgeist);
        command.args(arguments).current_dir(directory);
        if self.generic {
            command.arg("--mlir-print-op-generic");
        }
        if self.debug {
            command.arg("--print-debug-info");
        }
        if let Some(r) = &self.resources {
            command.arg(joined("-resource-dir=", r));
        }
        let out = run(command, "cgeist", None, time)?;
        let text = String::from_utf8_lossy(&out).into_owned();
        if self.generic {
            return Ok(ModuleText { text, refused: false });
        }
        let reread = |opt: &Path, text: String| {
            let mut command = Command::new(opt);
            command.args(["--mlir-print-op-generic", "--mlir-print-debuginfo"]).current_dir(directory);
            run(command, "polygeist-opt", Some(text.into_bytes()), time)
        };
        // A module that MLIR's verifier rejects is always printed in generic form.
        if text.contains("\"builtin.module\"(") {
            let refused = match self.opt.as_deref().map(|opt| reread(opt, text.clone())) {
                Some(Err(timeout @ CgeistError::TimedOut { .. })) => return Err(timeout),
                answer => matches!(answer, Some(Err(_))),
            };
            return Ok(ModuleText { text, refused });
        }
        let Some(opt) = &self.opt else { return Err(CgeistError::NoOpt) };
        let out = reread(opt, retold(&text))?;
        Ok(ModuleText { text: String::from_utf8_lossy(&out).into_owned(), refused: false })
    }
}

/// A module in generic form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleText {
    pub text: String,
    /// True where MLIR's verifier rejects it: values may be used outside their scope, and names may denote other values
    /// than they seem to.
    pub refused: bool,
}

/// Predicates of `llvm.icmp` by number (LLVM dialect).
const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// Rewrites text in custom form so that it can be parsed. Comparisons of pointers to types unknown to LLVM
/// (`!llvm.ptr<memref<?xi32>>`, in every program with a `std::vector`) are printed in a custom form that its parser
/// rejects; the parser of the generic form accepts them.
fn retold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match comparison(line) {
            Some(generic) => out.push_str(&generic),
            None => out.push_str(line),
        }
    }
    out
}

/// Converts `%r = llvm.icmp "ne" %a, %b : T` to generic form.
fn comparison(line: &str) -> Option<String> {
    let (result, rest) = line.split_once(" = llvm.icmp \"")?;
    let (predicate, rest) = rest.split_once("\" ")?;
    let number = PREDICATES.iter().position(|p| *p == predicate)?;
    let (operands, rest) = rest.split_once(" : ")?;
    if operands.contains('{') || operands.split(',').count() != 2 {
        return None;
    }
    let end = rest.find(" loc(").unwrap_or(rest.trim_end().len());
    let (ty, location) = rest.split_at(end);
    Some(format!("{result} = \"llvm.icmp\"({operands}) {{predicate = {number} : i64}} : ({ty}, {ty}) -> i1{location}"))
}

pub(super) fn joined(flag: &str, value: impl AsRef<std::ffi::OsStr>) -> OsString {
    let mut s = OsString::from(flag);
    s.push(value);
    s
}

/// Extracts `17.0.6` from `LLVM version 17.0.6git`.
fn version_of(text: &str) -> Option<String> {
    let rest = text.split("ersion ").nth(1)?;
    let v: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    v.starts_with(|c: char| c.is_ascii_digit()).then(|| v.trim_end_matches('.').to_owned())
}

/// Finds the headers of the clang that cgeist was built with: in its own build (Polygeist's build instructions put LLVM
/// beside or inside it), else the system's of that version.
fn resources(cgeist: &Path, version: Option<&str>) -> Option<PathBuf> {
    let real = cgeist.canonicalize().ok()?;
    let bin = real.parent()?;
    let major = version.and_then(|v| v.split('.').next());
    let mut places: Vec<PathBuf> = [
        "../lib/clang",
        "../llvm-project/build/lib/clang",
        "../../llvm-project/build/lib/clang",
        "../../llvm-build/lib/clang",
    ]
    .iter()
    .map(|p| bin.join(p))
    .collect();
    if let Some(m) = major {
        places.push(format!("/usr/lib/llvm-{m}/lib/clang").into());
        places.push("/usr/lib/clang".into());
    }
    for place in places {
        let Ok(entries) = std::fs::read_dir(&place) else { continue };
        let mut found: Vec<PathBuf> =
            entries.flatten().map(|e| e.path()).filter(|p| p.join("include/stddef.h").is_file()).collect();
        found.sort();
        let fits = |p: &PathBuf| p.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.split('.').next() == major);
        if let Some(p) = found.iter().find(|p| fits(p)) {
            return Some(p.clone());
        }
        if major.is_none()
            && let Some(p) = found.pop()
        {
            return Some(p);
        }
    }
    None
}

/// Key of a cgeist's abilities in the cache, for the next units: a build has hundreds.
fn cache_key(cgeist: &Path) -> Option<[u8; 32]> {
    let identity = program::identity(cgeist, Hashes::of_this_process())?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let key = format!("4 {version} {} {identity} {}", cgeist.display(), path.to_string_lossy());
    Some(*blake3::hash(key.as_bytes()).as_bytes())
}

/// Runs a program to its end, or until its time is over, and returns its standard output.
fn run(
    mut command: Command,
    program: &str,
    input: Option<Vec<u8>>,
    time: &TimeAllowance,
) -> Result<Vec<u8>, CgeistError> {
    let path = PathBuf::from(command.get_program());
    let cannot = |e: &std::io::Error| CgeistError::Start { program: path.clone(), message: e.to_string() };
    command
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = processes::start(&mut command).map_err(|e| cannot(&e))?;
    let ended = processes::finish(child, input.unwrap_or_default(), MAX_OUTPUT, time).map_err(|why| match why {
        Unfinished::TooMuch => CgeistError::TooMuch { program: program.into() },
        Unfinished::TimedOut => CgeistError::TimedOut { program: program.into() },
        Unfinished::Lost(e) => cannot(&e),
    })?;
    if ended.status.success() {
        return Ok(ended.output);
    }
    Err(CgeistError::Failed {
        program: program.into(),
        how: processes::how(ended.status),
        line: telling_line(&String::from_utf8_lossy(&ended.errors)).map(|l| format!(": {l}")).unwrap_or_default(),
    })
}

/// Shortens the message of an `assert` to `file.cc:12: Assertion `x' failed.`: it contains the whole signature of a
/// cgeist function, which users do not need.
fn assertion(line: &str) -> Option<String> {
    let at = line.find("Assertion ")?;
    let mut parts = line[..at].split(':');
    let number = |p: &str| !p.is_empty() && p.bytes().all(|c| c.is_ascii_digit());
    let mut file = parts.next()?;
    for part in parts {
        if number(part) {
            return Some(format!("{}:{part}: {}", file.trim().rsplit('/').next()?, &line[at..]));
        }
        file = part;
    }
    None
}

/// Returns the first error, else a failed assertion, else the first nonempty line.
fn telling_line(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines()
        .find(|l| l.contains("error:"))
        .or_else(|| lines().find(|l| l.contains("Assertion")))
        .or_else(|| lines().next())?;
    let line: String = assertion(line).unwrap_or_else(|| line.to_owned()).chars().filter(|c| !c.is_control()).collect();
    let cut = line.char_indices().nth(MAX_LINE).map(|(i, _)| i);
    Some(cut.map_or_else(|| line.clone(), |i| format!("{}…", &line[..i])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_pointers_are_told_so_that_they_can_be_read() {
        let text = "  %17 = arith.addi %a, %b : i32\n  %19 = llvm.icmp \"ult\" %17, %18 : !llvm.ptr<memref<?xi32>> loc(#loc)\n  %2 = llvm.icmp \"eq\" %0, %1 : !llvm.ptr<i8>\n";
        assert_eq!(
            retold(text),
            "  %17 = arith.addi %a, %b : i32\n  %19 = \"llvm.icmp\"(%17, %18) {predicate = 6 : i64} : (!llvm.ptr<memref<?xi32>>, !llvm.ptr<memref<?xi32>>) -> i1 loc(#loc)\n  %2 = \"llvm.icmp\"(%0, %1) {predicate = 0 : i64} : (!llvm.ptr<i8>, !llvm.ptr<i8>) -> i1\n"
        );
        for other in ["%2 = llvm.icmp \"eq\" %0, %1 {x} : i8\n", "%2 = llvm.icmp \"eq\" %0 : i8\n", "llvm.icmp \"", ""]
        {
            assert_eq!(retold(other), other);
        }
    }

    #[test]
    fn versions_and_messages() {
        assert_eq!(
            version_of("LLVM (http://llvm.org/):\n  LLVM version 17.0.6git\n  Optimized build").as_deref(),
            Some("17.0.6")
        );
        assert_eq!(version_of("no such thing"), None);
        assert_eq!(telling_line("\nwarning: x\na.cu:1:2: error: no\nb\n").as_deref(), Some("a.cu:1:2: error: no"));
        assert_eq!(
            telling_line("cgeist: a.cpp:3: f(): Assertion `x' failed.\nPLEASE submit").as_deref(),
            Some("a.cpp:3: Assertion `x' failed.")
        );
        let long = format!(
            "cgeist: /polygeist/tools/cgeist/Lib/clang-mlir.cc:1407: ValueCategory MLIRScanner::Visit(clang::Expr *, std::pair<{}>): Assertion `sub.isReference && \"no address\"' failed.",
            "std::pair<int, int>, ".repeat(40)
        );
        assert_eq!(
            telling_line(&long).as_deref(),
            Some("clang-mlir.cc:1407: Assertion `sub.isReference && \"no address\"' failed.")
        );
        let endless = telling_line(&format!("error: {}", "x".repeat(5000))).unwrap();
        assert!(endless.chars().count() == MAX_LINE + 1 && endless.ends_with('…'), "{endless}");
        assert_eq!(telling_line(" \n"), None);
    }
}
