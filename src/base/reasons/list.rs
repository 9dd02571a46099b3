//! The list of reasons, each with its wording and its code. No other code in the crate words a reason, or distinguishes
//! reasons by their words.

use super::{Code, InTheCall, OfModel};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Generates the enum, its wording and its codes from one row for each reason: the variant, its arguments, the words,
/// the code.
macro_rules! reasons {
    ($($name:ident $(($($arg:ident: $ty:ty),+))? = $text:literal, $code:expr;)+) => {
        /// Why something is not known.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum UnknownReason {
            $(#[doc = $text] $name $(($($ty),+))?,)+
        }

        impl UnknownReason {
            /// Stable kind of the reason, for programs.
            #[must_use]
            #[expect(unused_variables, reason = "few codes depend on what a reason names")]
            pub fn code(&self) -> Code {
                match self {
                    $(Self::$name $(($($arg),+))? => $code,)+
                }
            }

            /// Words of a reason without arguments.
            pub(super) const fn fixed(&self) -> Option<&'static str> {
                match self {
                    $(reasons!(@pattern $name $(($($arg),+))?) => reasons!(@fixed $text $(($($arg),+))?),)+
                }
            }

            /// Names of all reasons, in order.
            #[cfg(test)]
            pub(super) const NAMES: &[&str] = &[$(stringify!($name)),+];

            /// Name of the reason in this list.
            #[cfg(test)]
            pub(super) const fn name(&self) -> &'static str {
                match self {
                    $(reasons!(@pattern $name $(($($arg),+))?) => stringify!($name),)+
                }
            }
        }

        #[expect(unused_variables, reason = "a code is no part of the words")]
        impl fmt::Display for UnknownReason {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name $(($($arg),+))? => write!(f, $text),)+
                }
            }
        }
    };
    (@pattern $name:ident) => { Self::$name };
    (@pattern $name:ident ($($arg:ident),+)) => { Self::$name(..) };
    (@fixed $text:literal) => { Some($text) };
    (@fixed $text:literal ($($arg:ident),+)) => { None };
}

reasons! {
    // An execution, the solver or a program has spent its budget.
    ExecutionWork(at: InTheCall) = "the execution budget was spent (limits.work){at}", Code::Work;
    ExecutionMemory(at: InTheCall) = "the memory limit was reached (limits.memory){at}", Code::Memory;
    ExecutionTime(at: InTheCall) = "the time limit was reached (limits.tu_seconds){at}", Code::Time;
    ProgramWork = "the budget of its program was spent (limits.work)", Code::Work;
    SolverWork = "the solver's budget was spent (limits.work)", Code::Work;
    SolverTime = "the solver's time limit was reached (limits.solver_ms)", Code::Time;
    SolverMemory = "the solver's memory limit was reached (limits.memory)", Code::Memory;
    CallTooLong(function: String) = "what `{function}` does, which takes too long to follow", Code::Work;
    LoopTooLong(function: String) = "what a loop in `{function}` does, which takes too long to follow", Code::Work;

    // An execution ended before the code did, or skipped code that may contain a launch.
    SeveralEntries(function: String) = "`{function}` has a loop with several entries", Code::Loop;
    TerminatorNotFollowed(what: String) = "`{what}` is not followed", Code::Other;
    LoopStores(function: String) = "what the loop in `{function}` stores could not be found out", Code::Loop;
    LoopChanges(function: String) = "what the loop in `{function}` changes could not be found out", Code::Loop;
    NoLaunchAtAll = "no launch at all", Code::NoLaunch;
    GivenKernel(function: String) = "`{function}` is given a kernel, which it may launch", Code::HostNotFollowed;
    LaunchesAtExit(function: String) = "`{function}` may launch when the program ends", Code::HostNotFollowed;
    AroundMain = "what is called before or after `main`", Code::HostNotFollowed;
    KernelGraph(function: String) = "`{function}`: what a graph of kernels does is not followed", Code::HostNotFollowed;
    KernelByPointer = "a kernel reached through a pointer that could not be followed", Code::HostNotFollowed;
    Coroutine = "a coroutine is not followed", Code::CallUnknown;
    KernelNotFollowed(why: Box<Self>) = "the kernel was not followed to its end: {why}", why.code();
    HostNotFollowed(why: Box<Self>) = "the host code was not followed to its end: {why}", why.code().limit_or(Code::HostNotFollowed);

    // Paths.
    PathTaken = "which path was taken", Code::Other;
    PathNotFollowed = "a value from a path that was not followed", Code::Other;
    ConditionNotFollowed = "a condition that was not followed", Code::Other;
    TwoPaths = "written differently on two paths", Code::ContentsUnknown;
    PiecesOnTwoPaths = "written in other pieces on two paths", Code::ContentsUnknown;
    TwoTypes = "a value of two types on two paths", Code::Other;
    ManyTargets = "a pointer with more than 32 possible targets", Code::ExtentUnknown;
    Caught = "an exception that is caught", Code::Other;
    JumpBack = "what was done before a jump back", Code::ContentsUnknown;

    // Arithmetic.
    Elsewhere = "a number of another arena", Code::Other;
    Multiple = "a multiple", Code::Other;
    NoValue = "no value", Code::Other;
    NotComputed = "a value that was not computed", Code::Other;
    TooLarge = "arithmetic too large to follow", Code::Other;
    Vectors = "vector arithmetic", Code::Other;
    SingleBits = "arithmetic on single bits", Code::Other;
    DivisionByZero = "a division by zero", Code::Other;
    ShiftTooFar = "a shift by more than the width", Code::Other;
    SignedShift = "a signed shift by a variable", Code::Other;
    ByAnotherThread = "what another thread may have written", Code::ContentsUnknown;
    WideBits = "bits of an integer of more than 120 bits", Code::Other;
    BooleanOrder = "an ordering of booleans", Code::Other;
    PointerComparison = "a comparison of pointers", Code::Other;
    VectorComparison = "a comparison of vectors", Code::Other;
    WideInteger = "a wide integer", Code::Other;
    BitsOfZero = "a count of bits of zero", Code::Other;
    FloatOnIntegers = "floating-point arithmetic on integers", Code::Float;
    Float = "a floating-point value", Code::Float;
    FloatRounded = "a floating-point value that may be rounded", Code::Float;
    FloatBeyondInteger = "a floating-point value that its integer type does not hold", Code::Float;
    FloatBits = "the bits of a floating-point value", Code::Float;
    FloatComparison = "a floating-point comparison", Code::Float;
    FloatComparisonRounded = "a comparison of floating-point values that are rounded", Code::Float;
    FloatRounding = "how a floating-point value is rounded", Code::Float;
    FloatClass = "the class of a floating-point value", Code::Float;
    FloatArgument = "a floating-point argument", Code::Float;
    MathFunction = "the result of a math function", Code::Float;

    // Values used with another type or shape.
    Undefined = "an undefined value", Code::Other;
    UndefinedElement = "an undefined element", Code::Other;
    LongConstant = "a long constant", Code::Other;
    ConstantExpression(text: String) = "the constant expression `{text}`", Code::Other;
    UnusualZero = "zero of an unusual type", Code::Other;
    AggregateAsInteger = "an aggregate read as an integer", Code::Other;
    IntegerAsPointer = "an integer used as a pointer", Code::ExtentUnknown;
    NotPointer = "a value that is not a pointer", Code::ExtentUnknown;
    OtherType = "a value read as another type", Code::Other;
    OtherElementType = "a vector of other element type", Code::Other;
    NarrowValue = "a narrow value", Code::Other;
    PartOfValue = "part of a value", Code::Other;
    MemberNotFollowed = "a member of a value that was not followed", Code::Other;
    VectorChoice = "a choice of elements of vectors", Code::Other;
    VectorElement = "an element of a vector", Code::Other;
    VectorElementAt = "an element of a vector at a variable index", Code::Other;
    Shuffled = "a shuffled vector", Code::Other;

    // Unmodelled instructions.
    Assembly = "inline assembly", Code::Asm;
    AssemblyResult = "the result of inline assembly", Code::Asm;
    AssemblyPointer = "one that inline assembly uses", Code::Asm;
    Instruction(what: String) = "{what}", Code::Other;
    UsedBy(what: String) = "one that `{what}` uses", Code::Asm;
    MathPointer = "one that a math function writes to", Code::CallUnknown;
    AtomicResult = "the result of an atomic operation", Code::ContentsUnknown;

    TileKernel = "a tile kernel has no threads, and what it accesses is not followed", Code::Tile;

    // Calls.
    UnknownCallee = "a call through an unknown pointer", Code::CallUnknown;
    WhichFunction = "which of several functions is called", Code::CallUnknown;
    ResultOf(function: String) = "the result of `{function}`", Code::CallUnknown;
    EffectOf(function: String) = "the effect of `{function}`", Code::CallUnknown;
    CallsItself(function: String) = "`{function}` calls itself too deeply", Code::CallUnknown;
    CalledTooDeeply(function: String) = "`{function}` is called through too many others", Code::CallUnknown;
    LibraryCalls = "what a library calls that was given a function before", Code::CallUnknown;
    Algorithm = "the result of an algorithm", Code::CallUnknown;
    Computed(function: String) = "what `{function}` computes", Code::CallUnknown;
    Gives(function: String) = "what `{function}` gives", Code::CallUnknown;
    LookedUp(name: String, call: String) = "the function `{name}`, which `{call}` looks up by its name", Code::CallUnknown;
    Handle(function: String, number: usize) = "what `{function}` gives ({number})", Code::CallUnknown;
    Returns(function: String) = "what `{function}` returns", Code::CallUnknown;
    Status(of: String) = "the status that `{of}` gives", Code::Other;
    Time = "the time", Code::Other;
    RandomNumber = "a random number", Code::Other;
    GeneratorState = "a generator's state", Code::Other;
    OtherHostThread = "what another thread of the host does", Code::CallUnknown;
    VariadicArguments = "variadic arguments", Code::Other;
    MissingArgument = "a missing argument", Code::Other;
    StackPointer = "the stack pointer", Code::Other;

    // The CUDA runtime.
    AnyLaunch = "an argument of any launch", Code::NoLaunch;
    UnknownKernelGiven = "what an unknown kernel is given", Code::HostNotFollowed;
    LaunchConfiguration = "a launch configuration that is not known", Code::Other;
    LaunchMember = "a member of a launch configuration", Code::Other;
    KernelShape = "block or cluster sizes that a kernel's attributes give and that are no constants here", Code::Other;
    LaunchAttributes = "attributes of a launch that could not be read", Code::Other;
    LaunchAttribute(name: String) = "what a launch with the attribute `{name}` runs", Code::Other;
    ConfiguredStream(stream: Option<i64>) = "the stream that a launch was configured with", Code::Other;
    KernelAttribute = "an attribute of a kernel", Code::Other;
    KernelAttributeSet = "whether an attribute of a kernel was set", Code::Other;
    SymbolAddress = "the address of a symbol", Code::ExtentUnknown;
    UnknownSymbolAddress = "the address of a symbol that is not known", Code::ExtentUnknown;
    CopyToUnknownSymbol = "a copy to a symbol that is not known", Code::ContentsUnknown;
    CopiedFromSymbol = "what is copied from a symbol", Code::ContentsUnknown;
    BatchedCopy = "what a batch of copies reads and writes", Code::ContentsUnknown;
    Copy2D = "a 2D copy", Code::ContentsUnknown;
    RowsFilled = "rows that were filled", Code::ContentsUnknown;
    CopyOverlaps = "what a copy leaves that other work for the device overlaps", Code::ContentsUnknown;
    OtherDeviceWork = "what other work for the device may change meanwhile", Code::ContentsUnknown;
    DeviceWorkMeanwhile = "what work for the device leaves where the host writes meanwhile", Code::ContentsUnknown;

    // Strings.
    ArgumentText = "the text of a program argument", Code::Text;
    ArgumentAt = "a program argument at a variable position", Code::Text;
    StringText = "the text of a string", Code::Text;
    StringLength = "the length of a string", Code::Text;
    String = "a string", Code::Text;
    StringContainer = "a container of strings", Code::Text;
    TextComparison = "a comparison of texts", Code::Text;
    TextIsNumber = "whether a text is a number", Code::Text;
    TextWritten = "a text that the program writes", Code::Text;
    TextCopied = "a copied text", Code::Text;
    ErrorText = "the text of an error", Code::Text;
    NumberEnd = "the end of a number", Code::Text;
    Reads(function: String) = "what `{function}` reads", Code::Text;
    ReadsInBase(function: String) = "what `{function}` reads in another base", Code::Text;
    Printed = "what is printed", Code::Text;
    HowMuchPrinted = "how much was printed", Code::Text;
    OptionFound = "the option that `getopt` found", Code::Text;
    GetoptFound = "what `getopt` found", Code::Text;
    GetoptPermutes = "the arguments that `getopt` permutes", Code::Text;
    OptionHasArgument = "whether an option has an argument", Code::Text;

    // Files and streams.
    HowManyRead = "how many values were read", Code::ContentsUnknown;
    HowMuchRead = "how much of a file was read", Code::ContentsUnknown;
    Read = "what is read", Code::ContentsUnknown;
    ReadFromFile = "what is read from a file", Code::ContentsUnknown;
    ReadFromStream = "what is read from a stream", Code::ContentsUnknown;
    StreamCalls = "what a stream calls", Code::CallUnknown;
    Stream = "a stream", Code::Other;
    StreamState = "the state of a stream", Code::Other;
    StreamBuffer = "what a stream keeps in its buffer", Code::ContentsUnknown;
    FileOpens = "whether a file can be opened", Code::Other;
    FileName = "a file whose name is not known", Code::ContentsUnknown;
    FilePosition = "a position in a file", Code::ContentsUnknown;
    FilePositionAgain = "a position in a file that was read before", Code::ContentsUnknown;
    FilePositionOfSeveral = "a position in one of several files", Code::ContentsUnknown;

    // Contents of memory.
    UnknownMemory = "memory that is not known", Code::ExtentUnknown;
    Unwritten(name: String) = "`{name}` before it is written", Code::ContentsUnknown;
    Holds(name: String) = "what `{name}` holds", Code::ContentsUnknown;
    HoldsMeanwhile(name: String) = "what `{name}` holds while work for the device is under way", Code::ContentsUnknown;
    OneOfSeveralHolds(name: String) = "what one of several allocations, `{name}`, holds", Code::ContentsUnknown;
    BufferHolds = "what a buffer holds", Code::ContentsUnknown;
    WhichPointer(name: String) = "which pointer `{name}` holds", Code::ContentsUnknown;
    ElementOf(name: String) = "an element of `{name}`", Code::ContentsUnknown;
    ArrayElement = "an element of an array", Code::ContentsUnknown;
    TableElement = "an element of a table", Code::ContentsUnknown;
    EmptyArray = "an empty array", Code::ContentsUnknown;
    NoPlace = "no place", Code::ContentsUnknown;
    DeviceVariable(name: String) = "the device variable `{name}`", Code::ContentsUnknown;
    Global(name: String) = "the global `{name}`", Code::ContentsUnknown;
    AfterReset = "what a variable holds once its device was reset", Code::ContentsUnknown;
    OnResetDevice(name: String) = "whether `{name}` is on the device that is reset", Code::Other;
    Reallocated = "a reallocated block", Code::ContentsUnknown;
    Filled = "memory that was filled", Code::ContentsUnknown;
    FilledSomewhere = "memory filled through an unknown pointer", Code::ContentsUnknown;
    StoredSomewhere = "a store through an unknown pointer", Code::ContentsUnknown;
    StoredByOtherName = "what was stored by another name", Code::ContentsUnknown;
    WrittenByOtherName = "what was written by another name", Code::ContentsUnknown;
    WrittenAtVariable = "an array written at a variable index", Code::ContentsUnknown;
    WrittenInPlaces = "an array written in many places", Code::ContentsUnknown;
    WrittenInPieces = "a value that was written in other pieces than it is read", Code::ContentsUnknown;
    PartlyOverwritten = "a value that was partly overwritten", Code::ContentsUnknown;
    LargeValue = "a large value", Code::ContentsUnknown;
    PartOfStructure = "part of a structure", Code::ContentsUnknown;
    PerhapsPartOfStructure = "part of a structure that may be stored here", Code::ContentsUnknown;
    CopiedSomewhere = "a copy through an unknown pointer", Code::ContentsUnknown;
    CopiedInto(name: String) = "what is copied into `{name}`", Code::ContentsUnknown;
    CopyToOneOfSeveral = "a copy to one of several places", Code::ContentsUnknown;
    CopyOfSeveral = "a copy from or to one of several allocations, or of what is under way", Code::ContentsUnknown;
    PartOfCopiedNumber = "part of a copied number", Code::ContentsUnknown;
    PartOfCopiedStructure = "part of a copied structure", Code::ContentsUnknown;
    PartOfCopiedValue = "part of a value that was copied", Code::ContentsUnknown;
    LoadedThroughNull = "a load through a null pointer", Code::ContentsUnknown;
    LoadedFromFunction = "a load from a function", Code::ContentsUnknown;
    LoadedThroughNothing = "a load through no pointer", Code::ContentsUnknown;
    LoadedThroughLost = "a load through a pointer that could not be followed", Code::ContentsUnknown;
    KernelWrites(name: String) = "what a kernel writes to `{name}`", Code::ContentsUnknown;
    KernelWritesDevice = "what a kernel writes to a device variable", Code::ContentsUnknown;
    KernelWritesConstant = "what a kernel writes to a constant variable", Code::ContentsUnknown;
    OtherThreads = "what other threads write", Code::ContentsUnknown;
    OtherThreadHolds = "what another thread's variable holds", Code::ContentsUnknown;
    ThreadOrder = "the order in which threads run", Code::ContentsUnknown;
    FreedThroughLost(name: String) = "whether `{name}` was freed through a pointer that is not known", Code::ContentsUnknown;
    FreedByOtherName(name: String) = "whether `{name}` was freed by another name", Code::ContentsUnknown;

    // Loops.
    FreedEarlier(name: String) = "whether `{name}` was freed in an earlier round of a loop", Code::Loop;
    FreedInLoop(name: String) = "whether `{name}` was freed in a loop", Code::Loop;
    AllocatedInLoop = "one of many allocations of a loop", Code::Loop;
    WhichRoundAllocated = "which round of a loop allocated it", Code::Loop;
    WhichRoundSet = "which round set a variable", Code::Loop;
    RoundSet = "whether a round of a loop set a variable", Code::Loop;
    Carried = "a value carried round a loop", Code::Loop;
    InLoop(name: String) = "`{name}` in a loop", Code::Loop;
    LoopWrites = "what a loop writes", Code::Loop;
    LoopWritesTo(name: String) = "what a loop writes to `{name}`", Code::Loop;
    LoopPointer = "what a loop left in a pointer", Code::Loop;
    LoopPointers = "which of several pointers a loop left in a variable", Code::Loop;
    LoopMoves = "how far a loop moves a variable under a condition", Code::Loop;
    LoopChangesIf = "a value that a loop changes under a condition", Code::Loop;
    LoopSum = "what rounds of a loop add up to", Code::Loop;
    RoundsLeft(name: String) = "what rounds of a loop left in `{name}`", Code::Loop;
    EarlierRoundLeft(name: String) = "what an earlier round of a loop left in `{name}`", Code::Loop;

    // Parameters of roots.
    Parameter = "a parameter", Code::Other;
    ExtentOf(name: String) = "the extent of `{name}` is not known", Code::ExtentUnknown;
    ExtentOfParameter(name: String) = "the extent of `{name}` is not known: no known code calls this", Code::ExtentUnknown;

    // Solver results.
    SolverModel = "the solver's model could not be read", Code::Other;
    SolverWide = "the only model found has values beyond 127 bits", Code::Other;
    SolverPartial = "it depends on a division by zero or a shift out of range", Code::Other;
    SolverDisagrees(term: u32) = "internal disagreement between solver and evaluation on term {term}", Code::Other;
    SolverTooOld(version: String, oldest: u32) = "the Z3 library in use is {version}; {oldest}.0 or newer is needed (run `make setup`, or check the loader's library path)",
        Code::Other;
    SolverSays(text: String) = "{text}", Code::Other;

    // Verdicts.
    NullPointer = "a null pointer", Code::Other;
    FunctionPointer = "a pointer to a function", Code::Other;
    LostPointer(why: Box<Self>) = "the pointer is {why}", why.code().or(Code::ExtentUnknown);
    OnlyAssumed = "not safe without what is assumed", Code::Other;
    NoLaunch = "no launch of this kernel is known", Code::NoLaunch;
    NoCondition = "no condition on its arguments was found", Code::NoLaunch;
    NoLaunchHost(why: Box<Self>) = "no launch of this kernel is known: the host code was not followed to its end ({why})",
        why.code().limit_or(Code::HostNotFollowed);
    NoLaunchOpen(why: Box<Self>) = "no launch of this kernel is known: {why}", why.code().limit_or(Code::NoLaunch);
    OnlyDegenerate = "it happens only for sizes that are not positive, if at all", Code::Other;
    StaysInPart(part: String, why: Box<Self>) = "whether it stays in the part `{part}`: {why}", why.code();

    // Replays.
    PartNotReached(part: String, why: Box<Self>) = "it may leave the part `{part}`, but replay did not reach that: {why}",
        Code::Replay;
    NotReached(unknown: OfModel, why: Box<Self>) = "a model was found{unknown}, but replay did not reach it: {why}",
        unknown.code().or(Code::Replay);
    Replay(text: String, code: Code) = "{text}", *code;
    CallNotKnown = "the call is not known", Code::Replay;
    FileTooLarge(name: String) = "{name} would be too large, or is read both as text and otherwise", Code::Replay;
    InputFileName = "the input is read from a file whose name is not known", Code::Replay;
    InputFormat = "the input is read from a file or text whose format is not understood", Code::Replay;
}
