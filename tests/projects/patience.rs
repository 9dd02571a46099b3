//! What a build waits for, and what it leaves to `scuba check`.

use super::support::{Project, Said, nvcc, shim};
use scuba::facts::verdicts::Verdicts;
use std::path::Path;

/// Seconds in a text that says `after N s`.
fn seconds(text: &str) -> u64 {
    let after = text.split_once(" after ").map(|(_, rest)| rest).unwrap();
    after.split_once(" s").unwrap().0.parse().unwrap()
}

#[test]
fn a_build_does_not_wait_for_a_slow_check() {
    let project = Project::new("slow");
    project.write("scuba.toml", "[limits]\ntu_seconds = 12\n");
    project.write(".scuba/.gitignore", "*\n");
    let compile = || -> Said { project.command(shim()).arg(nvcc()).args(["-arch=sm_80", "-c", "slow.cu", "-o", "slow.o"]).output().unwrap().into() };
    let said = compile().status(0);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(matches!(lines.as_slice(), [one] if one.starts_with("scuba: slow.cu: ") && one.ends_with(": `scuba check` goes on")), "{}", said.err);
    // A second, or as long as reading took on this machine; never the limit.
    assert!(seconds(&said.err) < 9, "{}", said.err);

    project.write("longer.toml", "[limits]\ntu_seconds = 240\n");
    let said = project.scuba(&["check", "--config", "longer.toml"]).status(0);
    assert!(said.err.contains("no findings; 1 access in 1 kernel: 1 safe unless an index wraps") && !said.err.contains("goes on"), "{}", said.err);
}

/// The keys of the entries in a folder of the cache.
fn keys(folder: &Path) -> Vec<[u8; 32]> {
    let shards = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = shards.flat_map(|shard| {
        let digits = shard.file_name().into_string().unwrap();
        std::fs::read_dir(shard.path()).unwrap().map(move |e| format!("{digits}{}", e.unwrap().file_name().into_string().unwrap()))
    });
    names.map(|name| std::array::from_fn(|i| u8::from_str_radix(&name[2 * i..2 * i + 2], 16).unwrap())).collect()
}

/// The solver is not asked again what it was asked for another program: with other answers in the cache the verdict is another.
#[test]
fn what_one_check_decided_the_next_one_knows() {
    let project = Project::new("slow");
    let cache = project.root().join("cache");
    let check = || -> Said { project.command(env!("CARGO_BIN_EXE_scuba")).env("SCUBA_CACHE", &cache).args(["check", "slow.cu", "--", "-arch=sm_80"]).output().unwrap().into() };
    let decided = |said: Said| said.status(0).err.starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe unless an index wraps");
    project.write("scuba.toml", "[limits]\ntu_seconds = 240\n");
    assert!(decided(check()));
    let obligations = keys(&cache.join("obligations"));
    assert!(keys(&cache.join("verdicts")).len() == 1 && obligations.len() > 10, "{}", obligations.len());

    // As the solver's answers are kept: nothing found in 2^32 - 1 milliseconds, and why.
    let unknown = [&[2, 0xff, 0xff, 0xff, 0xff, 0x0f, 7][..], b"made up"].concat();
    let answers = Verdicts::new(cache.clone()).of_obligations();
    for key in &obligations { answers.put(key, false, &unknown); }
    project.replace("slow.cu", "int main(", "int changed;\nint main(");
    let said = check().status(0);
    assert!(said.err.starts_with("scuba: no findings; 1 access in 1 kernel: 1 undecided"), "{}", said.err);

    // Damaged ones are searched again, and nothing is said.
    for folder in std::fs::read_dir(cache.join("obligations")).unwrap() {
        for entry in std::fs::read_dir(folder.unwrap().path()).unwrap() { std::fs::write(entry.unwrap().path(), "of somebody else").unwrap(); }
    }
    project.replace("slow.cu", "int changed;", "int again;");
    assert!(decided(check()));
}
