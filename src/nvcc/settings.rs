//! Keys of scuba.toml that the shim itself needs.
//!
//! In: the folder to search upwards from, or `SCUBA_CONFIG`. Out: [`Settings`]. The analysis reads all other keys and
//! reports every mistake in the file; here, as there, a mistake costs only its own key.

use base::statements::recover;
use serde::{Deserialize, Deserializer, de};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default of `[limits] tu_seconds` in INTERFACE.
const DEFAULT_TU_SECONDS: u64 = 300;
const SECONDS: RangeInclusive<u64> = 1..=86_400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `[nvcc] path`, made absolute with the file's folder.
    pub nvcc: Option<PathBuf>,
    /// `[limits] tu_seconds`.
    pub translation_unit: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { nvcc: None, translation_unit: Duration::from_secs(DEFAULT_TU_SECONDS) }
    }
}

#[derive(Default, Deserialize)]
struct SettingsDocument {
    #[serde(default)]
    nvcc: NvccTable,
    #[serde(default)]
    limits: LimitsTable,
}

#[derive(Default, Deserialize)]
struct NvccTable {
    path: Option<PathBuf>,
}

#[derive(Default, Deserialize)]
struct LimitsTable {
    #[serde(default, deserialize_with = "seconds")]
    tu_seconds: Option<u64>,
}

/// Reads a number of seconds in the range that the analysis allows.
fn seconds<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    let value = u64::deserialize(d)?;
    if SECONDS.contains(&value) { Ok(Some(value)) } else { Err(de::Error::custom("out of range")) }
}

impl Settings {
    /// Reads the file `named` (`SCUBA_CONFIG`), else the first scuba.toml in one of `folders` or above it.
    pub fn find<'f>(named: Option<&Path>, folders: impl IntoIterator<Item = &'f Path>) -> Settings {
        if let Some(file) = named {
            return Settings::read(file).unwrap_or_default();
        }
        folders
            .into_iter()
            .flat_map(Path::ancestors)
            .map(|folder| folder.join("scuba.toml"))
            .find(|file| file.is_file())
            .and_then(|file| Settings::read(&file))
            .unwrap_or_default()
    }

    fn read(file: &Path) -> Option<Settings> {
        let text = std::fs::read(file).ok()?;
        let text = String::from_utf8_lossy(&text);
        let (document, _) = recover(&text, &[], |t| Ok(toml::from_str::<SettingsDocument>(t)?));
        let document = document?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let seconds = document.limits.tu_seconds.unwrap_or(DEFAULT_TU_SECONDS);
        Some(Settings {
            // A bare name is searched on PATH.
            nvcc: document.nvcc.path.map(|path| if path.components().count() > 1 { folder.join(path) } else { path }),
            translation_unit: Duration::from_secs(seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_counts() {
        let root = tempfile::tempdir().unwrap();
        let (project, source) = (root.path().join("p"), root.path().join("p/src"));
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(
            project.join("scuba.toml"),
            "[nvcc]\npath = 'tools/nvcc'\n[limits]\ntu_seconds = 7\nfuture = 1\n",
        )
        .unwrap();
        let found = Settings::find(None, [source.as_path()]);
        assert_eq!(
            found,
            Settings { nvcc: Some(project.join("tools/nvcc")), translation_unit: Duration::from_secs(7) }
        );

        std::fs::write(source.join("scuba.toml"), "[nvcc]\npath = 'nvcc-13'").unwrap();
        let found = Settings::find(None, [Path::new("/nowhere"), &source]);
        assert_eq!(found.nvcc.as_deref(), Some(Path::new("nvcc-13")));

        let named = project.join("scuba.toml");
        assert_eq!(Settings::find(Some(&named), [source.as_path()]).translation_unit, Duration::from_secs(7));
    }

    #[test]
    fn a_key_with_a_mistake_means_its_default() {
        let root = tempfile::tempdir().unwrap();
        for text in ["[nvcc", "[nvcc]\npath = 3", "[limits]\ntu_seconds = -1", "[limits]\ntu_seconds = 0"] {
            std::fs::write(root.path().join("scuba.toml"), text).unwrap();
            assert_eq!(Settings::find(None, [root.path()]), Settings::default(), "{text}");
        }
        for wrong in ["[limits]\ntu_seconds = -1", "[limits\ntu_seconds = 7", "[levels]\nall = ", "[nvcc]\npath = 'x'"]
        {
            std::fs::write(root.path().join("scuba.toml"), format!("[nvcc]\npath = 'nvcc-13'\n{wrong}\n")).unwrap();
            let found = Settings::find(None, [root.path()]);
            assert_eq!(found, Settings { nvcc: Some("nvcc-13".into()), ..Settings::default() }, "{wrong}");
        }
    }
}
