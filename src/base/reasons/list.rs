//! The list of reasons, each with its wording and its code. No other code in the crate words a reason, or distinguishes
//! reasons by their words.

use super::{InterruptedCall, ModelChoice, ReasonCode};
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
            pub fn code(&self) -> ReasonCode {
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
                let text = match self {
                    $(Self::$name $(($($arg),+))? => format!($text),)+
                };
                // Memory of models of libraries has no name.
                f.write_str(&text.replace("``", "memory without a name"))
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
    ExecutionWork(at: InterruptedCall) = "the execution budget was spent (limits.work){at}", ReasonCode::Work;
    ExecutionMemory(at: InterruptedCall) = "the memory limit was reached (limits.memory){at}", ReasonCode::Memory;
    ExecutionTime(at: InterruptedCall) = "the time limit was reached (limits.tu_seconds){at}", ReasonCode::Time;
    ProgramWork = "the budget of its program was spent (limits.work)", ReasonCode::Work;
    SolverWork = "the solver's budget was spent (limits.work)", ReasonCode::Work;
    SolverTime = "the solver's time limit was reached (limits.solver_ms)", ReasonCode::Time;
    SolverMemory = "the solver's memory limit was reached (limits.memory)", ReasonCode::Memory;
    CallTooLong(function: String) = "the effect of `{function}`, which takes too long to follow", ReasonCode::Work;
    LoopTooLong(function: String) = "the effect of a loop in `{function}`, which takes too long to follow", ReasonCode::Work;

    // An execution ended before the code did, or skipped code that may contain a launch.
    SeveralEntries(function: String) = "`{function}` has a loop with several entries", ReasonCode::Loop;
    TerminatorNotFollowed(what: String) = "`{what}` is not followed", ReasonCode::Other;
    LoopStores(function: String) = "the stores of the loop in `{function}` are unknown", ReasonCode::Loop;
    LoopChanges(function: String) = "the variables that the loop in `{function}` changes are unknown", ReasonCode::Loop;
    NoLaunchAtAll = "no launch at all", ReasonCode::NoLaunch;
    GivenKernel(function: String) = "`{function}` receives a kernel, which it may launch", ReasonCode::HostNotFollowed;
    LaunchesAtExit(function: String) = "`{function}` may launch a kernel when the program ends", ReasonCode::HostNotFollowed;
    AroundMain = "functions that run before or after `main`", ReasonCode::HostNotFollowed;
    KernelGraph(function: String) = "`{function}`: the effect of a kernel graph is not followed", ReasonCode::HostNotFollowed;
    MemoryOfGraph(function: String) = "`{function}`: memory that a graph allocates is used in an order that is not followed", ReasonCode::HostNotFollowed;
    GraphMemory(function: String) = "`{function}`: memory that a graph uses may have been freed or allocated again before", ReasonCode::HostNotFollowed;
    LaunchedByItself = "an argument that a kernel gives itself in a launch of its own", ReasonCode::ContentsUnknown;
    LaunchesBelow(kernel: String) = "`{kernel}` launches kernels whose launches are not all followed", ReasonCode::NoLaunch;
    HeapBesideLaunches = "memory of the device's heap in a kernel that launches others, where device code frees any", ReasonCode::CallUnknown;
    LaunchArguments(kernel: String) = "the arguments with which a kernel launches `{kernel}`", ReasonCode::CallUnknown;
    OwnMemoryGiven(kernel: String) = "`{kernel}` is launched with memory that only the launching thread can use", ReasonCode::CallUnknown;
    StreamOrder(function: String) = "`{function}`: it is in no known order with work of another stream that uses the memory", ReasonCode::HostNotFollowed;
    KernelByPointer = "a kernel reached through a pointer that could not be followed", ReasonCode::HostNotFollowed;
    Coroutine = "a coroutine is not followed", ReasonCode::CallUnknown;
    KernelNotFollowed(why: Box<Self>) = "the kernel was not followed to its end: {why}", why.code();
    HostNotFollowed(why: Box<Self>) = "the host code was not followed to its end: {why}", why.code().limit_or(ReasonCode::HostNotFollowed);

    // Paths.
    PathTaken = "which path was taken", ReasonCode::Other;
    PathNotFollowed = "a value from a path that was not followed", ReasonCode::Other;
    ConditionNotFollowed = "a condition that was not followed", ReasonCode::Other;
    TwoPaths = "written differently on two paths", ReasonCode::ContentsUnknown;
    PiecesOnTwoPaths = "written in other pieces on two paths", ReasonCode::ContentsUnknown;
    TwoTypes = "a value of two types on two paths", ReasonCode::Other;
    ManyTargets = "a pointer with more than 32 possible targets", ReasonCode::ExtentUnknown;
    Caught = "an exception that is caught", ReasonCode::Other;
    JumpBack = "the effect of code before a backward jump", ReasonCode::ContentsUnknown;

    // Arithmetic.
    Elsewhere = "a number of another arena", ReasonCode::Other;
    Multiple = "a multiple", ReasonCode::Other;
    NoValue = "no value", ReasonCode::Other;
    NotComputed = "a value that was not computed", ReasonCode::Other;
    TooLarge = "arithmetic too large to follow", ReasonCode::Other;
    Vectors = "vector arithmetic", ReasonCode::Other;
    SingleBits = "arithmetic on single bits", ReasonCode::Other;
    DivisionByZero = "a division by zero", ReasonCode::Other;
    ShiftTooFar = "a shift by more than the width", ReasonCode::Other;
    SignedShift = "a signed shift by a variable", ReasonCode::Other;
    ByAnotherThread = "a value that another thread may have written", ReasonCode::ContentsUnknown;
    WideBits = "bits of an integer of more than 120 bits", ReasonCode::Other;
    BooleanOrder = "an ordering of booleans", ReasonCode::Other;
    PointerComparison = "a comparison of pointers", ReasonCode::Other;
    VectorComparison = "a comparison of vectors", ReasonCode::Other;
    WideInteger = "a wide integer", ReasonCode::Other;
    BitsOfZero = "a count of bits of zero", ReasonCode::Other;
    FloatOnIntegers = "floating-point arithmetic on integers", ReasonCode::Float;
    Float = "a floating-point value", ReasonCode::Float;
    FloatRounded = "a floating-point value that may be rounded", ReasonCode::Float;
    FloatBeyondInteger = "a floating-point value that does not fit its integer type", ReasonCode::Float;
    FloatBits = "the bits of a floating-point value", ReasonCode::Float;
    FloatComparison = "a floating-point comparison", ReasonCode::Float;
    FloatComparisonRounded = "a comparison of floating-point values that are rounded", ReasonCode::Float;
    FloatRounding = "the rounding of a floating-point value", ReasonCode::Float;
    FloatClass = "the class of a floating-point value", ReasonCode::Float;
    FloatArgument = "a floating-point argument", ReasonCode::Float;
    MathFunction = "the result of a math function", ReasonCode::Float;

    // Values used with another type or shape.
    Undefined = "an undefined value", ReasonCode::Other;
    UndefinedElement = "an undefined element", ReasonCode::Other;
    LongConstant = "a long constant", ReasonCode::Other;
    ConstantExpression(text: String) = "the constant expression `{text}`", ReasonCode::Other;
    UnusualZero = "zero of an unusual type", ReasonCode::Other;
    AggregateAsInteger = "an aggregate read as an integer", ReasonCode::Other;
    IntegerAsPointer = "an integer used as a pointer", ReasonCode::ExtentUnknown;
    NotPointer = "a value that is not a pointer", ReasonCode::ExtentUnknown;
    OtherType = "a value read as another type", ReasonCode::Other;
    OtherElementType = "a vector of other element type", ReasonCode::Other;
    NarrowValue = "a narrow value", ReasonCode::Other;
    PartOfValue = "part of a value", ReasonCode::Other;
    MemberNotFollowed = "a member of a value that was not followed", ReasonCode::Other;
    VectorChoice = "a choice of elements of vectors", ReasonCode::Other;
    VectorElement = "an element of a vector", ReasonCode::Other;
    VectorElementAt = "an element of a vector at a variable index", ReasonCode::Other;
    Shuffled = "a shuffled vector", ReasonCode::Other;

    // Unmodelled instructions.
    Assembly = "inline assembly", ReasonCode::Asm;
    AssemblyResult = "the result of inline assembly", ReasonCode::Asm;
    AssemblyPointer = "one that inline assembly uses", ReasonCode::Asm;
    Instruction(what: String) = "{what}", ReasonCode::Other;
    UsedBy(what: String) = "one that `{what}` uses", ReasonCode::Asm;
    MathPointer = "one that a math function writes to", ReasonCode::CallUnknown;
    AtomicResult = "the result of an atomic operation", ReasonCode::ContentsUnknown;

    TileKernel = "a tile kernel has no threads, and what it accesses is not followed", ReasonCode::Tile;

    // Calls.
    UnknownCallee = "a call through an unknown pointer", ReasonCode::CallUnknown;
    WhichFunction = "which of several functions is called", ReasonCode::CallUnknown;
    ResultOf(function: String) = "the result of `{function}`", ReasonCode::CallUnknown;
    EffectOf(function: String) = "the effect of `{function}`", ReasonCode::CallUnknown;
    CallsItself(function: String) = "`{function}` calls itself too deeply", ReasonCode::CallUnknown;
    CalledTooDeeply(function: String) = "`{function}` is called through too many others", ReasonCode::CallUnknown;
    LibraryCalls = "the calls of a library that received a function before", ReasonCode::CallUnknown;
    Algorithm = "the result of an algorithm", ReasonCode::CallUnknown;
    Computed(function: String) = "what `{function}` computes", ReasonCode::CallUnknown;
    Gives(function: String) = "what `{function}` gives", ReasonCode::CallUnknown;
    LookedUp(name: String, call: String) = "the function `{name}`, which `{call}` looks up by its name", ReasonCode::CallUnknown;
    Handle(function: String, number: usize) = "what `{function}` gives ({number})", ReasonCode::CallUnknown;
    Returns(function: String) = "what `{function}` returns", ReasonCode::CallUnknown;
    Status(of: String) = "the status that `{of}` returns", ReasonCode::Other;
    Time = "the time", ReasonCode::Other;
    RandomNumber = "a random number", ReasonCode::Other;
    GeneratorState = "a generator's state", ReasonCode::Other;
    FreedBesideThread(function: String) = "`{function}` while another host thread may use the memory", ReasonCode::HostNotFollowed;
    WaitsForThread(function: String) = "`{function}` in a host thread: it may wait for another one", ReasonCode::CallUnknown;
    OtherHostThread = "the effect of another host thread", ReasonCode::CallUnknown;
    VariadicArguments = "variadic arguments", ReasonCode::Other;
    MissingArgument = "a missing argument", ReasonCode::Other;
    StackPointer = "the stack pointer", ReasonCode::Other;

    // The CUDA runtime.
    AnyLaunch = "an argument of any launch", ReasonCode::NoLaunch;
    UnknownKernelGiven = "the arguments of an unknown kernel", ReasonCode::HostNotFollowed;
    LaunchConfiguration = "an unknown launch configuration", ReasonCode::Other;
    LaunchMember = "a member of a launch configuration", ReasonCode::Other;
    KernelShape = "block or cluster sizes in a kernel's attributes that are not constants here", ReasonCode::Other;
    LaunchAttributes = "attributes of a launch that could not be read", ReasonCode::Other;
    LaunchAttribute(name: String) = "what a launch with the attribute `{name}` runs", ReasonCode::Other;
    ConfiguredStream(stream: Option<i64>) = "the stream that a launch was configured with", ReasonCode::Other;
    KernelAttribute = "an attribute of a kernel", ReasonCode::Other;
    KernelAttributeSet = "whether an attribute of a kernel was set", ReasonCode::Other;
    SymbolAddress = "the address of a symbol", ReasonCode::ExtentUnknown;
    UnknownSymbolAddress = "the address of an unknown symbol", ReasonCode::ExtentUnknown;
    CopyToUnknownSymbol = "a copy to an unknown symbol", ReasonCode::ContentsUnknown;
    CopiedFromSymbol = "the bytes copied from a symbol", ReasonCode::ContentsUnknown;
    BatchedCopy = "the memory that a batch of copies reads and writes", ReasonCode::ContentsUnknown;
    ArraySize = "the sizes of an array of CUDA", ReasonCode::ExtentUnknown;
    Copy2D = "a 2D copy", ReasonCode::ContentsUnknown;
    RowsFilled = "rows that were filled", ReasonCode::ContentsUnknown;
    CopyOverlaps = "the result of a copy that overlaps other device work", ReasonCode::ContentsUnknown;
    OtherDeviceWork = "memory that concurrent device work may change", ReasonCode::ContentsUnknown;
    DeviceWorkMeanwhile = "the result of device work in memory that the host writes concurrently", ReasonCode::ContentsUnknown;

    // Strings.
    ArgumentText = "the characters of a program argument", ReasonCode::Text;
    ArgumentAt = "a program argument at a variable index", ReasonCode::Text;
    StringText = "the characters of a string", ReasonCode::Text;
    StringLength = "the length of a string", ReasonCode::Text;
    String = "a string", ReasonCode::Text;
    StringContainer = "a container of strings", ReasonCode::Text;
    TextComparison = "a comparison of strings", ReasonCode::Text;
    TextIsNumber = "whether a string is a number", ReasonCode::Text;
    TextWritten = "a string that the program writes", ReasonCode::Text;
    TextCopied = "a copied string", ReasonCode::Text;
    ErrorText = "an error message", ReasonCode::Text;
    NumberEnd = "the end of a number", ReasonCode::Text;
    Reads(function: String) = "what `{function}` reads", ReasonCode::Text;
    ReadsInBase(function: String) = "what `{function}` reads in another base", ReasonCode::Text;
    Printed = "what is printed", ReasonCode::Text;
    HowMuchPrinted = "how much was printed", ReasonCode::Text;
    OptionFound = "the option that `getopt` found", ReasonCode::Text;
    GetoptFound = "what `getopt` found", ReasonCode::Text;
    GetoptPermutes = "the arguments that `getopt` permutes", ReasonCode::Text;
    OptionHasArgument = "whether an option has an argument", ReasonCode::Text;

    // Files and streams.
    HowManyRead = "how many values were read", ReasonCode::ContentsUnknown;
    HowMuchRead = "how much of a file was read", ReasonCode::ContentsUnknown;
    Read = "what is read", ReasonCode::ContentsUnknown;
    ReadFromFile = "what is read from a file", ReasonCode::ContentsUnknown;
    ReadFromStream = "what is read from a stream", ReasonCode::ContentsUnknown;
    StreamCalls = "what a stream calls", ReasonCode::CallUnknown;
    Stream = "a stream", ReasonCode::Other;
    StreamState = "the state of a stream", ReasonCode::Other;
    StreamBuffer = "what a stream keeps in its buffer", ReasonCode::ContentsUnknown;
    FileOpens = "whether a file can be opened", ReasonCode::Other;
    FileName = "a file of unknown name", ReasonCode::ContentsUnknown;
    FilePosition = "a position in a file", ReasonCode::ContentsUnknown;
    FilePositionAgain = "a position in a file that was read before", ReasonCode::ContentsUnknown;
    FilePositionOfSeveral = "a position in one of several files", ReasonCode::ContentsUnknown;

    // Contents of memory.
    UnknownMemory = "unknown memory", ReasonCode::ExtentUnknown;
    Unwritten(name: String) = "`{name}` before it is written", ReasonCode::ContentsUnknown;
    Holds(name: String) = "what `{name}` holds", ReasonCode::ContentsUnknown;
    HoldsMeanwhile(name: String) = "the contents of `{name}` during device work", ReasonCode::ContentsUnknown;
    OneOfSeveralHolds(name: String) = "what one of several allocations, `{name}`, holds", ReasonCode::ContentsUnknown;
    BufferHolds = "what a buffer holds", ReasonCode::ContentsUnknown;
    WhichPointer(name: String) = "which pointer `{name}` holds", ReasonCode::ContentsUnknown;
    ElementOf(name: String) = "an element of `{name}`", ReasonCode::ContentsUnknown;
    ArrayElement = "an element of an array", ReasonCode::ContentsUnknown;
    TableElement = "an element of a table", ReasonCode::ContentsUnknown;
    EmptyArray = "an empty array", ReasonCode::ContentsUnknown;
    NoPlace = "no address", ReasonCode::ContentsUnknown;
    DeviceVariable(name: String) = "the device variable `{name}`", ReasonCode::ContentsUnknown;
    Global(name: String) = "the global `{name}`", ReasonCode::ContentsUnknown;
    AfterReset = "the contents of a variable after a device reset", ReasonCode::ContentsUnknown;
    OnResetDevice(name: String) = "whether `{name}` is on the device that is reset", ReasonCode::Other;
    Reallocated = "a reallocated block", ReasonCode::ContentsUnknown;
    Filled = "memory that was filled", ReasonCode::ContentsUnknown;
    FilledSomewhere = "memory filled through an unknown pointer", ReasonCode::ContentsUnknown;
    StoredSomewhere = "a store through an unknown pointer", ReasonCode::ContentsUnknown;
    StoredByOtherName = "a value stored through another pointer", ReasonCode::ContentsUnknown;
    WrittenByOtherName = "a value written through another pointer", ReasonCode::ContentsUnknown;
    WrittenAtVariable = "an array written at a variable index", ReasonCode::ContentsUnknown;
    WrittenInPlaces = "an array written at many offsets", ReasonCode::ContentsUnknown;
    WrittenInPieces = "a value that was written in other pieces than it is read", ReasonCode::ContentsUnknown;
    PartlyOverwritten = "a value that was partly overwritten", ReasonCode::ContentsUnknown;
    LargeValue = "a large value", ReasonCode::ContentsUnknown;
    PartOfStructure = "part of a structure", ReasonCode::ContentsUnknown;
    PerhapsPartOfStructure = "part of a structure that may be stored here", ReasonCode::ContentsUnknown;
    CopiedSomewhere = "a copy through an unknown pointer", ReasonCode::ContentsUnknown;
    CopiedInto(name: String) = "what is copied into `{name}`", ReasonCode::ContentsUnknown;
    CopyToOneOfSeveral = "a copy to one of several addresses", ReasonCode::ContentsUnknown;
    CopyOfSeveral = "a copy from or to one of several allocations, or during device work", ReasonCode::ContentsUnknown;
    PartOfCopiedNumber = "part of a copied number", ReasonCode::ContentsUnknown;
    PartOfCopiedStructure = "part of a copied structure", ReasonCode::ContentsUnknown;
    PartOfCopiedValue = "part of a value that was copied", ReasonCode::ContentsUnknown;
    LoadedThroughNull = "a load through a null pointer", ReasonCode::ContentsUnknown;
    LoadedFromFunction = "a load from a function", ReasonCode::ContentsUnknown;
    LoadedThroughNothing = "a load through a value that is not a pointer", ReasonCode::ContentsUnknown;
    LoadedThroughLost = "a load through a pointer that could not be followed", ReasonCode::ContentsUnknown;
    KernelWrites(name: String) = "what a kernel writes to `{name}`", ReasonCode::ContentsUnknown;
    KernelWritesDevice = "what a kernel writes to a device variable", ReasonCode::ContentsUnknown;
    KernelWritesConstant = "what a kernel writes to a constant variable", ReasonCode::ContentsUnknown;
    OtherThreads = "the values that other threads write", ReasonCode::ContentsUnknown;
    OtherThreadHolds = "the value of another thread's variable", ReasonCode::ContentsUnknown;
    ThreadOrder = "the order in which threads run", ReasonCode::ContentsUnknown;
    FreedThroughLost(name: String) = "whether `{name}` was freed through an unknown pointer", ReasonCode::ContentsUnknown;
    FreedByOtherName(name: String) = "whether `{name}` was freed through another pointer", ReasonCode::ContentsUnknown;

    // Loops.
    FreedEarlier(name: String) = "whether `{name}` was freed in an earlier iteration of a loop", ReasonCode::Loop;
    FreedInLoop(name: String) = "whether `{name}` was freed in a loop", ReasonCode::Loop;
    AllocatedInLoop = "one of many allocations of a loop", ReasonCode::Loop;
    WhichRoundAllocated = "which iteration of a loop allocated it", ReasonCode::Loop;
    WhichRoundSet = "which iteration set a variable", ReasonCode::Loop;
    RoundSet = "whether an iteration of a loop set a variable", ReasonCode::Loop;
    Carried = "a value carried from one iteration of a loop to the next", ReasonCode::Loop;
    InLoop(name: String) = "`{name}` in a loop", ReasonCode::Loop;
    LoopWrites = "what a loop writes", ReasonCode::Loop;
    LoopWritesTo(name: String) = "what a loop writes to `{name}`", ReasonCode::Loop;
    LoopPointer = "what a loop left in a pointer", ReasonCode::Loop;
    LoopPointers = "which of several pointers a loop left in a variable", ReasonCode::Loop;
    LoopMoves = "how much a loop changes a variable under a condition", ReasonCode::Loop;
    LoopChangesIf = "a value that a loop changes under a condition", ReasonCode::Loop;
    LoopSum = "the sum over iterations of a loop", ReasonCode::Loop;
    RoundsLeft(name: String) = "what iterations of a loop left in `{name}`", ReasonCode::Loop;
    EarlierRoundLeft(name: String) = "what an earlier iteration of a loop left in `{name}`", ReasonCode::Loop;

    // Parameters of roots.
    Parameter = "a parameter", ReasonCode::Other;
    ExtentOf(name: String) = "the extent of `{name}` is not known", ReasonCode::ExtentUnknown;
    ExtentOfParameter(name: String) = "the extent of `{name}` is not known: no known code calls this", ReasonCode::ExtentUnknown;

    // Solver results.
    SolverModel = "the solver's model could not be read", ReasonCode::Other;
    SolverWide = "the only model found has values beyond 127 bits", ReasonCode::Other;
    SolverPartial = "it depends on a division by zero or a shift out of range", ReasonCode::Other;
    InternalFault(name: String) = "a fault of the analysis in `{name}`", ReasonCode::Other;
    SolverDisagrees(term: u32) = "internal disagreement between solver and evaluation on term {term}", ReasonCode::Other;
    SolverTooOld(version: String, oldest: u32) = "the Z3 library in use is {version}; {oldest}.0 or newer is needed (run `make setup`, or check the loader's library path)",
        ReasonCode::Other;
    SolverSays(text: String) = "{text}", ReasonCode::Other;

    // Verdicts.
    NullPointer = "a null pointer", ReasonCode::Other;
    FunctionPointer = "a pointer to a function", ReasonCode::Other;
    LostPointer(why: Box<Self>) = "the pointer is {why}", why.code().or(ReasonCode::ExtentUnknown);
    OnlyAssumed = "not safe without the assumptions", ReasonCode::Other;
    NoLaunch = "no launch of this kernel is known", ReasonCode::NoLaunch;
    AlignmentOfVariable(name: String, align: u32) = "nothing makes `{name}` begin at a multiple of {align} (`alignas({align})` does)", ReasonCode::Other;
    CalledByAddress(function: String) = "`{function}`, which launches it, may be called by its address with any arguments", ReasonCode::NoLaunch;
    AlignmentOfCallers(align: u32) = "its address need not be a multiple of {align}: no known code calls this", ReasonCode::NoLaunch;
    NoCondition = "no condition on its arguments was found", ReasonCode::NoLaunch;
    NoLaunchHost(why: Box<Self>) = "no launch of this kernel is known: the host code was not followed to its end ({why})",
        why.code().limit_or(ReasonCode::HostNotFollowed);
    NoLaunchOpen(why: Box<Self>) = "no launch of this kernel is known: {why}", why.code().limit_or(ReasonCode::NoLaunch);
    OnlyDegenerate = "it can only happen for sizes below 1", ReasonCode::Other;
    StaysInPart(part: String, why: Box<Self>) = "whether it stays in the part `{part}`: {why}", why.code();

    // Replays.
    PartNotReached(part: String, why: Box<Self>) = "it may leave the part `{part}`, but replay did not reach that: {why}",
        ReasonCode::Replay;
    NotReached(unknown: ModelChoice, why: Box<Self>) = "an example was found{unknown}, but its replay did not reach the access: {why}",
        unknown.code().or(ReasonCode::Replay);
    Replay(text: String, code: ReasonCode) = "{text}", *code;
    CallNotKnown = "the call is not known", ReasonCode::Replay;
    FileTooLarge(name: String) = "{name} would be too large, or is read both as a string and as other data", ReasonCode::Replay;
    InputFileName = "the input is read from a file of unknown name", ReasonCode::Replay;
    InputFormat = "the input is read from a file or string of unknown format", ReasonCode::Replay;
}
