//! Finds and reads scuba.toml.

use super::{
    AllowPath, BuildWaits, ByteSize, CacheSettings, Config, Confirm, Frontend, LimitSettings, ProjectScope,
    RuleSelector, schema,
};
use base::remote_url::RemoteUrl;
use base::rules::Level;
use base::statements::Mistake;
use contracts::assume::{self, StatedCondition};
use contracts::{self, Contract, EntrySelector, Invariant, Requirement};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

pub const FILE_NAME: &str = "scuba.toml";

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}:{column}: {message}", path.display())]
    Parse { path: PathBuf, line: usize, column: usize, message: String },
}

/// Returns the nearest scuba.toml in `start` or a folder above it.
#[must_use]
pub fn find(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|dir| dir.join(FILE_NAME)).find(|p| p.is_file())
}

/// Reads one scuba.toml.
///
/// # Errors
/// If the file cannot be read, is not TOML, or has an unknown key or a value out of range.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    parse(&text, path)
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawConfig {
    /// The real nvcc.
    nvcc: RawNvcc,
    /// Readers of sources.
    frontend: Frontend,
    /// Limits of checks.
    limits: LimitSettings,
    /// Level of proved findings, by rule.
    #[schemars(schema_with = "schema::levels")]
    levels: BTreeMap<RawSelector, Level>,
    /// Functions that code outside this build calls.
    roots: RawRoots,
    /// Assumed facts.
    assume: Vec<RawAssume>,
    /// Entry points: called from outside with anything that their checks accept.
    entry: RawEntry,
    /// Contracts of functions, and invariants of types.
    #[schemars(with = "Vec<RawContract>")]
    contract: Vec<Spanned<RawContract>>,
    /// Accepted findings.
    allow: Vec<RawAllow>,
    /// Units that are analysed.
    scope: RawScope,
    /// Commands of a build that wait for verdicts.
    build: RawBuild,
    /// Recorded findings, which are not reported again.
    baseline: RawBaseline,
    /// Runs of findings on a GPU.
    confirm: Confirm,
    /// Cache that machines share.
    cache: CacheSettings,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RawBuild {
    /// Commands that wait for verdicts.
    check: BuildWaits,
    /// Whether headers that a build lacked are precompiled after it, in the background.
    warm: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RawNvcc {
    /// Path of nvcc, or its name in PATH.
    path: Option<PathBuf>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RawRoots {
    /// Names of functions whose findings are reported like those of main.
    functions: Vec<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RawEntry {
    /// Patterns of function names.
    #[schemars(with = "Vec<String>")]
    functions: Vec<RawName>,
    /// Whether all functions that a shared library exports under C names are entry points.
    exports: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawAssume {
    /// C expression over the integer parameters of the function, or over main's inputs: `argv[1] > 0`.
    #[schemars(with = "String")]
    expr: Spanned<String>,
    /// Function at whose entry it holds; main by default.
    function: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawContract {
    /// Pattern of function names.
    #[schemars(with = "Option<String>")]
    function: Option<RawName>,
    /// Conditions at every call: `elements(x) >= n`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    requires: Vec<Spanned<String>>,
    /// The empty list: the function changes no memory that its callers know.
    #[schemars(with = "Option<[String; 0]>")]
    modifies: Option<Spanned<Vec<String>>>,
    /// Name of a type, in place of a function.
    #[serde(rename = "type")]
    type_name: Option<String>,
    /// Conditions that hold for every object of the type.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    invariant: Vec<Spanned<String>>,
}

/// Pattern of function names.
struct RawName(String);

impl<'de> Deserialize<'de> for RawName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        globset::Glob::new(&text)
            .map(|_| Self(text.clone()))
            .map_err(|e| de::Error::custom(format_args!("`{text}` is not a name pattern: {}", e.kind())))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawAllow {
    /// Rule, or `all`.
    #[schemars(schema_with = "schema::selector")]
    rule: RawSelector,
    /// Pattern of paths, relative to the folder of scuba.toml.
    #[schemars(with = "String")]
    path: RawGlob,
    /// Reason why the findings are accepted.
    #[serde(deserialize_with = "not_empty")]
    #[schemars(length(min = 1))]
    reason: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RawScope {
    /// Patterns of sources that are not analysed; one that matches a folder matches all in it.
    #[schemars(with = "Vec<String>")]
    exclude: Vec<RawGlob>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RawBaseline {
    /// Path of the file that `scuba baseline --write` writes.
    path: Option<PathBuf>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RawSelector(RuleSelector);

impl<'de> Deserialize<'de> for RawSelector {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map(Self).map_err(de::Error::custom)
    }
}

struct RawGlob(globset::GlobMatcher);

impl<'de> Deserialize<'de> for RawGlob {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        globset::GlobBuilder::new(&text)
            .literal_separator(true)
            .build()
            .map(|g| Self(g.compile_matcher()))
            .map_err(|e| de::Error::custom(format_args!("`{text}` is not a path pattern: {}", e.kind())))
    }
}

pub(super) fn remote_url<'de, D: Deserializer<'de>>(d: D) -> Result<Option<RemoteUrl>, D::Error> {
    let text = String::deserialize(d)?;
    RemoteUrl::parse(&text).map(Some).map_err(|why| de::Error::custom(format_args!("`[cache] url`: {why}")))
}

fn not_empty<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let text = String::deserialize(d)?;
    if text.trim().is_empty() {
        return Err(de::Error::custom("must not be empty"));
    }
    Ok(text)
}

pub(super) fn within<'de, D: Deserializer<'de>, const MIN: u32, const MAX: u32>(d: D) -> Result<u32, D::Error> {
    let value = i64::deserialize(d)?;
    u32::try_from(value)
        .ok()
        .filter(|v| (MIN..=MAX).contains(v))
        .ok_or_else(|| de::Error::custom(format_args!("{value} is out of range: use {MIN} to {MAX}")))
}

pub(super) fn size_from<'de, D: Deserializer<'de>, const MIN: u64>(d: D) -> Result<u64, D::Error> {
    let ByteSize(bytes) = ByteSize::deserialize(d)?;
    // Sizes enter 64-bit signed arithmetic.
    let max = i64::MAX.unsigned_abs();
    if (MIN..=max).contains(&bytes) {
        return Ok(bytes);
    }
    Err(de::Error::custom(format_args!("{bytes} bytes is out of range: use {MIN} to {max} bytes")))
}

/// Reads the text of a scuba.toml at `path`.
///
/// # Errors
/// If the text is not TOML, or has an unknown key or a value out of range.
pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
    read(text, path).map_err(|Mistake { at, message }| {
        let (line, column) = position(text, at.unwrap_or_default());
        ConfigError::Parse { path: path.to_owned(), line, column, message }
    })
}

/// Does the work of [`parse`]; a mistake has a byte offset in place of line and column.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, Mistake> {
    let raw: RawConfig = toml::from_str(text).map_err(|e| {
        let m = Mistake::from(e);
        Mistake { message: in_our_words(&m.message), ..m }
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let absolute = |p: PathBuf| folder.join(p);
    // A bare program name is searched in PATH by the code that runs it.
    let program = |p: PathBuf| if p.components().count() > 1 { folder.join(p) } else { p };
    let mut levels = BTreeMap::new();
    let mut level_of_all = None;
    for (RawSelector(selector), level) in raw.levels {
        match selector {
            RuleSelector::All => level_of_all = Some(level),
            RuleSelector::One(rule) => {
                levels.insert(rule, level);
            }
        }
    }
    let (contracts, invariants) = contracts_of(raw.contract, text, path)?;
    Ok(Config {
        path: Some(path.to_owned()),
        nvcc: raw.nvcc.path.map(program),
        frontend: Frontend {
            clang: raw.frontend.clang.map(program),
            cgeist: raw.frontend.cgeist.map(program),
            cgeist_cuda: raw.frontend.cgeist_cuda.map(absolute),
            ..raw.frontend
        },
        limits: raw.limits,
        levels,
        level_of_all,
        roots: raw.roots.functions,
        entry: EntrySelector {
            functions: raw.entry.functions.into_iter().map(|f| f.0).collect(),
            exports: raw.entry.exports,
        },
        assume: raw.assume.into_iter().map(|a| condition(a, text, path)).collect::<Result<_, _>>()?,
        contracts,
        invariants,
        allow: raw.allow.into_iter().map(|a| AllowPath { rule: a.rule.0, glob: a.path.0, reason: a.reason }).collect(),
        scope: ProjectScope {
            exclude: raw.scope.exclude.into_iter().map(|g| g.0).collect(),
            folder: folder.to_owned(),
        },
        waits: raw.build.check,
        warm: raw.build.warm,
        baseline: raw.baseline.path.map(absolute),
        confirm: Confirm { compute_sanitizer: raw.confirm.compute_sanitizer.map(program), ..raw.confirm },
        cache: CacheSettings { key_file: raw.cache.key_file.map(absolute), ..raw.cache },
    })
}

fn condition(raw: RawAssume, text: &str, path: &Path) -> Result<StatedCondition, Mistake> {
    let start = raw.expr.span().start;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let origin = format!("{file}:{}", position(text, start).0);
    let expr = assume::parse(raw.expr.get_ref()).map_err(|e| {
        // The expression starts after the quotation mark; escapes before the offset are rare and ignored.
        Mistake { at: Some(start + 1 + e.at()), message: e.to_string() }
    })?;
    Ok(StatedCondition {
        text: raw.expr.into_inner().trim().to_owned(),
        expr,
        function: raw.function.unwrap_or_else(|| "main".into()),
        origin,
    })
}

/// Reads the contracts of functions and the invariants of types.
fn contracts_of(
    all: Vec<Spanned<RawContract>>,
    text: &str,
    path: &Path,
) -> Result<(Vec<Contract>, Vec<Invariant>), Mistake> {
    let (mut contracts, mut invariants) = (vec![], vec![]);
    for one in all {
        let at = Some(one.span().start);
        let RawContract { function, requires, modifies, type_name, invariant } = one.into_inner();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(places) = modifies.as_ref().filter(|m| !m.get_ref().is_empty()) {
            let at = Some(places.span().start);
            let message =
                "`modifies` must be the empty list: it says that the function changes no memory that its callers know";
            return Err(Mistake { at, message: message.to_owned() });
        }
        let modifies_nothing = modifies.map(|m| format!("{file}:{}", position(text, m.span().start).0));
        match (function, type_name) {
            (Some(RawName(function)), None) if invariant.is_empty() => {
                contracts.push(Contract { function, requires: stated(requires, text, path)?, modifies_nothing });
            }
            (None, Some(type_name)) if requires.is_empty() && modifies_nothing.is_none() => {
                invariants.push(Invariant { type_name, conditions: stated(invariant, text, path)? });
            }
            _ => {
                let message =
                    "a contract needs a `function` with `requires` or `modifies = []`, or a `type` with an `invariant`";
                return Err(Mistake { at, message: message.to_owned() });
            }
        }
    }
    Ok((contracts, invariants))
}

fn stated(all: Vec<Spanned<String>>, text: &str, path: &Path) -> Result<Vec<Requirement>, Mistake> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let requires = all.into_iter().map(|one| {
        let start = one.span().start;
        let (line, _) = position(text, start);
        let condition = contracts::parse(one.get_ref()).map_err(|e| {
            // The expression starts after the quotation mark; escapes before the offset are rare and ignored.
            Mistake { at: Some(start + 1 + e.span.start), message: e.to_string() }
        })?;
        Ok(Requirement {
            text: one.into_inner().trim().to_owned(),
            condition,
            origin: format!("{file}:{line}"),
            at: None,
        })
    });
    requires.collect()
}

/// Rewrites serde's terms, fields and variants, to TOML's keys and values.
fn in_our_words(message: &str) -> String {
    message
        .replace("unknown field", "unknown key")
        .replace("missing field", "missing key")
        .replace("unknown variant", "unknown value")
        .replace("expected i64", "expected a whole number")
        .replace("expected a sequence", "expected a list")
        .trim_end()
        .to_owned()
}

/// Returns the line and column, both from 1, of a byte offset.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::{BuildWaits, Config};
    use crate::{ConfirmWhen, FrontendKind, RuleSelector};
    use base::rules::{Level, Rule};
    use std::path::{Path, PathBuf};

    fn error(text: &str) -> String {
        parse(text, Path::new("/p/scuba.toml")).expect_err(text).to_string()
    }

    #[test]
    fn a_remote_cache_is_a_url_of_a_known_store() {
        let of = |text: &str| parse(text, Path::new("/p/scuba.toml")).unwrap().cache;
        assert_eq!(of(""), of("[cache]\n"));
        let set = of("[cache]\nurl = \"s3://bucket/scuba\"\nkey_file = \"../key\"\nupload = false\nwait_ms = 60000\n");
        assert_eq!(set.url.unwrap().with_secrets(), "s3://bucket/scuba");
        assert_eq!((set.key_file, set.upload, set.wait_ms), (Some(PathBuf::from("/p/../key")), false, 60_000));
        for (text, part) in [
            ("url = \"ftp://host\"", "/p/scuba.toml:2:7: `[cache] url`: `ftp://host` names no store of remote caches"),
            ("url = \"/var/cache\"", "`[cache] url`: `/var/cache` is no URL of a remote cache"),
            ("url = 7", "expected a string"),
            ("wait_ms = 0", "0 is out of range: use 1 to 60000"),
            ("key = \"x\"", "unknown key `key`"),
        ] {
            let said = error(&format!("[cache]\n{text}\n"));
            assert!(said.contains(part), "{text}: {said}");
        }
    }

    #[test]
    fn every_documented_key_is_read() {
        let text = r#"
[nvcc]
path = "/opt/cuda/bin/nvcc"
[frontend]
kind = "cgeist"
clang = "clang++-22"
cgeist = "tools/cgeist"
cgeist_cuda = "cuda-12.1"
flags = ["-DX"]
[limits]
device_memory = "16GiB"
solver_ms = 100
tu_seconds = 7
memory = "1GiB"
[levels]
data-index = "deny"
all = "note"
[roots]
functions = ["launch_lud"]
[[assume]]
expr = "n % 16 == 0"
function = "launch_lud"
[[allow]]
rule = "oob-global"
path = "third_party/**"
reason = "upstream"
[scope]
exclude = ["third_party/**"]
[build]
check = "link"
warm = true
[baseline]
path = "scuba-baseline.json"
[confirm]
when = "never"
compute_sanitizer = "/opt/cs"
padding = 512
max_bytes = "2GiB"
timeout_s = 5
"#;
        let c = parse(text, Path::new("/p/scuba.toml")).unwrap();
        assert_eq!(c.nvcc, Some(PathBuf::from("/opt/cuda/bin/nvcc")));
        assert_eq!(c.frontend.kind, FrontendKind::Cgeist);
        assert_eq!(c.frontend.clang, Some(PathBuf::from("clang++-22")));
        assert_eq!(c.frontend.cgeist, Some(PathBuf::from("/p/tools/cgeist")));
        assert_eq!(c.frontend.cgeist_cuda, Some(PathBuf::from("/p/cuda-12.1")));
        assert_eq!(c.frontend.flags, ["-DX"]);
        assert_eq!(
            (c.limits.device_memory, c.limits.solver_ms, c.limits.tu_seconds, c.limits.memory),
            (16 << 30, 100, 7, 1 << 30)
        );
        assert_eq!(c.levels[&Rule::DataIndex], Level::Deny);
        assert_eq!(c.level_of_all, Some(Level::Note));
        assert_eq!(c.roots, ["launch_lud"]);
        assert_eq!(c.assume[0].describe(), "`n % 16 == 0` in `launch_lud` (scuba.toml:21)");
        assert_eq!(c.allow[0].rule, RuleSelector::One(Rule::OobGlobal));
        assert!(c.allow[0].glob.is_match("third_party/a/b.cu") && !c.allow[0].glob.is_match("src/b.cu"));
        assert!(c.scope.excludes(Path::new("/p/third_party/a.cu")) && !c.scope.excludes(Path::new("/p/a.cu")));
        assert_eq!((c.waits, Config::default().waits), (BuildWaits::Link, BuildWaits::Compile));
        assert_eq!((c.warm, Config::default().warm), (true, false));
        assert_eq!(c.baseline, Some(PathBuf::from("/p/scuba-baseline.json")));
        assert_eq!(
            (c.confirm.when, c.confirm.padding, c.confirm.max_bytes, c.confirm.timeout_s),
            (ConfirmWhen::Never, 512, 2 << 30, 5)
        );
    }

    #[test]
    fn errors_name_file_line_and_what_is_allowed() {
        insta::assert_snapshot!(
            [
                "[limits]\nsolver_ms = 5\nsolver_sec = 5\n",
                "[limits]\nsolver_ms = 0\n",
                "[limits]\nsolver_ms = \"5\"\n",
                "[limits]\ndevice_memory = \"12 apples\"\n",
                "[limits]\nmemory = \"1MiB\"\n",
                "\n[frontend]\nkind = \"gcc\"\n",
                "[levels]\noob-gobal = \"warn\"\n",
                "[levels]\noob-global = \"error\"\n",
                "[[allow]]\nrule = \"oob-global\"\npath = \"a/**\"\n",
                "[[allow]]\nrule = \"oob-global\"\npath = \"a/{\"\nreason = \"x\"\n",
                "[[allow]]\nrule = \"all\"\npath = \"a\"\nreason = \" \"\n",
                "[scope]\nexclude = [\"a/{\"]\n",
                "[scope]\nexclude = \"a\"\n",
                "[scope]\ninclude = [\"a\"]\n",
                "[confirm]\nwhen = \"always\"\n",
                "[[assume]]\nexpr = \"\"\n",
                "[[assume]]\nexpr = \"n > 0 && n = 3\"\nfunction = \"f\"\n",
                "[[assume]]\nfunction = \"f\"\n",
                "[unknown]\n",
                "[nvcc\n",
            ]
            .map(error)
            .join("\n")
        );
    }
}
