//! Types for a row of the function table: names, side, attributes, and which engine models it. The rows are in
//! `table/`.

use super::returns::Returns;
use std::borrow::Cow;

/// Side on which a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallSide {
    Host,
    Device,
    /// LLVM intrinsics of every target.
    Either,
}

impl CallSide {
    /// Returns the side on which an intrinsic is called.
    #[must_use]
    pub fn of_intrinsic(key: &NameKey) -> Self {
        if key.text.starts_with("llvm.nvvm.") { Self::Device } else { Self::Either }
    }
}

/// How a string identifies functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKind {
    /// The symbol. Intrinsics have no type suffixes (`ir::intrinsic`), functions of CUDA's runtime no default-stream
    /// suffix.
    Whole,
    /// Prefix of symbols.
    Start,
    /// Substring of symbols.
    Part,
    /// A real-valued function by its C name: libdevice and NVPTX derive from it the names for other types, roundings
    /// and faster forms.
    Real,
    /// Prefix of cuBLAS symbols without the element type's letter after `cublas`.
    Typed,
    /// Prefix of demangled names.
    DemangledStart,
    /// Substring of demangled names.
    DemangledPart,
    /// Prefix of the symbols of all remaining functions, which have no model.
    Rest,
}

/// A name or name pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey {
    pub kind: MatchKind,
    pub text: Cow<'static, str>,
}

impl NameKey {
    pub fn new(kind: MatchKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, text: text.into() }
    }
    pub fn whole(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(MatchKind::Whole, text)
    }
    pub fn start(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(MatchKind::Start, text)
    }
    pub fn real(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(MatchKind::Real, text)
    }
    /// Whether this key matches every function that `other` matches.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self == other
            || self.kind == MatchKind::Real
                && other.kind == MatchKind::Whole
                && other.text.strip_prefix(&*self.text).is_some_and(|types| types.starts_with('.'))
            || self.kind == MatchKind::Start
                && matches!(other.kind, MatchKind::Whole | MatchKind::Start)
                && other.text.starts_with(&*self.text)
    }
}

/// Which engines model a function, that is, derive more than an unknown result and a havoc of what it could write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelledBy {
    Both,
    /// Modelled in `src/host`, `src/kernel`; with the reason why the interpreter has no model. "not yet: …" where it
    /// should have one.
    SymbolicOnly(&'static str),
    /// Modelled in `src/witness`; with the reason why the executor has no model.
    ConcreteOnly(&'static str),
    /// The row exists for its attributes, or for observations about such calls; with the reason why that is enough.
    Neither(&'static str),
}

/// Exceptions that a function without a body throws and a program could catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Throws {
    /// Throws only where memory is exhausted, which is ignored.
    NoMemory,
    /// Throws where memory is exhausted, and for a size in argument 0 that no object can have.
    ImpossibleSize,
    Nothing,
}

/// Arguments of a function, counted from 0, that are strings which it only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StringArguments {
    pub(super) argument: usize,
    /// True where all later arguments are read too. Formats that store through an argument (`%n`, `sscanf`) store
    /// nothing in a string.
    pub(super) rest: bool,
}

/// Properties of a function for all arguments. Each is false where unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "properties that are independent of each other")]
pub(super) struct FunctionAttributes {
    /// Returns newly allocated memory, an address derived from an argument, or no address; calls no function of the
    /// program; stores only such addresses. Input functions (`fread`, `sscanf`, `read`) may read an address that was
    /// written.
    pub(super) gives_nothing_else: bool,
    /// Throws, or belongs to a handler. Destructors of caught objects at a handler's end are ignored
    /// (`symbolic/exec/exceptions.rs`).
    pub(super) of_exceptions: bool,
    /// Calls its function arguments before it returns, and never afterwards.
    pub(super) keeps_no_function: bool,
    /// Retains no address of its arguments, and calls no function found there. Other threads may run meanwhile.
    pub(super) keeps_no_address: bool,
    /// Writes through its pointer arguments only the library's own objects: file streams, threads, freed memory.
    pub(super) writes_only_its_own: bool,
    /// Belongs to C or POSIX; set where no other attribute implies that.
    pub(super) of_c_library: bool,
    /// Has a C interface, CUDA's runtime and driver excepted: calls no virtual methods.
    pub(super) of_c_interface: bool,
    /// Takes kernels only to query them.
    pub(super) asks_about_kernels: bool,
    /// Launches its kernel argument, or configures the next launch.
    pub(super) launches: bool,
    pub(super) throws: Option<Throws>,
    pub(super) reads: Option<StringArguments>,
    /// End of a call, where it does not always return.
    pub(super) returns: Option<Returns>,
}

/// A row of the function table.
#[derive(Clone, Copy, Debug)]
pub struct FunctionRow {
    pub kind: MatchKind,
    pub names: &'static [&'static str],
    pub on: CallSide,
    pub modelled: ModelledBy,
    pub(super) attributes: FunctionAttributes,
}

impl FunctionRow {
    pub(super) const fn new(on: CallSide, kind: MatchKind, names: &'static [&'static str]) -> Self {
        let attributes = FunctionAttributes {
            gives_nothing_else: false,
            of_exceptions: false,
            keeps_no_function: false,
            keeps_no_address: false,
            writes_only_its_own: false,
            of_c_library: false,
            of_c_interface: false,
            asks_about_kernels: false,
            launches: false,
            throws: None,
            reads: None,
            returns: None,
        };
        Self { kind, names, on, modelled: ModelledBy::Both, attributes }
    }
    pub(super) const fn gives_nothing_else(mut self) -> Self {
        self.attributes.gives_nothing_else = true;
        self
    }
    pub(super) const fn of_exceptions(mut self) -> Self {
        self.attributes.of_exceptions = true;
        self
    }
    pub(super) const fn keeps_no_function(mut self) -> Self {
        self.attributes.keeps_no_function = true;
        self
    }
    pub(super) const fn keeps_no_address(mut self) -> Self {
        self.attributes.keeps_no_address = true;
        self
    }
    pub(super) const fn writes_only_its_own(mut self) -> Self {
        self.attributes.writes_only_its_own = true;
        self
    }
    pub(super) const fn of_c_library(mut self) -> Self {
        self.attributes.of_c_library = true;
        self
    }
    pub(super) const fn of_c_interface(mut self) -> Self {
        self.attributes.of_c_interface = true;
        self
    }
    pub(super) const fn asks_about_kernels(mut self) -> Self {
        self.attributes.asks_about_kernels = true;
        self
    }
    pub(super) const fn launches(mut self) -> Self {
        self.attributes.launches = true;
        self
    }
    pub(super) const fn throws(mut self, throws: Throws) -> Self {
        self.attributes.throws = Some(throws);
        self
    }
    /// Marks this argument as a string that the function only reads.
    pub(super) const fn reads(mut self, argument: usize) -> Self {
        self.attributes.reads = Some(StringArguments { argument, rest: false });
        self
    }
    /// Marks this argument and all later ones as strings that the function only reads.
    pub(super) const fn reads_from(mut self, argument: usize) -> Self {
        self.attributes.reads = Some(StringArguments { argument, rest: true });
        self
    }
    pub(super) const fn returns(mut self, returns: Returns) -> Self {
        self.attributes.returns = Some(returns);
        self
    }
    pub(super) const fn symbolic_only(mut self, why: &'static str) -> Self {
        self.modelled = ModelledBy::SymbolicOnly(why);
        self
    }
    pub(super) const fn concrete_only(mut self, why: &'static str) -> Self {
        self.modelled = ModelledBy::ConcreteOnly(why);
        self
    }
    pub(super) const fn neither(mut self, why: &'static str) -> Self {
        self.modelled = ModelledBy::Neither(why);
        self
    }
    /// Iterates over the row's names as keys.
    pub fn keys(&self) -> impl Iterator<Item = NameKey> + use<> {
        let kind = self.kind;
        self.names.iter().map(move |n| NameKey::new(kind, *n))
    }
}

/// Creates a row of host functions by symbol; both engines model them unless stated otherwise.
pub(super) const fn host(names: &'static [&'static str]) -> FunctionRow {
    FunctionRow::new(CallSide::Host, MatchKind::Whole, names)
}

/// Creates a row of device functions by symbol, like [`host`].
pub(super) const fn device(names: &'static [&'static str]) -> FunctionRow {
    FunctionRow::new(CallSide::Device, MatchKind::Whole, names)
}

/// Creates a row of LLVM intrinsics of every target, like [`host`].
pub(super) const fn either(names: &'static [&'static str]) -> FunctionRow {
    FunctionRow::new(CallSide::Either, MatchKind::Whole, names)
}

/// Creates a row of host functions by symbol prefix.
pub(super) const fn host_starts(names: &'static [&'static str]) -> FunctionRow {
    FunctionRow::new(CallSide::Host, MatchKind::Start, names)
}

/// Creates a row of device functions by symbol prefix.
pub(super) const fn device_starts(names: &'static [&'static str]) -> FunctionRow {
    FunctionRow::new(CallSide::Device, MatchKind::Start, names)
}
