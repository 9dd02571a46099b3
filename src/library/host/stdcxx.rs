//! The C++ library: functions whose model by name is better than their body. Containers are entered like any other
//! code.

use super::cuda;
use super::files;
use super::futures;
use super::host_threads;
use super::libc;
use super::table::HostModel;
use base::reasons::UnknownReason;
use engine::symbolic::effects::havoc::WrittenPart;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::inputs::command_line::one_object;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::SymKind;
use ir::{BinOp, TypeKind};
use models::attributes::is_of_library;
use models::row::{MatchKind, NameKey};
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

/// Never entered: too large to follow and irrelevant for sizes. Substrings of demangled names.
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

/// Class in which libstdc++ stores the size of a `std::span`.
const EXTENT: &str = "std::__detail::__extent_storage<";

/// A number in an interval whose ends the distribution stores one after the other.
const UNIFORM: &str = "std::uniform_int_distribution<";

/// Readers of numbers: of 32 bits, of 64.
const NUMBERS_32: &[&str] = &["_ZNSt7__cxx114stoiERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi"];
const NUMBERS_64: &[&str] = &[
    "_ZNSt7__cxx114stolERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
    "_ZNSt7__cxx115stollERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
    "_ZNSt7__cxx115stoulERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
    "_ZNSt7__cxx116stoullERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
];

/// Prefix of `std::istream::operator>>`, followed by the type that is read.
const EXTRACTION: &str = "_ZNSirsER";

/// Constructors and the member of `std::ifstream` that open a file, followed by their parameter types.
const OPENS: &[&str] = &[
    "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1E",
    "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC2E",
    "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openE",
];

/// A model, the patterns of its names, and the condition on their calls under which it applies.
struct ModelStep {
    patterns: &'static [(MatchKind, &'static [&'static str])],
    applies: fn(&LibraryCall<'_>) -> bool,
    model: HostModel,
    /// Whether a call that the model declines is entered, without trying later models.
    last: bool,
}

/// Returns a step that applies to all such calls.
const fn step(patterns: &'static [(MatchKind, &'static [&'static str])], model: HostModel) -> ModelStep {
    ModelStep { patterns, applies: |_| true, model, last: false }
}

/// The models, in the order in which they are tried.
const STEPS: &[ModelStep] = &[
    step(&[(MatchKind::Start, OUTPUT)], |e, c, s| stream_output(e, c, s)),
    step(&[(MatchKind::Start, &[EXTRACTION])], |e, c, s| extraction(e, c, s)),
    step(&[(MatchKind::Start, OPENS)], |e, c, s| open_ifstream(e, c, s)),
    step(&[(MatchKind::Whole, &["_ZNSi4readEPcl"])], |e, c, s| istream_read(e, c, s)),
    step(&[(MatchKind::Start, &["_ZNSi", "_ZStrs", "_ZSt7getline", "_ZNSrs"])], |e, c, s| reads_on(e, c, s)),
    step(&[(MatchKind::Start, &[futures::TASK_SETTER])], futures::run_task),
    step(&[(MatchKind::Start, &[futures::SET_RESULT])], futures::set_result),
    step(&[(MatchKind::Start, &["_ZSt5asyncI"])], futures::start),
    ModelStep {
        applies: futures::waits,
        ..step(&[(MatchKind::DemangledStart, &["std::future<", "std::__basic_future<"])], |e, c, s| {
            futures::wait(e, c, s)
        })
    },
    step(&[(MatchKind::DemangledPart, &["std::chrono::"])], |e, c, s| clock(e, c, s)),
    step(&[(MatchKind::Whole, NUMBERS_32)], |e, c, s| string_number(e, c, s, 32)),
    step(&[(MatchKind::Whole, NUMBERS_64)], |e, c, s| string_number(e, c, s, 64)),
    ModelStep {
        patterns: &[
            (MatchKind::DemangledPart, &["basic_string<"]),
            (MatchKind::Part, &["basic_string"]),
            (MatchKind::Start, &["_ZNSs"]),
        ],
        applies: |_| true,
        model: |e, c, s| string_call(e, c, s),
        last: true,
    },
    // The other functions of an integer distribution are entered.
    ModelStep {
        patterns: &[(MatchKind::DemangledPart, &[UNIFORM])],
        applies: |c| holds_no_vector(c) && !c.display.contains("::operator()<std::"),
        model: |_, _, s| Err(Box::new(s)),
        last: true,
    },
    ModelStep {
        applies: holds_no_vector,
        ..step(&[(MatchKind::DemangledPart, &[UNIFORM])], |e, c, s| distribution(e, c, s))
    },
    ModelStep {
        patterns: &[(MatchKind::DemangledPart, OPAQUE)],
        applies: |c| holds_no_vector(c) && !c.display.contains(EXTENT),
        model: |e, c, s| not_entered(e, c, s),
        last: true,
    },
    step(&[(MatchKind::DemangledStart, ALGORITHMS)], |e, c, s| beside(e, c, s, &UnknownReason::Algorithm)),
];

fn holds_no_vector(c: &LibraryCall<'_>) -> bool {
    !c.display.contains("std::vector<")
}

fn fits(c: &LibraryCall<'_>, kind: MatchKind, pattern: &str) -> bool {
    match kind {
        MatchKind::Whole => c.name == pattern,
        MatchKind::Start => c.name.starts_with(pattern),
        MatchKind::Part => c.name.contains(pattern),
        MatchKind::DemangledStart => c.display.starts_with(pattern),
        MatchKind::DemangledPart => c.display.contains(pattern),
        MatchKind::Real | MatchKind::Typed | MatchKind::Rest => false,
    }
}

/// Returns the functions of the C++ library that are modelled.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    STEPS.iter().flat_map(|step| step.patterns).flat_map(|(kind, texts)| texts.iter().map(|t| NameKey::new(*kind, *t)))
}

/// Functions that start a host thread, and are not entered. Substrings of demangled names.
const THREADS: &[&str] = &["std::jthread::jthread<"];

/// Source from which a string is constructed or assigned as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringSource {
    Text,
    String,
    Moved,
}

impl StringSource {
    /// Returns the source by the mangled name of a constructor or an assignment. Others take a part of a string.
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

/// Returns the result of a distribution with one of the library's generators (`operator()(generator)`, or with
/// separate parameters), of at most 32 bits.
fn random_between(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<Value> {
    let TypeKind::Int(bits @ 8..=32) = e.program.module(c.site.func.module).ty(c.ty).kind else { return None };
    let (bytes, signed) = (bits / 8, !c.display.split_once(UNIFORM)?.1.starts_with("unsigned"));
    let kept = cuda::pointer_arg(e, c, if c.args.len() > 2 { 2 } else { 0 });
    let distance = e.arena.int(i128::from(bytes));
    let last = e.offset_targets(&kept, distance);
    let [least, most] =
        [kept, last].map(|p| e.load_number(s, &p, u64::from(bytes)).map(|t| e.interpret(t, bits, signed)));
    let (least, most) = (least?, most?);
    e.havoc_reachable(s, &c.args[1..2], &UnknownReason::GeneratorState);
    let number = e.arena.fresh(
        SymKind::Unknown { reason: UnknownReason::RandomNumber },
        "random number",
        Interval::new(0, 1 << 62),
    );
    let span = e.arena.sub(most, least);
    let span = e.arena.add_const(span, 1);
    let beyond = e.int_op(BinOp::SRem, number, span, 64);
    Some(Value::Int(e.arena.add(least, beyond)))
}

pub(crate) fn stdcxx_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    // A function of the program itself is followed, whatever its parameters are.
    if !is_of_library(c.name) {
        return Err(Box::new(s));
    }
    for step in STEPS {
        let fits = step.patterns.iter().any(|(kind, texts)| texts.iter().any(|t| fits(c, *kind, t)));
        if fits && (step.applies)(c) {
            s = match (step.model)(e, c, s) {
                Err(back) if !step.last => *back,
                done => return done,
            };
        }
    }
    Err(Box::new(s))
}

fn stream_output(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    // The call may use buffers and manipulators of the program.
    e.lend(&mut s, &[c.func], c.args, &UnknownReason::StreamCalls);
    // Stream functions return their stream.
    let m = e.program.module(c.site.func.module);
    let v = match c.args.first() {
        Some(v @ Value::Ptr(_)) => v.clone(),
        _ => e.unknown_of(m, c.ty, &UnknownReason::StreamState),
    };
    let v = if matches!(m.ty(c.ty).kind, ir::TypeKind::Ptr(_)) {
        v
    } else {
        e.unknown_of(m, c.ty, &UnknownReason::StreamState)
    };
    Ok(Some((v, s)))
}

/// Models `std::istream::operator>>(T&)`.
fn extraction(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let bytes = match c.name.strip_prefix(EXTRACTION).unwrap_or_default() {
        "i" | "j" => 4,
        "l" | "m" | "x" | "y" => 8,
        "s" | "t" => 2,
        _ => 0,
    };
    let p = cuda::pointer_arg(e, c, 1);
    let stream = stream_of(e, c, &mut s);
    match stream.and_then(|f| files::next_word(e, &mut s, &f, bytes)) {
        Some(v @ Value::Int(_)) => e.store_value(&mut s, &p, v, u64::from(bytes)),
        _ => e.havoc_targets(&mut s, &p, &UnknownReason::ReadFromStream),
    }
    Ok(Some((c.args.first().cloned().unwrap_or_else(|| Value::unknown(UnknownReason::Stream)), s)))
}

fn clock(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    if e.program.func(c.func).is_declaration() {
        super::opaque(e, c, s, &UnknownReason::Time)
    } else {
        Err(Box::new(s))
    }
}

fn distribution(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    match random_between(e, c, &mut s) {
        Some(v) => Ok(Some((v, s))),
        None => Err(Box::new(s)),
    }
}

fn not_entered(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    if e.program.func(c.func).noreturn {
        return Ok(None);
    }
    let head: String = c.display.chars().take(60).collect();
    beside(e, c, s, &UnknownReason::ResultOf(head.to_string()))
}

/// Havocs like [`Self::opaque`], for a function that may call the program's own: also what these may write through
/// globals. A function that leads to CUDA is entered instead.
fn beside(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State, reason: &UnknownReason) -> ModelOutcome {
    let mut s = s;
    if e.program.func(c.func).is_declaration() {
        e.lend(&mut s, &[c.func], c.args, reason);
        return super::opaque(e, c, s, reason);
    }
    // What such a thread is given leads to its start.
    if c.display.contains("std::thread") || c.display.contains("std::async") {
        return Err(Box::new(s));
    }
    // The body of another thread is not executed.
    if THREADS.iter().any(|t| c.display.contains(t)) {
        e.start(&mut s, c.func, c.args, &UnknownReason::OtherHostThread);
        return super::opaque(e, c, s, reason);
    }
    if e.limits.effort().leads_to_cuda(c.func) {
        return Err(Box::new(s));
    }
    let Some(globals) = e.globals_written_by(c.func, |name| !is_of_library(name)) else {
        return Err(Box::new(s));
    };
    host_threads::note_not_entered(e, c, &mut s);
    let args: Vec<Value> = c.args.iter().cloned().chain(globals).collect();
    super::opaque(e, &LibraryCall { args: &args, ..*c }, s, reason)
}

/// Returns the stream that a member of `std::istream` reads from, if known.
fn stream_of(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<Rc<Vec<GuardedTarget>>> {
    let this = cuda::pointer_arg(e, c, 0);
    let [GuardedTarget { base: Base::Object(o), offset, .. }] = this.as_slice() else { return None };
    if let ObjKind::HostGlobal(r) = &e.object(*o).kind
        && e.program.global(*r).name == "_ZSt3cin"
    {
        return Some(files::standard_input(e, s));
    }
    if e.arena.as_int(*offset) != Some(0) {
        return None;
    }
    let stream = *e.inputs.file_streams.get(o)?;
    match e.pointer(stream, 0) {
        Value::Ptr(p) => Some(p),
        _ => None,
    }
}

/// Models the opening of a `std::ifstream`.
fn open_ifstream(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let Some(text) = OPENS.iter().find_map(|p| c.name.strip_prefix(p)).filter(|m| !m.starts_with('v')) else {
        return Err(Box::new(s));
    };
    let (this, name) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let [GuardedTarget { base: Base::Object(o), offset, .. }] = this.as_slice() else { return Err(Box::new(s)) };
    if e.arena.as_int(*offset) != Some(0) {
        return Err(Box::new(s));
    }
    let name = if text.starts_with("RKNSt7__cxx1112basic_string") { e.load_pointer(&mut s, &name) } else { name };
    let name = files::file_name(e, &s, &name);
    e.havoc_targets(&mut s, &this, &UnknownReason::Stream);
    let stream = files::open_stream(e, c, &mut s, name);
    e.inputs.file_streams.insert(*o, stream);
    super::no_value(s)
}

/// Models `std::istream::read`.
fn istream_read(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let Some(f) = stream_of(e, c, &mut s) else { return Err(Box::new(s)) };
    let to = cuda::pointer_arg(e, c, 1);
    let (length, one) = (libc::int_arg(e, c, 2, 64), e.arena.int(1));
    files::read_bytes(e, &mut s, &to, &f, length, one);
    Ok(Some((c.args[0].clone(), s)))
}

/// Makes the position of a stream unknown after any other read.
fn reads_on(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let reads = !["_ZNSiC", "_ZNSiD"].iter().any(|p| c.name.starts_with(p));
    if reads && let Some(f) = stream_of(e, c, &mut s) {
        files::lose_position(e, &mut s, &f);
    }
    Err(Box::new(s))
}

/// Models `std::string`: it only tracks which program argument the string contains, by its data pointer at offset
/// 0.
fn string_call(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let [equal, unequal] = ["_ZSteqIc", "_ZStneIc"].map(|p| c.name.starts_with(p));
    if (equal || unequal) && c.display.ends_with("char const*)") {
        let (this, text) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
        let held = e.load_pointer(&mut s, &this);
        let (difference, zero) = (e.comparison(&s, &held, &text, None, false), e.arena.int(0));
        let same = e.arena.eq(difference, zero);
        return Ok(Some((Value::Bool(if equal { same } else { e.arena.not(same) }), s)));
    }
    if !STRING.iter().any(|p| c.name.starts_with(p)) {
        return beside(e, c, s, &UnknownReason::StringContainer);
    }
    let this = cuda::pointer_arg(e, c, 0);
    if let Some(from) = StringSource::of(c.name)
        && let Some(Value::Ptr(text)) = c.args.get(1)
    {
        let text = match from {
            StringSource::Text => text.clone(),
            StringSource::String | StringSource::Moved => {
                let text = text.clone();
                e.load_pointer(&mut s, &text)
            }
        };
        let bytes = e.program.func(c.func).params.first().map_or(0, |p| p.dereferenceable);
        // The moved-from object contains another string.
        let changed = if from == StringSource::Moved { &c.args[..2] } else { &c.args[..1] };
        for object in changed {
            e.havoc_parts(
                &mut s,
                std::slice::from_ref(object),
                &[WrittenPart { bytes, linked: false }],
                &UnknownReason::String,
            );
        }
        let held = match one_object(&text) {
            Some((o, offset)) if e.is_as_given(&s, o, offset) => {
                let (copy, always) = (e.copy_of_text(o), e.arena.bool(true));
                Value::Ptr(Rc::new(vec![GuardedTarget::new(always, Base::Object(copy), offset)]))
            }
            _ => e.unknown_pointer(&UnknownReason::StringText),
        };
        e.store_value(&mut s, &this, held, 8);
        return Ok(Some((c.args[0].clone(), s)));
    }
    // The program may change the characters through a pointer to non-const ones.
    if c.name.ends_with("c_strEv") || c.name.starts_with("_ZNK") && c.name.ends_with("dataEv") {
        let p = e.load_pointer(&mut s, &this);
        return Ok(Some((Value::Ptr(p), s)));
    }
    beside(e, c, s, &UnknownReason::String)
}

fn string_number(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State, bits: u32) -> ModelOutcome {
    let this = cuda::pointer_arg(e, c, 0);
    let text = e.load_pointer(&mut s, &this);
    let v = libc::number_in_base(e, c, &text, &mut s, bits);
    Ok(Some((v, s)))
}
