//! A cache that somebody else wrote, or that broke.

use super::{SAFE, SCUBA, Site};
use crate::support::run;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    all.sort();
    all
}

/// Puts something into the place of a file.
type Damage = fn(&Path, &[u8]);

const DAMAGES: [Damage; 6] = [
    |path, good| std::fs::write(path, &good[..good.len() / 2]).unwrap(),
    |path, good| std::fs::write(path, good.iter().map(|byte| byte ^ 0x55).collect::<Vec<_>>()).unwrap(),
    |path, _| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
    |path, _| symlink("/dev/zero", path).unwrap(),
    |path, _| symlink(path, path).unwrap(),
    // Sparse: more than fits into memory.
    |path, _| std::fs::File::create(path).unwrap().set_len(1 << 36).unwrap(),
];

/// Every file of the cache is damaged in some way, and each kind of file in several. The bug is found as before.
#[test]
fn a_damaged_cache_is_made_again() {
    let site = Site::new(&SAFE.replace("if (i < n) ", ""));
    let cache = site.at("cache");
    let build = || {
        let _ = std::fs::remove_dir_all(site.project().join(".scuba"));
        let built = run(site.compilation().env("SCUBA_CACHE", &cache));
        assert!(built.took < Duration::from_secs(100), "{:?}", built.took);
        assert_eq!(built.status.code(), Some(1), "{}", built.err());
        let first = built.err().lines().next().unwrap().to_owned();
        let checked = run(site.command(Path::new(SCUBA)).arg("check").env("SCUBA_CACHE", &cache));
        assert!(checked.took < Duration::from_secs(100), "{:?}", checked.took);
        (first, checked.status.code(), checked.err().lines().filter(|line| line.starts_with("error[")).count())
    };
    let good = build();
    assert_eq!((good.0.as_str(), good.1, good.2), ("error[oob-global]: write past the end of `a`", Some(1), 1));
    assert_eq!(build(), good);
    let kept: Vec<(PathBuf, Vec<u8>)> =
        files(&cache).into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect();
    assert!(kept.len() > 10, "{kept:?}");
    for shift in [0, 2, 5] {
        let _ = std::fs::remove_dir_all(&cache);
        for (at, (path, bytes)) in kept.iter().enumerate() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            DAMAGES[(at + shift) % DAMAGES.len()](path, bytes);
        }
        assert_eq!(build(), good, "{shift}");
    }
}

/// The user's own cache folder, where it is another user's: HOME below `sudo`. Needs root to make one.
#[test]
fn another_users_cache_is_not_used() {
    let site = Site::new(SAFE);
    if site.project().metadata().unwrap().uid() != 0 {
        return;
    }
    let folder = site.at("home/.cache/scuba");
    std::fs::create_dir_all(&folder).unwrap();
    let home = |mut command: Command| {
        command.env_remove("SCUBA_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", site.at("home"));
        command
    };
    let is_used = || {
        assert_eq!(site.compiles(&mut home(site.compilation())), "");
        !files(&folder).is_empty()
    };
    chown(&folder, Some(4242), Some(4242)).unwrap();
    assert!(!is_used());
    let said = run(home(site.command(Path::new(SCUBA))).arg("cache"));
    assert!(said.err().contains(&format!("{} belongs to another user", folder.display())), "{}", said.err());
    // A folder that is named is trusted; one of root's is anybody's.
    assert_eq!(site.compiles(site.compilation().env("SCUBA_CACHE", &folder)), "");
    assert!(!files(&folder).is_empty());
    chown(&folder, Some(0), Some(0)).unwrap();
    assert!(is_used());
}
