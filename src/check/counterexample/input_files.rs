//! Files and standard input of a witness, from a model.
//!
//! In: the program's reads (files, positions), and a model. Out: contents. Where the model says nothing, binary files
//! hold 0 and text files hold `1`.

use crate::solver::Model;
use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{FileName, FilePart, InputSource, SymId, SymKind, Term, TermId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Largest file of a witness, in bytes or words.
const MAX: i128 = 1 << 20;
/// Bytes of a file that are told.
const SHOWN: usize = 16;
/// Spare length, in bytes and in words, of a file whose end of reading is unknown.
const SPARE: [i128; 2] = [4096, 256];

/// Files that a program reads, as far as the execution was followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadFiles {
    files: Vec<FileName>,
    /// End offset of reading, by file number.
    ends: Vec<(u32, FilePart, TermId)>,
}

/// Contents of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InputFileContents {
    pub stdin: Vec<u8>,
    /// Contents by the name under which the program opens the file.
    pub named: BTreeMap<String, Vec<u8>>,
    /// Arguments that name files.
    pub argv: BTreeMap<u32, String>,
    /// Reason why the contents are incomplete with respect to the model.
    pub missing: Option<UnknownReason>,
}

/// A model's values for one file: bytes by offset (with their width in bits), words by ordinal, and its size.
#[derive(Default)]
struct FileValues {
    bytes: BTreeMap<i128, (u32, i128)>,
    words: BTreeMap<i128, i128>,
    size: Option<i128>,
}

impl ReadFiles {
    pub fn by(e: &Executor<'_>) -> Self {
        let mut ends = e.inputs.file_ends.clone();
        ends.sort_unstable();
        ends.dedup();
        Self { files: e.inputs.files.clone(), ends }
    }

    /// Builds the contents of all files; `numbers` are the arguments that the program also reads as numbers.
    pub fn contents(
        &self,
        a: &Arena,
        inputs: &[(InputSource, i128)],
        model: &Model,
        numbers: &BTreeMap<u32, i128>,
    ) -> InputFileContents {
        let mut out = InputFileContents::default();
        for (number, name) in (0u32..).zip(&self.files) {
            let bytes = if let Some(chosen) = model.files.get(&number) {
                Some(chosen.to_vec())
            } else {
                let Some(said) = self.said(number, name, inputs, model) else { continue };
                if said.words.is_empty() {
                    self.binary(a, number, &said, model)
                } else {
                    self.text(a, number, &said, model)
                }
            };
            let Some(bytes) = bytes else {
                out.missing = Some(UnknownReason::FileTooLarge(name.to_string()));
                continue;
            };
            match name {
                FileName::StandardInput => out.stdin = bytes,
                FileName::Literal(n) => {
                    out.named.insert(n.clone(), bytes);
                }
                FileName::Argv(i) => {
                    let n = numbers.get(i).map_or_else(|| format!("input{i}"), ToString::to_string);
                    out.named.insert(n.clone(), bytes);
                    out.argv.insert(*i, n);
                }
                FileName::Unnamed => out.missing = Some(UnknownReason::InputFileName),
            }
        }
        if model.files.is_empty() && inputs.iter().any(|(s, _)| matches!(s, InputSource::Read { .. })) {
            out.missing = Some(UnknownReason::InputFormat);
        }
        out
    }

    /// Returns the beginnings of the files whose contents small runs chose, in the user's terms.
    pub fn chosen(&self, model: &Model) -> Vec<(String, String)> {
        let shown = |bytes: &[u8]| {
            let more = if bytes.len() > SHOWN { "..." } else { "" };
            let begin = &bytes[..bytes.len().min(SHOWN)];
            if begin.is_ascii() && !begin.contains(&0) {
                format!("\"{}{more}\"", begin.escape_ascii())
            } else {
                let hex: Vec<String> = begin.iter().map(|b| format!("{b:02x}")).collect();
                format!("bytes {}{more}", hex.join(" "))
            }
        };
        let named =
            |(number, bytes): (&u32, &Arc<[u8]>)| Some((self.files.get(*number as usize)?.to_string(), shown(bytes)));
        model.files.iter().filter_map(named).collect()
    }

    /// Returns the model's values for elements of files, in the user's terms.
    pub fn elements(&self, model: &Model) -> Vec<(String, String)> {
        let mut found: Vec<(u32, i128, i128, i128, bool)> = model
            .applications
            .iter()
            .filter_map(|((function, args), v)| {
                let [file, bits, at] = args[..] else { return None };
                function.is_file().then_some((
                    u32::try_from(file).ok()?,
                    at,
                    bits,
                    *v,
                    *function == UninterpretedFunction::File,
                ))
            })
            .collect();
        found.sort_unstable();
        found
            .into_iter()
            .filter_map(|(file, at, bits, v, bytes)| {
                let name = self.files.get(file as usize)?;
                Some((
                    if bytes {
                        format!("bytes {at} to {} of {name}", at + bits / 8 - 1)
                    } else {
                        format!("number {} read from {name}", at + 1)
                    },
                    v.to_string(),
                ))
            })
            .collect()
    }

    /// Returns the model's values for a file; `None` where there are none.
    fn said(&self, number: u32, name: &FileName, inputs: &[(InputSource, i128)], model: &Model) -> Option<FileValues> {
        let mut said = FileValues::default();
        for (source, v) in inputs {
            match source {
                InputSource::File { file, at, bits } if file == name => {
                    said.bytes.insert(i128::from(*at), (*bits, *v));
                }
                InputSource::Word { file, ordinal } if file == name => {
                    said.words.insert(i128::from(*ordinal), *v);
                }
                InputSource::FileSize(file) if file == name => said.size = Some(*v),
                _ => {}
            }
        }
        let mut applications: Vec<_> = model.applications.iter().collect();
        // The widest of several values at one offset: it determines most bytes.
        applications.sort_unstable_by(|x, y| y.cmp(x));
        for ((function, args), v) in applications {
            let [file, bits, at] = args[..] else { continue };
            if file != i128::from(number) || at < 0 {
                continue;
            }
            match function {
                UninterpretedFunction::File => {
                    said.bytes.entry(at).or_insert((u32::try_from(bits).unwrap_or(8), *v));
                }
                UninterpretedFunction::Word => {
                    said.words.entry(at).or_insert(*v);
                }
                _ => {}
            }
        }
        (!said.bytes.is_empty() || !said.words.is_empty() || said.size.is_some()).then_some(said)
    }

    /// Returns the end offset of reading under a model, and whether it is certain.
    fn end(&self, a: &Arena, number: u32, part: FilePart, model: &Model) -> (i128, bool) {
        let silent = i128::from(part == FilePart::Words);
        let value = |s: SymId| {
            model.values.get(&s).copied().or_else(|| {
                matches!(&a.symbol(s).kind, SymKind::Input(InputSource::File { .. } | InputSource::Word { .. }))
                    .then_some(silent)
            })
        };
        let apply = |t: TermId, args: &[i128]| {
            let Term::Apply { function, .. } = a.get(t) else { return None };
            model
                .applications
                .get(&(*function, args.to_vec()))
                .copied()
                .or_else(|| function.is_file().then_some(silent))
        };
        let under = Valuation { symbols: &value, apply: &apply, wraps: true };
        let (mut far, mut certain) = (0, true);
        for (_, _, end) in self.ends.iter().filter(|(f, p, _)| *f == number && *p == part) {
            match a.eval_under(&[*end], &under).get(end).copied().flatten() {
                Some(v) => far = far.max(v),
                None => certain = false,
            }
        }
        (far, certain)
    }

    fn binary(&self, a: &Arena, number: u32, said: &FileValues, model: &Model) -> Option<Vec<u8>> {
        let (end, certain) = self.end(a, number, FilePart::Bytes, model);
        let needed = said.bytes.iter().map(|(at, (bits, _))| at + i128::from(bits / 8)).max().unwrap_or(0);
        let size = said.size.unwrap_or_else(|| end.max(needed) + if certain { 0 } else { SPARE[0] });
        let mut out = vec![0u8; usize::try_from(size).ok().filter(|_| size <= MAX)?];
        for (at, (bits, v)) in &said.bytes {
            for (i, byte) in v.to_le_bytes().into_iter().take(usize::try_from(bits / 8).ok()?).enumerate() {
                if let Some(slot) = usize::try_from(*at).ok().and_then(|at| out.get_mut(at + i)) {
                    *slot = byte;
                }
            }
        }
        Some(out)
    }

    fn text(&self, a: &Arena, number: u32, said: &FileValues, model: &Model) -> Option<Vec<u8>> {
        if !said.bytes.is_empty() || said.size.is_some() {
            return None;
        }
        let (end, certain) = self.end(a, number, FilePart::Words, model);
        let needed = said.words.keys().next_back().map_or(0, |last| last + 1);
        let count = end.max(needed) + if certain { 0 } else { SPARE[1] };
        if count > MAX {
            return None;
        }
        Some(
            (0..count)
                .map(|i| said.words.get(&i).copied().unwrap_or(1).to_string() + "\n")
                .collect::<String>()
                .into_bytes(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{InputFileContents, ReadFiles};
    use crate::solver::Model;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::functions::UninterpretedFunction;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{FileName, FilePart, InputSource, SymKind, Term};
    use std::collections::BTreeMap;

    fn contents(
        files: Vec<FileName>,
        ends: Vec<(u32, FilePart, engine::symbolic::terms::term::TermId)>,
        a: &Arena,
        inputs: &[(InputSource, i128)],
        model: &Model,
    ) -> InputFileContents {
        ReadFiles { files, ends }.contents(a, inputs, model, &BTreeMap::new())
    }

    #[test]
    fn a_binary_file_reaches_as_far_as_it_is_read() {
        let mut a = Arena::new();
        let source = InputSource::File { file: FileName::Argv(1), at: 0, bits: 32 };
        let n = a.fresh(SymKind::Input(source.clone()), "n", Interval::of_int(32, true));
        let Term::Sym(s) = *a.get(n) else { unreachable!() };
        // The number of elements, and the elements.
        let end = a.scale(n, 4);
        let end = a.add_const(end, 4);
        let mut model = Model::default();
        model.values.insert(s, 3);
        model.applications.insert((UninterpretedFunction::File, vec![0, 32, 8]), -2);
        let c = contents(vec![FileName::Argv(1)], vec![(0, FilePart::Bytes, end)], &a, &[(source, 3)], &model);
        assert_eq!(c.argv[&1], "input1");
        assert_eq!(c.named["input1"], [3, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        assert_eq!(c.missing, None);
    }

    #[test]
    fn words_that_the_model_leaves_open_are_ones() {
        let a = Arena::new();
        let mut model = Model::default();
        model.applications.insert((UninterpretedFunction::Word, vec![0, 32, 2]), 7);
        let word = |ordinal| InputSource::Word { file: FileName::StandardInput, ordinal };
        let c = contents(vec![FileName::StandardInput], vec![], &a, &[(word(0), 4)], &model);
        assert_eq!(c.stdin, b"4\n1\n7\n");
    }

    #[test]
    fn a_file_without_a_name_is_missing() {
        let a = Arena::new();
        let file = FileName::Unnamed;
        let c =
            contents(vec![file.clone()], vec![], &a, &[(InputSource::Word { file, ordinal: 0 }, 1)], &Model::default());
        assert!(c.missing.is_some());
    }
}
