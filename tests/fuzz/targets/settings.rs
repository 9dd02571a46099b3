//! Text of scuba.toml: as commands read it, which refuse mistakes, and as builds do, which skip them.

#![no_main]

use config::ConfigError;
use libfuzzer_sys::fuzz_target;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

const FILE: &str = config::FILE_NAME;

thread_local! {
    static FOLDER: OnceCell<PathBuf> = const { OnceCell::new() };
}

/// Settings as text, without the lines of their statements.
fn shown(config: &config::Config) -> String {
    scuba_fuzz::without_lines(&format!("{config:?}"), FILE)
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let path = FOLDER.with(|folder| folder.get_or_init(scuba_fuzz::folder).join(FILE));
    let read = config::parse(text, &path);
    std::fs::write(&path, text).expect("a file in memory");
    let (lenient, skipped) = config::load_leniently(&path);
    match read {
        Ok(config) => {
            // Formatting does not count.
            let table: toml::Table = text.parse().expect("settings are TOML");
            let again = toml::to_string(&table).expect("TOML that was read");
            let again = config::parse(&again, &path).unwrap_or_else(|e| panic!("{again}\n{e}"));
            assert_eq!(shown(&config), shown(&again));
            assert_eq!(shown(&config), shown(&lenient));
            assert!(skipped.is_none());
        }
        Err(ConfigError::Parse { line, column, message, .. }) => {
            assert!(line >= 1 && column >= 1 && line <= text.split('\n').count() + 1, "{line}:{column}: {message}");
            let skipped = skipped.expect("a build says what it skips");
            let _ = (skipped.key(), skipped.text(Some(FILE)), skipped.text(None));
        }
        Err(ConfigError::Read { .. }) => unreachable!("nothing is read from {}", Path::new(FILE).display()),
    }
});
