//! Values that options of a command line take beyond the first, as `-l ROWS COLUMNS` does.
//!
//! In: a command line that a model gives, on which each option has one value, and with which the program launches
//! nothing. Out: one with which it launches something. What the model says of further values is not known; a run
//! decides.

use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{InputSource, SymKind};
use rustc_hash::{FxHashMap, FxHashSet};
use witness::ConcreteInputs;

/// Most values of an option beyond its first.
const MOST: usize = 3;
/// A further value: most are sizes and counts.
const FURTHER: &str = "1";
/// Most inputs for which a longer command line is kept.
const REMEMBERED: usize = 2000;

/// Options of a program, and the command lines on which they have further values.
#[derive(Clone)]
pub(super) struct OptionValues {
    /// Options that are followed by their value as an argument of its own.
    options: FxHashSet<String>,
    known: FxHashMap<ConcreteInputs, Vec<String>>,
}

impl OptionValues {
    /// The options that an execution compared arguments with.
    pub fn of(a: &Arena) -> Self {
        let option = |kind: &SymKind| match kind {
            SymKind::Input(InputSource::Option { word, .. }) => word.strip_suffix(' ').map(str::to_owned),
            _ => None,
        };
        Self { options: a.symbols().iter().filter_map(|s| option(&s.kind)).collect(), known: FxHashMap::default() }
    }

    /// Splits a command line into what comes before its options, and each option with its value; `None` without options.
    pub fn parts_of(&self, argv: &[String]) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        let begins: Vec<usize> = (0..argv.len()).filter(|i| self.options.contains(&argv[*i])).collect();
        let first = *begins.first()?;
        let ends = begins.iter().copied().skip(1).chain([argv.len()]);
        let options = begins.iter().zip(ends).map(|(begin, end)| argv[*begin..end].to_vec()).collect();
        Some((argv[..first].to_vec(), options))
    }

    /// Gives inputs the command line with further values that is known for them.
    pub fn complete(&self, inputs: &mut ConcreteInputs) {
        if !self.known.is_empty()
            && let Some(argv) = self.known.get(inputs)
        {
            inputs.argv.clone_from(argv);
        }
    }

    pub fn note(&mut self, inputs: ConcreteInputs, argv: Vec<String>) {
        if self.known.len() < REMEMBERED {
            self.known.insert(inputs, argv);
        }
    }
}

/// Gives each option the fewest further values with which it launches something by itself; `None` if none needs any.
pub(super) fn with_further(
    (first, options): (Vec<String>, Vec<Vec<String>>),
    launches: &mut impl FnMut(&[String]) -> bool,
) -> Option<Vec<String>> {
    let (mut argv, mut any) = (first.clone(), false);
    for option in options {
        let longer = |n: usize| [&option[..], &vec![FURTHER.to_owned(); n]].concat();
        let n = (0..=MOST).find(|n| launches(&[&first[..], &longer(*n)].concat())).unwrap_or(0);
        any |= n > 0;
        argv.extend(longer(n));
    }
    any.then_some(argv)
}

#[cfg(test)]
mod tests {
    use super::{OptionValues, with_further};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind};

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    /// `-l A B`, `-z C` and `-t A B C`, in any order, behind a file name.
    fn accepts(argv: &[String]) -> bool {
        let mut rest = argv[1..].iter();
        while let Some(word) = rest.next() {
            let n = match word.as_str() {
                "-l" => 2,
                "-z" => 1,
                "-t" => 3,
                _ => return false,
            };
            for _ in 0..n {
                if rest.next().is_none_or(|v| v.parse::<u32>().is_err()) {
                    return false;
                }
            }
        }
        true
    }

    #[test]
    fn options_have_as_many_values_as_the_program_reads() {
        let mut a = Arena::new();
        for (ordinal, word) in ["-l ", "-z ", "-t ", "-n"].into_iter().enumerate() {
            let ordinal = u32::try_from(ordinal).unwrap();
            let source = InputSource::Option { ordinal, word: word.to_owned() };
            a.fresh(SymKind::Input(source), word, Interval::ANY);
        }
        let options = OptionValues::of(&a);
        let longer =
            |argv: &str| with_further(options.parts_of(&words(argv))?, &mut accepts).map(|argv| argv.join(" "));
        assert_eq!(longer("in -l 32 -z 5 -t 7").unwrap(), "in -l 32 1 -z 5 -t 7 1 1");
        assert_eq!(longer("in -z 5"), None);
        assert_eq!(longer("in -n5"), None);
    }
}
