//! `scuba cache`: where the cache lies, how large it is, and how much the last builds took from it; removes it, or its
//! oldest part.

use crate::args::CacheArgs;
use crate::cache::folder::{self, CacheSize};
use crate::cache::remote::{remote_url, settings};
use crate::history::{self, BuildRecord};
use crate::programs::stored::StoredFacts;
use crate::{Status, output};
use anyhow::{Context, Result, bail};
use base::paths;
use base::remote_url::RemoteUrl;
use remote::{CacheState, RemoteFolder};
use std::fmt::Write as _;
use std::path::Path;

/// # Errors
/// If there is no cache.
pub fn run(args: &CacheArgs) -> Result<Status> {
    paths::remote_cache().map_err(anyhow::Error::msg)?;
    let Some(cache) = paths::cache() else {
        bail!("there is no cache: {}", paths::why_no_cache().unwrap_or_default());
    };
    if args.clean || args.max_size.is_some() {
        let removed = match args.max_size {
            Some(most) if !args.clean => folder::shrink(&cache, most.0),
            _ => folder::clean(&cache),
        };
        output::print(&format!("removed {}\n", size(removed)));
    }
    let here = std::env::current_dir().context("the working folder does not exist")?;
    let builds = history::builds(&history::records(&StoredFacts::folders_of(&here)));
    output::print(&text(&cache, &folder::sizes(&cache), &builds));
    // A mistake in scuba.toml is told by the commands that check.
    let config = config::find(&here).map(|path| config::load_leniently(&path).0).unwrap_or_default();
    if let Some(url) = remote_url(&config) {
        let folder = RemoteFolder::new(&cache, &url);
        let problem = settings(&url, &config).err().or_else(|| folder.left_alone());
        output::print(&remote_text(&url, &folder.state(), problem.as_deref(), nvcc::history::now() / 1000));
    }
    Ok(Status::Clean)
}

/// Describes the remote cache at `now`, in seconds since 1970. `problem`: why it is not used now.
fn remote_text(url: &RemoteUrl, state: &CacheState, problem: Option<&str>, now: u64) -> String {
    let CacheState { hits, misses, refused, sent, last_refusal, last_error } = state;
    let asked = share(*hits, hits + misses + refused);
    let mut text = format!("remote cache {url}\n  hits: {asked}; {refused} refused; {sent} entries sent\n");
    if let Some(why) = last_refusal {
        let _ = writeln!(text, "  last refused: {why}");
    }
    if let Some(error) = last_error {
        let _ = writeln!(text, "  last error, {}: {}", ago(now.saturating_sub(error.at)), error.why);
    }
    if let Some(why) = problem {
        let _ = writeln!(text, "  not used now: {why}");
    }
    text
}

/// Returns a time in the past in words.
fn ago(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        7200..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

fn text(cache: &Path, sizes: &[(&str, CacheSize)], builds: &[BuildRecord]) -> String {
    let mut all = CacheSize::default();
    sizes.iter().for_each(|(_, size)| all += *size);
    let mut text = format!("{}: {}\n", cache.display(), size(all));
    let width = sizes.iter().map(|(what, _)| what.chars().count()).max().unwrap_or_default();
    for (what, one) in sizes {
        let _ = writeln!(text, "  {what:<width$}  {}", size(*one));
    }
    if let Some(last) = builds.len().checked_sub(1) {
        let sum = |of: fn(&BuildRecord) -> u32| builds.iter().map(|b| u64::from(of(b))).sum::<u64>();
        let (units, programs) = (sum(|b| b.counts.recalled), sum(|b| b.counts.known));
        let (read, checked) = (sum(|b| b.counts.read), sum(|b| b.counts.checked));
        let when = if last == 0 {
            "the last build or check".to_owned()
        } else {
            format!("the last {} builds and checks", builds.len())
        };
        let _ = writeln!(
            text,
            "from the cache in {when} here: {} of units, {} of programs",
            share(units, units + read),
            share(programs, programs + checked)
        );
    }
    text
}

/// Returns the share of hits in words.
fn share(hits: u64, all: u64) -> String {
    (hits * 100).checked_div(all).map_or_else(|| "none".to_owned(), |percent| format!("{hits} of {all} ({percent} %)"))
}

fn size(size: CacheSize) -> String {
    let files = if size.files == 1 { "1 file".to_owned() } else { format!("{} files", size.files) };
    format!("{} in {files}", mebibytes(size.bytes))
}

/// Returns a size in MiB with one digit, rounded up: what is there is never 0.
fn mebibytes(bytes: u64) -> String {
    let tenths = (u128::from(bytes) * 10).div_ceil(1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{CacheSize, CacheState, RemoteUrl, remote_text, text};
    use crate::history::{BuildRecord, SourceCounts};
    use remote::RemoteError;
    use std::path::Path;

    #[test]
    fn a_remote_cache_is_told_without_credentials() {
        let url = RemoteUrl::parse("redis://user:hunter2@cache.example/0?token=hunter2").unwrap();
        let plain = CacheState { hits: 3, misses: 1, sent: 2, ..CacheState::default() };
        assert_eq!(
            remote_text(&url, &plain, None, 0),
            "remote cache redis://cache.example/0\n  hits: 3 of 4 (75 %); 0 refused; 2 entries sent\n"
        );
        let bad = CacheState {
            refused: 1,
            last_refusal: Some("readings/00: it is cut off".into()),
            last_error: Some(RemoteError { at: 1000, why: "no answer within 3000 ms".into(), sending: false }),
            ..CacheState::default()
        };
        let expected = "\
remote cache redis://cache.example/0
  hits: 0 of 1 (0 %); 1 refused; 0 entries sent
  last refused: readings/00: it is cut off
  last error, 10 min ago: no answer within 3000 ms
  not used now: no answer within 3000 ms
";
        assert_eq!(remote_text(&url, &bad, Some("no answer within 3000 ms"), 1600), expected);
    }

    #[test]
    fn sizes_and_hits_are_told() {
        let sizes =
            [("verdicts of programs", CacheSize { files: 1, bytes: 1 }), ("x", CacheSize { files: 2, bytes: 3 << 19 })];
        let counts = SourceCounts { read: 1, recalled: 3, checked: 2, ..SourceCounts::default() };
        let builds = [BuildRecord { counts, ..BuildRecord::default() }, BuildRecord::default()];
        let expected = "\
/c: 1.6 MiB in 3 files
  verdicts of programs  0.1 MiB in 1 file
  x                     1.5 MiB in 2 files
from the cache in the last 2 builds and checks here: 3 of 4 (75 %) of units, 0 of 2 (0 %) of programs
";
        assert_eq!(text(Path::new("/c"), &sizes, &builds), expected);
        assert_eq!(text(Path::new("/c"), &[], &[]), "/c: 0.0 MiB in 0 files\n");
    }
}
