//! The source as modules: what each uses of others, how long its files and functions are. Tests within the source are left out.

use crate::graph::Graph;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

pub struct Source {
    modules: BTreeMap<String, Module>,
}

struct Module {
    file: PathBuf,
    /// From the root of the checkout.
    path: String,
    lines: usize,
    parsed: Parsed,
}

#[derive(Default)]
pub struct Parsed {
    pub uses: BTreeSet<String>,
    pub functions: Vec<Function>,
    /// Names of the structs, enums, unions, traits and aliases that the text declares.
    pub types: Vec<String>,
}

#[derive(Clone)]
pub struct Function {
    pub path: String,
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, out);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            out.push(entry);
        }
    }
}

/// The module of a file below `src`, under the name of its crate; `None` for tests, build scripts, binaries and the root itself.
fn module_of(file: &Path, src: &Path) -> Option<String> {
    let rest = file.strip_prefix(src).ok()?.with_extension("");
    let mut parts: Vec<&str> = rest.iter().map(|p| p.to_str().unwrap()).collect();
    let is_script = parts == ["nvcc", "build"];
    if parts.len() > 1 && matches!(parts.last(), Some(&"mod" | &"lib")) {
        parts.pop();
    }
    let is_test = parts.iter().any(|p| *p == "tests" || p.ends_with("_tests"));
    (!is_test && !is_script && parts[0] != "bin" && parts[0] != "lib").then(|| parts.join("::"))
}

impl Source {
    pub fn read(src: &Path) -> Self {
        let mut all = vec![];
        files(src, &mut all);
        let named: Vec<(String, PathBuf)> = all.into_iter().filter_map(|f| Some((module_of(&f, src)?, f))).collect();
        let names: BTreeSet<String> = named.iter().map(|(m, _)| m.clone()).collect();
        let modules = named.into_iter().map(|(name, file)| {
            let text = std::fs::read_to_string(&file).unwrap();
            let path = format!("src/{}", file.strip_prefix(src).unwrap().display());
            let mut parsed = parse(&name, &text, &names);
            for f in &mut parsed.functions {
                f.path.clone_from(&path);
            }
            (name, Module { file, path, lines: text.lines().count(), parsed })
        });
        Self { modules: modules.collect() }
    }

    pub fn graph(&self) -> Graph {
        self.modules.iter().map(|(name, m)| (name.clone(), m.parsed.uses.clone())).collect()
    }

    pub fn folder(&self, module: &str) -> &Path {
        self.modules[module].file.parent().unwrap()
    }

    pub fn lengths(&self) -> Vec<(String, usize)> {
        self.modules.values().map(|m| (m.path.clone(), m.lines)).collect()
    }

    /// Declared types: the name of each, and the file.
    pub fn types(&self) -> impl Iterator<Item = (&str, &str)> {
        self.modules.values().flat_map(|m| m.parsed.types.iter().map(|name| (name.as_str(), m.path.as_str())))
    }

    pub fn functions(&self) -> Vec<Function> {
        self.modules.values().flat_map(|m| m.parsed.functions.clone()).collect()
    }
}

/// What a module's text uses, and its functions.
pub fn parse(module: &str, text: &str, modules: &BTreeSet<String>) -> Parsed {
    let mut reader = Reader { at: module.split("::").map(str::to_owned).collect(), modules, parsed: Parsed::default() };
    reader.visit_file(&syn::parse_file(text).unwrap_or_else(|e| panic!("{module}: {e}")));
    reader.parsed.uses.remove(module);
    reader.parsed
}

struct Reader<'m> {
    /// The module that the text is in, with the inline ones around the place.
    at: Vec<String>,
    modules: &'m BTreeSet<String>,
    parsed: Parsed,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test") || a.path().is_ident("cfg") && a.parse_args::<syn::Ident>().is_ok_and(|i| i == "test")
    })
}

impl Reader<'_> {
    fn note(&mut self, path: &[String]) {
        let mut here = self.at.clone();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                here.truncate(1);
                rest = &path[1..];
            }
            Some("self") => rest = &path[1..],
            Some("super") => {
                while rest.first().is_some_and(|p| p == "super") {
                    here.pop();
                    rest = &rest[1..];
                }
            }
            // A child, or another crate.
            Some(first) if self.modules.contains(&[self.at.join("::"), first.to_owned()].join("::")) => {}
            _ => return,
        }
        here.extend(rest.iter().cloned());
        while !here.is_empty() && !self.modules.contains(&here.join("::")) {
            here.pop();
        }
        if !here.is_empty() {
            self.parsed.uses.insert(here.join("::"));
        }
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(p) => self.tree(&with(&p.ident), &p.tree),
            syn::UseTree::Group(g) => g.items.iter().for_each(|t| self.tree(before, t)),
            syn::UseTree::Name(n) => self.note(&with(&n.ident)),
            syn::UseTree::Rename(r) => self.note(&with(&r.ident)),
            syn::UseTree::Glob(_) => self.note(before),
        }
    }

    /// Takes the name of a type that is not declared for tests.
    fn declared(&mut self, attributes: &[syn::Attribute], name: &syn::Ident) -> bool {
        let counts = !is_test(attributes);
        if counts {
            self.parsed.types.push(name.to_string());
        }
        counts
    }

    fn function(&mut self, sig: &syn::Signature, end: proc_macro2::Span) {
        let (first, last) = (sig.fn_token.span.start().line, end.end().line);
        let name = sig.ident.to_string();
        self.parsed.functions.push(Function { path: String::new(), name, line: first, lines: last - first + 1 });
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, m: &'ast syn::ItemMod) {
        if is_test(&m.attrs) {
            return;
        }
        self.at.push(m.ident.to_string());
        visit::visit_item_mod(self, m);
        self.at.pop();
    }

    fn visit_item_use(&mut self, u: &'ast syn::ItemUse) {
        if !is_test(&u.attrs) {
            self.tree(&[], &u.tree);
        }
    }

    /// `pub(in crate::room)` says who may use something, and uses nothing itself.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, p: &'ast syn::Path) {
        if p.segments.len() > 1 {
            self.note(&p.segments.iter().map(|s| s.ident.to_string()).collect::<Vec<_>>());
        }
        visit::visit_path(self, p);
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        if !is_test(&f.attrs) {
            self.function(&f.sig, f.block.brace_token.span.close());
            visit::visit_item_fn(self, f);
        }
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        if !is_test(&f.attrs) {
            self.function(&f.sig, f.block.brace_token.span.close());
            visit::visit_impl_item_fn(self, f);
        }
    }

    fn visit_item_struct(&mut self, s: &'ast syn::ItemStruct) {
        if self.declared(&s.attrs, &s.ident) {
            visit::visit_item_struct(self, s);
        }
    }

    fn visit_item_enum(&mut self, e: &'ast syn::ItemEnum) {
        if self.declared(&e.attrs, &e.ident) {
            visit::visit_item_enum(self, e);
        }
    }

    fn visit_item_union(&mut self, u: &'ast syn::ItemUnion) {
        if self.declared(&u.attrs, &u.ident) {
            visit::visit_item_union(self, u);
        }
    }

    fn visit_item_trait(&mut self, t: &'ast syn::ItemTrait) {
        if self.declared(&t.attrs, &t.ident) {
            visit::visit_item_trait(self, t);
        }
    }

    fn visit_item_type(&mut self, t: &'ast syn::ItemType) {
        if self.declared(&t.attrs, &t.ident) {
            visit::visit_item_type(self, t);
        }
    }
}
