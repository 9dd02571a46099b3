//! Converts debug information to source files, locations and variables.
//!
//! Metadata nodes are read by operand where the C API allows it; a node's plain fields (`arg:`, `encoding:`) exist only
//! in its text.

use super::bindings::{Bitcode, Meta, MetaKind, Value};
use super::members::{DebugStructures, StructMembers};
use crate::own::UserFolders;
use files::normalise;
use ir::{ADDED, Doubt, FileId, Loc, LocId, SourceFile, SourceTypeFacts, TypeDef, TypeId, TypeKind, Var};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// DWARF 5 tags, section 7.5.3.
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const ENUMERATION: u16 = 0x04;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const TYPEDEF: u16 = 0x16;
    pub const PTR_TO_MEMBER: u16 = 0x1f;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const RVALUE_REFERENCE: u16 = 0x42;
    pub const ATOMIC: u16 = 0x47;
}

/// Positions in the operand lists of LLVM 22's debug nodes (DebugInfoMetadata.h): file, scope, name, size, offset, then
/// base type and elements.
pub(super) mod operand {
    pub const SCOPE: usize = 1;
    pub const NAME: usize = 2;
    pub const BASE_TYPE: usize = 5;
    pub const ELEMENTS: usize = 6;
    /// Positions in a DILocalVariable and a DIGlobalVariable, whose lists begin with the scope.
    pub const VARIABLE_NAME: usize = 1;
    pub const VARIABLE_TYPE: usize = 3;
}

/// Nesting depth of types beyond which the spelling is truncated, deeper than handwritten types.
const MAX_TYPE_DEPTH: u32 = 24;

/// Tables of files and locations while they grow.
pub(super) struct DebugTables<'m> {
    pub(super) bitcode: Bitcode<'m>,
    own: UserFolders,
    directory: PathBuf,
    pub(super) files: Vec<SourceFile>,
    pub(super) locs: Vec<Loc>,
    file_ids: FxHashMap<Meta<'m>, FileId>,
    path_ids: FxHashMap<String, FileId>,
    loc_ids: FxHashMap<Meta<'m>, LocId>,
    type_names: FxHashMap<Meta<'m>, String>,
    pub(super) members: StructMembers<'m>,
    /// Classes of parameters that are addresses.
    pub(super) passed: Vec<Meta<'m>>,
}

impl<'m> DebugTables<'m> {
    /// Creates empty tables. `own` decides which files are the user's; `directory` is the compiler's working directory.
    pub(super) fn new(bitcode: Bitcode<'m>, own: UserFolders, directory: PathBuf) -> Self {
        Self {
            bitcode,
            own,
            directory,
            // `LocId(0)` is "no location"; its file is never shown.
            files: vec![SourceFile { path: String::new(), system: true }],
            locs: vec![Loc { file: FileId(0), line: 0, column: 0, inlined_at: None }],
            file_ids: FxHashMap::default(),
            path_ids: FxHashMap::default(),
            loc_ids: FxHashMap::default(),
            type_names: FxHashMap::default(),
            members: StructMembers::new(bitcode),
            passed: vec![],
        }
    }

    /// Whether a function or variable is declared in a header that is not the user's.
    pub(super) fn is_system(&self, node: Meta<'m>) -> bool {
        node.file().is_some_and(|file| self.own.is_system(&self.path(file)))
    }

    /// Returns the absolute path of a file.
    fn path(&self, file: Meta<'m>) -> PathBuf {
        let (dir, name) = file.path();
        normalise(&self.directory.join(dir), Path::new(&name))
    }

    fn file(&mut self, scope: Meta<'m>) -> FileId {
        let Some(file) = scope.file() else { return FileId(0) };
        if let Some(id) = self.file_ids.get(&file) {
            return *id;
        }
        let path = self.path(file);
        let system = self.own.is_system(&path);
        // Files that SCuBA adds have another folder in every run: the folder is hidden.
        let text = match path.file_name().filter(|_| self.own.is_ours(&path)) {
            Some(name) => format!("{ADDED}{}", name.to_string_lossy()),
            None => path.to_string_lossy().into_owned(),
        };
        let next = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let id = *self.path_ids.entry(text.clone()).or_insert(next);
        if id == next {
            self.files.push(SourceFile { path: text, system });
        }
        self.file_ids.insert(file, id);
        id
    }

    fn push(&mut self, loc: Loc) -> LocId {
        let id = LocId(u32::try_from(self.locs.len()).unwrap_or(u32::MAX));
        self.locs.push(loc);
        id
    }

    /// Returns the location of a DILocation, with its chain of call sites.
    pub(super) fn location(&mut self, location: Option<Meta<'m>>) -> LocId {
        let Some(location) = location.filter(|l| l.is(MetaKind::LLVMDILocationMetadataKind)) else { return LocId(0) };
        if let Some(id) = self.loc_ids.get(&location) {
            return *id;
        }
        let (line, column, scope, at) = location.location();
        let inlined_at = at.map(|a| self.location(Some(a)));
        let file = self.file(scope);
        let id = self.push(Loc { file, line, column, inlined_at });
        self.loc_ids.insert(location, id);
        id
    }

    /// Returns the declaration's location of a variable or function.
    pub(super) fn declared_at(&mut self, node: Option<Meta<'m>>) -> LocId {
        let Some(node) = node else { return LocId(0) };
        self.members.see_function(node);
        if let Some(id) = self.loc_ids.get(&node) {
            return *id;
        }
        let file = self.file(node);
        let id = self.push(Loc { file, line: node.line(), column: 0, inlined_at: None });
        self.loc_ids.insert(node, id);
        id
    }

    /// Returns the source variable behind a global.
    pub(super) fn global_variable(&mut self, global: Value<'m>) -> Option<(Meta<'m>, String)> {
        let var = global.attached().into_iter().find_map(Meta::global_variable)?;
        self.members.see(self.bitcode.meta_operand(var, operand::VARIABLE_TYPE));
        Some((var, self.bitcode.meta_string(var, operand::VARIABLE_NAME)?))
    }

    /// Whether a variable is declared with an alignment, which is not that of its type.
    pub(super) fn is_aligned_by_itself(&self, var: Meta<'m>) -> bool {
        number(&self.bitcode.print_meta(var), "align: ").is_some()
    }

    /// Converts a DILocalVariable; `None` for one without a name.
    pub(super) fn local_variable(&mut self, var: Meta<'m>) -> Option<Var> {
        let name = self.bitcode.meta_string(var, operand::VARIABLE_NAME)?;
        let ty = self.bitcode.meta_operand(var, operand::VARIABLE_TYPE);
        self.members.see(ty);
        Some(Var {
            name,
            type_name: self.type_name(ty),
            unsigned: ty.is_some_and(|t| self.is_unsigned(t)),
            pointee: ty.and_then(|t| self.pointee(t)),
            param: number(&self.bitcode.print_meta(var), "arg: "),
            loc: self.declared_at(Some(var)),
        })
    }

    /// Returns the name of a parameter, and of the class that it is, or that it points or refers to. A structure without
    /// a name has that of its alias: `typedef struct { … } DLTensor`.
    pub(super) fn parameter_of_class(&mut self, var: Meta<'m>) -> Option<(String, String)> {
        let is_parameter = |e: &Self| number(&e.bitcode.print_meta(var), "arg: ").is_some();
        let name = self.bitcode.meta_string(var, operand::VARIABLE_NAME)?;
        let mut ty = self.bitcode.meta_operand(var, operand::VARIABLE_TYPE)?;
        let (mut alias, mut behind) = (None, false);
        for _ in 0..MAX_TYPE_DEPTH {
            match ty.tag() {
                tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE if behind => return None,
                tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => (behind, alias) = (true, None),
                tag::TYPEDEF => alias = Some(ty),
                tag::CONST | tag::VOLATILE | tag::RESTRICT => {}
                _ if ty.is(MetaKind::LLVMDICompositeTypeMetadataKind)
                    && !matches!(ty.tag(), tag::ARRAY | tag::ENUMERATION) =>
                {
                    let named = self.bitcode.meta_string(ty, operand::NAME).is_some_and(|n| !n.is_empty());
                    let class = if named { Some(ty) } else { alias }.filter(|_| is_parameter(self))?;
                    return Some((name, self.type_name(Some(class))));
                }
                _ => return None,
            }
            ty = self.bitcode.meta_operand(ty, operand::BASE_TYPE)?;
        }
        None
    }

    /// Records that a source variable has this structure type.
    pub(super) fn variable_is_of(&mut self, var: Meta<'m>, structure: TypeId) {
        if let Some(ty) = self.bitcode.meta_operand(var, operand::VARIABLE_TYPE) {
            self.members.see(Some(ty));
            self.members.is_of(structure, ty);
        }
    }

    /// Adds names and types of members to every structure of the table.
    pub(super) fn describe_fields(&mut self, types: &mut [TypeDef]) {
        let DebugStructures { types: of_source, members } = self.members.name_fields(types);
        for (n, ty) in of_source {
            types[n].source = Some(self.type_name(Some(ty)));
        }
        for (n, field, ty, private) in members {
            let declared = self.facts_of(ty, private);
            if let TypeKind::Struct { fields, .. } = &mut types[n].kind {
                fields[field].declared = Some(declared);
            }
        }
    }

    /// Returns doubts about structures that nvcc lays out otherwise in device code: its sizes and offsets are those of
    /// clang, and the code that it makes takes others (nvcc 13).
    pub(super) fn layout_doubts(&self) -> Vec<Doubt> {
        let doubt = |(structure, by): &(String, String)| Doubt {
            words: format!("nvcc places members of `{structure}` otherwise, as the typedef `{by}` lowers an alignment"),
            file: None,
            certain: true,
        };
        self.members.lowered().iter().map(doubt).collect()
    }

    /// Returns the facts of a member's source type.
    pub(super) fn facts_of(&mut self, ty: Meta<'m>, private: bool) -> SourceTypeFacts {
        let of_elements = self.plain(ty).map(|t| self.elements_of(t));
        SourceTypeFacts {
            type_name: self.type_name(Some(ty)),
            unsigned: of_elements.is_some_and(|t| self.is_unsigned(t)),
            pointee: of_elements.and_then(|t| self.pointee(t)),
            counted_by: None,
            private,
        }
    }

    /// Records the class of a parameter that is passed by address, or to which the parameter points or refers.
    pub(super) fn note_passed(&mut self, var: Meta<'m>, by_address: bool) {
        if number(&self.bitcode.print_meta(var), "arg: ").is_none() {
            return;
        }
        let class = self.bitcode.meta_operand(var, operand::VARIABLE_TYPE).and_then(|ty| {
            let ty = self.plain(ty)?;
            match ty.tag() {
                tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                    self.plain(self.bitcode.meta_operand(ty, operand::BASE_TYPE)?).filter(|_| !by_address)
                }
                _ => Some(ty).filter(|_| by_address),
            }
        });
        let is_class = |ty: &Meta<'m>| {
            ty.is(MetaKind::LLVMDICompositeTypeMetadataKind)
                && self.bitcode.meta_string(*ty, operand::NAME).is_some_and(|name| !name.is_empty())
        };
        if let Some(ty) = class.filter(is_class)
            && !self.passed.contains(&ty)
        {
            self.members.see(Some(ty));
            self.passed.push(ty);
        }
    }

    /// Returns the element type of an array, or the type itself if it is no array.
    fn elements_of(&self, ty: Meta<'m>) -> Meta<'m> {
        let base = || self.bitcode.meta_operand(ty, operand::BASE_TYPE).and_then(|t| self.plain(t));
        if ty.tag() == tag::ARRAY { base().unwrap_or(ty) } else { ty }
    }

    /// Whether a record places the variable at the address itself. Lambda captures and variables passed by hidden
    /// reference are elsewhere and carry operations.
    pub(super) fn is_plain(&self, expression: Meta<'m>) -> bool {
        self.bitcode.print_meta(expression).contains("!DIExpression()")
    }

    /// Whether a record places the variable where the pointer at the address points: for variables passed by hidden
    /// reference.
    pub(super) fn is_by_address(&self, expression: Meta<'m>) -> bool {
        self.bitcode.print_meta(expression).contains("!DIExpression(DW_OP_deref)")
    }

    fn is_unsigned(&self, ty: Meta<'m>) -> bool {
        let mut ty = ty;
        for _ in 0..MAX_TYPE_DEPTH {
            match (ty.kind(), ty.tag()) {
                (MetaKind::LLVMDIBasicTypeMetadataKind, _) => {
                    let text = self.bitcode.print_meta(ty);
                    return ["DW_ATE_unsigned", "DW_ATE_boolean", "DW_ATE_UTF"].iter().any(|e| text.contains(e));
                }
                (_, tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC | tag::ENUMERATION) => {
                    match self.bitcode.meta_operand(ty, operand::BASE_TYPE) {
                        Some(base) => ty = base,
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// Strips typedefs and qualifiers from a type.
    pub(super) fn plain(&self, ty: Meta<'m>) -> Option<Meta<'m>> {
        let mut ty = ty;
        for _ in 0..MAX_TYPE_DEPTH {
            match ty.tag() {
                tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {
                    ty = self.bitcode.meta_operand(ty, operand::BASE_TYPE)?;
                }
                _ => return Some(ty),
            }
        }
        None
    }

    /// Returns the pointee size of a pointer in bytes.
    fn pointee(&self, ty: Meta<'m>) -> Option<u64> {
        let pointer = self.plain(ty).filter(|t| t.tag() == tag::POINTER)?;
        let to = self.plain(self.bitcode.meta_operand(pointer, operand::BASE_TYPE)?)?;
        number(&self.bitcode.print_meta(to), "size: ").map(|bits| u64::from(bits) / 8).filter(|bytes| *bytes > 0)
    }

    /// Returns the C++ spelling of a DIType; null is `void`.
    pub(super) fn type_name(&mut self, ty: Option<Meta<'m>>) -> String {
        let Some(ty) = ty else { return "void".into() };
        if let Some(n) = self.type_names.get(&ty) {
            return n.clone();
        }
        let name = self.spell(Some(ty), String::new(), 0);
        self.type_names.insert(ty, name.clone());
        name
    }

    /// Spells `ty` around a declarator, inside out as in C: `int` + `(*)[4]`.
    fn spell(&self, ty: Option<Meta<'m>>, declarator: String, depth: u32) -> String {
        let join = |base: &str| match declarator.chars().next() {
            None => base.to_owned(),
            Some('[') => format!("{base}{declarator}"),
            Some(_) => format!("{base} {declarator}"),
        };
        let Some(ty) = ty else { return join("void") };
        if depth > MAX_TYPE_DEPTH {
            return join("…");
        }
        let base = self.bitcode.meta_operand(ty, operand::BASE_TYPE);
        let is = |m: Option<Meta<'m>>, t: u16| m.is_some_and(|m| m.tag() == t);
        if ty.is(MetaKind::LLVMDISubroutineTypeMetadataKind) {
            let list = self.bitcode.meta_operand(ty, operand::BASE_TYPE);
            let mut parts = list.map_or(0, |l| self.bitcode.meta_operands(l).len());
            let part = |i: usize| list.and_then(|l| self.bitcode.meta_operand(l, i));
            parts = parts.max(1);
            let params: Vec<String> = (1..parts).map(|i| self.spell(part(i), String::new(), depth + 1)).collect();
            return self.spell(part(0), format!("{declarator}({})", params.join(", ")), depth + 1);
        }
        let pointer = |sigil: &str| {
            let inner = format!("{sigil}{declarator}");
            let wrap = is(base, tag::ARRAY) || base.is_some_and(|b| b.is(MetaKind::LLVMDISubroutineTypeMetadataKind));
            self.spell(base, if wrap { format!("({inner})") } else { inner }, depth + 1)
        };
        let qualified = |word: &str| {
            if is(base, tag::POINTER) {
                // `T *const`: the qualifier applies to the pointer.
                let rest = if declarator.is_empty() { word.to_owned() } else { format!("{word} {declarator}") };
                self.spell(base, rest, depth + 1)
            } else {
                format!("{word} {}", self.spell(base, declarator.clone(), depth + 1))
            }
        };
        match ty.tag() {
            tag::POINTER => pointer("*"),
            tag::REFERENCE => pointer("&"),
            tag::RVALUE_REFERENCE => pointer("&&"),
            tag::CONST => qualified("const"),
            tag::VOLATILE => qualified("volatile"),
            tag::RESTRICT => self.spell(
                base,
                format!("__restrict{}{declarator}", if declarator.is_empty() { "" } else { " " }),
                depth + 1,
            ),
            tag::ATOMIC => self.spell(base, declarator, depth + 1),
            tag::PTR_TO_MEMBER => join("member pointer"),
            tag::ARRAY => {
                let elements = self.bitcode.meta_operand(ty, operand::ELEMENTS);
                let n = elements.map_or(0, |e| self.bitcode.meta_operands(e).len());
                let dims: String = (0..n)
                    .map(|i| {
                        let count =
                            elements.and_then(|e| self.bitcode.meta_operand(e, i)).and_then(|d| self.dimension(d));
                        count.map_or_else(|| "[]".to_owned(), |c| format!("[{c}]"))
                    })
                    .collect();
                self.spell(base, format!("{declarator}{dims}"), depth + 1)
            }
            // Of equal types, clang names the one that it met first, which a precompiled header can change.
            tag::TYPEDEF if self.is_of_library_template(ty) => self.spell(base, declarator, depth + 1),
            _ => {
                let name = self.bitcode.meta_string(ty, operand::NAME).unwrap_or_else(|| "(unnamed)".into());
                join(&format!("{}{name}", self.scope_prefix(ty)))
            }
        }
    }

    /// Whether a type's name is one of the C++ library's own (`__hash_code`), in an instance of a template.
    fn is_of_library_template(&self, ty: Meta<'m>) -> bool {
        let named = |m: Meta<'m>, is: &dyn Fn(&str) -> bool| {
            self.bitcode.meta_string(m, operand::NAME).is_some_and(|name| is(&name))
        };
        let scope = self.bitcode.meta_operand(ty, operand::SCOPE);
        named(ty, &|n| n.starts_with("__")) && scope.is_some_and(|s| named(s, &|n| n.contains('<')))
    }

    /// Returns the length of one array dimension if it is constant.
    fn dimension(&self, subrange: Meta<'m>) -> Option<i128> {
        let count = self.bitcode.meta_operands(subrange).first().copied().flatten()?;
        count.int().filter(|c| *c >= 0)
    }

    /// Returns `ns::Class::`, the prefix of a named type.
    fn scope_prefix(&self, ty: Meta<'m>) -> String {
        let mut out = String::new();
        let mut at = self.bitcode.meta_operand(ty, operand::SCOPE);
        for _ in 0..MAX_TYPE_DEPTH {
            let Some(scope) = at else { break };
            let (name, next) = match scope.kind() {
                // A DINamespace also has file, scope and name.
                MetaKind::LLVMDINamespaceMetadataKind | MetaKind::LLVMDICompositeTypeMetadataKind => {
                    (self.bitcode.meta_string(scope, operand::NAME), self.bitcode.meta_operand(scope, operand::SCOPE))
                }
                _ => break,
            };
            if let Some(name) = name.filter(|n| !n.is_empty()) {
                out.insert_str(0, &format!("{name}::"));
            }
            at = next;
        }
        out
    }
}

/// Returns the number after a field's key in a node's text.
fn number(text: &str, key: &str) -> Option<u32> {
    let rest = &text[text.find(key)? + key.len()..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_a_nodes_text() {
        assert_eq!(number("!DILocalVariable(name: \"a\", arg: 12, scope: <0x1>)", "arg: "), Some(12));
        assert_eq!(number("!DILocalVariable(name: \"a\", scope: <0x1>)", "arg: "), None);
    }
}
