//! The remote cache of a run: its settings, and what users are told of it.

use crate::output;
use base::remote_url::RemoteUrl;
use base::{own_program, paths};
use config::Config;
use files::SharedEntries;
use nvcc::history;
use nvcc::once::OnceMessage;
use remote::{HELPER, KEY_VARIABLE, RemoteCache, RemoteSettings, StoreTrouble, TeamKey};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Environment variable with the path of a file that holds the key.
pub const KEY_FILE_VARIABLE: &str = "SCUBA_CACHE_KEY_FILE";

/// Remote cache of a run, or why a set one is not used.
#[derive(Clone, Debug, Default)]
pub struct SessionRemote {
    cache: Option<Arc<RemoteCache>>,
    /// Reason why a set cache is not used.
    problem: Option<StoreTrouble>,
}

impl SessionRemote {
    /// Opens the remote cache that the environment names, else the one of scuba.toml.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let Some(local) = paths::cache() else { return Self::default() };
        let Some(url) = remote_url(config) else { return Self::default() };
        match settings(&url, config) {
            Ok(settings) => Self { cache: Some(Arc::new(RemoteCache::new(&local, settings))), problem: None },
            Err(why) => {
                let line = format!("remote cache {url}: {why}; only the local cache is used");
                let problem = StoreTrouble { key: format!("remote cache {line}"), line, is_new: true };
                Self { cache: None, problem: Some(problem) }
            }
        }
    }

    /// Returns the trouble with the remote cache, if any.
    #[must_use]
    pub fn trouble(&self) -> Option<StoreTrouble> {
        self.problem.clone().or_else(|| self.cache.as_ref()?.trouble())
    }

    /// Returns the source of shared entries.
    #[must_use]
    pub fn entries(&self) -> Option<Arc<dyn SharedEntries>> {
        self.cache.clone().map(|cache| cache as Arc<dyn SharedEntries>)
    }

    /// Sends what is new, and waits for that for at most this time.
    pub fn send(&self, at_most: Duration) {
        if let Some(cache) = &self.cache {
            cache.finish();
            cache.wait_until_sent(at_most);
        }
    }

    /// Returns the line about trouble with the remote cache, which a build shows once.
    #[must_use]
    pub fn message(&self) -> Option<OnceMessage> {
        let trouble = self.trouble()?;
        let first = format!("scuba: {}", output::harmless(&format!("note: {}", trouble.line)));
        Some(OnceMessage { key: trouble.key, first, later: None })
    }

    /// Returns the line about entries of the remote cache that were refused.
    #[must_use]
    pub fn refusals(&self) -> Option<String> {
        self.cache.as_ref()?.refusals()
    }
}

/// Returns the URL of the remote cache in use: that of the environment, else the one of scuba.toml.
pub fn remote_url(config: &Config) -> Option<RemoteUrl> {
    if paths::is_cache_off() {
        return None;
    }
    // A wrong URL in the environment is told elsewhere.
    paths::remote_cache().ok().flatten().or_else(|| config.cache.url.clone())
}

/// Returns the settings of a remote cache.
///
/// # Errors
/// If the helper or the key is missing; one line.
pub fn settings(url: &RemoteUrl, config: &Config) -> Result<RemoteSettings, String> {
    let helper = own_program::path().map_err(|e| e.to_string())?.with_file_name(HELPER);
    if !helper.is_file() {
        return Err(format!("{} does not exist", helper.display()));
    }
    Ok(RemoteSettings {
        url: url.clone(),
        key: team_key(config)?,
        upload: config.cache.upload,
        wait: Duration::from_millis(u64::from(config.cache.wait_ms)),
        helper,
        build: history::build_of_this_process(),
    })
}

/// Returns the key that signs entries: of the environment, else of the file that scuba.toml names.
fn team_key(config: &Config) -> Result<TeamKey, String> {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
    if let Some(text) = set(KEY_VARIABLE) {
        return TeamKey::of(&text.to_string_lossy()).map_err(|why| format!("{KEY_VARIABLE} {why}"));
    }
    if let Some(path) = set(KEY_FILE_VARIABLE) {
        return TeamKey::read(Path::new(&path)).map_err(|why| format!("{KEY_FILE_VARIABLE}: {why}"));
    }
    match &config.cache.key_file {
        Some(path) => TeamKey::read(path).map_err(|why| format!("`[cache] key_file`: {why}")),
        None => Err(format!("there is no key: set {KEY_VARIABLE}, {KEY_FILE_VARIABLE} or `[cache] key_file`")),
    }
}
