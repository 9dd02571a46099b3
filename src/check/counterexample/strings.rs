//! Strings that a caller gives an operator (`reduce="sum"`): any string in the program that resembles a name.
//!
//! In: the root's parameters and the strings that it reaches. Out: contents of the string parameters, by a number
//! that encodes the choice. They are guesses, as the sizes of small tensors are; a run decides.

use finding::{HeldScalar, HeldValue};
use ir::initialisers::Initialisers;
use ir::{FuncRef, Program};
use models::views::is_text;

/// The strings of a root.
#[derive(Clone, Debug, Default)]
pub(super) struct RootStrings {
    /// Names of parameters.
    strings: Vec<String>,
    /// Possible contents; at least one where there are string parameters.
    choices: Vec<String>,
}

impl RootStrings {
    pub fn of(program: &Program, root: FuncRef) -> Self {
        let f = program.func(root);
        let is_string = |name: &str, class: Option<&str>| class.or_else(|| f.declared_type(name)).is_some_and(is_text);
        let strings: Vec<String> = f
            .params
            .iter()
            .filter(|p| p.sret.is_none() && is_string(&p.name, p.class.as_deref()))
            .map(|p| p.name.clone())
            .collect();
        if strings.is_empty() {
            return Self::default();
        }
        let mut choices = Initialisers::before(program, root).strings;
        if choices.is_empty() {
            choices.push(String::new());
        }
        Self { strings, choices }
    }

    /// Returns the strings' contents for a choice, whose digits select one for each string.
    pub fn held(&self, mut choice: usize) -> Vec<HeldScalar> {
        let mut out = vec![];
        for name in &self.strings {
            let text = self.choices[choice % self.choices.len()].clone();
            choice /= self.choices.len();
            out.push(HeldScalar { object: name.clone(), at: 0, what: HeldValue::Text(text) });
        }
        out
    }

    /// Returns the strings' contents for display.
    pub fn shown(&self, choice: usize) -> impl Iterator<Item = (String, String)> + use<> {
        let text =
            |h: HeldScalar| if let HeldValue::Text(text) = h.what { format!("\"{text}\"") } else { String::new() };
        self.held(choice).into_iter().map(move |h| (h.object.clone(), text(h)))
    }
}
