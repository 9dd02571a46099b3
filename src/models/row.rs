//! What a row of the table of functions is: names, side, attributes, and who models it. Types alone; the rows are in `table/`.

use super::returns::Returns;
use std::borrow::Cow;

/// Where a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum On {
    Host,
    Device,
    /// LLVM's intrinsics of every target.
    Either,
}

impl On {
    /// Where an intrinsic is called.
    #[must_use]
    pub fn of_intrinsic(key: &Key) -> Self {
        if key.text.starts_with("llvm.nvvm.") { Self::Device } else { Self::Either }
    }
}

/// How a text names functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The symbol. Intrinsics stand without the types that they are overloaded for (`ir::intrinsic`), functions of CUDA's runtime
    /// without the suffix of a default stream.
    Whole,
    /// Symbols begin so.
    Start,
    /// Symbols have this in them.
    Part,
    /// A function of real numbers by its name in C: in libdevice and in NVPTX other types, roundings and faster forms have names made of it.
    Real,
    /// Routines of cuBLAS whose symbols begin so, but for the letter of the element type behind `cublas`.
    Typed,
    /// Demangled names begin so.
    DemangledStart,
    /// Demangled names have this in them.
    DemangledPart,
    /// Any other function whose symbol begins so: what is done where there is no model.
    Rest,
}

/// One name, or one pattern of names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub kind: Kind,
    pub text: Cow<'static, str>,
}

impl Key {
    pub fn new(kind: Kind, text: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, text: text.into() }
    }
    pub fn whole(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Whole, text)
    }
    pub fn start(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Start, text)
    }
    pub fn real(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Real, text)
    }
    /// Whether every function that `other` names is one that this names.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self == other
            || self.kind == Kind::Real
                && other.kind == Kind::Whole
                && other.text.strip_prefix(&*self.text).is_some_and(|types| types.starts_with('.'))
            || self.kind == Kind::Start
                && matches!(other.kind, Kind::Whole | Kind::Start)
                && other.text.starts_with(&*self.text)
    }
}

/// Which of the two engines models a function: gives more of it than an unknown result and the loss of what it could write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modelled {
    Both,
    /// `src/host`, `src/kernel`; why the interpreter does not. "not yet: …" where it should.
    SymbolicOnly(&'static str),
    /// `src/witness`; why the executor does not.
    ConcreteOnly(&'static str),
    /// The row is here for its attributes, or for what is seen of such calls; why that is enough.
    Neither(&'static str),
}

/// What a function without a body throws that a program could catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Throws {
    /// Where memory is exhausted.
    NoMemory,
    Nothing,
}

/// Which arguments of a function, counted from 0, are texts that it only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reads {
    pub(super) argument: usize,
    /// All behind it as well. Formats that store through an argument (`%n`, `sscanf`) store nothing in a text.
    pub(super) rest: bool,
}

/// What holds of a function whatever it is given. Each is false where nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "properties that are independent of each other")]
pub(super) struct Attributes {
    /// It gives memory made anew, an address made of one that it is given, or none; calls nothing of the program's; and puts no address
    /// anywhere but one of those. What reads (`fread`, `sscanf`, `read`) may read an address that was written.
    pub(super) gives_nothing_else: bool,
    /// It throws, or surrounds a handler. That the end of one destroys what was caught is left out (`symbolic/exec/exceptions.rs`).
    pub(super) of_exceptions: bool,
    /// It calls the functions that it is given before it returns, and never again.
    pub(super) keeps_no_function: bool,
    /// It keeps no address of what it is given, and calls nothing that it finds there. Other threads may run meanwhile.
    pub(super) keeps_no_address: bool,
    /// It writes nothing through the pointers that it is given but what is the library's own: streams of files, threads, what it frees.
    pub(super) writes_only_its_own: bool,
    /// It is of C or POSIX, and no other attribute says so.
    pub(super) of_c_library: bool,
    /// It has an interface for C, beside CUDA's runtime and driver: it calls no virtual methods.
    pub(super) of_c_interface: bool,
    /// It is given kernels to ask about them.
    pub(super) asks_about_kernels: bool,
    /// It launches what it is given, or tells how the next launch is configured.
    pub(super) launches: bool,
    pub(super) throws: Option<Throws>,
    pub(super) reads: Option<Reads>,
    /// Whether a call goes on behind it, where that is not always so.
    pub(super) returns: Option<Returns>,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub kind: Kind,
    pub names: &'static [&'static str],
    pub on: On,
    pub modelled: Modelled,
    pub(super) attributes: Attributes,
}

impl Row {
    pub(super) const fn new(on: On, kind: Kind, names: &'static [&'static str]) -> Self {
        let attributes = Attributes {
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
        Self { kind, names, on, modelled: Modelled::Both, attributes }
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
    /// This argument is a text that it only reads.
    pub(super) const fn reads(mut self, argument: usize) -> Self {
        self.attributes.reads = Some(Reads { argument, rest: false });
        self
    }
    /// So is each behind it.
    pub(super) const fn reads_from(mut self, argument: usize) -> Self {
        self.attributes.reads = Some(Reads { argument, rest: true });
        self
    }
    pub(super) const fn returns(mut self, returns: Returns) -> Self {
        self.attributes.returns = Some(returns);
        self
    }
    pub(super) const fn symbolic_only(mut self, why: &'static str) -> Self {
        self.modelled = Modelled::SymbolicOnly(why);
        self
    }
    pub(super) const fn concrete_only(mut self, why: &'static str) -> Self {
        self.modelled = Modelled::ConcreteOnly(why);
        self
    }
    pub(super) const fn neither(mut self, why: &'static str) -> Self {
        self.modelled = Modelled::Neither(why);
        self
    }
    /// The row's names as keys.
    pub fn keys(&self) -> impl Iterator<Item = Key> + use<> {
        let kind = self.kind;
        self.names.iter().map(move |n| Key::new(kind, *n))
    }
}

/// A row of functions of the host by their symbols; both engines model them, if nothing else is said.
pub(super) const fn host(names: &'static [&'static str]) -> Row {
    Row::new(On::Host, Kind::Whole, names)
}

/// The same of functions of the device.
pub(super) const fn device(names: &'static [&'static str]) -> Row {
    Row::new(On::Device, Kind::Whole, names)
}

/// The same of LLVM's intrinsics of every target.
pub(super) const fn either(names: &'static [&'static str]) -> Row {
    Row::new(On::Either, Kind::Whole, names)
}

/// Functions of the host by how their symbols begin.
pub(super) const fn host_starts(names: &'static [&'static str]) -> Row {
    Row::new(On::Host, Kind::Start, names)
}

/// Functions of the device by how their symbols begin.
pub(super) const fn device_starts(names: &'static [&'static str]) -> Row {
    Row::new(On::Device, Kind::Start, names)
}
