//! The C++ library: what is better known by name than by its body. Containers are entered like any other code.

use super::Call;
use crate::ir::{BinOp, TypeKind};
use crate::kernel::Modelled;
use crate::models::attributes::is_of_library;
use crate::reasons::UnknownReason;
use crate::symbolic::effects::havoc::Part;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::inputs::command_line::one_object;
use crate::symbolic::memory::object::ObjKind;
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::{Range, SymKind};
use std::rc::Rc;

/// Text output: no effect on anything that is followed. Prefixes of mangled names.
const OUTPUT: &[&str] = &[
    "_ZNSo",
    "_ZStls",
    "_ZSt4endl",
    "_ZSt5flush",
    "_ZSt4ends",
    "_ZNSt9basic_ios",
    "_ZNKSt9basic_ios",
    "_ZNSt8ios_base",
    "_ZNKSt8ios_base",
    "_ZSt16__ostream_insert",
    "_ZSt7setfill",
    "_ZSt12setprecision",
    "_ZSt4setw",
    "_ZStorSt",
    "_ZStanSt",
    "_ZSt13setiosflags",
];

/// Entered nowhere: too large to follow and nothing that sizes depend on. Substrings of demangled names.
const OPAQUE: &[&str] = &[
    "std::basic_ofstream",
    "std::basic_ifstream",
    "std::basic_fstream",
    "std::basic_filebuf",
    "std::locale",
    "basic_stringstream",
    "basic_ostringstream",
    "basic_istringstream",
    "basic_stringbuf",
    "basic_streambuf",
    "std::mersenne_twister_engine",
    "std::linear_congruential_engine",
    "std::random_device",
    "std::uniform_",
    "std::normal_distribution",
    "std::bernoulli_distribution",
    "std::discard_block_engine",
    "std::thread",
    "std::mutex::",
    "std::condition_variable",
    "std::regex",
    "std::filesystem",
    "std::_Rb_tree",
    "std::_Hashtable",
    "std::__detail::",
    "std::this_thread",
    "std::future",
    "std::async",
    "std::basic_regex",
    "std::ctype",
    "std::use_facet",
    "std::has_facet",
    "std::__convert",
    "std::__throw",
];

/// Algorithms that only permute or overwrite what their iterators reach. Prefixes of demangled names.
const ALGORITHMS: &[&str] = &[
    "void std::sort<",
    "void std::stable_sort<",
    "void std::shuffle<",
    "void std::random_shuffle<",
    "void std::reverse<",
    "void std::generate<",
    "void std::iota<",
    "void std::nth_element<",
    "void std::partial_sort<",
    "std::sort",
    "std::stable_sort",
];

/// A number between two others, which the distribution keeps one behind the other.
const UNIFORM: &str = "std::uniform_int_distribution<";

/// Readers of numbers, and the bits of what they give.
const NUMBERS: &[(&str, u32)] = &[
    ("_ZNSt7__cxx114stoiERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi", 32),
    ("_ZNSt7__cxx114stolERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi", 64),
    ("_ZNSt7__cxx115stollERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi", 64),
    ("_ZNSt7__cxx115stoulERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi", 64),
    ("_ZNSt7__cxx116stoullERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi", 64),
];

/// What starts a thread of the host. Substrings of demangled names.
const THREADS: &[&str] = &["std::thread::thread<", "std::jthread::jthread<", "std::async<"];

/// What a string is made of, or assigned, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Text,
    String,
    Moved,
}

impl Source {
    /// By the mangled name of a constructor or an assignment. Others take a part of a text.
    fn of(name: &str) -> Option<Self> {
        let member = name.strip_prefix("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE")?;
        let member =
            member.strip_prefix("C1").or_else(|| member.strip_prefix("C2")).or_else(|| member.strip_prefix("aS"))?;
        match member {
            "EPKc" | "EPKcRKS3_" | "IS3_EEPKcRKS3_" => Some(Self::Text),
            "ERKS4_" | "ERKS4_RKS3_" => Some(Self::String),
            "EOS4_" | "EOS4_RKS3_" => Some(Self::Moved),
            _ => None,
        }
    }
}

/// Members of `std::string`.
const STRING: &[&str] = &["_ZNSt7__cxx1112basic_string", "_ZNKSt7__cxx1112basic_string", "_ZNSs", "_ZNKSs"];

impl Executor<'_> {
    /// What a distribution gives from one of the library's generators (`operator()(generator)`, or with parameters of its own), of at
    /// most 32 bits.
    fn random_between(&mut self, c: &Call<'_>, s: &mut State) -> Option<Value> {
        let TypeKind::Int(bits @ 8..=32) = self.program.module(c.site.func.module).ty(c.ty).kind else { return None };
        let (bytes, signed) = (bits / 8, !c.display.split_once(UNIFORM)?.1.starts_with("unsigned"));
        let kept = self.pointer_arg(c, if c.args.len() > 2 { 2 } else { 0 });
        let distance = self.arena.int(i128::from(bytes));
        let last = self.offset_targets(&kept, distance);
        let [least, most] =
            [kept, last].map(|p| self.load_number(s, &p, u64::from(bytes)).map(|t| self.interpret(t, bits, signed)));
        let (least, most) = (least?, most?);
        self.forget_reachable(s, &c.args[1..2], &UnknownReason::GeneratorState);
        let number = self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::RandomNumber },
            "random number",
            Range::new(0, 1 << 62),
        );
        let span = self.arena.sub(most, least);
        let span = self.arena.add_const(span, 1);
        let beyond = self.int_op(BinOp::SRem, number, span, 64);
        Some(Value::Int(self.arena.add(least, beyond)))
    }

    pub(super) fn stdcxx_call(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        // A function of the program itself is followed, whatever its parameters are.
        if !is_of_library(c.name) {
            return Err(Box::new(s));
        }
        if OUTPUT.iter().any(|p| c.name.starts_with(p)) {
            // Buffers and manipulators of the program.
            self.lend(&mut s, &[c.func], c.args, &UnknownReason::StreamCalls);
            // Streams give themselves back.
            let m = self.program.module(c.site.func.module);
            let v = match c.args.first() {
                Some(v @ Value::Ptr(_)) => v.clone(),
                _ => self.unknown_of(m, c.ty, &UnknownReason::StreamState),
            };
            let v = if matches!(m.ty(c.ty).kind, crate::ir::TypeKind::Ptr(_)) {
                v
            } else {
                self.unknown_of(m, c.ty, &UnknownReason::StreamState)
            };
            return Ok(Some((v, s)));
        }
        // std::istream::operator>>(T&).
        if let Some(t) = c.name.strip_prefix("_ZNSirsER") {
            let bytes = match t {
                "i" | "j" => 4,
                "l" | "m" | "x" | "y" => 8,
                "s" | "t" => 2,
                _ => 0,
            };
            let p = self.pointer_arg(c, 1);
            let stream = self.stream_of(c, &mut s);
            match stream.and_then(|f| self.next_word(&mut s, &f, bytes)) {
                Some(v @ Value::Int(_)) => self.store_value(&mut s, &p, v, u64::from(bytes)),
                _ => self.forget_targets(&mut s, &p, &UnknownReason::ReadFromStream),
            }
            return Ok(Some((c.args.first().cloned().unwrap_or_else(|| Value::unknown(UnknownReason::Stream)), s)));
        }
        let mut s = match self.ifstream_call(c, s) {
            Err(s) => *s,
            done => return done,
        };
        if c.display.contains("std::chrono::") && self.program.func(c.func).is_declaration() {
            return self.opaque(c, s, &UnknownReason::Time);
        }
        if let Some((_, bits)) = NUMBERS.iter().find(|(n, _)| *n == c.name) {
            return self.string_number(c, s, *bits);
        }
        if c.display.contains("basic_string<") || c.name.contains("basic_string") || c.name.starts_with("_ZNSs") {
            return self.string_call(c, s);
        }
        if c.display.contains(UNIFORM) && !c.display.contains("std::vector<") {
            if !c.display.contains("::operator()<std::") {
                return Err(Box::new(s));
            }
            if let Some(v) = self.random_between(c, &mut s) {
                return Ok(Some((v, s)));
            }
        }
        if OPAQUE.iter().any(|p| c.display.contains(p)) && !c.display.contains("std::vector<") {
            if self.program.func(c.func).noreturn {
                return Ok(None);
            }
            let head: String = c.display.chars().take(60).collect();
            return self.beside(c, s, &UnknownReason::ResultOf(head));
        }
        if ALGORITHMS.iter().any(|p| c.display.starts_with(p)) {
            return self.beside(c, s, &UnknownReason::Algorithm);
        }
        Err(Box::new(s))
    }

    /// As [`Self::opaque`], of a function that may call the program's own: what these may write through globals is forgotten too.
    /// One that leads to CUDA is entered instead.
    fn beside(&mut self, c: &Call<'_>, s: State, reason: &UnknownReason) -> Modelled {
        let mut s = s;
        if self.program.func(c.func).is_declaration() {
            self.lend(&mut s, &[c.func], c.args, reason);
            return self.opaque(c, s, reason);
        }
        // What another thread does is not executed.
        if THREADS.iter().any(|t| c.display.contains(t)) {
            self.start(&mut s, c.func, c.args, &UnknownReason::OtherHostThread);
            return self.opaque(c, s, reason);
        }
        if self.leads_to_cuda(c.func) {
            return Err(Box::new(s));
        }
        let Some(globals) = self.globals_written_by(c.func, |name| !is_of_library(name)) else {
            return Err(Box::new(s));
        };
        let args: Vec<Value> = c.args.iter().cloned().chain(globals).collect();
        self.opaque(&Call { args: &args, ..*c }, s, reason)
    }

    /// The stream that a member of `std::istream` reads from, where it is known.
    fn stream_of(&mut self, c: &Call<'_>, s: &mut State) -> Option<Rc<Vec<Target>>> {
        let this = self.pointer_arg(c, 0);
        let [Target { base: Base::Object(o), offset, .. }] = this.as_slice() else { return None };
        if let ObjKind::HostGlobal(r) = &self.object(*o).kind
            && self.program.global(*r).name == "_ZSt3cin"
        {
            return Some(self.standard_input(s));
        }
        if self.arena.as_int(*offset) != Some(0) {
            return None;
        }
        let stream = *self.inputs.file_streams.get(o)?;
        match self.pointer(stream, 0) {
            Value::Ptr(p) => Some(p),
            _ => None,
        }
    }

    /// `std::ifstream`: opening, and reading of bytes. What else reads leaves it at a place that is not known.
    fn ifstream_call(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let member = c.name.strip_prefix("_ZNSt14basic_ifstreamIcSt11char_traitsIcEE");
        if let Some(text) = member
            .and_then(|m| m.strip_prefix("C1E").or_else(|| m.strip_prefix("C2E")).or_else(|| m.strip_prefix("4openE")))
            .filter(|m| !m.starts_with('v'))
        {
            let (this, name) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
            let [Target { base: Base::Object(o), offset, .. }] = this.as_slice() else { return Err(Box::new(s)) };
            if self.arena.as_int(*offset) != Some(0) {
                return Err(Box::new(s));
            }
            let name =
                if text.starts_with("RKNSt7__cxx1112basic_string") { self.load_pointer(&mut s, &name) } else { name };
            let name = self.file_name(&s, &name);
            self.forget_targets(&mut s, &this, &UnknownReason::Stream);
            let stream = self.open_stream(c, &mut s, name);
            self.inputs.file_streams.insert(*o, stream);
            return Self::no_value(s);
        }
        if c.name == "_ZNSi4readEPcl"
            && let Some(f) = self.stream_of(c, &mut s)
        {
            let to = self.pointer_arg(c, 1);
            let (length, one) = (self.int_arg(c, 2, 64), self.arena.int(1));
            self.read_bytes(&mut s, &to, &f, length, one);
            return Ok(Some((c.args[0].clone(), s)));
        }
        let reads = ["_ZNSi", "_ZStrs", "_ZSt7getline", "_ZNSrs"].iter().any(|p| c.name.starts_with(p))
            && !["_ZNSiC", "_ZNSiD"].iter().any(|p| c.name.starts_with(p));
        if reads && let Some(f) = self.stream_of(c, &mut s) {
            self.lose_position(&mut s, &f);
        }
        Err(Box::new(s))
    }

    /// `std::string`: only which program argument it holds is followed, by its data pointer at offset 0.
    fn string_call(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let [equal, unequal] = ["_ZSteqIc", "_ZStneIc"].map(|p| c.name.starts_with(p));
        if (equal || unequal) && c.display.ends_with("char const*)") {
            let (this, text) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
            let held = self.load_pointer(&mut s, &this);
            let (difference, zero) = (self.comparison(&s, &held, &text, None, false), self.arena.int(0));
            let same = self.arena.eq(difference, zero);
            return Ok(Some((Value::Bool(if equal { same } else { self.arena.not(same) }), s)));
        }
        if !STRING.iter().any(|p| c.name.starts_with(p)) {
            return self.beside(c, s, &UnknownReason::StringContainer);
        }
        let this = self.pointer_arg(c, 0);
        if let Some(from) = Source::of(c.name)
            && let Some(Value::Ptr(text)) = c.args.get(1)
        {
            let text = match from {
                Source::Text => text.clone(),
                Source::String | Source::Moved => {
                    let text = text.clone();
                    self.load_pointer(&mut s, &text)
                }
            };
            let bytes = self.program.func(c.func).params.first().map_or(0, |p| p.dereferenceable);
            // The object that is left behind holds another text.
            let changed = if from == Source::Moved { &c.args[..2] } else { &c.args[..1] };
            for object in changed {
                self.forget_parts(
                    &mut s,
                    std::slice::from_ref(object),
                    &[Part { bytes, linked: false }],
                    &UnknownReason::String,
                );
            }
            let held = match one_object(&text) {
                Some((o, offset)) if self.is_as_given(&s, o, offset) => {
                    let (copy, always) = (self.copy_of_text(o), self.arena.bool(true));
                    Value::Ptr(Rc::new(vec![Target::new(always, Base::Object(copy), offset)]))
                }
                _ => self.unknown_pointer(&UnknownReason::StringText),
            };
            self.store_value(&mut s, &this, held, 8);
            return Ok(Some((c.args[0].clone(), s)));
        }
        // Through a pointer to characters that are not constant the program may change them.
        if c.name.ends_with("c_strEv") || c.name.starts_with("_ZNK") && c.name.ends_with("dataEv") {
            let p = self.load_pointer(&mut s, &this);
            return Ok(Some((Value::Ptr(p), s)));
        }
        self.beside(c, s, &UnknownReason::String)
    }

    fn string_number(&mut self, c: &Call<'_>, mut s: State, bits: u32) -> Modelled {
        let this = self.pointer_arg(c, 0);
        let text = self.load_pointer(&mut s, &this);
        let v = self.number_in_base(c, &text, &mut s, bits);
        Ok(Some((v, s)))
    }
}
