//! Corrected copies of sources that nvcc accepts and clang rejects for reasons of form alone.
//!
//! In: clang's messages. Out: an overlay file for `-ivfsoverlay`, under which clang reads the copy by the original's
//! name. Line numbers do not change. The user's files are not touched.
//!
//! The corrected forms are:
//!
//! - a `%` in inline assembly without an operand number, which nvcc takes literally (`%tid.x`) and clang wants as
//!   `%%tid.x`;
//! - operands of inline assembly without a comma between them, or that are strings (`"C"(name)`: PTX inline assembly
//!   guide 13.0, "Constraints");
//! - a shared variable whose type has a constructor (`__shared__ cuda::barrier<...> b;`), of which nvcc warns and which
//!   it leaves uninitialised;
//! - the address of a device function in host code ([`super::device_functions`]);
//! - constructors of the device that host templates call ([`super::device_constructors`]);
//! - launches with blanks between their brackets ([`super::spread_launches`]);
//! - bodies of kernels that the host side cannot compile ([`super::kernel_bodies`]);
//! - bodies of templates that the device side does not need ([`super::template_bodies`]);
//! - `#pragma unroll` where clang takes none ([`super::unrolling`]);
//! - initialised variables that a jump goes past ([`super::bypassed`]);
//! - types of braced lists in launches, `template`, ambiguous operators, objects that go through an ellipsis, and
//!   attributes of functions that are declared again, are specialisations or depend on the side, `__restrict__` of
//!   numbers, and declarations of built-in variables ([`super::insertions`]).

use super::assembly_text::{escape_percents, with_commas, without_texts};
use super::bypassed;
use super::device_constructors;
use super::device_functions;
use super::insertions::{self, AmbiguousOperator, TEMPLATE, TokenInsertion};
use super::kernel_bodies;
use super::positions::{SourcePosition, place};
use super::shared_variables::without_constructors;
use super::spread_launches::{self, EXPRESSION};
use super::template_bodies;
use super::unrolling::{self, ErrorPositions};
use files::normalise;
use ir::Side;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// clang's messages (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
const PERCENT: &str = "error: invalid % escape in inline assembly string";
const SHARED: &str = "error: initialization is not supported for __shared__ variables";

/// Message for an operand that is a string to be put into the template.
const TEXT: &str = "error: invalid input constraint 'C' in asm";

/// Message for a missing comma in operands of inline assembly, and for other errors.
const CLOSING: &str = "error: expected ')'";

/// Description of kernel bodies that the host side does not read.
const ONLY_DEVICE: &str = "kernel bodies that only the device side can compile were read only there";

/// Corrected copies of sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// Overlay file for `-ivfsoverlay`.
    pub file: PathBuf,
    /// Descriptions of the corrections.
    pub said: Vec<&'static str>,
    /// Map from original files to their copies.
    copies: BTreeMap<PathBuf, PathBuf>,
    /// Number of attempts so far at correcting an error of clang.
    pub rounds: u32,
}

/// Treatment of template bodies that clang refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateBodies {
    Read,
    /// Device code gets no body that clang refuses outside of an instantiation.
    IfNeeded,
}

/// Corrections of one file.
#[derive(Default)]
struct FileCorrections {
    percents: bool,
    commas: bool,
    /// Declarations of device functions.
    functions: BTreeSet<SourcePosition>,
    /// Errors outside of instantiations on the device side.
    uninstantiated: BTreeSet<SourcePosition>,
    /// Failed instantiations on the host side.
    instantiated: BTreeSet<SourcePosition>,
    /// Errors on the host side.
    refused: BTreeSet<SourcePosition>,
    /// Errors on either side.
    errors: ErrorPositions,
    /// Names of built-in variables that are declared again.
    built_in: BTreeSet<SourcePosition>,
    /// Positions of shared variables.
    shared: BTreeSet<SourcePosition>,
    /// Positions where an expression was expected.
    expressions: BTreeSet<SourcePosition>,
    /// Dependent names without `template`, each with the position of its qualifiers.
    templates: BTreeSet<(SourcePosition, String)>,
    operators: BTreeSet<AmbiguousOperator>,
    /// Positions of objects that are passed through an ellipsis.
    passed: BTreeSet<SourcePosition>,
    /// Positions of functions that another declaration gives to both sides.
    redeclared: BTreeSet<SourcePosition>,
    /// Positions of function templates and of their specialisations with other attributes.
    specialised: BTreeSet<SourcePosition>,
    /// Positions of `__restrict__` where it has no meaning.
    restricted: BTreeSet<SourcePosition>,
    /// Positions of initialised variables that a jump goes past.
    bypassed: BTreeSet<SourcePosition>,
    /// Positions of constructors of the device that the host calls.
    constructors: BTreeSet<SourcePosition>,
    /// Positions of functions that are called from the other side.
    one_sided: BTreeSet<SourcePosition>,
    /// Positions of constraints for string operands.
    texts: BTreeSet<SourcePosition>,
}

/// Returns an overlay that corrects the files of clang's errors, in addition to earlier corrections; `None` if no error
/// can be corrected. The messages have their ranges.
pub(super) fn overlay(
    (side, stderr): (Side, &str),
    (directory, folder): (&Path, &Path),
    before: Option<&Overlay>,
    bodies: TemplateBodies,
) -> Option<Overlay> {
    let mut overlay = before.cloned().unwrap_or_else(|| Overlay {
        file: folder.join("overlay.json"),
        said: vec![],
        copies: BTreeMap::new(),
        rounds: 0,
    });
    overlay.rounds += 1;
    let mut corrected = false;
    let read = |file: &Path| std::fs::read(overlay.copies.get(file).map_or(file, PathBuf::as_path)).ok();
    let mut complaints = complaints(side, stderr, directory, &read);
    if side == Side::Device && bodies == TemplateBodies::IfNeeded {
        for (file, place) in template_bodies::uninstantiated(&insertions::without_ranges(stderr)) {
            complaints.entry(normalise(directory, &file)).or_default().uninstantiated.insert(place);
        }
    }
    for (file, complaints) in &complaints {
        let Ok(original) = std::fs::read(overlay.copies.get(file).unwrap_or(file)) else { continue };
        let (text, said) = correct(original.clone(), complaints);
        if text == original {
            continue;
        }
        corrected = true;
        overlay.said.extend(said);
        // A new name in each iteration: clang's errors refer to the previous copy.
        let copy = folder.join(format!("corrected-{}-{}", overlay.rounds, overlay.copies.len()));
        std::fs::write(&copy, text).ok()?;
        overlay.copies.insert(file.clone(), copy);
    }
    if !corrected {
        return None;
    }
    overlay.said.sort_unstable();
    overlay.said.dedup();
    let root = |(file, copy)| serde_json::json!({"type": "file", "name": file, "external-contents": copy});
    let roots: Vec<_> = overlay.copies.iter().map(root).collect();
    let text = serde_json::json!({"version": 0, "use-external-names": false, "roots": roots}).to_string();
    std::fs::write(&overlay.file, text).ok()?;
    Some(overlay)
}

/// Collects clang's errors that may be corrected, by file.
fn complaints(
    side: Side,
    stderr: &str,
    directory: &Path,
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> BTreeMap<PathBuf, FileCorrections> {
    let mut files: BTreeMap<PathBuf, FileCorrections> = BTreeMap::new();
    for (file, operator) in insertions::ambiguous(stderr) {
        let (declared_in, at) = &operator.candidate;
        let source = read(&normalise(directory, declared_in));
        let is_member = match source.and_then(|s| insertions::parameters(&s, *at, &operator.symbol)) {
            Some(1) => true,
            Some(2) => false,
            _ => continue,
        };
        let complaints = files.entry(normalise(directory, &file)).or_default();
        complaints.operators.insert(AmbiguousOperator { is_member, ..operator });
    }
    let stderr = &insertions::without_ranges(stderr);
    for (file, object) in insertions::passed(stderr) {
        files.entry(normalise(directory, &file)).or_default().passed.insert(object);
    }
    for (file, place) in insertions::built_in(stderr) {
        files.entry(normalise(directory, &file)).or_default().built_in.insert(place);
    }
    for (file, place) in insertions::redeclared(stderr) {
        files.entry(normalise(directory, &file)).or_default().redeclared.insert(place);
    }
    for (file, place) in insertions::restricted(stderr) {
        files.entry(normalise(directory, &file)).or_default().restricted.insert(place);
    }
    for (file, place) in bypassed::variables(stderr) {
        files.entry(normalise(directory, &file)).or_default().bypassed.insert(place);
    }
    for (file, place) in insertions::specialised(stderr) {
        files.entry(normalise(directory, &file)).or_default().specialised.insert(place);
    }
    if side == Side::Host {
        for (file, place) in insertions::one_sided(stderr) {
            files.entry(normalise(directory, &file)).or_default().one_sided.insert(place);
        }
        for (file, place) in device_constructors::called(stderr) {
            files.entry(normalise(directory, &file)).or_default().constructors.insert(place);
        }
        for (file, place) in kernel_bodies::instantiated(stderr) {
            files.entry(normalise(directory, &file)).or_default().instantiated.insert(place);
        }
        for (file, place) in kernel_bodies::refused(stderr) {
            files.entry(normalise(directory, &file)).or_default().refused.insert(place);
        }
    }
    for (file, error) in unrolling::errors(stderr) {
        files.entry(normalise(directory, &file)).or_default().errors.insert(error);
    }
    for (file, function) in device_functions::mentioned(stderr) {
        files.entry(normalise(directory, &file)).or_default().functions.insert(function);
    }
    let known = [PERCENT, SHARED, CLOSING, EXPRESSION, TEXT, TEMPLATE];
    for line in stderr.lines().filter(|l| known.iter().any(|known| l.contains(known))) {
        let Some((file, line_number, column)) = place(line) else { continue };
        let complaints = files.entry(normalise(directory, file)).or_default();
        if line.contains(PERCENT) {
            complaints.percents = true;
        } else if line.contains(CLOSING) {
            complaints.commas = true;
        } else if line.contains(EXPRESSION) {
            complaints.expressions.insert((line_number, column));
        } else if let Some((_, name)) = line.split_once(TEMPLATE) {
            complaints.templates.insert(((line_number, column), name.trim_matches([' ', '\'']).to_owned()));
        } else if line.contains(TEXT) {
            complaints.texts.insert((line_number, column));
        } else {
            complaints.shared.insert((line_number, column));
        }
    }
    files
}

/// A correction of a text, with its description.
type DescribedCorrection<'a> = (&'static str, Box<dyn Fn(&[u8]) -> Vec<u8> + 'a>);

/// Returns the corrections that move what follows on a line, in the order in which they are tried.
fn moving_corrections(complaints: &FileCorrections) -> Vec<DescribedCorrection<'_>> {
    type Insert<P> = fn(&[u8], &BTreeSet<P>) -> Vec<TokenInsertion>;
    fn by<'a, P>(what: &'static str, find: Insert<P>, places: &'a BTreeSet<P>) -> DescribedCorrection<'a> {
        (what, Box::new(move |text| insertions::inserted(text, find(text, places))))
    }
    vec![
        (
            "launch brackets were read as if without blanks between them",
            Box::new(|text| spread_launches::together(text, &complaints.expressions)),
        ),
        by(
            "braced lists in launch configurations were read with the types of their parameters",
            insertions::configurations,
            &complaints.expressions,
        ),
        by(
            "member templates of dependent types were read with the keyword `template`",
            insertions::templates,
            &complaints.templates,
        ),
        by(
            "operators that clang calls ambiguous were read as nvcc resolves them",
            insertions::named,
            &complaints.operators,
        ),
        by(
            "objects were passed through an ellipsis by their bytes, as nvcc passes them",
            insertions::as_bytes,
            &complaints.passed,
        ),
        by(
            "functions declared again without attributes were read for both sides, as nvcc takes them",
            insertions::attributes,
            &complaints.redeclared,
        ),
        by(
            "specialisations with other attributes than their templates were read for both sides, with these",
            insertions::attributes,
            &complaints.specialised,
        ),
        by(
            "`__restrict__` at types that are no pointers was left out",
            insertions::unrestricted,
            &complaints.restricted,
        ),
        by("initialisers that a jump goes past were read as assignments", bypassed::split, &complaints.bypassed),
        by(
            "constructors of the device that host templates call were read for both sides",
            device_constructors::of_both_sides,
            &complaints.constructors,
        ),
        by(
            "functions whose attributes depend on the side were read for both sides",
            insertions::attributes,
            &complaints.one_sided,
        ),
        by(
            "declarations of built-in variables were read as those of other variables",
            insertions::renamed,
            &complaints.built_in,
        ),
        (
            "device functions whose address the host takes were read as unknown host functions",
            Box::new(|text| device_functions::declared_for_the_host(text, &complaints.functions)),
        ),
    ]
}

/// Applies all corrections to a text, and returns descriptions of those that changed it.
fn correct(original: Vec<u8>, complaints: &FileCorrections) -> (Vec<u8>, Vec<&'static str>) {
    let mut said = vec![];
    let mut text = original;
    let mut take = |text: &mut Vec<u8>, new: Vec<u8>, what: &'static str| {
        if new != *text {
            said.push(what);
            *text = new;
        }
    };
    // These corrections move nothing.
    let new = unrolling::without_refused(&text, &complaints.errors);
    take(&mut text, new, "pragmas for unrolled loops were left out where clang refuses them");
    let new = without_texts(&text, &complaints.texts);
    take(&mut text, new, "inline assembly with string operands was read as unknown instructions");
    let new = kernel_bodies::emptied(&text, &complaints.instantiated);
    take(&mut text, new, ONLY_DEVICE);
    let new = without_constructors(&text, &complaints.shared);
    let bare = new != text;
    take(&mut text, new, "shared variables were read as nvcc compiles them, without their constructors");
    // Positions refer to the text as clang read it: of what moves them only the first correction is made.
    let moving = (!bare).then(|| moving_corrections(complaints)).into_iter().flatten();
    let first = moving.map(|(what, corrected)| (what, corrected(&text))).find(|(_, new)| *new != text);
    if let Some((what, new)) = first {
        take(&mut text, new, what);
    }
    if complaints.percents {
        let new = escape_percents(&text);
        take(&mut text, new, "inline assembly was read with `%` as nvcc reads it");
    }
    if complaints.commas {
        let new = with_commas(&text);
        take(&mut text, new, "operands of inline assembly were read with commas between them");
    }
    if said.is_empty() {
        let new = kernel_bodies::emptied(&text, &complaints.refused);
        if new != text {
            said.push(ONLY_DEVICE);
            text = new;
        }
    }
    if said.is_empty() {
        let new = template_bodies::removed(&text, &complaints.uninstantiated);
        if new != text {
            said.push("bodies of templates that clang refuses were read as unknown functions");
            text = new;
        }
    }
    (text, said)
}

/// Returns the length up to the parenthesis that closes an open one.
pub(super) fn parenthesis(s: &[u8]) -> Option<usize> {
    let mut depth = 1;
    for (i, b) in s.iter().enumerate() {
        match b {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Returns the end of the comment, string or character that begins at `at`; `at` itself if none does.
pub(super) fn skip_text(s: &[u8], at: usize) -> usize {
    let find = |needle: &[u8], from: usize| {
        s[from.min(s.len())..]
            .windows(needle.len())
            .position(|w| w == needle)
            .map_or(s.len(), |p| from + p + needle.len())
    };
    match s[at..] {
        [b'/', b'/', ..] => find(b"\n", at),
        [b'/', b'*', ..] => find(b"*/", at + 2),
        [b'R', b'"', ..] => {
            let delimiter = s[at + 2..].iter().take(17).position(|b| *b == b'(');
            delimiter.map_or(at, |n| find(&[b")", &s[at + 2..at + 2 + n], b"\""].concat(), at + 2 + n))
        }
        [quote @ (b'"' | b'\''), ..] => {
            let mut i = at + 1;
            while i < s.len() && s[i] != quote && s[i] != b'\n' {
                i += if s[i] == b'\\' { 2 } else { 1 };
            }
            (i + 1).min(s.len())
        }
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_behind_a_correction_is_corrected_in_the_copy() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.cu");
        std::fs::write(&source, "asm(\"mov %0, %tid.x;\" : \"=r\"(a) \"r\"(b));").unwrap();
        let refused = |what: &str| format!("{}:1:30: {what}", source.display());
        let correct = |what, before| {
            let folders = (folder.path(), folder.path());
            overlay((Side::Device, refused(what).as_str()), folders, before, TemplateBodies::Read)
        };
        let first = correct(CLOSING, None).unwrap();
        let second = correct(PERCENT, Some(&first)).unwrap();
        let copy = std::fs::read_to_string(&second.copies[&source]).unwrap();
        assert_eq!(copy, "asm(\"mov %0, %%tid.x;\" : \"=r\"(a) ,\"r\"(b));");
        assert_eq!((second.rounds, second.said.len()), (2, 2));
        assert!(std::fs::read_to_string(&second.file).unwrap().contains("corrected-2"));
        assert_eq!(correct(PERCENT, Some(&second)), None, "nothing is left");
    }

    fn bare(s: &str, places: &[(usize, usize)]) -> String {
        String::from_utf8(without_constructors(s.as_bytes(), &places.iter().copied().collect())).unwrap()
    }

    #[test]
    fn shared_variables_lose_their_constructors() {
        assert_eq!(
            bare("void f() {\n#pragma one\n  static __shared__ alignas(16) B<int, 2> b; g(b);\n}", &[(3, 43)]),
            "void f() {\n#pragma one\ntypedef B<int, 2> scuba_type_b;   static __shared__ alignas(16) scuba_uninitialised<scuba_type_b> scuba_shared_b; auto &b = scuba_shared_b.value; g(b);\n}"
        );
        assert_eq!(
            bare("{ __shared__ V a[4][N+1]; __shared__\nV c{}; }", &[(1, 16), (2, 3)]),
            "{typedef V scuba_type_a[4][N+1];  __shared__ scuba_uninitialised<scuba_type_a> scuba_shared_a; auto &a = scuba_shared_a.value;typedef V scuba_type_c;  __shared__ scuba_uninitialised<scuba_type_c> scuba_shared_c; auto &c = scuba_shared_c.value\n; }"
        );
        assert_eq!(
            bare("{ __shared__ V a[4 * (n + f<1, 2>())] = {}; }", &[(1, 16)]),
            "{typedef V scuba_type_a[4 * (n + f<1, 2>())];  __shared__ scuba_uninitialised<scuba_type_a> scuba_shared_a; auto &a = scuba_shared_a.value; }"
        );
        for s in ["{ __shared__ V a[2]{}, b; }", "{ __shared__ V a, b; }", "{ SHARED(V, a); }", "{ __shared__ V "] {
            assert_eq!(bare(s, &[(1, 16)]), s);
        }
    }
}
