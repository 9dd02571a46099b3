//! Every reason with its words and its code: users and other programs rely on both.

use super::{Code, InTheCall, OfModel, UnknownReason as R};
use std::collections::BTreeSet;
use std::hash::BuildHasher;

fn x() -> String {
    "x".into()
}

fn why() -> Box<R> {
    Box::new(R::ResultOf("g".into()))
}

/// File and line of a call.
fn at() -> InTheCall {
    InTheCall(Some(("a.cu".into(), 7)))
}

#[rustfmt::skip]
fn all() -> Vec<(R, &'static str, Code)> {
    vec![
        (R::ExecutionWork(at()), "the execution budget was spent (limits.work), in the call at a.cu:7", Code::Work),
        (R::ExecutionMemory(at()), "the memory limit was reached (limits.memory), in the call at a.cu:7", Code::Memory),
        (R::ExecutionTime(at()), "the time limit was reached (limits.tu_seconds), in the call at a.cu:7", Code::Time),
        (R::ProgramWork, "the budget of its program was spent (limits.work)", Code::Work),
        (R::SolverWork, "the solver's budget was spent (limits.work)", Code::Work),
        (R::SolverTime, "the solver's time limit was reached (limits.solver_ms)", Code::Time),
        (R::SolverMemory, "the solver's memory limit was reached (limits.memory)", Code::Memory),
        (R::CallTooLong(x()), "what `x` does, which takes too long to follow", Code::Work),
        (R::LoopTooLong(x()), "what a loop in `x` does, which takes too long to follow", Code::Work),
        (R::SeveralEntries(x()), "`x` has a loop with several entries", Code::Loop),
        (R::TerminatorNotFollowed(x()), "`x` is not followed", Code::Other),
        (R::LoopStores(x()), "what the loop in `x` stores could not be found out", Code::Loop),
        (R::LoopChanges(x()), "what the loop in `x` changes could not be found out", Code::Loop),
        (R::NoLaunchAtAll, "no launch at all", Code::NoLaunch),
        (R::GivenKernel(x()), "`x` is given a kernel, which it may launch", Code::HostNotFollowed),
        (R::LaunchesAtExit(x()), "`x` may launch when the program ends", Code::HostNotFollowed),
        (R::AroundMain, "what is called before or after `main`", Code::HostNotFollowed),
        (R::KernelGraph(x()), "`x`: what a graph of kernels does is not followed", Code::HostNotFollowed),
        (R::KernelByPointer, "a kernel reached through a pointer that could not be followed", Code::HostNotFollowed),
        (R::Coroutine, "a coroutine is not followed", Code::CallUnknown),
        (R::KernelNotFollowed(why()), "the kernel was not followed to its end: the result of `g`", Code::CallUnknown),
        (R::HostNotFollowed(why()), "the host code was not followed to its end: the result of `g`", Code::HostNotFollowed),
        (R::PathTaken, "which path was taken", Code::Other),
        (R::PathNotFollowed, "a value from a path that was not followed", Code::Other),
        (R::ConditionNotFollowed, "a condition that was not followed", Code::Other),
        (R::TwoPaths, "written differently on two paths", Code::ContentsUnknown),
        (R::PiecesOnTwoPaths, "written in other pieces on two paths", Code::ContentsUnknown),
        (R::TwoTypes, "a value of two types on two paths", Code::Other),
        (R::ManyTargets, "a pointer with more than 32 possible targets", Code::ExtentUnknown),
        (R::Caught, "an exception that is caught", Code::Other),
        (R::JumpBack, "what was done before a jump back", Code::ContentsUnknown),
        (R::Elsewhere, "a number of another arena", Code::Other),
        (R::Multiple, "a multiple", Code::Other),
        (R::NoValue, "no value", Code::Other),
        (R::NotComputed, "a value that was not computed", Code::Other),
        (R::TooLarge, "arithmetic too large to follow", Code::Other),
        (R::Vectors, "vector arithmetic", Code::Other),
        (R::SingleBits, "arithmetic on single bits", Code::Other),
        (R::DivisionByZero, "a division by zero", Code::Other),
        (R::ShiftTooFar, "a shift by more than the width", Code::Other),
        (R::SignedShift, "a signed shift by a variable", Code::Other),
        (R::ByAnotherThread, "what another thread may have written", Code::ContentsUnknown),
        (R::WideBits, "bits of an integer of more than 120 bits", Code::Other),
        (R::BooleanOrder, "an ordering of booleans", Code::Other),
        (R::PointerComparison, "a comparison of pointers", Code::Other),
        (R::VectorComparison, "a comparison of vectors", Code::Other),
        (R::WideInteger, "a wide integer", Code::Other),
        (R::BitsOfZero, "a count of bits of zero", Code::Other),
        (R::FloatOnIntegers, "floating-point arithmetic on integers", Code::Float),
        (R::Float, "a floating-point value", Code::Float),
        (R::FloatRounded, "a floating-point value that may be rounded", Code::Float),
        (R::FloatBeyondInteger, "a floating-point value that its integer type does not hold", Code::Float),
        (R::FloatBits, "the bits of a floating-point value", Code::Float),
        (R::FloatComparison, "a floating-point comparison", Code::Float),
        (R::FloatComparisonRounded, "a comparison of floating-point values that are rounded", Code::Float),
        (R::FloatRounding, "how a floating-point value is rounded", Code::Float),
        (R::FloatClass, "the class of a floating-point value", Code::Float),
        (R::FloatArgument, "a floating-point argument", Code::Float),
        (R::MathFunction, "the result of a math function", Code::Float),
        (R::Undefined, "an undefined value", Code::Other),
        (R::UndefinedElement, "an undefined element", Code::Other),
        (R::LongConstant, "a long constant", Code::Other),
        (R::ConstantExpression(x()), "the constant expression `x`", Code::Other),
        (R::UnusualZero, "zero of an unusual type", Code::Other),
        (R::AggregateAsInteger, "an aggregate read as an integer", Code::Other),
        (R::IntegerAsPointer, "an integer used as a pointer", Code::ExtentUnknown),
        (R::NotPointer, "a value that is not a pointer", Code::ExtentUnknown),
        (R::OtherType, "a value read as another type", Code::Other),
        (R::OtherElementType, "a vector of other element type", Code::Other),
        (R::NarrowValue, "a narrow value", Code::Other),
        (R::PartOfValue, "part of a value", Code::Other),
        (R::MemberNotFollowed, "a member of a value that was not followed", Code::Other),
        (R::VectorChoice, "a choice of elements of vectors", Code::Other),
        (R::VectorElement, "an element of a vector", Code::Other),
        (R::VectorElementAt, "an element of a vector at a variable index", Code::Other),
        (R::Shuffled, "a shuffled vector", Code::Other),
        (R::Assembly, "inline assembly", Code::Asm),
        (R::AssemblyResult, "the result of inline assembly", Code::Asm),
        (R::AssemblyPointer, "one that inline assembly uses", Code::Asm),
        (R::Instruction(x()), "x", Code::Other),
        (R::UsedBy(x()), "one that `x` uses", Code::Asm),
        (R::MathPointer, "one that a math function writes to", Code::CallUnknown),
        (R::AtomicResult, "the result of an atomic operation", Code::ContentsUnknown),
        (R::TileKernel, "a tile kernel has no threads, and what it accesses is not followed", Code::Tile),
        (R::UnknownCallee, "a call through an unknown pointer", Code::CallUnknown),
        (R::WhichFunction, "which of several functions is called", Code::CallUnknown),
        (R::ResultOf(x()), "the result of `x`", Code::CallUnknown),
        (R::EffectOf(x()), "the effect of `x`", Code::CallUnknown),
        (R::CallsItself(x()), "`x` calls itself too deeply", Code::CallUnknown),
        (R::CalledTooDeeply(x()), "`x` is called through too many others", Code::CallUnknown),
        (R::LibraryCalls, "what a library calls that was given a function before", Code::CallUnknown),
        (R::Algorithm, "the result of an algorithm", Code::CallUnknown),
        (R::Computed(x()), "what `x` computes", Code::CallUnknown),
        (R::Gives(x()), "what `x` gives", Code::CallUnknown),
        (R::LookedUp(x(), "g".into()), "the function `x`, which `g` looks up by its name", Code::CallUnknown),
        (R::Handle(x(), 3), "what `x` gives (3)", Code::CallUnknown),
        (R::Returns(x()), "what `x` returns", Code::CallUnknown),
        (R::Status(x()), "the status that `x` gives", Code::Other),
        (R::Time, "the time", Code::Other),
        (R::RandomNumber, "a random number", Code::Other),
        (R::GeneratorState, "a generator's state", Code::Other),
        (R::OtherHostThread, "what another thread of the host does", Code::CallUnknown),
        (R::VariadicArguments, "variadic arguments", Code::Other),
        (R::MissingArgument, "a missing argument", Code::Other),
        (R::StackPointer, "the stack pointer", Code::Other),
        (R::AnyLaunch, "an argument of any launch", Code::NoLaunch),
        (R::UnknownKernelGiven, "what an unknown kernel is given", Code::HostNotFollowed),
        (R::LaunchConfiguration, "a launch configuration that is not known", Code::Other),
        (R::LaunchMember, "a member of a launch configuration", Code::Other),
        (
            R::KernelShape,
            "block or cluster sizes that a kernel's attributes give and that are no constants here",
            Code::Other,
        ),
        (R::LaunchAttributes, "attributes of a launch that could not be read", Code::Other),
        (R::LaunchAttribute(x()), "what a launch with the attribute `x` runs", Code::Other),
        (R::ConfiguredStream(None), "the stream that a launch was configured with", Code::Other),
        (R::KernelAttribute, "an attribute of a kernel", Code::Other),
        (R::KernelAttributeSet, "whether an attribute of a kernel was set", Code::Other),
        (R::SymbolAddress, "the address of a symbol", Code::ExtentUnknown),
        (R::UnknownSymbolAddress, "the address of a symbol that is not known", Code::ExtentUnknown),
        (R::CopyToUnknownSymbol, "a copy to a symbol that is not known", Code::ContentsUnknown),
        (R::CopiedFromSymbol, "what is copied from a symbol", Code::ContentsUnknown),
        (R::BatchedCopy, "what a batch of copies reads and writes", Code::ContentsUnknown),
        (R::Copy2D, "a 2D copy", Code::ContentsUnknown),
        (R::RowsFilled, "rows that were filled", Code::ContentsUnknown),
        (R::CopyOverlaps, "what a copy leaves that other work for the device overlaps", Code::ContentsUnknown),
        (R::OtherDeviceWork, "what other work for the device may change meanwhile", Code::ContentsUnknown),
        (R::DeviceWorkMeanwhile, "what work for the device leaves where the host writes meanwhile", Code::ContentsUnknown),
        (R::ArgumentText, "the text of a program argument", Code::Text),
        (R::ArgumentAt, "a program argument at a variable position", Code::Text),
        (R::StringText, "the text of a string", Code::Text),
        (R::StringLength, "the length of a string", Code::Text),
        (R::String, "a string", Code::Text),
        (R::StringContainer, "a container of strings", Code::Text),
        (R::TextComparison, "a comparison of texts", Code::Text),
        (R::TextIsNumber, "whether a text is a number", Code::Text),
        (R::TextWritten, "a text that the program writes", Code::Text),
        (R::TextCopied, "a copied text", Code::Text),
        (R::ErrorText, "the text of an error", Code::Text),
        (R::NumberEnd, "the end of a number", Code::Text),
        (R::Reads(x()), "what `x` reads", Code::Text),
        (R::ReadsInBase(x()), "what `x` reads in another base", Code::Text),
        (R::Printed, "what is printed", Code::Text),
        (R::HowMuchPrinted, "how much was printed", Code::Text),
        (R::OptionFound, "the option that `getopt` found", Code::Text),
        (R::GetoptFound, "what `getopt` found", Code::Text),
        (R::GetoptPermutes, "the arguments that `getopt` permutes", Code::Text),
        (R::OptionHasArgument, "whether an option has an argument", Code::Text),
        (R::HowManyRead, "how many values were read", Code::ContentsUnknown),
        (R::HowMuchRead, "how much of a file was read", Code::ContentsUnknown),
        (R::Read, "what is read", Code::ContentsUnknown),
        (R::ReadFromFile, "what is read from a file", Code::ContentsUnknown),
        (R::ReadFromStream, "what is read from a stream", Code::ContentsUnknown),
        (R::StreamCalls, "what a stream calls", Code::CallUnknown),
        (R::Stream, "a stream", Code::Other),
        (R::StreamState, "the state of a stream", Code::Other),
        (R::StreamBuffer, "what a stream keeps in its buffer", Code::ContentsUnknown),
        (R::FileOpens, "whether a file can be opened", Code::Other),
        (R::FileName, "a file whose name is not known", Code::ContentsUnknown),
        (R::FilePosition, "a position in a file", Code::ContentsUnknown),
        (R::FilePositionAgain, "a position in a file that was read before", Code::ContentsUnknown),
        (R::FilePositionOfSeveral, "a position in one of several files", Code::ContentsUnknown),
        (R::UnknownMemory, "memory that is not known", Code::ExtentUnknown),
        (R::Unwritten(x()), "`x` before it is written", Code::ContentsUnknown),
        (R::Holds(x()), "what `x` holds", Code::ContentsUnknown),
        (R::HoldsMeanwhile(x()), "what `x` holds while work for the device is under way", Code::ContentsUnknown),
        (R::OneOfSeveralHolds(x()), "what one of several allocations, `x`, holds", Code::ContentsUnknown),
        (R::BufferHolds, "what a buffer holds", Code::ContentsUnknown),
        (R::WhichPointer(x()), "which pointer `x` holds", Code::ContentsUnknown),
        (R::ElementOf(x()), "an element of `x`", Code::ContentsUnknown),
        (R::ArrayElement, "an element of an array", Code::ContentsUnknown),
        (R::TableElement, "an element of a table", Code::ContentsUnknown),
        (R::EmptyArray, "an empty array", Code::ContentsUnknown),
        (R::NoPlace, "no place", Code::ContentsUnknown),
        (R::DeviceVariable(x()), "the device variable `x`", Code::ContentsUnknown),
        (R::Global(x()), "the global `x`", Code::ContentsUnknown),
        (R::AfterReset, "what a variable holds once its device was reset", Code::ContentsUnknown),
        (R::OnResetDevice(x()), "whether `x` is on the device that is reset", Code::Other),
        (R::Reallocated, "a reallocated block", Code::ContentsUnknown),
        (R::Filled, "memory that was filled", Code::ContentsUnknown),
        (R::FilledSomewhere, "memory filled through an unknown pointer", Code::ContentsUnknown),
        (R::StoredSomewhere, "a store through an unknown pointer", Code::ContentsUnknown),
        (R::StoredByOtherName, "what was stored by another name", Code::ContentsUnknown),
        (R::WrittenByOtherName, "what was written by another name", Code::ContentsUnknown),
        (R::WrittenAtVariable, "an array written at a variable index", Code::ContentsUnknown),
        (R::WrittenInPlaces, "an array written in many places", Code::ContentsUnknown),
        (R::WrittenInPieces, "a value that was written in other pieces than it is read", Code::ContentsUnknown),
        (R::PartlyOverwritten, "a value that was partly overwritten", Code::ContentsUnknown),
        (R::LargeValue, "a large value", Code::ContentsUnknown),
        (R::PartOfStructure, "part of a structure", Code::ContentsUnknown),
        (R::PerhapsPartOfStructure, "part of a structure that may be stored here", Code::ContentsUnknown),
        (R::CopiedSomewhere, "a copy through an unknown pointer", Code::ContentsUnknown),
        (R::CopiedInto(x()), "what is copied into `x`", Code::ContentsUnknown),
        (R::CopyToOneOfSeveral, "a copy to one of several places", Code::ContentsUnknown),
        (R::CopyOfSeveral, "a copy from or to one of several allocations, or of what is under way", Code::ContentsUnknown),
        (R::PartOfCopiedNumber, "part of a copied number", Code::ContentsUnknown),
        (R::PartOfCopiedStructure, "part of a copied structure", Code::ContentsUnknown),
        (R::PartOfCopiedValue, "part of a value that was copied", Code::ContentsUnknown),
        (R::LoadedThroughNull, "a load through a null pointer", Code::ContentsUnknown),
        (R::LoadedFromFunction, "a load from a function", Code::ContentsUnknown),
        (R::LoadedThroughNothing, "a load through no pointer", Code::ContentsUnknown),
        (R::LoadedThroughLost, "a load through a pointer that could not be followed", Code::ContentsUnknown),
        (R::KernelWrites(x()), "what a kernel writes to `x`", Code::ContentsUnknown),
        (R::KernelWritesDevice, "what a kernel writes to a device variable", Code::ContentsUnknown),
        (R::KernelWritesConstant, "what a kernel writes to a constant variable", Code::ContentsUnknown),
        (R::OtherThreads, "what other threads write", Code::ContentsUnknown),
        (R::OtherThreadHolds, "what another thread's variable holds", Code::ContentsUnknown),
        (R::ThreadOrder, "the order in which threads run", Code::ContentsUnknown),
        (R::FreedThroughLost(x()), "whether `x` was freed through a pointer that is not known", Code::ContentsUnknown),
        (R::FreedByOtherName(x()), "whether `x` was freed by another name", Code::ContentsUnknown),
        (R::FreedEarlier(x()), "whether `x` was freed in an earlier round of a loop", Code::Loop),
        (R::FreedInLoop(x()), "whether `x` was freed in a loop", Code::Loop),
        (R::AllocatedInLoop, "one of many allocations of a loop", Code::Loop),
        (R::WhichRoundAllocated, "which round of a loop allocated it", Code::Loop),
        (R::WhichRoundSet, "which round set a variable", Code::Loop),
        (R::RoundSet, "whether a round of a loop set a variable", Code::Loop),
        (R::Carried, "a value carried round a loop", Code::Loop),
        (R::InLoop(x()), "`x` in a loop", Code::Loop),
        (R::LoopWrites, "what a loop writes", Code::Loop),
        (R::LoopWritesTo(x()), "what a loop writes to `x`", Code::Loop),
        (R::LoopPointer, "what a loop left in a pointer", Code::Loop),
        (R::LoopPointers, "which of several pointers a loop left in a variable", Code::Loop),
        (R::LoopMoves, "how far a loop moves a variable under a condition", Code::Loop),
        (R::LoopChangesIf, "a value that a loop changes under a condition", Code::Loop),
        (R::LoopSum, "what rounds of a loop add up to", Code::Loop),
        (R::RoundsLeft(x()), "what rounds of a loop left in `x`", Code::Loop),
        (R::EarlierRoundLeft(x()), "what an earlier round of a loop left in `x`", Code::Loop),
        (R::Parameter, "a parameter", Code::Other),
        (R::ExtentOf(x()), "the extent of `x` is not known", Code::ExtentUnknown),
        (R::ExtentOfParameter(x()), "the extent of `x` is not known: no known code calls this", Code::ExtentUnknown),
        (R::SolverModel, "the solver's model could not be read", Code::Other),
        (R::SolverWide, "the only model found has values beyond 127 bits", Code::Other),
        (R::SolverPartial, "it depends on a division by zero or a shift out of range", Code::Other),
        (R::SolverDisagrees(3), "internal disagreement between solver and evaluation on term 3", Code::Other),
        (R::SolverTooOld(x(), 3), "the Z3 library in use is x; 3.0 or newer is needed (run `make setup`, or check the loader's library path)", Code::Other),
        (R::SolverSays(x()), "x", Code::Other),
        (R::NullPointer, "a null pointer", Code::Other),
        (R::FunctionPointer, "a pointer to a function", Code::Other),
        (R::LostPointer(why()), "the pointer is the result of `g`", Code::CallUnknown),
        (R::OnlyAssumed, "not safe without what is assumed", Code::Other),
        (R::NoLaunch, "no launch of this kernel is known", Code::NoLaunch),
        (R::NoCondition, "no condition on its arguments was found", Code::NoLaunch),
        (R::NoLaunchHost(why()), "no launch of this kernel is known: the host code was not followed to its end (the result of `g`)", Code::HostNotFollowed),
        (R::NoLaunchOpen(why()), "no launch of this kernel is known: the result of `g`", Code::NoLaunch),
        (R::OnlyDegenerate, "it happens only for sizes that are not positive, if at all", Code::Other),
        (R::StaysInPart(x(), why()), "whether it stays in the part `x`: the result of `g`", Code::CallUnknown),
        (R::PartNotReached(x(), why()), "it may leave the part `x`, but replay did not reach that: the result of `g`", Code::Replay),
        (R::NotReached(OfModel(Some(why())), why()), "a model was found that sets the result of `g`, but replay did not reach it: the result of `g`", Code::CallUnknown),
        (R::Replay(x(), Code::Replay), "x", Code::Replay),
        (R::CallNotKnown, "the call is not known", Code::Replay),
        (R::FileTooLarge(x()), "x would be too large, or is read both as text and otherwise", Code::Replay),
        (R::InputFileName, "the input is read from a file whose name is not known", Code::Replay),
        (R::InputFormat, "the input is read from a file or text whose format is not understood", Code::Replay),
    ]
}

#[test]
fn words_and_codes_are_as_they_were() {
    for (reason, words, code) in all() {
        assert_eq!(reason.to_string(), words, "{reason:?}");
        assert_eq!(reason.code(), code, "{reason:?}");
    }
}

#[test]
fn every_reason_is_in_the_table() {
    let names: Vec<&str> = all().iter().map(|(reason, ..)| reason.name()).collect();
    assert_eq!(names, R::NAMES);
}

#[test]
fn no_two_reasons_read_the_same() {
    // Instructions, the solver and replays supply their own words.
    let own = |r: &R| matches!(r, R::Instruction(_) | R::SolverSays(_) | R::Replay(..));
    let all: Vec<R> = all().into_iter().map(|(reason, ..)| reason).filter(|r| !own(r)).collect();
    let words: BTreeSet<String> = all.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), all.len());
}

#[test]
fn reasons_are_ordered_and_hashed_as_they_read() {
    let state = rustc_hash::FxBuildHasher;
    let mut reasons: Vec<R> = all().into_iter().map(|(reason, ..)| reason).collect();
    let mut words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    for (reason, words) in reasons.iter().zip(&words) {
        assert_eq!(state.hash_one(reason), state.hash_one(words), "{words}");
    }
    reasons.sort();
    words.sort();
    assert_eq!(reasons.iter().map(ToString::to_string).collect::<Vec<_>>(), words);
}

#[test]
fn a_limit_outweighs_what_it_ended() {
    let spent = || Box::new(R::ExecutionWork(InTheCall::default()));
    for reason in
        [R::HostNotFollowed(spent()), R::KernelNotFollowed(spent()), R::NoLaunchHost(spent()), R::NoLaunchOpen(spent())]
    {
        assert_eq!(reason.code(), Code::Work, "{reason}");
    }
    assert_eq!(R::HostNotFollowed(Box::new(R::Coroutine)).code(), Code::HostNotFollowed);
}

#[test]
fn a_reason_that_says_little_leaves_the_code_to_what_it_stands_in() {
    assert_eq!(R::LostPointer(Box::new(R::TwoTypes)).code(), Code::ExtentUnknown);
    assert_eq!(R::LostPointer(Box::new(R::LoopPointer)).code(), Code::Loop);
    assert_eq!(R::NotReached(OfModel(None), why()).code(), Code::Replay);
    assert_eq!(
        R::NotReached(OfModel(None), why()).to_string(),
        "a model was found, but replay did not reach it: the result of `g`"
    );
    assert_eq!(R::NotReached(OfModel(Some(Box::new(R::PathTaken))), why()).code(), Code::Replay);
}

#[test]
fn codes_are_those_of_the_document() {
    // No reason concerns units that were linked without being read: the report of the whole program does.
    let unseen = std::iter::once(Code::Unseen);
    let codes: BTreeSet<Code> = all().into_iter().map(|(.., code)| code).chain(unseen).collect();
    let names: BTreeSet<String> = codes.iter().map(|c| serde_json::to_string(c).unwrap_or_default()).collect();
    let listed = [
        "work",
        "time",
        "memory",
        "extent-unknown",
        "contents-unknown",
        "call-unknown",
        "loop",
        "float",
        "no-launch",
        "host-not-followed",
        "replay",
        "text",
        "asm",
        "tile",
        "unseen",
        "other",
    ];
    assert_eq!(names, listed.iter().map(|c| format!("\"{c}\"")).collect());
}
