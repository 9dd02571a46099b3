//! Suppression of findings that the project accepts: by a comment at the position, by path, or by a baseline.
//!
//! A comment is `// scuba: allow(RULE, …) reason`. After code it applies to its own line; alone on a line it applies to
//! the first line below that is not such a comment. A comment without a reason suppresses nothing.

use super::baseline::Baseline;
use config::{AllowPath, Config, ProjectScope, RuleSelector};
use finding::Finding;
use finding::paths::ProjectRoot;
use finding::sources::SourceFiles;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Reason why a finding is not reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SuppressionReason {
    Comment { reason: String },
    Path { reason: String },
    Baseline,
}

/// A finding that the project accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppressed {
    pub finding: Finding,
    pub by: SuppressionReason,
}

/// Most lines between a comment that accepts nothing and the finding that it may be meant for.
const NEAR: u32 = 3;

/// A message about the project's own settings or comments, not about its memory accesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub file: String,
    pub line: u32,
    pub message: String,
}

/// A suppression comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Comment {
    /// 1-based line of the comment.
    line: u32,
    /// The line it applies to.
    target: u32,
    rules: Vec<RuleSelector>,
    reason: String,
}

/// Suppressions of one run.
#[derive(Debug)]
pub struct Suppressions<'a> {
    root: &'a ProjectRoot,
    sources: &'a SourceFiles,
    /// Folder of scuba.toml, which patterns are relative to.
    base: PathBuf,
    allow: &'a [AllowPath],
    scope: &'a ProjectScope,
    baseline: Option<&'a Baseline>,
    files: BTreeMap<String, Vec<(Comment, bool)>>,
    notices: Vec<Notice>,
}

impl<'a> Suppressions<'a> {
    #[must_use]
    pub fn new(
        config: &'a Config,
        root: &'a ProjectRoot,
        sources: &'a SourceFiles,
        baseline: Option<&'a Baseline>,
    ) -> Self {
        let base = config.folder().unwrap_or(root.folder()).to_owned();
        Self {
            root,
            sources,
            base,
            allow: &config.allow,
            scope: &config.scope,
            baseline,
            files: BTreeMap::new(),
            notices: vec![],
        }
    }

    /// Splits findings (paths as shown) into those to report and those accepted.
    pub fn split(&mut self, findings: Vec<Finding>) -> (Vec<Finding>, Vec<Suppressed>) {
        let mut reported = Vec::new();
        let mut suppressed = Vec::new();
        for finding in findings {
            match self.silence(&finding) {
                Some(by) => suppressed.push(Suppressed { finding, by }),
                None => reported.push(finding),
            }
        }
        (reported, suppressed)
    }

    fn silence(&mut self, f: &Finding) -> Option<SuppressionReason> {
        let place = &f.access.position;
        // Every matching comment counts as used, so that a redundant one is not reported as unused.
        let mut by_comment = None;
        for (comment, used) in self.comments(&place.file) {
            if comment.target == place.line && comment.rules.iter().any(|r| r.matches(f.rule)) {
                *used = true;
                by_comment.get_or_insert_with(|| SuppressionReason::Comment { reason: comment.reason.clone() });
            }
        }
        if by_comment.is_some() {
            return by_comment;
        }
        let absolute = self.root.absolute(&place.file);
        if self.scope.excludes(&absolute) {
            return Some(SuppressionReason::Path { reason: "outside of [scope]".into() });
        }
        let relative = absolute.strip_prefix(&self.base).unwrap_or(&absolute);
        if let Some(a) = self.allow.iter().find(|a| a.rule.matches(f.rule) && a.glob.is_match(relative)) {
            return Some(SuppressionReason::Path { reason: a.reason.clone() });
        }
        self.baseline.is_some_and(|b| b.contains(&f.fingerprint)).then_some(SuppressionReason::Baseline)
    }

    fn comments(&mut self, file: &str) -> &mut Vec<(Comment, bool)> {
        if !self.files.contains_key(file) {
            let (comments, problems) = self.sources.text(file).map(|t| read(file, &t)).unwrap_or_default();
            self.notices.extend(problems);
            self.files.insert(file.to_owned(), comments.into_iter().map(|c| (c, false)).collect());
        }
        self.files.entry(file.to_owned()).or_default()
    }

    /// Explains for each finding why a comment beside it does not accept it; with the finding's fingerprint.
    pub fn beside(&mut self, reported: &[Finding]) -> Vec<(String, Notice)> {
        let mut out = vec![];
        for f in reported.iter().filter(|f| f.access.position.line > 0) {
            let (file, line) = (&f.access.position.file, f.access.position.line);
            let mut add = |at: u32, message: String| {
                out.push((f.fingerprint.clone(), Notice { file: file.clone(), line: at, message }));
            };
            for (c, used) in self.comments(file).iter() {
                let matches = c.rules.iter().any(|r| r.matches(f.rule));
                if c.target == line && !matches {
                    let rules = c.rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                    add(c.line, format!("`scuba: allow({rules})` in line {} does not accept `{}`", c.line, f.rule));
                } else if matches && !used && c.target != line && c.line.abs_diff(line) <= NEAR {
                    let message = format!(
                        "the `scuba: allow` in line {} is for line {}: write it in line {line} or above it",
                        c.line, c.target
                    );
                    add(c.line, message);
                }
            }
            let malformed =
                self.notices.iter().filter(|n| n.file == *file && (n.line == line || n.line.saturating_add(1) == line));
            for n in malformed {
                add(n.line, format!("the comment in line {} accepts nothing: {}", n.line, n.message));
            }
        }
        out
    }

    /// Returns notices about the comments in `files` (paths as shown), which were analysed completely: malformed ones,
    /// and those that suppressed nothing. Malformed comments in other files with findings are included.
    pub fn notices(mut self, files: &[String]) -> Vec<Notice> {
        for file in files {
            let unused: Vec<Notice> = self
                .comments(file)
                .iter()
                .filter(|(_, used)| !used)
                .map(|(c, _)| Notice {
                    file: file.clone(),
                    line: c.line,
                    message: "this `scuba: allow` matches no finding: remove it".into(),
                })
                .collect();
            self.notices.extend(unused);
        }
        self.notices.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        self.notices
    }
}

/// Returns the comments of one file, and notices about malformed ones.
fn read(file: &str, text: &str) -> (Vec<Comment>, Vec<Notice>) {
    let mut comments: Vec<Comment> = Vec::new();
    let mut notices = Vec::new();
    // Comments alone on their lines wait for the line that they apply to.
    let mut waiting: Vec<Comment> = Vec::new();
    for (index, source) in text.lines().enumerate() {
        let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let Some((code_before, body)) = find_comment(source) else {
            comments.extend(waiting.drain(..).map(|c| Comment { target: line, ..c }));
            continue;
        };
        match parse(body) {
            Ok((rules, reason)) => {
                let comment = Comment { line, target: line, rules, reason };
                if code_before { comments.push(comment) } else { waiting.push(comment) }
            }
            Err(message) => notices.push(Notice { file: file.to_owned(), line, message }),
        }
        if code_before {
            comments.extend(waiting.drain(..).map(|c| Comment { target: line, ..c }));
        }
    }
    comments.append(&mut waiting);
    (comments, notices)
}

/// Returns whether code precedes the comment, and the text after `scuba:` in it.
fn find_comment(line: &str) -> Option<(bool, &str)> {
    let mut from = 0;
    while let Some(found) = line[from..].find("scuba:") {
        let at = from + found;
        let before = line[..at].trim_end();
        let body = line[at + "scuba:".len()..].trim_start();
        if body.starts_with("allow") {
            if let Some(code) = before.strip_suffix("//") {
                return Some((!code.trim().is_empty(), body));
            }
            if let Some(code) = before.strip_suffix("/*") {
                let inside = body.split_once("*/").map_or(body, |(inside, _)| inside);
                return Some((!code.trim().is_empty(), inside));
            }
        }
        from = at + "scuba:".len();
    }
    None
}

fn parse(body: &str) -> Result<(Vec<RuleSelector>, String), String> {
    const FORM: &str = "write `// scuba: allow(RULE) reason`";
    let (rules, reason) = body
        .strip_prefix("allow")
        .map(str::trim_start)
        .and_then(|b| b.strip_prefix('('))
        .and_then(|b| b.split_once(')'))
        .ok_or_else(|| format!("malformed `scuba: allow`: {FORM}"))?;
    let rules = rules
        .split(',')
        .map(|r| r.trim().parse::<RuleSelector>())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| format!("`scuba: allow` is ignored: {e}"))?;
    let reason = reason.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '—' | '–'));
    if reason.is_empty() {
        return Err(format!("`scuba: allow` needs a reason: {FORM}"));
    }
    Ok((rules, reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{SuppressionReason, Suppressions, read};
    use base::rules::Rule;
    use config::{Config, parse};
    use finding::Finding;
    use finding::paths::ProjectRoot;
    use finding::samples;
    use finding::sources::SourceFiles;
    use std::path::Path;

    fn at(line: u32, rule: Rule) -> Finding {
        let mut f = samples::finding();
        f.access.position.file = "a.cu".into();
        f.access.position.line = line;
        f.rule = rule;
        f
    }

    fn targets(text: &str) -> Vec<(u32, u32)> {
        read("a.cu", text).0.iter().map(|c| (c.line, c.target)).collect()
    }

    #[test]
    fn a_comment_speaks_for_its_line_or_the_line_below() {
        assert_eq!(targets("x[i] = 1; // scuba: allow(oob-global) sized by the caller\n"), [(1, 1)]);
        assert_eq!(targets("// scuba: allow(oob-global) why\nx[i] = 1;\n"), [(1, 2)]);
        assert_eq!(
            targets("/* scuba: allow(oob-global) why */\n  // scuba: allow(all) - why\nx[i] = 1;\n"),
            [(1, 3), (2, 3)]
        );
        assert_eq!(
            targets("// scuba: allow(oob-global) a\nx[i] = 1; // scuba: allow(oob-shared) b\n"),
            [(2, 2), (1, 2)]
        );
        assert_eq!(targets("// scuba is nice\n// notscuba: allow\n\"scuba: allow(x)\";\n"), []);
    }

    #[test]
    fn comments_without_reason_or_with_unknown_rules_silence_nothing_and_are_reported() {
        let (comments, notices) = read(
            "a.cu",
            "x; // scuba: allow(oob-global)\ny; // scuba: allow(oob) why\nz; // scuba: allow oob-global why\n",
        );
        assert!(comments.is_empty());
        assert!(notices[0].message.contains("needs a reason"), "{notices:?}");
        assert!(notices[1].message.contains("unknown rule `oob`"), "{notices:?}");
        assert!(notices[2].message.contains("malformed"), "{notices:?}");
        assert_eq!(notices.iter().map(|n| n.line).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn only_the_named_rule_at_the_place_is_silenced_and_unused_comments_are_told() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("a.cu"),
            "a;\nb; // scuba: allow(oob-global) checked by the caller\nc; // scuba: allow(oob-shared) old\n",
        )
        .unwrap();
        let root = ProjectRoot::new(dir.path().to_owned());
        let sources = SourceFiles::new(root.clone());
        let config = Config::default();
        let mut s = Suppressions::new(&config, &root, &sources, None);
        let (reported, suppressed) =
            s.split(vec![at(1, Rule::OobGlobal), at(2, Rule::OobGlobal), at(2, Rule::OobShared)]);
        assert_eq!(
            reported.iter().map(|f| (f.access.position.line, f.rule)).collect::<Vec<_>>(),
            [(1, Rule::OobGlobal), (2, Rule::OobShared)]
        );
        assert_eq!(suppressed[0].by, SuppressionReason::Comment { reason: "checked by the caller".into() });
        let notices = s.notices(&["a.cu".into()]);
        assert_eq!(notices.iter().map(|n| n.line).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn what_lies_outside_of_the_scope_is_accepted() {
        let config = parse("[scope]\nexclude = [\"third_party\"]\n", Path::new("/p/scuba.toml")).unwrap();
        let root = ProjectRoot::new("/p".into());
        let sources = SourceFiles::new(root.clone());
        let mut s = Suppressions::new(&config, &root, &sources, None);
        let mut outside = at(1, Rule::OobGlobal);
        outside.access.position.file = "third_party/x.h".into();
        let (reported, suppressed) = s.split(vec![outside, at(1, Rule::OobGlobal)]);
        assert_eq!((reported.len(), suppressed.len()), (1, 1));
        assert_eq!(suppressed[0].by, SuppressionReason::Path { reason: "outside of [scope]".into() });
    }

    #[test]
    fn a_comment_that_does_not_hold_is_explained_at_its_finding() {
        let dir = tempfile::tempdir().unwrap();
        let text = "a; // scuba: allow(oob-shared, misaligned) why\n// scuba: allow(oob-global) why\n\nb;\n\n\n\n\n\n\
                    c; // scuba: allow(oob-global)\n";
        std::fs::write(dir.path().join("a.cu"), text).unwrap();
        let root = ProjectRoot::new(dir.path().to_owned());
        let sources = SourceFiles::new(root.clone());
        let config = Config::default();
        let mut s = Suppressions::new(&config, &root, &sources, None);
        let mut findings = [1, 4, 10].map(|line| at(line, Rule::OobGlobal));
        for (f, name) in findings.iter_mut().zip(["one", "two", "three"]) {
            f.fingerprint = name.into();
        }
        let (reported, _) = s.split(Vec::from(findings));
        let said: Vec<(String, u32, String)> =
            s.beside(&reported).into_iter().map(|(of, n)| (of, n.line, n.message)).collect();
        let expected = [
            ("one", 1, "`scuba: allow(oob-shared, misaligned)` in line 1 does not accept `oob-global`"),
            ("one", 2, "the `scuba: allow` in line 2 is for line 3: write it in line 1 or above it"),
            ("two", 2, "the `scuba: allow` in line 2 is for line 3: write it in line 4 or above it"),
            (
                "three",
                10,
                "the comment in line 10 accepts nothing: `scuba: allow` needs a reason: write `// scuba: allow(RULE) \
                 reason`",
            ),
        ];
        assert_eq!(said, expected.map(|(of, line, message)| (of.to_owned(), line, message.to_owned())));
    }

    #[test]
    fn paths_are_matched_relative_to_scuba_toml() {
        let text = "[[allow]]\nrule = \"oob-global\"\npath = \"third_party/**\"\nreason = \"upstream\"\n";
        let config = parse(text, Path::new("/p/scuba.toml")).unwrap();
        let root = ProjectRoot::new("/p".into());
        let sources = SourceFiles::new(root.clone());
        let mut s = Suppressions::new(&config, &root, &sources, None);
        let mut inside = at(1, Rule::OobGlobal);
        inside.access.position.file = "third_party/x/a.cu".into();
        let mut other_rule = inside.clone();
        other_rule.rule = Rule::OobShared;
        let (reported, suppressed) = s.split(vec![inside, other_rule, at(1, Rule::OobGlobal)]);
        assert_eq!((reported.len(), suppressed.len()), (2, 1));
        assert_eq!(suppressed[0].by, SuppressionReason::Path { reason: "upstream".into() });
    }
}
