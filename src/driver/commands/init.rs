//! `scuba init`: writes a commented scuba.toml for the project in a folder, and prints the next command to run.

use crate::args::InitArgs;
use crate::commands::project::{BuildSystem, DetectedProject, ProjectKind};
use crate::commands::warm;
use crate::installation::Installation;
use crate::{Status, output, session};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::path::Path;

/// File name of the settings.
const NAME: &str = "scuba.toml";
/// Numbers of sources and of programs that a command names.
const NAMED_SOURCES: usize = 8;
const NAMED_PROGRAMS: usize = 3;

/// # Errors
/// If there are settings already (without `--force`), no CUDA source exists, or the folder cannot be written.
pub fn run(args: &InitArgs) -> Result<Status> {
    let here = match &args.dir {
        Some(d) if !d.is_dir() => bail!("{} is not a folder", d.display()),
        Some(d) => std::path::absolute(d).with_context(|| format!("cannot resolve {}", d.display()))?,
        None => std::env::current_dir().context("the working folder does not exist")?,
    };
    let file = here.join(NAME);
    if file.symlink_metadata().is_ok() && !args.force {
        bail!("{} exists; --force overwrites it", file.display());
    }
    let project = DetectedProject::of(&here);
    if project.sources.is_empty() {
        bail!("no CUDA source (.cu) under {}: give the project's folder", here.display());
    }
    let nvcc = session::real_nvcc(&config::Config::default());
    let text = settings(&project, nvcc.as_deref());
    // The file is written completely or not at all.
    let mut made =
        tempfile::NamedTempFile::new_in(&here).with_context(|| format!("cannot write {}", here.display()))?;
    std::io::Write::write_all(&mut made, text.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))?;
    let saved = if args.force { made.persist(&file) } else { made.persist_noclobber(&file) };
    let written = saved.with_context(|| format!("cannot write {}", file.display()))?;
    readable(&written).with_context(|| format!("cannot write {}", file.display()))?;
    output::print(&said(&project, nvcc.as_deref(), &file));
    if nvcc.is_some() {
        // The first build may follow in a moment.
        warm::start_in_background();
    }
    Ok(Status::Clean)
}

/// Lets everyone who can read the project read the file: temporary files are readable by their owner only.
fn readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// Returns the message about the written file.
fn said(project: &DetectedProject, nvcc: Option<&Path>, file: &Path) -> String {
    let mut out = format!("{}: {}\n", file.display(), summary(project));
    if nvcc.is_none() {
        out.push_str("no nvcc was found: put it into PATH, or name it by `path` under [nvcc] there\n");
    }
    if let Some(all) = Installation::own().and_then(|i| i.document("scuba.toml.example")) {
        let _ = writeln!(out, "all settings: {}", all.display());
    }
    let _ =
        writeln!(out, "next:\n{}", next(project).lines().map(|l| format!("    {l}\n")).collect::<String>().trim_end());
    out
}

/// Returns one line about the project.
fn summary(project: &DetectedProject) -> String {
    let shape = match project.shape {
        ProjectKind::Program if project.mains.len() > 1 => format!("{} programs", project.mains.len()),
        ProjectKind::Program => "a program".to_owned(),
        ProjectKind::Library => "a library without `main`".to_owned(),
        ProjectKind::Extension => "an extension of PyTorch".to_owned(),
    };
    let builds: Vec<&str> = project.builds.iter().map(BuildSystem::name).collect();
    let by = if builds.is_empty() { "no known build system".to_owned() } else { builds.join(", ") };
    let units = match project.sources.len() {
        1 => "1 CUDA source".to_owned(),
        n => format!("{}{n} CUDA sources", if project.cut { "at least " } else { "" }),
    };
    format!("{shape}, {units}, {by}")
}

/// Returns the commands that lead to the first verdicts.
fn next(project: &DetectedProject) -> String {
    match project.builds.first() {
        Some(BuildSystem::CMake { preset: Some(p) }) => {
            format!("cmake --preset {p}\nscuba build -- cmake --build --preset {p}")
        }
        Some(BuildSystem::CMake { preset: None }) => match &project.configured {
            Some(folder) => format!("scuba build -- cmake --build {folder}"),
            None => "cmake -B build\nscuba build -- cmake --build build".into(),
        },
        Some(BuildSystem::Meson) => "meson setup build\nscuba build -- meson compile -C build".into(),
        Some(BuildSystem::ScikitBuild | BuildSystem::Setuptools) => {
            "scuba build -- pip install --no-build-isolation .".into()
        }
        Some(BuildSystem::Bazel) => "scuba build -- bazel build --spawn_strategy=local //...".into(),
        Some(BuildSystem::Make) => "scuba build -- make".into(),
        None => checks(project),
    }
}

/// Returns the commands that check sources without a build: one for each program, which is a source with `main` and all
/// sources without.
fn checks(project: &DetectedProject) -> String {
    let (mains, others): (Vec<&str>, Vec<&str>) =
        project.sources.iter().map(String::as_str).partition(|s| project.mains.iter().any(|m| m == s));
    let command = |sources: Vec<&str>| {
        let more = if sources.len() > NAMED_SOURCES { " …" } else { "" };
        let named: Vec<_> = sources.into_iter().take(NAMED_SOURCES).map(shell_word).collect();
        format!("scuba check {}{more} -- -std=c++17", named.join(" "))
    };
    if mains.len() < 2 {
        return command(project.sources.iter().map(String::as_str).collect());
    }
    let programs = mains.iter().take(NAMED_PROGRAMS);
    programs
        .map(|main| command(std::iter::once(*main).chain(others.iter().copied()).collect()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Quotes a path for the shell, if it needs that.
fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// Returns the contents of scuba.toml: settings for this project, and those likely to change, each with a comment.
fn settings(project: &DetectedProject, nvcc: Option<&Path>) -> String {
    let mut out = format!(
        "# Settings of SCuBA for this project ({}).\n\
         # Next: {}\n",
        summary(project),
        next(project).replace('\n', " && ")
    );
    section(&mut out, "nvcc", "The real nvcc, if not the one of the build, CUDA_HOME or PATH.");
    match nvcc {
        Some(p) => {
            let _ = writeln!(out, "# Found: {}\n#path = {}", p.display(), quoted(&p.to_string_lossy()));
        }
        None => out.push_str("# None was found.\n#path = \"/usr/local/cuda/bin/nvcc\"\n"),
    }
    section(&mut out, "levels", "Level of proved findings by rule (`scuba explain RULE`): allow, note, warn or deny.");
    out.push_str("#all = \"warn\"          # to begin with, in a large project\n#index-overflow = \"warn\"\n");
    section(
        &mut out,
        "entry",
        match project.shape {
            ProjectKind::Program => {
                "Host functions that other code calls, such as a library's: checked for all arguments."
            }
            ProjectKind::Library => {
                "There is no `main`: without entry points only kernels are checked, each for any launch. Host functions named here are\n\
             # checked for all arguments; `scuba contracts` lists what they require of them."
            }
            ProjectKind::Extension => {
                "Operators that TORCH_LIBRARY or PYBIND11_MODULE register are entry points automatically. Other functions that outside code calls:"
            }
        },
    );
    out.push_str(if project.shape == ProjectKind::Library {
        "exports = true          # all functions exported under C names\n#functions = [\"launch_*\"]\n"
    } else {
        "#functions = [\"launch_*\"]\n"
    });
    out.push_str("\n# Assumed facts, as C expressions over main's inputs or a function's parameters.\n#[[assume]]\n#expr = \"n % 16 == 0\"\n#function = \"launch\"\n");
    if project.foreign.is_empty() {
        out.push_str("\n# Accepted findings, by rule (or all) and path.\n#[[allow]]\n#rule = \"all\"\n#path = \"third_party/**\"\n#reason = \"not ours\"\n");
    } else {
        out.push_str("\n# Third-party code: analysed with the rest, but its findings are accepted. `[scope] exclude` would not analyse it:\n# what depends on it is then safe only under an assumption.\n");
        for folder in &project.foreign {
            let pattern = quoted(&format!("{folder}/**"));
            let _ = writeln!(out, "[[allow]]\nrule = \"all\"\npath = {pattern}\nreason = \"third-party code\"");
        }
    }
    section(
        &mut out,
        "build",
        "Commands that wait for verdicts: compile, link, or never (then `scuba check` and the end of `scuba build` check).",
    );
    out.push_str("#check = \"compile\"\n");
    section(&mut out, "baseline", "Findings recorded by `scuba baseline --write` are not reported again.");
    out.push_str("#path = \"scuba-baseline.json\"\n");
    out
}

fn section(out: &mut String, name: &str, comment: &str) {
    let _ = write!(out, "\n# {comment}\n[{name}]\n");
}

/// Quotes a string for TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn project(shape: ProjectKind, builds: Vec<BuildSystem>, foreign: &[&str]) -> DetectedProject {
        DetectedProject {
            shape,
            builds,
            sources: vec!["a.cu".into(), "src/b.cu".into()],
            mains: vec!["a.cu".into()],
            cut: false,
            foreign: foreign.iter().map(|f| (*f).to_owned()).collect(),
            configured: None,
        }
    }

    #[test]
    fn what_is_written_is_read_as_settings() {
        for shape in [ProjectKind::Program, ProjectKind::Library, ProjectKind::Extension] {
            for foreign in [&[][..], &["third_party", "a \"b\" \\c"]] {
                for nvcc in [None, Some(PathBuf::from("/opt/cuda \"13\"/bin/nvcc"))] {
                    let text = settings(&project(shape, vec![BuildSystem::Make], foreign), nvcc.as_deref());
                    let dir = tempfile::tempdir().unwrap();
                    std::fs::write(dir.path().join(NAME), &text).unwrap();
                    let config = config::load(&dir.path().join(NAME)).unwrap_or_else(|e| panic!("{e}\n{text}"));
                    assert_eq!(config.allow.len(), foreign.len(), "{text}");
                    assert_eq!(config.entry.exports, shape == ProjectKind::Library);
                    // The lines that are commented out have to be valid, too.
                    let all: String = text
                        .lines()
                        .map(|l| {
                            let setting = l.strip_prefix('#').filter(|r| !r.starts_with(' '));
                            format!("{}\n", setting.unwrap_or(l))
                        })
                        .collect();
                    std::fs::write(dir.path().join(NAME), &all).unwrap();
                    config::load(&dir.path().join(NAME)).unwrap_or_else(|e| panic!("{e}\n{all}"));
                }
            }
        }
    }

    #[test]
    fn the_next_command_is_that_of_the_build() {
        let next = |builds| next(&project(ProjectKind::Program, builds, &[]));
        assert_eq!(next(vec![]), "scuba check a.cu src/b.cu -- -std=c++17");
        let two = DetectedProject {
            sources: vec!["a.cu".into(), "b c.cu".into(), "k.cu".into()],
            mains: vec!["a.cu".into(), "b c.cu".into()],
            ..project(ProjectKind::Program, vec![], &[])
        };
        assert_eq!(super::next(&two), "scuba check a.cu k.cu -- -std=c++17\nscuba check 'b c.cu' k.cu -- -std=c++17");
        assert!(summary(&two).starts_with("2 programs, 3 CUDA sources,"));
        assert_eq!(next(vec![BuildSystem::Make]), "scuba build -- make");
        assert_eq!(
            next(vec![BuildSystem::CMake { preset: Some("release".into()) }, BuildSystem::Make]),
            "cmake --preset release\nscuba build -- cmake --build --preset release"
        );
    }
}
