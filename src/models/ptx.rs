//! Memory accesses of an inline-assembly statement, from its text in LLVM's spelling (operands are `$0`). Syntax: PTX
//! ISA 9.0.
//!
//! Registers assigned in the text are tracked through moves, address conversions and additions of constants, and
//! predicates through comparisons of an argument with 0. An access after a branch, under another predicate or at
//! another address counts as undecided.

use super::access::{
    AccessExtent, AccessMode, Address, AddressRange, Guard, ImageAccess, LeadingDimension, ModelledAccess, StateSpace,
    WARP,
};
use super::tiles;
use grammar::{Instruction, PtxStatement, number};
use rustc_hash::FxHashMap;

mod grammar;
mod opcodes;
pub mod single;
mod waits;

pub use waits::{WaitEvent, waiting};

/// Map from operands to arguments: results come first; an argument tied to a result is written as that result.
struct Operands {
    results: usize,
    tied: FxHashMap<usize, usize>,
    /// True where no operand is in memory; otherwise operands are not tracked.
    clear: bool,
}

impl Operands {
    fn new(constraints: &str) -> Self {
        let list: Vec<&str> = constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')).collect();
        let results = list.iter().filter(|c| c.starts_with('=')).count();
        let tied = list[results.min(list.len())..]
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Some((c.parse::<usize>().ok()?, i)))
            .collect();
        Self { results, tied, clear: !list.iter().any(|c| c.contains('*')) }
    }

    fn argument(&self, operand: usize) -> Option<usize> {
        if !self.clear {
            return None;
        }
        self.tied.get(&operand).copied().or_else(|| operand.checked_sub(self.results))
    }
}

/// Tracked value of a register.
#[derive(Clone, Copy)]
struct RegisterValue {
    address: Address,
    /// True for an offset in the shared memory window, which points nowhere else.
    window: bool,
}

/// State of the analysis at a statement.
struct StatementState {
    operands: Operands,
    /// Registers that the text assigns: an argument plus an offset, or unknown.
    addresses: FxHashMap<String, Option<RegisterValue>>,
    /// Predicates that compare an argument with 0.
    predicates: FxHashMap<String, Guard>,
    branched: bool,
    /// True where all registers that the text assigns count as unknown.
    fixed: bool,
    ending: Option<EndingInstruction>,
    found: Vec<ModelledAccess>,
}

/// How an instruction ends a thread or leaves the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEnd {
    Exit,
    Trap,
    /// `ret`, and `brkpt`, after which a debugger decides.
    Leave,
}

/// The first instruction of a statement that ends a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndingInstruction {
    pub how: ThreadEnd,
    /// Whether every thread that starts the statement reaches it.
    pub certain: bool,
}

impl ThreadEnd {
    fn of(opcode: &str) -> Option<Self> {
        match opcode {
            "exit" => Some(Self::Exit),
            "trap" => Some(Self::Trap),
            "ret" | "brkpt" => Some(Self::Leave),
            _ => None,
        }
    }
}

/// Returns how a statement may end the thread.
pub fn ending(text: &str) -> Option<EndingInstruction> {
    read(text, "").ending
}

/// Returns the accesses of a statement, in order.
pub fn accesses(text: &str, constraints: &str) -> Vec<ModelledAccess> {
    read(text, constraints).found
}

/// Returns the argument whose address in the shared memory window is the only result of a statement (`cvta.to.shared`
/// and moves).
pub fn shared_address(text: &str, constraints: &str) -> Option<usize> {
    if !text.contains("cvta.to.shared") {
        return None;
    }
    let reader = read(text, constraints);
    let RegisterValue { address: Address { argument, offset }, window } = (*reader.addresses.get("$0")?)?;
    (window && reader.operands.results == 1 && reader.found.is_empty() && !reader.branched && offset == 0)
        .then_some(argument)
}

/// Returns the special register whose 32 bits are the only result of a statement that is one unconditional `mov`, as the
/// NVVM intrinsics spell it: `laneid`, `lanemask.lt`, `cluster.ctaid.x`.
pub fn special_register(text: &str, constraints: &str) -> Option<String> {
    let statements = grammar::statements(text);
    let [PtxStatement::Instruction(Instruction { predicate: None, opcode, operands })] = statements.as_slice() else {
        return None;
    };
    let [result, source] = operands.as_slice() else { return None };
    let whole = constraints.split(',').next() == Some("=r") && Operands::new(constraints).results == 1;
    let moves = matches!(opcode.as_str(), "mov.u32" | "mov.b32" | "mov.s32") && result == "$0";
    let name = if source == "WARP_SZ" { "warpsize" } else { source.strip_prefix('%')? };
    (whole && moves).then(|| name.replace("lanemask_", "lanemask.").replace("cluster_", "cluster."))
}

fn read(text: &str, constraints: &str) -> StatementState {
    let mut reader = StatementState {
        operands: Operands::new(constraints),
        addresses: FxHashMap::default(),
        predicates: FxHashMap::default(),
        branched: false,
        fixed: false,
        ending: None,
        found: vec![],
    };
    let statements = grammar::statements(text);
    let branches = statements.iter().any(
        |s| matches!(s, PtxStatement::Instruction(i) if matches!(i.opcode.split('.').next(), Some("bra" | "brx"))),
    );
    for statement in &statements {
        reader.statement(statement);
    }
    if !branches {
        return reader;
    }
    // Code that a branch returns to runs again with changed registers: only registers that the text never assigns are
    // known.
    let set: Vec<String> = std::mem::take(&mut reader.addresses).into_keys().collect();
    reader.addresses = set.into_iter().map(|name| (name, None)).collect();
    (reader.fixed, reader.branched, reader.ending, reader.found) = (true, false, None, vec![]);
    reader.predicates.clear();
    for statement in &statements {
        reader.statement(statement);
    }
    reader
}

impl StatementState {
    fn statement(&mut self, statement: &PtxStatement) {
        let PtxStatement::Instruction(Instruction { predicate, opcode, operands }) = statement else {
            // An unknown statement may do anything; whether the statements after it run is undecided.
            self.found.push(ModelledAccess::open(AccessMode::Atomic));
            self.branched = true;
            return;
        };
        let guard = match predicate {
            _ if self.branched => None,
            None => Some(Guard::Always),
            Some(p) => self.holds(&p.register, p.negated),
        };
        let parts: Vec<&str> = opcode.split('.').collect();
        let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
        let before = self.found.len();
        self.instruction(&parts, &operands);
        for access in &mut self.found[before..] {
            access.place = match (access.place, guard) {
                (Some(place), Some(Guard::Always)) => Some(place),
                (Some(place), Some(g)) if place.guard == Guard::Always => Some(AddressRange { guard: g, ..place }),
                _ => None,
            };
        }
        self.assigned(&parts, &operands, guard);
        if let Some(how) = ThreadEnd::of(parts[0]) {
            let certain = predicate.is_none() && !self.branched;
            self.ending.get_or_insert(EndingInstruction { how, certain });
            self.branched = true;
        }
        self.branched |= matches!(parts[0], "bra" | "brx" | "call");
    }

    fn holds(&self, predicate: &str, no: bool) -> Option<Guard> {
        match self.predicates.get(predicate)? {
            Guard::Argument { argument, set } => Some(Guard::Argument { argument: *argument, set: *set != no }),
            Guard::Always => None,
        }
    }

    /// Updates the register state after an instruction.
    fn assigned(&mut self, parts: &[&str], operands: &[&str], guard: Option<Guard>) {
        let Some(target) = operands.first().filter(|t| !t.is_empty() && !t.starts_with('[')) else { return };
        let source = |i: usize| operands.get(i).and_then(|w| self.held(w));
        let in_window = |held: RegisterValue| RegisterValue { window: true, ..held };
        let value = match parts {
            ["mov", ..] | ["cvta", "global", ..] | ["cvta", "to", "global", ..] if operands.len() == 2 => source(1),
            ["cvta", "to", "shared" | "shared::cta", ..] if operands.len() == 2 => source(1).map(in_window),
            // Truncated to 32 bits, only an address in the shared memory window keeps its value.
            ["cvt", "u32", "u64"] if operands.len() == 2 => source(1).map(in_window),
            ["cvt", "u64", "u32"] if operands.len() == 2 => source(1),
            ["add", "u32" | "s32" | "u64" | "s64"] => {
                let sum = |a: usize, b: usize| {
                    let (base, n) = (source(a)?, number(operands.get(b)?)?);
                    let address = Address { offset: base.address.offset.checked_add(n)?, ..base.address };
                    Some(RegisterValue { address, ..base })
                };
                sum(1, 2).or_else(|| sum(2, 1))
            }
            _ => None,
        };
        let predicate = match (parts, operands) {
            (["setp", "ne" | "eq", "b32" | "u32" | "s32" | "b64" | "u64" | "s64"], [_, a, "0"]) => {
                self.argument(a).map(|argument| Guard::Argument { argument, set: parts[1] == "ne" })
            }
            _ => None,
        };
        for name in target.split(['{', '}', '(', ')', ',', '|']).filter(|n| !n.is_empty()) {
            // Part of a vector register (`v.x`): assigning it changes the register.
            let name = name.split('.').next().unwrap_or(name);
            self.addresses.insert(name.to_owned(), None);
            self.predicates.remove(name);
        }
        if self.fixed || guard != Some(Guard::Always) || target.contains('.') {
            return;
        }
        if let Some(v) = value {
            self.addresses.insert((*target).to_owned(), Some(v));
        }
        if let Some(p) = predicate {
            self.predicates.insert((*target).to_owned(), p);
        }
    }

    /// Returns the argument that an operand stands for, unless the text assigns it another value.
    fn argument(&self, word: &str) -> Option<usize> {
        self.held(word).filter(|h| h.address.offset == 0 && !h.window).map(|h| h.address.argument)
    }

    /// Returns the address that an operand, or a register that holds one, stands for.
    fn held(&self, word: &str) -> Option<RegisterValue> {
        if let Some(a) = self.addresses.get(word) {
            return *a;
        }
        let n: usize = word.strip_prefix('$')?.parse().ok()?;
        Some(RegisterValue { address: Address { argument: self.operands.argument(n)?, offset: 0 }, window: false })
    }

    /// Parses a memory operand: `[$1+16]`.
    fn inside(&self, operand: &str) -> Option<RegisterValue> {
        let inner = operand.strip_prefix('[')?.strip_suffix(']')?;
        let Some(sign) = inner.find(['+', '-']) else { return self.held(inner) };
        let (base, offset) = (self.held(&inner[..sign])?, number(inner[sign..].trim_start_matches('+'))?);
        Some(RegisterValue {
            address: Address { offset: base.address.offset.checked_add(offset)?, ..base.address },
            ..base
        })
    }

    fn note(&mut self, kind: AccessMode, space: StateSpace, operand: Option<&&str>, extent: Option<AccessExtent>) {
        self.note_lanes(kind, space, operand, extent, WARP);
    }

    fn note_lanes(
        &mut self,
        kind: AccessMode,
        space: StateSpace,
        operand: Option<&&str>,
        extent: Option<AccessExtent>,
        lanes: u32,
    ) {
        // The windows of local, constant and parameter memory have other bases than generic addresses (PTX ISA 9.0,
        // 5.1).
        let fits = |h: &RegisterValue| space != StateSpace::Other && (space == StateSpace::Shared || !h.window);
        let address = operand.and_then(|o| self.inside(o)).filter(fits).map(|h| h.address);
        let place = address.zip(extent).map(|(address, extent)| AddressRange {
            space,
            address,
            extent,
            guard: Guard::Always,
            lanes,
        });
        self.found.push(ModelledAccess { kind, place, image: None });
    }

    /// Parses a byte count: a number or an argument.
    fn bytes(&self, operand: Option<&&str>) -> Option<AccessExtent> {
        let word = operand?;
        match number(word) {
            Some(n) => u64::try_from(n).ok().map(AccessExtent::Bytes),
            None => self.argument(word).map(AccessExtent::Argument),
        }
    }

    fn instruction(&mut self, parts: &[&str], ops: &[&str]) {
        use AccessMode::{Atomic, Read, Write};
        let (space, barrier) = (space_of(parts), Some(AccessExtent::Bytes(8)));
        let brackets = ops.iter().filter(|o| o.starts_with('[')).count();
        let first = ops.iter().find(|o| o.starts_with('['));
        match parts {
            // A parameter by name is no memory access; a parameter access at an address counts.
            ["ld" | "ldu" | "st", ..]
                if parts.iter().any(|p| p.starts_with("param")) && first.is_some_and(|o| !o.starts_with("[$")) => {}
            ["st", "bulk", ..] => self.note(Write, space, ops.first(), self.bytes(ops.get(1))),
            ["ld" | "ldu", ..] => self.note(Read, space, first, element_bytes(parts)),
            ["st" | "red", "async", ..] => {
                let kind = if parts[0] == "st" { Write } else { Atomic };
                self.note(kind, space, ops.first(), element_bytes(parts));
                if brackets > 1 {
                    self.note(Atomic, StateSpace::Shared, ops.get(2), barrier);
                }
            }
            ["st", ..] => self.note(Write, space, first, element_bytes(parts)),
            ["red" | "atom", ..] => self.note(Atomic, space, first, element_bytes(parts)),
            ["cp", _, ..] => self.copy(parts, ops, brackets),
            ["ldmatrix", ..] | ["stmatrix", ..] => {
                let kind = if parts[0] == "ldmatrix" { Read } else { Write };
                let lanes = tiles::row_lanes(parts);
                self.note_lanes(kind, space, first, lanes.map(|_| AccessExtent::Bytes(16)), lanes.unwrap_or(WARP));
            }
            ["mbarrier", operation, ..] if first.is_some() => match tiles::barrier_kind(operation) {
                Some(kind) => self.note(kind, space, first, barrier),
                None => self.found.push(ModelledAccess::open(Atomic)),
            },
            ["wmma", "load" | "store", ..] => self.tile(parts, ops, first),
            ["discard", ..] => self.note(Write, space, first, self.bytes(ops.get(1))),
            ["tensormap", "replace", ..] => self.note(Write, space, first, Some(AccessExtent::Bytes(128))),
            ["tensormap", "cp_fenceproxy", ..] => {
                let bytes = self.bytes(ops.get(2));
                self.note(Write, StateSpace::Global, ops.first(), bytes);
                self.note(Read, StateSpace::Shared, ops.get(1), bytes);
            }
            ["clusterlaunchcontrol", "try_cancel", ..] => {
                self.note(Write, StateSpace::Shared, ops.first(), Some(AccessExtent::Bytes(16)));
                self.note(Atomic, StateSpace::Shared, ops.get(1), barrier);
            }
            ["tcgen05", "alloc", ..] => self.note(Write, StateSpace::Shared, ops.first(), Some(AccessExtent::Bytes(4))),
            ["tcgen05", "commit", ..] => self.note(Atomic, StateSpace::Shared, ops.first(), barrier),
            ["tcgen05", "st", ..] => self.found.push(ModelledAccess::open(Write)),
            ["tcgen05", "cp" | "mma" | "ld" | "shift", ..] | ["wgmma", "mma_async", ..] => {
                self.found.push(ModelledAccess::open(Read));
            }
            ["multimem", ..] | ["sured", ..] => self.found.push(ModelledAccess::open(Atomic)),
            ["sust", ..] => self.image(Write, parts, first),
            ["tex" | "tld4" | "suld", ..] => self.image(Read, parts, first),
            ["call", ..] => self.found.push(ModelledAccess::open(Write)),
            // These touch no memory that a program reads, or only query it.
            ["prefetch" | "prefetchu" | "applypriority" | "createpolicy" | "fence" | "membar" | "txq" | "suq", ..]
            | ["wmma", "mma", ..]
            | ["mbarrier", "pending_count", ..]
            | ["clusterlaunchcontrol", "query_cancel", ..]
            | ["wgmma", "fence" | "commit_group" | "wait_group", ..]
            | ["tcgen05", "dealloc" | "relinquish_alloc_permit" | "wait" | "fence", ..] => {}
            [opcode, ..] if opcodes::is_on_registers(opcode) && brackets == 0 => {}
            _ => self.found.push(ModelledAccess::open(Atomic)),
        }
    }

    /// Records an access through a texture or surface: `[handle, {coordinates}]`.
    fn image(&mut self, kind: AccessMode, parts: &[&str], operand: Option<&&str>) {
        let surface = parts[0].starts_with("su");
        let found = (|| {
            let inner = operand?.strip_prefix('[')?.strip_suffix(']')?;
            let (handle, coordinates) = inner.split_once(',')?;
            let coordinates = coordinates.trim().strip_prefix('{')?.strip_suffix('}')?;
            let handle = self.argument(handle.trim())?;
            let none = ImageAccess { handle, coordinates: [None; 3], bytes: 0, traps: false };
            // Coordinates in bytes must be aligned in each mode, those of `sust.p` count elements.
            let traps = !parts.iter().any(|p| matches!(*p, "clamp" | "zero"));
            if !surface || !traps && !parts.contains(&"b") {
                return Some(none);
            }
            let at: Vec<usize> = coordinates.split(',').map(|w| self.argument(w.trim())).collect::<Option<_>>()?;
            // Layers come first; what fills four places up repeats the last one.
            let coordinates = match (parts, at.as_slice()) {
                (_, [x]) => [Some(*x), None, None],
                (p, [x, y]) if p.contains(&"2d") => [Some(*x), Some(*y), None],
                (p, [layer, x]) if p.contains(&"a1d") => [Some(*x), None, Some(*layer)],
                (p, [x, y, z, _]) if p.contains(&"3d") => [Some(*x), Some(*y), Some(*z)],
                (p, [layer, x, y, _]) if p.contains(&"a2d") => [Some(*x), Some(*y), Some(*layer)],
                _ => return None,
            };
            let Some(AccessExtent::Bytes(bytes)) = element_bytes(parts).filter(|_| parts.contains(&"b")) else {
                return None;
            };
            Some(ImageAccess { coordinates, bytes, traps, ..none })
        })();
        self.found.push(found.map_or(ModelledAccess::open(kind), |image| ModelledAccess::of_image(kind, image)));
    }

    /// Records the accesses of `cp.async` and related instructions: reads of the source, writes of the destination, and
    /// signals to a barrier in shared memory.
    fn copy(&mut self, parts: &[&str], ops: &[&str], brackets: usize) {
        use AccessMode::{Atomic, Read, Write};
        let barrier = Some(AccessExtent::Bytes(8));
        let target = if parts[1] == "reduce" { Atomic } else { Write };
        // A cache policy, if present, is the last operand.
        let ops = if parts.contains(&"cache_hint") || parts.contains(&"L2::cache_hint") {
            &ops[..ops.len().saturating_sub(1)]
        } else {
            ops
        };
        match parts {
            _ if brackets == 0 || parts.contains(&"prefetch") => {}
            ["cp", "async", "mbarrier", ..] => self.note(Atomic, space_of(parts), ops.first(), barrier),
            _ if parts.contains(&"tensor") => {
                self.found.extend([ModelledAccess::open(Read), ModelledAccess::open(target)]);
                if let Some(b) = ops.get(2).filter(|o| o.starts_with('[')) {
                    self.note(Atomic, StateSpace::Shared, Some(b), barrier);
                }
            }
            _ if parts.contains(&"bulk") => {
                let bytes = self.bytes(ops.get(2));
                let mut spaces = parts.iter().filter_map(|p| named_space(p));
                let (to, from) =
                    (spaces.next().unwrap_or(StateSpace::Generic), spaces.next().unwrap_or(StateSpace::Generic));
                self.note(target, to, ops.first(), bytes);
                self.note(Read, from, ops.get(1), bytes);
                if let Some(b) = ops.get(3).filter(|o| o.starts_with('[')) {
                    self.note(Atomic, StateSpace::Shared, Some(b), barrier);
                }
            }
            ["cp", "async", ..] => {
                self.note(Write, StateSpace::Shared, ops.first(), self.bytes(ops.get(2)));
                let (from, size) = (ops.get(1), ops.get(3));
                match size {
                    None => self.note(Read, StateSpace::Global, from, self.bytes(ops.get(2))),
                    Some(word) if self.bytes(Some(word)).is_some() => {
                        self.note(Read, StateSpace::Global, from, self.bytes(size));
                    }
                    // A predicate that disables the read of the source.
                    Some(word) => {
                        self.note(Read, StateSpace::Global, from, self.bytes(ops.get(2)));
                        let (name, negated) = word.strip_prefix('!').map_or((*word, false), |w| (w, true));
                        let unless = self.holds(name, !negated);
                        if let Some(read) = self.found.last_mut() {
                            read.place = read.place.zip(unless).map(|(place, guard)| AddressRange { guard, ..place });
                        }
                    }
                }
            }
            _ => self.found.extend([ModelledAccess::open(Read), ModelledAccess::open(target)]),
        }
    }

    /// Records the access of a matrix: `wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {…}, [$8], $9`.
    fn tile(&mut self, parts: &[&str], ops: &[&str], first: Option<&&str>) {
        let kind = if parts[1] == "load" { AccessMode::Read } else { AccessMode::Write };
        let shape = parts.iter().find(|p| p.starts_with('m') && p.contains('k'));
        let layout = parts.iter().find(|p| matches!(**p, "row" | "col"));
        let leading = match (kind, ops.len()) {
            (_, 2) => Some(LeadingDimension::Packed),
            (_, 3) => ops.get(2).and_then(|w| self.argument(w)).map(LeadingDimension::Argument),
            _ => None,
        };
        let tile = (|| tiles::tile(shape?, parts.get(2)?, layout?, parts.last()?, leading?))();
        self.note(kind, space_of(parts), first, tile.map(AccessExtent::Tile));
    }
}

fn named_space(part: &str) -> Option<StateSpace> {
    match part.split("::").next().unwrap_or_default() {
        "global" => Some(StateSpace::Global),
        "shared" => Some(StateSpace::Shared),
        "local" | "const" | "param" => Some(StateSpace::Other),
        _ => None,
    }
}

fn space_of(parts: &[&str]) -> StateSpace {
    parts.iter().find_map(|p| named_space(p)).unwrap_or(StateSpace::Generic)
}

/// Returns the size in bytes of an element or of a vector.
fn element_bytes(parts: &[&str]) -> Option<AccessExtent> {
    let one = parts.iter().skip(1).filter_map(|p| scalar_bytes(p)).next_back()?;
    let lanes = parts.iter().find_map(|p| match *p {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    Some(AccessExtent::Bytes(one * lanes.unwrap_or(1)))
}

fn scalar_bytes(part: &str) -> Option<u64> {
    Some(match part {
        "f16" | "bf16" => 2,
        "f16x2" | "bf16x2" => 4,
        _ => {
            let bits: u64 = part.strip_prefix(['b', 'u', 's', 'f'])?.parse().ok()?;
            if !matches!(bits, 8 | 16 | 32 | 64 | 128) {
                return None;
            }
            bits / 8
        }
    })
}

#[cfg(test)]
mod tests;
