//! Every reason with its words and its code: users and other programs rely on both.

use super::{InterruptedCall, ModelChoice, ReasonCode, UnknownReason as R};
use std::collections::BTreeSet;
use std::hash::BuildHasher;

fn x() -> String {
    "x".into()
}

fn why() -> Box<R> {
    Box::new(R::ResultOf("g".into()))
}

/// File and line of a call.
fn at() -> InterruptedCall {
    InterruptedCall(Some(("a.cu".into(), 7)))
}

#[rustfmt::skip]
fn all() -> Vec<(R, &'static str, ReasonCode)> {
    vec![
        (R::ExecutionWork(at()), "the execution budget was spent (limits.work), in the call at a.cu:7", ReasonCode::Work),
        (R::ExecutionMemory(at()), "the memory limit was reached (limits.memory), in the call at a.cu:7", ReasonCode::Memory),
        (R::ExecutionTime(at()), "the time limit was reached (limits.tu_seconds), in the call at a.cu:7", ReasonCode::Time),
        (R::ProgramWork, "the budget of its program was spent (limits.work)", ReasonCode::Work),
        (R::SolverWork, "the solver's budget was spent (limits.work)", ReasonCode::Work),
        (R::SolverTime, "the solver's time limit was reached (limits.solver_ms)", ReasonCode::Time),
        (R::SolverMemory, "the solver's memory limit was reached (limits.memory)", ReasonCode::Memory),
        (R::CallTooLong(x()), "the effect of `x`, which takes too long to follow", ReasonCode::Work),
        (R::LoopTooLong(x()), "the effect of a loop in `x`, which takes too long to follow", ReasonCode::Work),
        (R::SeveralEntries(x()), "`x` has a loop with several entries", ReasonCode::Loop),
        (R::TerminatorNotFollowed(x()), "`x` is not followed", ReasonCode::Other),
        (R::LoopStores(x()), "the stores of the loop in `x` are unknown", ReasonCode::Loop),
        (R::LoopChanges(x()), "the variables that the loop in `x` changes are unknown", ReasonCode::Loop),
        (R::NoLaunchAtAll, "no launch at all", ReasonCode::NoLaunch),
        (R::GivenKernel(x()), "`x` receives a kernel, which it may launch", ReasonCode::HostNotFollowed),
        (R::LaunchesAtExit(x()), "`x` may launch a kernel when the program ends", ReasonCode::HostNotFollowed),
        (R::AroundMain, "functions that run before or after `main`", ReasonCode::HostNotFollowed),
        (R::KernelGraph(x()), "`x`: the effect of a kernel graph is not followed", ReasonCode::HostNotFollowed),
        (R::MemoryOfGraph(x()), "`x`: memory that a graph allocates is used in an order that is not followed", ReasonCode::HostNotFollowed),
        (R::GraphMemory(x()), "`x`: memory that a graph uses may have been freed or allocated again before", ReasonCode::HostNotFollowed),
        (R::LaunchedByItself, "an argument that a kernel gives itself in a launch of its own", ReasonCode::ContentsUnknown),
        (R::LaunchesBelow(x()), "`x` launches kernels whose launches are not all followed", ReasonCode::NoLaunch),
        (R::HeapBesideLaunches, "memory of the device's heap in a kernel that launches others, where device code frees any", ReasonCode::CallUnknown),
        (R::LaunchArguments(x()), "the arguments with which a kernel launches `x`", ReasonCode::CallUnknown),
        (R::OwnMemoryGiven(x()), "`x` is launched with memory that only the launching thread can use", ReasonCode::CallUnknown),
        (R::StreamOrder(x()), "`x`: it is in no known order with work of another stream that uses the memory", ReasonCode::HostNotFollowed),
        (R::KernelByPointer, "a kernel reached through a pointer that could not be followed", ReasonCode::HostNotFollowed),
        (R::Coroutine, "a coroutine is not followed", ReasonCode::CallUnknown),
        (R::KernelNotFollowed(why()), "the kernel was not followed to its end: the result of `g`", ReasonCode::CallUnknown),
        (R::HostNotFollowed(why()), "the host code was not followed to its end: the result of `g`", ReasonCode::HostNotFollowed),
        (R::PathTaken, "which path was taken", ReasonCode::Other),
        (R::PathNotFollowed, "a value from a path that was not followed", ReasonCode::Other),
        (R::ConditionNotFollowed, "a condition that was not followed", ReasonCode::Other),
        (R::TwoPaths, "written differently on two paths", ReasonCode::ContentsUnknown),
        (R::PiecesOnTwoPaths, "written in other pieces on two paths", ReasonCode::ContentsUnknown),
        (R::TwoTypes, "a value of two types on two paths", ReasonCode::Other),
        (R::ManyTargets, "a pointer with more than 32 possible targets", ReasonCode::ExtentUnknown),
        (R::Caught, "an exception that is caught", ReasonCode::Other),
        (R::JumpBack, "the effect of code before a backward jump", ReasonCode::ContentsUnknown),
        (R::Elsewhere, "a number of another arena", ReasonCode::Other),
        (R::Multiple, "a multiple", ReasonCode::Other),
        (R::NoValue, "no value", ReasonCode::Other),
        (R::NotComputed, "a value that was not computed", ReasonCode::Other),
        (R::TooLarge, "arithmetic too large to follow", ReasonCode::Other),
        (R::Vectors, "vector arithmetic", ReasonCode::Other),
        (R::SingleBits, "arithmetic on single bits", ReasonCode::Other),
        (R::DivisionByZero, "a division by zero", ReasonCode::Other),
        (R::ShiftTooFar, "a shift by more than the width", ReasonCode::Other),
        (R::SignedShift, "a signed shift by a variable", ReasonCode::Other),
        (R::ByAnotherThread, "a value that another thread may have written", ReasonCode::ContentsUnknown),
        (R::WideBits, "bits of an integer of more than 120 bits", ReasonCode::Other),
        (R::BooleanOrder, "an ordering of booleans", ReasonCode::Other),
        (R::PointerComparison, "a comparison of pointers", ReasonCode::Other),
        (R::VectorComparison, "a comparison of vectors", ReasonCode::Other),
        (R::WideInteger, "a wide integer", ReasonCode::Other),
        (R::BitsOfZero, "a count of bits of zero", ReasonCode::Other),
        (R::FloatOnIntegers, "floating-point arithmetic on integers", ReasonCode::Float),
        (R::Float, "a floating-point value", ReasonCode::Float),
        (R::FloatRounded, "a floating-point value that may be rounded", ReasonCode::Float),
        (R::FloatBeyondInteger, "a floating-point value that does not fit its integer type", ReasonCode::Float),
        (R::FloatBits, "the bits of a floating-point value", ReasonCode::Float),
        (R::FloatComparison, "a floating-point comparison", ReasonCode::Float),
        (R::FloatComparisonRounded, "a comparison of floating-point values that are rounded", ReasonCode::Float),
        (R::FloatRounding, "the rounding of a floating-point value", ReasonCode::Float),
        (R::FloatClass, "the class of a floating-point value", ReasonCode::Float),
        (R::FloatArgument, "a floating-point argument", ReasonCode::Float),
        (R::MathFunction, "the result of a math function", ReasonCode::Float),
        (R::Undefined, "an undefined value", ReasonCode::Other),
        (R::UndefinedElement, "an undefined element", ReasonCode::Other),
        (R::LongConstant, "a long constant", ReasonCode::Other),
        (R::ConstantExpression(x()), "the constant expression `x`", ReasonCode::Other),
        (R::UnusualZero, "zero of an unusual type", ReasonCode::Other),
        (R::AggregateAsInteger, "an aggregate read as an integer", ReasonCode::Other),
        (R::IntegerAsPointer, "an integer used as a pointer", ReasonCode::ExtentUnknown),
        (R::NotPointer, "a value that is not a pointer", ReasonCode::ExtentUnknown),
        (R::OtherType, "a value read as another type", ReasonCode::Other),
        (R::OtherElementType, "a vector of other element type", ReasonCode::Other),
        (R::NarrowValue, "a narrow value", ReasonCode::Other),
        (R::PartOfValue, "part of a value", ReasonCode::Other),
        (R::MemberNotFollowed, "a member of a value that was not followed", ReasonCode::Other),
        (R::VectorChoice, "a choice of elements of vectors", ReasonCode::Other),
        (R::VectorElement, "an element of a vector", ReasonCode::Other),
        (R::VectorElementAt, "an element of a vector at a variable index", ReasonCode::Other),
        (R::Shuffled, "a shuffled vector", ReasonCode::Other),
        (R::Assembly, "inline assembly", ReasonCode::Asm),
        (R::AssemblyResult, "the result of inline assembly", ReasonCode::Asm),
        (R::AssemblyPointer, "one that inline assembly uses", ReasonCode::Asm),
        (R::Instruction(x()), "x", ReasonCode::Other),
        (R::UsedBy(x()), "one that `x` uses", ReasonCode::Asm),
        (R::MathPointer, "one that a math function writes to", ReasonCode::CallUnknown),
        (R::AtomicResult, "the result of an atomic operation", ReasonCode::ContentsUnknown),
        (R::TileKernel, "a tile kernel has no threads, and what it accesses is not followed", ReasonCode::Tile),
        (R::UnknownCallee, "a call through an unknown pointer", ReasonCode::CallUnknown),
        (R::WhichFunction, "which of several functions is called", ReasonCode::CallUnknown),
        (R::ResultOf(x()), "the result of `x`", ReasonCode::CallUnknown),
        (R::EffectOf(x()), "the effect of `x`", ReasonCode::CallUnknown),
        (R::CallsItself(x()), "`x` calls itself too deeply", ReasonCode::CallUnknown),
        (R::CalledTooDeeply(x()), "`x` is called through too many others", ReasonCode::CallUnknown),
        (R::LibraryCalls, "the calls of a library that received a function before", ReasonCode::CallUnknown),
        (R::Algorithm, "the result of an algorithm", ReasonCode::CallUnknown),
        (R::Computed(x()), "what `x` computes", ReasonCode::CallUnknown),
        (R::Gives(x()), "what `x` gives", ReasonCode::CallUnknown),
        (R::LookedUp(x(), "g".into()), "the function `x`, which `g` looks up by its name", ReasonCode::CallUnknown),
        (R::Handle(x(), 3), "what `x` gives (3)", ReasonCode::CallUnknown),
        (R::Returns(x()), "what `x` returns", ReasonCode::CallUnknown),
        (R::Status(x()), "the status that `x` returns", ReasonCode::Other),
        (R::Time, "the time", ReasonCode::Other),
        (R::RandomNumber, "a random number", ReasonCode::Other),
        (R::GeneratorState, "a generator's state", ReasonCode::Other),
        (R::FreedBesideThread(x()), "`x` while another host thread may use the memory", ReasonCode::HostNotFollowed),
        (R::WaitsForThread(x()), "`x` in a host thread: it may wait for another one", ReasonCode::CallUnknown),
        (R::OtherHostThread, "the effect of another host thread", ReasonCode::CallUnknown),
        (R::VariadicArguments, "variadic arguments", ReasonCode::Other),
        (R::MissingArgument, "a missing argument", ReasonCode::Other),
        (R::StackPointer, "the stack pointer", ReasonCode::Other),
        (R::AnyLaunch, "an argument of any launch", ReasonCode::NoLaunch),
        (R::UnknownKernelGiven, "the arguments of an unknown kernel", ReasonCode::HostNotFollowed),
        (R::LaunchConfiguration, "an unknown launch configuration", ReasonCode::Other),
        (R::LaunchMember, "a member of a launch configuration", ReasonCode::Other),
        (
            R::KernelShape,
            "block or cluster sizes in a kernel's attributes that are not constants here",
            ReasonCode::Other,
        ),
        (R::LaunchAttributes, "attributes of a launch that could not be read", ReasonCode::Other),
        (R::LaunchAttribute(x()), "what a launch with the attribute `x` runs", ReasonCode::Other),
        (R::ConfiguredStream(None), "the stream that a launch was configured with", ReasonCode::Other),
        (R::KernelAttribute, "an attribute of a kernel", ReasonCode::Other),
        (R::KernelAttributeSet, "whether an attribute of a kernel was set", ReasonCode::Other),
        (R::SymbolAddress, "the address of a symbol", ReasonCode::ExtentUnknown),
        (R::UnknownSymbolAddress, "the address of an unknown symbol", ReasonCode::ExtentUnknown),
        (R::CopyToUnknownSymbol, "a copy to an unknown symbol", ReasonCode::ContentsUnknown),
        (R::CopiedFromSymbol, "the bytes copied from a symbol", ReasonCode::ContentsUnknown),
        (R::BatchedCopy, "the memory that a batch of copies reads and writes", ReasonCode::ContentsUnknown),
        (R::ArraySize, "the sizes of an array of CUDA", ReasonCode::ExtentUnknown),
        (R::Copy2D, "a 2D copy", ReasonCode::ContentsUnknown),
        (R::RowsFilled, "rows that were filled", ReasonCode::ContentsUnknown),
        (R::CopyOverlaps, "the result of a copy that overlaps other device work", ReasonCode::ContentsUnknown),
        (R::OtherDeviceWork, "memory that concurrent device work may change", ReasonCode::ContentsUnknown),
        (R::DeviceWorkMeanwhile, "the result of device work in memory that the host writes concurrently", ReasonCode::ContentsUnknown),
        (R::ArgumentText, "the characters of a program argument", ReasonCode::Text),
        (R::ArgumentAt, "a program argument at a variable index", ReasonCode::Text),
        (R::StringText, "the characters of a string", ReasonCode::Text),
        (R::StringLength, "the length of a string", ReasonCode::Text),
        (R::String, "a string", ReasonCode::Text),
        (R::StringContainer, "a container of strings", ReasonCode::Text),
        (R::TextComparison, "a comparison of strings", ReasonCode::Text),
        (R::TextIsNumber, "whether a string is a number", ReasonCode::Text),
        (R::TextWritten, "a string that the program writes", ReasonCode::Text),
        (R::TextCopied, "a copied string", ReasonCode::Text),
        (R::ErrorText, "an error message", ReasonCode::Text),
        (R::NumberEnd, "the end of a number", ReasonCode::Text),
        (R::Reads(x()), "what `x` reads", ReasonCode::Text),
        (R::ReadsInBase(x()), "what `x` reads in another base", ReasonCode::Text),
        (R::Printed, "what is printed", ReasonCode::Text),
        (R::HowMuchPrinted, "how much was printed", ReasonCode::Text),
        (R::OptionFound, "the option that `getopt` found", ReasonCode::Text),
        (R::GetoptFound, "what `getopt` found", ReasonCode::Text),
        (R::GetoptPermutes, "the arguments that `getopt` permutes", ReasonCode::Text),
        (R::OptionHasArgument, "whether an option has an argument", ReasonCode::Text),
        (R::HowManyRead, "how many values were read", ReasonCode::ContentsUnknown),
        (R::HowMuchRead, "how much of a file was read", ReasonCode::ContentsUnknown),
        (R::Read, "what is read", ReasonCode::ContentsUnknown),
        (R::ReadFromFile, "what is read from a file", ReasonCode::ContentsUnknown),
        (R::ReadFromStream, "what is read from a stream", ReasonCode::ContentsUnknown),
        (R::StreamCalls, "what a stream calls", ReasonCode::CallUnknown),
        (R::Stream, "a stream", ReasonCode::Other),
        (R::StreamState, "the state of a stream", ReasonCode::Other),
        (R::StreamBuffer, "what a stream keeps in its buffer", ReasonCode::ContentsUnknown),
        (R::FileOpens, "whether a file can be opened", ReasonCode::Other),
        (R::FileName, "a file of unknown name", ReasonCode::ContentsUnknown),
        (R::FilePosition, "a position in a file", ReasonCode::ContentsUnknown),
        (R::FilePositionAgain, "a position in a file that was read before", ReasonCode::ContentsUnknown),
        (R::FilePositionOfSeveral, "a position in one of several files", ReasonCode::ContentsUnknown),
        (R::UnknownMemory, "unknown memory", ReasonCode::ExtentUnknown),
        (R::Unwritten(x()), "`x` before it is written", ReasonCode::ContentsUnknown),
        (R::Holds(x()), "what `x` holds", ReasonCode::ContentsUnknown),
        (R::HoldsMeanwhile(x()), "the contents of `x` during device work", ReasonCode::ContentsUnknown),
        (R::OneOfSeveralHolds(x()), "what one of several allocations, `x`, holds", ReasonCode::ContentsUnknown),
        (R::BufferHolds, "what a buffer holds", ReasonCode::ContentsUnknown),
        (R::WhichPointer(x()), "which pointer `x` holds", ReasonCode::ContentsUnknown),
        (R::ElementOf(x()), "an element of `x`", ReasonCode::ContentsUnknown),
        (R::ArrayElement, "an element of an array", ReasonCode::ContentsUnknown),
        (R::TableElement, "an element of a table", ReasonCode::ContentsUnknown),
        (R::EmptyArray, "an empty array", ReasonCode::ContentsUnknown),
        (R::NoPlace, "no address", ReasonCode::ContentsUnknown),
        (R::DeviceVariable(x()), "the device variable `x`", ReasonCode::ContentsUnknown),
        (R::Global(x()), "the global `x`", ReasonCode::ContentsUnknown),
        (R::AfterReset, "the contents of a variable after a device reset", ReasonCode::ContentsUnknown),
        (R::OnResetDevice(x()), "whether `x` is on the device that is reset", ReasonCode::Other),
        (R::Reallocated, "a reallocated block", ReasonCode::ContentsUnknown),
        (R::Filled, "memory that was filled", ReasonCode::ContentsUnknown),
        (R::FilledSomewhere, "memory filled through an unknown pointer", ReasonCode::ContentsUnknown),
        (R::StoredSomewhere, "a store through an unknown pointer", ReasonCode::ContentsUnknown),
        (R::StoredByOtherName, "a value stored through another pointer", ReasonCode::ContentsUnknown),
        (R::WrittenByOtherName, "a value written through another pointer", ReasonCode::ContentsUnknown),
        (R::WrittenAtVariable, "an array written at a variable index", ReasonCode::ContentsUnknown),
        (R::WrittenInPlaces, "an array written at many offsets", ReasonCode::ContentsUnknown),
        (R::WrittenInPieces, "a value that was written in other pieces than it is read", ReasonCode::ContentsUnknown),
        (R::PartlyOverwritten, "a value that was partly overwritten", ReasonCode::ContentsUnknown),
        (R::LargeValue, "a large value", ReasonCode::ContentsUnknown),
        (R::PartOfStructure, "part of a structure", ReasonCode::ContentsUnknown),
        (R::PerhapsPartOfStructure, "part of a structure that may be stored here", ReasonCode::ContentsUnknown),
        (R::CopiedSomewhere, "a copy through an unknown pointer", ReasonCode::ContentsUnknown),
        (R::CopiedInto(x()), "what is copied into `x`", ReasonCode::ContentsUnknown),
        (R::CopyToOneOfSeveral, "a copy to one of several addresses", ReasonCode::ContentsUnknown),
        (R::CopyOfSeveral, "a copy from or to one of several allocations, or during device work", ReasonCode::ContentsUnknown),
        (R::PartOfCopiedNumber, "part of a copied number", ReasonCode::ContentsUnknown),
        (R::PartOfCopiedStructure, "part of a copied structure", ReasonCode::ContentsUnknown),
        (R::PartOfCopiedValue, "part of a value that was copied", ReasonCode::ContentsUnknown),
        (R::LoadedThroughNull, "a load through a null pointer", ReasonCode::ContentsUnknown),
        (R::LoadedFromFunction, "a load from a function", ReasonCode::ContentsUnknown),
        (R::LoadedThroughNothing, "a load through a value that is not a pointer", ReasonCode::ContentsUnknown),
        (R::LoadedThroughLost, "a load through a pointer that could not be followed", ReasonCode::ContentsUnknown),
        (R::KernelWrites(x()), "what a kernel writes to `x`", ReasonCode::ContentsUnknown),
        (R::KernelWritesDevice, "what a kernel writes to a device variable", ReasonCode::ContentsUnknown),
        (R::KernelWritesConstant, "what a kernel writes to a constant variable", ReasonCode::ContentsUnknown),
        (R::OtherThreads, "the values that other threads write", ReasonCode::ContentsUnknown),
        (R::OtherThreadHolds, "the value of another thread's variable", ReasonCode::ContentsUnknown),
        (R::ThreadOrder, "the order in which threads run", ReasonCode::ContentsUnknown),
        (R::FreedThroughLost(x()), "whether `x` was freed through an unknown pointer", ReasonCode::ContentsUnknown),
        (R::FreedByOtherName(x()), "whether `x` was freed through another pointer", ReasonCode::ContentsUnknown),
        (R::FreedEarlier(x()), "whether `x` was freed in an earlier iteration of a loop", ReasonCode::Loop),
        (R::FreedInLoop(x()), "whether `x` was freed in a loop", ReasonCode::Loop),
        (R::AllocatedInLoop, "one of many allocations of a loop", ReasonCode::Loop),
        (R::WhichRoundAllocated, "which iteration of a loop allocated it", ReasonCode::Loop),
        (R::WhichRoundSet, "which iteration set a variable", ReasonCode::Loop),
        (R::RoundSet, "whether an iteration of a loop set a variable", ReasonCode::Loop),
        (R::Carried, "a value carried from one iteration of a loop to the next", ReasonCode::Loop),
        (R::InLoop(x()), "`x` in a loop", ReasonCode::Loop),
        (R::LoopWrites, "what a loop writes", ReasonCode::Loop),
        (R::LoopWritesTo(x()), "what a loop writes to `x`", ReasonCode::Loop),
        (R::LoopPointer, "what a loop left in a pointer", ReasonCode::Loop),
        (R::LoopPointers, "which of several pointers a loop left in a variable", ReasonCode::Loop),
        (R::LoopMoves, "how much a loop changes a variable under a condition", ReasonCode::Loop),
        (R::LoopChangesIf, "a value that a loop changes under a condition", ReasonCode::Loop),
        (R::LoopSum, "the sum over iterations of a loop", ReasonCode::Loop),
        (R::RoundsLeft(x()), "what iterations of a loop left in `x`", ReasonCode::Loop),
        (R::EarlierRoundLeft(x()), "what an earlier iteration of a loop left in `x`", ReasonCode::Loop),
        (R::Parameter, "a parameter", ReasonCode::Other),
        (R::ExtentOf(x()), "the extent of `x` is not known", ReasonCode::ExtentUnknown),
        (R::ExtentOfParameter(x()), "the extent of `x` is not known: no known code calls this", ReasonCode::ExtentUnknown),
        (R::SolverModel, "the solver's model could not be read", ReasonCode::Other),
        (R::SolverWide, "the only model found has values beyond 127 bits", ReasonCode::Other),
        (R::SolverPartial, "it depends on a division by zero or a shift out of range", ReasonCode::Other),
        (R::InternalFault(x()), "a fault of the analysis in `x`", ReasonCode::Other),
        (R::SolverDisagrees(3), "internal disagreement between solver and evaluation on term 3", ReasonCode::Other),
        (R::SolverTooOld(x(), 3), "the Z3 library in use is x; 3.0 or newer is needed (run `make setup`, or check the loader's library path)", ReasonCode::Other),
        (R::SolverSays(x()), "x", ReasonCode::Other),
        (R::NullPointer, "a null pointer", ReasonCode::Other),
        (R::FunctionPointer, "a pointer to a function", ReasonCode::Other),
        (R::LostPointer(why()), "the pointer is the result of `g`", ReasonCode::CallUnknown),
        (R::OnlyAssumed, "not safe without the assumptions", ReasonCode::Other),
        (R::NoLaunch, "no launch of this kernel is known", ReasonCode::NoLaunch),
        (R::AlignmentOfVariable(x(), 16), "nothing makes `x` begin at a multiple of 16 (`alignas(16)` does)", ReasonCode::Other),
        (R::CalledByAddress(x()), "`x`, which launches it, may be called by its address with any arguments", ReasonCode::NoLaunch),
        (R::AlignmentOfCallers(16), "its address need not be a multiple of 16: no known code calls this", ReasonCode::NoLaunch),
        (R::NoCondition, "no condition on its arguments was found", ReasonCode::NoLaunch),
        (R::NoLaunchHost(why()), "no launch of this kernel is known: the host code was not followed to its end (the result of `g`)", ReasonCode::HostNotFollowed),
        (R::NoLaunchOpen(why()), "no launch of this kernel is known: the result of `g`", ReasonCode::NoLaunch),
        (R::OnlyDegenerate, "it can only happen for sizes below 1", ReasonCode::Other),
        (R::StaysInPart(x(), why()), "whether it stays in the part `x`: the result of `g`", ReasonCode::CallUnknown),
        (R::PartNotReached(x(), why()), "it may leave the part `x`, but replay did not reach that: the result of `g`", ReasonCode::Replay),
        (R::NotReached(ModelChoice(Some(why())), why()), "an example was found with a value chosen for the result of `g`, but its replay did not reach the access: the result of `g`", ReasonCode::CallUnknown),
        (R::Replay(x(), ReasonCode::Replay), "x", ReasonCode::Replay),
        (R::CallNotKnown, "the call is not known", ReasonCode::Replay),
        (R::FileTooLarge(x()), "x would be too large, or is read both as a string and as other data", ReasonCode::Replay),
        (R::InputFileName, "the input is read from a file of unknown name", ReasonCode::Replay),
        (R::InputFormat, "the input is read from a file or string of unknown format", ReasonCode::Replay),
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
    let spent = || Box::new(R::ExecutionWork(InterruptedCall::default()));
    for reason in
        [R::HostNotFollowed(spent()), R::KernelNotFollowed(spent()), R::NoLaunchHost(spent()), R::NoLaunchOpen(spent())]
    {
        assert_eq!(reason.code(), ReasonCode::Work, "{reason}");
    }
    assert_eq!(R::HostNotFollowed(Box::new(R::Coroutine)).code(), ReasonCode::HostNotFollowed);
}

#[test]
fn a_reason_that_says_little_leaves_the_code_to_what_it_stands_in() {
    assert_eq!(R::LostPointer(Box::new(R::TwoTypes)).code(), ReasonCode::ExtentUnknown);
    assert_eq!(R::LostPointer(Box::new(R::LoopPointer)).code(), ReasonCode::Loop);
    assert_eq!(R::NotReached(ModelChoice(None), why()).code(), ReasonCode::Replay);
    assert_eq!(
        R::NotReached(ModelChoice(None), why()).to_string(),
        "an example was found, but its replay did not reach the access: the result of `g`"
    );
    assert_eq!(R::NotReached(ModelChoice(Some(Box::new(R::PathTaken))), why()).code(), ReasonCode::Replay);
}

#[test]
fn codes_are_those_of_the_document() {
    // No reason concerns units that were linked without being read: the report of the whole program does.
    let unseen = std::iter::once(ReasonCode::Unseen);
    let codes: BTreeSet<ReasonCode> = all().into_iter().map(|(.., code)| code).chain(unseen).collect();
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

#[test]
fn memory_without_a_name_is_told_as_such() {
    assert_eq!(R::LoopWritesTo(String::new()).to_string(), "what a loop writes to memory without a name");
}
