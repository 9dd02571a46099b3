//! `scuba stats`: costs and verdicts of the last builds and checks, work that caches saved, and units that were built
//! without the analysis.

use crate::args::{StatsArgs, StatsFormat};
use crate::history::{self, BuildRecord};
use crate::programs::stored::StoredFacts;
use crate::{Status, output};
use anyhow::{Context, Result, bail};
use finding::paths::ProjectRoot;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Serialize)]
struct StatsDocument<'a> {
    schema: &'static str,
    /// Sorted, oldest first.
    builds: &'a [BuildRecord],
    built_without_analysis: Vec<String>,
}

/// # Errors
/// If nothing was built or checked here.
pub fn run(args: &StatsArgs) -> Result<Status> {
    let here = match &args.dir {
        Some(d) if !d.is_dir() => bail!("{} is not a folder", d.display()),
        Some(d) => std::path::absolute(d).with_context(|| format!("cannot resolve {}", d.display()))?,
        None => std::env::current_dir().context("the working folder does not exist")?,
    };
    // Without facts there may still be a history.
    let stored = StoredFacts::open(&here, args.dir.is_some(), |_| {});
    let folders = match &stored {
        Ok(stored) => stored.folders(),
        Err(_) => StoredFacts::folders_of(&here),
    };
    let builds = history::builds(&history::records(&folders));
    if builds.is_empty() {
        bail!(
            "nothing was built or checked under {}: build with `scuba build -- COMMAND` or with scuba-nvcc as the compiler first",
            here.display()
        );
    }
    let root = ProjectRoot::find(None, &here, &here);
    let without: Vec<String> =
        stored.iter().flat_map(StoredFacts::built_without).map(|p: PathBuf| root.show(&p.to_string_lossy())).collect();
    let last = &builds[builds.len().saturating_sub(usize::from(args.last))..];
    output::print(&match args.format {
        StatsFormat::Human => human(last, builds.len(), &without),
        StatsFormat::Json => {
            let document = StatsDocument { schema: "scuba-stats/1", builds: last, built_without_analysis: without };
            serde_json::to_string_pretty(&document).context("cannot render JSON")? + "\n"
        }
    });
    Ok(Status::Clean)
}

const HEAD: [&str; 14] = [
    "when (UTC)",
    "what",
    "commands",
    "units",
    "nvcc",
    "waited",
    "check",
    "places",
    "safe",
    "proved",
    "possible",
    "open",
    "denied",
    "warned",
];

fn human(builds: &[BuildRecord], all: usize, without: &[String]) -> String {
    let mut rows: Vec<Vec<String>> = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(builds.iter().map(row));
    let widths: Vec<usize> =
        (0..HEAD.len()).map(|i| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or_default()).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let line: Vec<String> =
            cells.map(|(i, (c, &w))| if i < 2 { format!("{c:<w$}") } else { format!("{c:>w$}") }).collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    if all > builds.len() {
        let _ = writeln!(text, "and {} before these (--last {all})", all - builds.len());
    }
    if let Some(last) = builds.last() {
        let c = last.counts;
        let _ = writeln!(
            text,
            "the last one: {} read, {} from the cache; {} checked, {} from the cache",
            plural(c.read, "unit"),
            c.recalled,
            plural(c.checked, "program"),
            c.known
        );
        if last.not_analysed > 0 {
            let _ = writeln!(text, "{} not fully analysed: see .scuba/log", plural(last.not_analysed, "command"));
        }
        let unseen = last.summary.as_ref().map_or(0, |s| s.unseen);
        if unseen > 0 {
            let _ = writeln!(text, "{} linked without being read: `scuba check` names them", plural(unseen, "object"));
        }
        if !last.repeatable {
            text.push_str("a safety net ended it: another run may find more\n");
        }
    }
    if !without.is_empty() {
        let _ = writeln!(text, "built without the analysis: {}", without.join(", "));
    }
    text
}

fn row(build: &BuildRecord) -> Vec<String> {
    let some = |n: u32, there: bool| if there { n.to_string() } else { "-".into() };
    let s = build.summary.as_ref();
    let decided = |of: fn(&finding::Summary) -> u32| s.map_or_else(|| "-".into(), |s| of(s).to_string());
    let by_shim = build.commands > 0;
    let time = |ms: u64, there: bool| if there { seconds(ms) } else { "-".into() };
    vec![
        moment(build.at),
        build.what.clone(),
        some(build.commands, by_shim),
        s.filter(|_| !by_shim).map_or_else(|| build.units.to_string(), |s| s.translation_units.to_string()),
        time(build.command_ms, by_shim),
        time(build.waited_ms, by_shim),
        time(build.check_ms, build.denied.is_some()),
        decided(|s| s.accesses),
        decided(|s| s.safe + s.safe_if_no_wrap),
        decided(|s| s.proved),
        decided(|s| s.possible),
        decided(|s| s.unknown),
        build.denied.map_or_else(|| "-".into(), |n| n.to_string()),
        build.warned.map_or_else(|| "-".into(), |n| n.to_string()),
    ]
}

fn plural(n: u32, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

/// Formats milliseconds since 1970 as a UTC time, year to minute (H. Hinnant, "chrono-compatible low-level date
/// algorithms", `civil_from_days`).
pub fn moment(ms: u64) -> String {
    let minutes = ms / 60_000;
    let days = minutes / 1440 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02}", minutes % 1440 / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::{human, moment};
    use crate::history::BuildRecord;

    #[test]
    fn moments_are_dates_of_the_calendar() {
        assert_eq!(moment(0), "1970-01-01 00:00");
        assert_eq!(moment(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(moment(1_735_689_599_999), "2024-12-31 23:59");
    }

    #[test]
    fn what_a_check_alone_has_not_is_a_dash() {
        let check =
            BuildRecord { what: "scuba check".into(), denied: Some(1), check_ms: 1_250, ..BuildRecord::default() };
        let text = human(&[check], 3, &["a.cu".into()]);
        let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row[..10], ["1970-01-01", "00:00", "scuba", "check", "-", "0", "-", "-", "1.2", "s"]);
        assert!(text.contains("and 2 before these") && text.ends_with("built without the analysis: a.cu\n"), "{text}");
    }
}
