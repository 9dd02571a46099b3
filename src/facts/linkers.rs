//! Linkers that the makefiles of a folder use.
//!
//! In: the text of makefiles, and the variables that make got on its command line. Out: whether nvcc links, or one of
//! the host's compilers. The shim sees each link by nvcc, and none of the others: a note tells the user so.

use super::recipe::makefiles;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// Variables that override those of a makefile with the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MakeOverrides {
    /// Variables of make's command line: they override each assignment of a makefile without `override`.
    given: BTreeMap<String, String>,
    /// Variables of the environment: they override assignments by `?=`.
    environment: BTreeMap<String, String>,
}

impl MakeOverrides {
    /// Returns the variables of the make that started this process. make passes on its own in `MAKEFLAGS`, which holds
    /// its flags, ` -- `, and the variables with blanks and backslashes escaped (GNU make's manual, "Communicating
    /// Options to a Sub-make").
    #[must_use]
    pub fn of_this_process() -> Self {
        let environment = std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        Self { given: of_flags(&std::env::var("MAKEFLAGS").unwrap_or_default()), environment: environment.collect() }
    }

    /// Applies the overrides to a line, as make does. In an assignment it replaces the value by the overriding one; in
    /// a command it replaces a variable at the beginning by its value.
    fn apply<'l>(&self, line: &'l str) -> Cow<'l, str> {
        if let Some((name, _)) = assignment(line) {
            let only_unset = line.split_once('=').is_some_and(|(name, _)| name.trim_end().ends_with('?'));
            let value = self.given.get(name).or_else(|| self.environment.get(name).filter(|_| only_unset));
            return value.map_or_else(|| line.into(), |value| format!("{name} = {value}").into());
        }
        let Some(first) = line.split_whitespace().next() else { return line.into() };
        let bare = first.trim_start_matches(['@', '-', '+']);
        let inner = |open: &str, close: char| bare.strip_prefix(open).and_then(|n| n.strip_suffix(close));
        // The variable NVCC always names nvcc.
        let name = inner("$(", ')').or_else(|| inner("${", '}')).filter(|n| *n != "NVCC");
        let value = name.and_then(|n| self.given.get(n));
        value.map_or_else(|| line.into(), |value| line.replacen(first, value, 1).into())
    }
}

/// Returns the variables in the value of `MAKEFLAGS`.
fn of_flags(flags: &str) -> BTreeMap<String, String> {
    let text = flags.split_once("-- ").map_or("", |(_, variables)| variables);
    let (mut words, mut word, mut letters) = (Vec::new(), String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => word.extend(letters.next()),
            ' ' => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    let pair = |word: &String| assignment(word).map(|(name, value)| (name.to_owned(), value.replace("$$", "$")));
    words.iter().filter_map(pair).collect()
}

/// Linkers that the makefiles of a folder use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linkers {
    pub nvcc: bool,
    /// Whether one of the host's compilers links.
    pub host: bool,
}

/// Finds the linkers that the makefiles of a folder name, as far as their text and the variables `given` to make show;
/// `None` if there are no makefiles. A recipe links if it runs a compiler without a compile-only flag; a variable set
/// to a compiler (`LD = $(NVCC)`) may link.
#[must_use]
pub fn linkers(directory: &Path, given: &MakeOverrides) -> Option<Linkers> {
    let files = makefiles(directory);
    if files.is_empty() {
        return None;
    }
    let mut found = Linkers::default();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_default().replace("\\\n", " ");
        for line in text.lines().filter(|l| !l.trim_start().starts_with('#')) {
            let line = given.apply(line);
            let by_nvcc = links_by_nvcc(&line);
            found.nvcc |= by_nvcc;
            found.host |= !by_nvcc && links_by_host(&line);
        }
    }
    Some(found)
}

/// Returns the variable that a line of a makefile sets, and its value.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', ' ', '\t']).trim_start();
    (!name.is_empty() && !name.contains([' ', '\t', '$', '@'])).then_some((name, value))
}

fn compiles(line: &str) -> bool {
    let only = |w: &str| {
        matches!(w, "-c" | "-dc" | "-dw" | "-S" | "-E" | "-ptx" | "-cubin" | "-fatbin" | "-M" | "-MM" | "--compile")
    };
    line.split_whitespace().any(only)
}

fn links_by_nvcc(line: &str) -> bool {
    let names_it = ["nvcc", "$(NVCC", "${NVCC"].iter().any(|name| line.contains(name));
    let sets_it = assignment(line).is_some_and(|(name, _)| name == "NVCC");
    let flags_of_it = line.trim_start().starts_with("NVCC_") || line.trim_start().starts_with("NVCCFLAGS");
    names_it && !sets_it && !flags_of_it && !compiles(line)
}

fn links_by_host(line: &str) -> bool {
    let is_compiler = |w: &str| {
        let w = w.trim_start_matches(['@', '-', '+']);
        let variable = |name: &str| w == format!("$({name})") || w == format!("${{{name}}}");
        ["CXX", "CC", "CPP"].into_iter().any(variable)
            || matches!(
                w.rsplit('/').next(),
                Some("g++" | "gcc" | "c++" | "cc" | "clang" | "clang++" | "icpx" | "mpicxx")
            )
    };
    let (variable, command) = assignment(line).map_or((None, line), |(name, value)| (Some(name), value));
    let Some(first) = command.split_whitespace().next() else { return false };
    let writes = command.split_whitespace().any(|w| w == "-o");
    // The values of CXX and CC do not determine the linker.
    let is_linker = variable.is_some_and(|v| matches!(v, "LD" | "LINK" | "LINKER" | "LINK.o" | "LINK.cpp"));
    is_compiler(first) && (is_linker || writes) && !compiles(command)
}

#[cfg(test)]
mod tests {
    use super::{Linkers, MakeOverrides, linkers, of_flags};

    fn write(root: &std::path::Path, name: &str, text: &str) {
        std::fs::write(root.join(name), text).unwrap();
    }

    #[test]
    fn makefiles_tell_whether_nvcc_links() {
        let folder = tempfile::tempdir().unwrap();
        let says = |text: &str| {
            write(folder.path(), "Makefile", text);
            linkers(folder.path(), &MakeOverrides::default()).map(|Linkers { nvcc, host }| (nvcc, host))
        };
        assert_eq!(linkers(folder.path(), &MakeOverrides::default()), None);
        let compile = "NVCC ?= nvcc\nNVCCFLAGS = -ccbin g++\n%.o: %.cu\n\t$(NVCC) $(NVCCFLAGS) -c $< -o $@\n";
        assert_eq!(says(&format!("{compile}app: a.o\n\t$(CXX) -o $@ $^ -lcudart\n")), Some((false, true)));
        assert_eq!(says(&format!("{compile}app: a.o\n\t$(NVCC) -o $@ \\\n  $^\n")), Some((true, false)));
        assert_eq!(says(&format!("{compile}LD = $(NVCC)\napp: a.o\n\t$(LD) -o $@ $^\n")), Some((true, false)));
        let either = "LINK = $(NVCC) -o $@ $^\nifdef HOST\n  LINK = $(CXX) -o $@ $^\nendif\napp: a.o\n\t$(LINK)\n";
        assert_eq!(says(&format!("{compile}{either}")), Some((true, true)));
        let alone = "CXX = g++\nLD := g++\napp: a.o\n\t$(LD) $^ -o $@\nb.o: b.cpp\n\t$(CXX) -c $< -o $@\n";
        assert_eq!(says(&format!("{compile}{alone}")), Some((false, true)));
        assert_eq!(says(&format!("{compile}b.o: b.cpp\n\t@$(CXX) -c $< -o $@\n")), Some((false, false)));
    }

    #[test]
    fn what_make_is_given_counts_before_what_its_makefiles_say() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "LINK = $(CXX)\nLD ?= g++\nNVCC ?= nvcc\napp: a.o\n\t$(LINK) -o $@ $^\n%.o: %.cu\n\t$(NVCC) -c $< -o $@\n";
        std::fs::write(folder.path().join("Makefile"), text).unwrap();
        let says = |flags: &str, environment: &[(&str, &str)]| {
            let environment = environment.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            let Linkers { nvcc, host } =
                linkers(folder.path(), &MakeOverrides { given: of_flags(flags), environment }).unwrap();
            (nvcc, host)
        };
        assert_eq!(says("", &[]), (false, true));
        assert_eq!(
            says(r" -j2 --jobserver-auth=3,4 -- LINK=scuba-nvcc\ -arch=sm_80 LD=$$(LINK) NVCC=x", &[]),
            (true, false)
        );
        assert_eq!(says("w -- LINK=/usr/bin/clang++ LD=nvcc", &[]), (true, true));
        assert_eq!(says("", &[("LINK", "nvcc")]), (false, true), "the makefile sets it");
        assert_eq!(
            of_flags(r"-- A=b\ c\\d B=").into_iter().collect::<Vec<_>>(),
            [("A", r"b c\d"), ("B", "")].map(|(n, v)| (n.to_owned(), v.to_owned()))
        );
    }
}
