//! Operations, blocks and regions, and the resolution of operands to values.

use super::cursor::{Cursor, ExpansionSize, MlirResult, MlirSyntaxError};
use super::{Attr, MlirBlock, MlirLoc, MlirModule, MlirOp, MlirRegion, MlirValue, Type};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

pub(super) struct OperationReader<'t> {
    pub at: Cursor<'t>,
    pub attr_aliases: HashMap<&'t str, (Attr, ExpansionSize)>,
    pub type_aliases: HashMap<&'t str, (Type, ExpansionSize)>,
    /// Members of named structures.
    pub structs: HashMap<String, (Arc<Vec<Type>>, ExpansionSize)>,
    files: HashMap<String, Arc<str>>,
    locations: HashMap<&'t str, MlirLoc>,
    values: u32,
    /// Visible names, one table for each enclosing region.
    scopes: Vec<ValueScope<'t>>,
    /// Names that are defined anywhere.
    known: HashSet<&'t str>,
    /// Labels, one table for each enclosing region.
    labels: Vec<Labels<'t>>,
}

/// Labels of a region. A block may be mentioned before it is seen: a label gets a number when it is first read, and the
/// number gets its block at the end of the region.
#[derive(Default)]
struct Labels<'t> {
    numbers: HashMap<&'t str, usize>,
    /// Position where each label was first read, and its block, by number.
    blocks: Vec<(usize, Option<usize>)>,
}

impl<'t> Labels<'t> {
    fn number(&mut self, name: &'t str, at: usize) -> usize {
        let n = self.blocks.len();
        let number = *self.numbers.entry(name).or_insert(n);
        if number == n {
            self.blocks.push((at, None));
        }
        number
    }
}

/// Values by name. An operand may precede its definition if blocks are not in order.
#[derive(Default)]
struct ValueScope<'t> {
    /// The first value of a group, and the size of the group.
    defined: HashMap<&'t str, (MlirValue, u32)>,
    /// Uses before the definition: name, index, position, and placeholder.
    pending: Vec<(&'t str, u32, usize, MlirValue)>,
    /// Map from placeholders to values.
    resolved: HashMap<MlirValue, MlirValue>,
}

/// Parses a whole text.
pub(super) fn module(text: &str) -> Result<MlirModule, MlirSyntaxError> {
    let mut r = OperationReader {
        at: Cursor::new(text),
        attr_aliases: HashMap::new(),
        type_aliases: HashMap::new(),
        structs: HashMap::new(),
        files: HashMap::new(),
        locations: HashMap::new(),
        values: 0,
        scopes: vec![],
        known: HashSet::new(),
        labels: vec![],
    };
    r.scopes.push(ValueScope::default());
    let mut ops = vec![];
    while !r.at.at_end() {
        if r.at.starts_with("#") {
            r.attribute_alias()?;
            continue;
        }
        if r.at.starts_with("!") {
            r.type_alias()?;
            continue;
        }
        // Resource sections: `{-# … #-}`.
        if r.at.starts_with("{-#") {
            break;
        }
        ops.push(r.op()?);
    }
    r.close(&mut ops)?;
    let mut locations = Locations { written: std::mem::take(&mut r.locations), resolved: HashMap::new() };
    for o in &mut ops {
        resolve_locations(o, &mut locations);
    }
    Ok(MlirModule { ops, values: r.values })
}

fn resolve_locations(op: &mut MlirOp, table: &mut Locations<'_>) {
    op.loc = table.resolved(&op.loc, 0).0;
    for o in op.regions.iter_mut().flat_map(|r| &mut r.blocks).flat_map(|b| &mut b.ops) {
        resolve_locations(o, table);
    }
}

/// Longest chain of inlined calls, and largest number of positions in one, that is kept: callers of callers would
/// double with each.
const MAX_CALLS: u32 = 64;

/// Locations by name.
struct Locations<'t> {
    written: HashMap<&'t str, MlirLoc>,
    /// Locations without names, and the number of positions in each.
    resolved: HashMap<Arc<str>, (MlirLoc, u32)>,
}

impl Locations<'_> {
    /// Resolves the names in a location, and counts its positions.
    fn resolved(&mut self, l: &MlirLoc, depth: u32) -> (MlirLoc, u32) {
        match l {
            // Names may be cyclic in a text that no printer wrote.
            _ if depth > MAX_CALLS => (MlirLoc::Unknown, 1),
            MlirLoc::Alias(name) => {
                if let Some(known) = self.resolved.get(name) {
                    return known.clone();
                }
                let Some(written) = self.written.get(name.as_ref()).cloned() else { return (MlirLoc::Unknown, 1) };
                let found = self.resolved(&written, depth + 1);
                self.resolved.insert(name.clone(), found.clone());
                found
            }
            MlirLoc::Call(p) => {
                let (callee, n) = self.resolved(&p.0, depth + 1);
                let (caller, m) = self.resolved(&p.1, depth + 1);
                if n + m > MAX_CALLS { (callee, n) } else { (MlirLoc::Call(Arc::new((callee, caller))), n + m) }
            }
            other => (other.clone(), 1),
        }
    }
}

impl<'t> OperationReader<'t> {
    pub fn file(&mut self, name: &str) -> Arc<str> {
        if let Some(f) = self.files.get(name) {
            return f.clone();
        }
        let f: Arc<str> = Arc::from(name);
        self.files.insert(name.to_owned(), f.clone());
        f
    }

    fn attribute_alias(&mut self) -> MlirResult<()> {
        self.at.require("#")?;
        let name = self.at.suffix();
        self.at.require("=")?;
        if self.at.peek_word() == "loc" {
            let l = self.location()?;
            self.locations.insert(name, l);
            return Ok(());
        }
        let measure = self.at.measure();
        let a = self.attribute()?;
        let extent = self.at.measured(measure);
        self.attr_aliases.insert(name, (a, extent));
        Ok(())
    }

    fn type_alias(&mut self) -> MlirResult<()> {
        self.at.require("!")?;
        let name = self.at.suffix();
        self.at.require("=")?;
        let measure = self.at.measure();
        let t = self.ty()?;
        let extent = self.at.measured(measure);
        self.type_aliases.insert(name, (t, extent));
        Ok(())
    }

    fn fresh(&mut self, n: u32) -> MlirResult<MlirValue> {
        let v = MlirValue(self.values);
        match self.values.checked_add(n) {
            Some(next) if n < 1 << 20 => {
                self.values = next;
                Ok(v)
            }
            _ => self.at.error("more values than can be told apart"),
        }
    }

    fn define(&mut self, name: &'t str, at: usize, n: u32) -> MlirResult<MlirValue> {
        let v = self.fresh(n)?;
        // The outermost scope always exists.
        let Some(scope) = self.scopes.last_mut() else { return self.at.error("a value outside every region") };
        self.known.insert(name);
        if scope.defined.insert(name, (v, n)).is_some() {
            return self.at.error_at(at, format!("`%{name}` is defined twice"));
        }
        Ok(v)
    }

    /// Parses an operand: `%name` or `%name#2`.
    fn operand(&mut self) -> MlirResult<MlirValue> {
        self.at.skip();
        let at = self.at.position();
        let name = self.at.sigil("%", "a value")?;
        let nth = if self.at.accept_raw(b'#') { self.at.unsigned()? } else { 0 };
        let Ok(nth) = u32::try_from(nth) else { return self.at.error_at(at, "a number out of range") };
        for s in self.scopes.iter().rev() {
            if let Some((v, n)) = s.defined.get(name) {
                if nth >= *n {
                    return self.at.error_at(at, format!("`%{name}` has {n} values"));
                }
                return Ok(MlirValue(v.0 + nth));
            }
        }
        let stand_in = self.fresh(1)?;
        if let Some(s) = self.scopes.last_mut() {
            s.pending.push((name, nth, at, stand_in));
        }
        Ok(stand_in)
    }

    /// Closes a scope: operands used before their definition get it, or are passed to the enclosing region.
    fn close(&mut self, ops: &mut [MlirOp]) -> MlirResult<()> {
        let Some(mut scope) = self.scopes.pop() else { return Ok(()) };
        for (name, nth, at, stand_in) in std::mem::take(&mut scope.pending) {
            match scope.defined.get(name) {
                Some((v, n)) if nth < *n => {
                    scope.resolved.insert(stand_in, MlirValue(v.0 + nth));
                }
                Some((_, n)) => return self.at.error_at(at, format!("`%{name}` has {n} values")),
                None => match self.scopes.last_mut() {
                    Some(outer) => outer.pending.push((name, nth, at, stand_in)),
                    // Defined in another region: cgeist prints such modules, which MLIR rejects. The used value has no
                    // definition.
                    None if self.known.contains(name) => {}
                    None => return self.at.error_at(at, format!("`%{name}` is not defined")),
                },
            }
        }
        if !scope.resolved.is_empty() {
            for o in ops {
                substitute(o, &scope.resolved);
            }
        }
        Ok(())
    }

    fn op(&mut self) -> MlirResult<MlirOp> {
        self.at.descend()?;
        let names = self.result_names()?;
        if self.at.peek() != b'"' {
            return self.at.error("expected an operation in generic form");
        }
        let start = self.at.position();
        let name = self.at.string()?;
        self.at.require("(")?;
        let operands = self.until(")", Self::operand)?;
        let successors = self.successors()?;
        let mut attrs = BTreeMap::new();
        if self.at.accept("<") {
            attrs = self.dictionary()?;
            self.at.require(">")?;
        }
        let regions = if self.at.accept("(") { self.until(")", Self::region)? } else { vec![] };
        if self.at.peek() == b'{' {
            attrs.extend(self.dictionary()?);
        }
        self.at.require(":")?;
        let Type::Func(signature) = self.function_type()? else { return self.at.error("expected a function type") };
        let loc = self.location()?;
        if signature.params.len() != operands.len() {
            return self.at.error_at(
                start,
                format!("`{name}` has {} operands and {} operand types", operands.len(), signature.params.len()),
            );
        }
        let results = self.results(names, signature.results.len())?;
        if signature.results.len() != results.len() {
            return self.at.error_at(
                start,
                format!("`{name}` has {} results and {} result types", results.len(), signature.results.len()),
            );
        }
        self.at.ascend();
        Ok(MlirOp {
            name,
            results,
            operands,
            successors,
            attrs,
            regions,
            operand_types: signature.params.clone(),
            result_types: signature.results.clone(),
            loc,
        })
    }

    /// Parses `%a, %b:2 =`: names, their positions and numbers of values.
    fn result_names(&mut self) -> MlirResult<Vec<(&'t str, usize, u32)>> {
        let mut names: Vec<(&'t str, usize, u32)> = vec![];
        while self.at.peek() == b'%' {
            let at = self.at.position();
            let name = self.at.sigil("%", "a value")?;
            let n = if self.at.accept(":") { self.at.unsigned()? } else { 1 };
            names.push((name, at, u32::try_from(n).unwrap_or(u32::MAX)));
            if !self.at.accept(",") {
                break;
            }
        }
        if !names.is_empty() {
            self.at.require("=")?;
        }
        Ok(names)
    }

    /// Parses `[^a, ^b]` into block numbers of the current region.
    fn successors(&mut self) -> MlirResult<Vec<usize>> {
        if !self.at.accept("[") {
            return Ok(vec![]);
        }
        self.until("]", |me| {
            let at = me.at.position();
            me.at.require("^")?;
            let block = me.at.suffix();
            match me.labels.last_mut() {
                Some(l) => Ok(l.number(block, at)),
                None => me.at.error_at(at, "a successor outside every region"),
            }
        })
    }

    /// Returns the result values of an operation; fresh ones if it names none.
    fn results(&mut self, names: Vec<(&'t str, usize, u32)>, types: usize) -> MlirResult<Vec<MlirValue>> {
        let mut results = vec![];
        for (name, at, n) in names {
            let v = self.define(name, at, n)?;
            results.extend((0..n).map(|i| MlirValue(v.0 + i)));
        }
        if results.is_empty() {
            let n = u32::try_from(types).unwrap_or(u32::MAX);
            let v = self.fresh(n)?;
            results.extend((0..n).map(|i| MlirValue(v.0 + i)));
        }
        Ok(results)
    }

    fn region(&mut self) -> MlirResult<MlirRegion> {
        self.at.descend()?;
        self.at.require("{")?;
        self.scopes.push(ValueScope::default());
        self.labels.push(Labels::default());
        let mut blocks: Vec<MlirBlock> = vec![];
        if self.at.peek() != b'^' && self.at.peek() != b'}' {
            blocks.push(MlirBlock { args: vec![], ops: self.ops()? });
        }
        while self.at.accept("^") {
            let label_at = self.at.position();
            let label = self.at.suffix();
            if let Some(labels) = self.labels.last_mut() {
                let n = labels.number(label, label_at);
                if labels.blocks[n].1.replace(blocks.len()).is_some() {
                    return self.at.error_at(label_at, format!("two blocks are named `^{label}`"));
                }
            }
            let args = if self.at.accept("(") { self.until(")", Self::block_argument)? } else { vec![] };
            self.at.require(":")?;
            let ops = self.ops()?;
            blocks.push(MlirBlock { args, ops });
        }
        self.at.require("}")?;
        let labels = self.labels.pop().unwrap_or_default();
        for op in blocks.iter_mut().flat_map(|b| &mut b.ops) {
            for s in &mut op.successors {
                match labels.blocks.get(*s) {
                    Some((_, Some(block))) => *s = *block,
                    other => return self.at.error_at(other.map_or(0, |o| o.0), "there is no block of this name here"),
                }
            }
        }
        let mut all: Vec<MlirOp> = vec![];
        let sizes: Vec<usize> = blocks.iter().map(|b| b.ops.len()).collect();
        for b in &mut blocks {
            all.append(&mut b.ops);
        }
        self.close(&mut all)?;
        let mut all = all.into_iter();
        for (b, n) in blocks.iter_mut().zip(sizes) {
            b.ops = all.by_ref().take(n).collect();
        }
        self.at.ascend();
        Ok(MlirRegion { blocks })
    }

    fn block_argument(&mut self) -> MlirResult<(MlirValue, Type)> {
        let at = self.at.position();
        let name = self.at.sigil("%", "a value")?;
        self.at.require(":")?;
        let ty = self.ty()?;
        self.location()?;
        Ok((self.define(name, at, 1)?, ty))
    }

    /// Parses elements between commas, and the bracket that closes them.
    pub(super) fn until<T>(
        &mut self,
        close: &str,
        mut element: impl FnMut(&mut Self) -> MlirResult<T>,
    ) -> MlirResult<Vec<T>> {
        let mut all = vec![];
        while !self.at.accept(close) {
            if !all.is_empty() {
                self.at.require(",")?;
            }
            all.push(element(self)?);
        }
        Ok(all)
    }

    fn ops(&mut self) -> MlirResult<Vec<MlirOp>> {
        let mut out = vec![];
        while !matches!(self.at.peek(), b'^' | b'}' | 0) {
            out.push(self.op()?);
        }
        Ok(out)
    }
}

fn substitute(op: &mut MlirOp, with: &HashMap<MlirValue, MlirValue>) {
    for v in &mut op.operands {
        if let Some(n) = with.get(v) {
            *v = *n;
        }
    }
    for o in op.regions.iter_mut().flat_map(|r| &mut r.blocks).flat_map(|b| &mut b.ops) {
        substitute(o, with);
    }
}
