//! How docstrings begin: with a noun of the field or a verb, so that each reads right by itself, in rustdoc as in a hover (CONTRIBUTING.md, *Language*).

use crate::root;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Words that need something said before them, or say nothing.
const NEVER: [&str; 39] = [
    "Of", "Those", "It", "Its", "And", "None", "Nothing", "As", "Also", "Only", "But", "Or", "They", "These", "This",
    "Such", "So", "If", "With", "By", "For", "From", "To", "In", "On", "At", "Not", "No", "All", "Both", "Either",
    "Neither", "One", "Another", "Others", "Them", "There", "Same", "Besides",
];
/// Words that begin the docstring of an enum's choice.
const OF_ENUMS: [&str; 9] = ["What", "That", "Where", "Which", "How", "Who", "When", "Why", "Whether"];
/// Derives of clap, which makes help texts of docstrings.
const HELP: [&str; 4] = ["Parser", "Args", "Subcommand", "ValueEnum"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Enum,
    Bool,
    Module,
    Other,
}

#[derive(Default)]
struct Docstrings {
    seen: usize,
    /// First lines of docstrings that begin with a word of the lists.
    wrong: Vec<(usize, String)>,
}

/// The first line of a docstring, and the line of the file that it stands in.
fn first_line(attributes: &[syn::Attribute]) -> Option<(usize, String)> {
    let doc = attributes.iter().find(|a| a.path().is_ident("doc"))?;
    let syn::Meta::NameValue(value) = &doc.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &value.value else { return None };
    Some((text.span().start().line, text.value().trim().to_owned()))
}

fn is_help(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|a| a.path().is_ident("derive")).any(|a| {
        let mut found = false;
        let _ = a.parse_nested_meta(|m| {
            found |= m.path.segments.last().is_some_and(|s| HELP.iter().any(|h| s.ident == h));
            Ok(())
        });
        found
    })
}

fn is_bool(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(p) if p.path.is_ident("bool"))
}

fn of_result(signature: &syn::Signature) -> Kind {
    match &signature.output {
        syn::ReturnType::Type(_, ty) if is_bool(ty) => Kind::Bool,
        _ => Kind::Other,
    }
}

/// Whether a docstring of a kind of item may begin so.
fn may_begin(text: &str, kind: Kind) -> bool {
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    if word == "Whether" && kind == Kind::Bool {
        return true;
    }
    // A module's line may say what becomes of what ("From a model to inputs"), or how many there are.
    let is_way = kind == Kind::Module && ["From", "One", "All"].contains(&&*word);
    (is_way || !NEVER.contains(&&*word)) && (kind == Kind::Enum || !OF_ENUMS.contains(&&*word))
}

impl Docstrings {
    fn of(text: &str) -> Self {
        let mut all = Self::default();
        let file = syn::parse_file(text).unwrap();
        all.look(&file.attrs, Kind::Module);
        all.visit_file(&file);
        all
    }

    fn look(&mut self, attributes: &[syn::Attribute], kind: Kind) {
        if let Some((line, text)) = first_line(attributes) {
            self.seen += 1;
            if !may_begin(&text, kind) {
                self.wrong.push((line, text));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Docstrings {
    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.look(&f.attrs, of_result(&f.sig));
        visit::visit_item_fn(self, f);
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        self.look(&f.attrs, of_result(&f.sig));
        visit::visit_impl_item_fn(self, f);
    }

    fn visit_trait_item_fn(&mut self, f: &'ast syn::TraitItemFn) {
        self.look(&f.attrs, of_result(&f.sig));
        visit::visit_trait_item_fn(self, f);
    }

    fn visit_item_struct(&mut self, s: &'ast syn::ItemStruct) {
        if !is_help(&s.attrs) {
            self.look(&s.attrs, Kind::Other);
            visit::visit_item_struct(self, s);
        }
    }

    fn visit_item_enum(&mut self, e: &'ast syn::ItemEnum) {
        if !is_help(&e.attrs) {
            self.look(&e.attrs, Kind::Enum);
            visit::visit_item_enum(self, e);
        }
    }

    fn visit_field(&mut self, f: &'ast syn::Field) {
        self.look(&f.attrs, if is_bool(&f.ty) { Kind::Bool } else { Kind::Other });
    }

    fn visit_variant(&mut self, v: &'ast syn::Variant) {
        self.look(&v.attrs, Kind::Other);
        visit::visit_variant(self, v);
    }

    fn visit_item_const(&mut self, c: &'ast syn::ItemConst) {
        self.look(&c.attrs, Kind::Other);
    }

    fn visit_impl_item_const(&mut self, c: &'ast syn::ImplItemConst) {
        self.look(&c.attrs, Kind::Other);
    }

    fn visit_item_static(&mut self, s: &'ast syn::ItemStatic) {
        self.look(&s.attrs, Kind::Other);
    }

    fn visit_item_type(&mut self, t: &'ast syn::ItemType) {
        self.look(&t.attrs, Kind::Other);
    }

    fn visit_item_trait(&mut self, t: &'ast syn::ItemTrait) {
        self.look(&t.attrs, Kind::Other);
        visit::visit_item_trait(self, t);
    }
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            files(&entry, out);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            out.push(entry);
        }
    }
}

#[test]
fn docstrings_begin_with_what_they_are_about() {
    let mut all = vec![];
    files(&root().join("src"), &mut all);
    all.sort();
    let (mut seen, mut wrong) = (0, vec![]);
    for file in &all {
        let docstrings = Docstrings::of(&std::fs::read_to_string(file).unwrap());
        seen += docstrings.seen;
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        wrong.extend(docstrings.wrong.into_iter().map(|(line, text)| format!("{name}:{line}: {text}")));
    }
    assert!(seen > 5000, "{seen}");
    assert!(
        wrong.is_empty(),
        "{} docstrings begin with a word that needs another sentence:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_docstring_that_begins_wrongly_is_seen() {
    let text = "//! Of all.\n/// Of a launch.\nfn a() {}\n/// Whether it ends.\nfn b() -> bool { true }\n/// Whether it ends.\nfn c() -> u8 { 1 }\n\
        /// What ends it.\nenum E { /// None of these.\nA }\n/// `Of` is a word.\nconst D: u8 = 1;\n#[derive(clap::ValueEnum)]\nenum H { /// One line.\nA }";
    let found: Vec<String> = Docstrings::of(text).wrong.into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, ["Of all.", "Of a launch.", "Whether it ends.", "None of these."]);
}
