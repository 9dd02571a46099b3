//! The command line.

use crate::explained::{self, Explained};
use base::inside::{Dump, UserPosition};
use base::rules::{Level, Rule};
use clap::{ArgAction, ArgMatches, Args, Parser, Subcommand, ValueEnum};
use config::{ByteSize, FrontendKind, RuleSelector};
use report::levels::Overrides;
use report::render::MessageFormat;
use report::shard::Shard;
use std::ffi::OsString;
use std::path::PathBuf;

/// Finds out-of-bounds accesses and other memory bugs in CUDA programs at build time, for every input, without
/// running them.
#[derive(Debug, Parser)]
#[command(
    name = "scuba",
    version,
    max_term_width = 100,
    after_help = "\
Exit status: 0 nothing denied, 1 at least one denied finding, 2 the tool could not do what was asked
(`scuba build`: otherwise the build command's own status)."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Write a commented scuba.toml for this project, and print the next command
    Init(InitArgs),
    /// Run a build command with nvcc replaced by the analysis, then join the facts and report
    Build(BuildArgs),
    /// Check sources as one program, or join a build's facts and report
    Check(CheckArgs),
    /// Report what the shards of a check found (`scuba check --shard`), as one run would
    Merge(MergeArgs),
    /// Infer contracts: what kernels require of their arguments, to check, state or test
    Contracts(ContractsArgs),
    /// Run counterexamples on a GPU under Compute Sanitizer
    Confirm(ConfirmArgs),
    /// Write the findings of the last build as HTML or SARIF
    Report(ReportArgs),
    /// Show cost and results of the last builds and checks, and units built without the analysis
    Stats(StatsArgs),
    /// Explain a rule, or the code of an undecided access: its meaning, why it matters, and what to do
    Explain {
        /// Rule, for example oob-global, or code of an undecided access, for example no-launch [default: list all]
        #[arg(value_name = "RULE|CODE", value_parser = explained::parser())]
        what: Option<Explained>,
    },
    /// Show where the cache lies, how large it is and how much builds took from it; remove it, or its oldest part
    Cache(CacheArgs),
    /// Precompile the headers of this machine's toolkit, for the commonest flags or given ones: first builds are faster
    Warm(WarmArgs),
    /// Serve an editor: a language server on standard input and output
    Lsp,
    /// Accept the present findings: only new ones are reported from then on
    Baseline(BaselineArgs),
    /// Show installed tools and versions, missing ones and how to get them
    Doctor(DoctorArgs),
    /// Analyse what the shim asks for, as JSON on standard input
    #[command(name = "__analyze", hide = true)]
    Analyze,
    /// Check the program that another `scuba` sends
    #[command(name = super::worker::process::COMMAND, hide = true)]
    CheckOne,
    /// Write manual pages and completions of shells, for packages
    #[command(name = super::commands::pages::COMMAND, hide = true)]
    Pages { prefix: PathBuf },
    /// Clear up what a confirmation leaves running where it is killed
    #[command(name = confirm::watch::COMMAND, hide = true)]
    Watch { process: u32 },
}

fn selector() -> impl clap::builder::TypedValueParser<Value = RuleSelector> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Rule::ALL.map(Rule::name).into_iter().chain(["all"]))
        .try_map(|s| s.parse::<RuleSelector>())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    #[default]
    Auto,
    Always,
    Never,
}

/// Options of every command that reports findings.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Format of findings: human and short go to standard error, the others to standard output
    #[arg(long, value_enum, value_name = "FORMAT", env = "SCUBA_MESSAGE_FORMAT", default_value = "human")]
    pub message_format: MessageFormat,

    /// Findings of this rule (or `all`) fail the build
    #[arg(short = 'D', long = "deny", value_name = "RULE", value_parser = selector(), hide_possible_values = true, action = ArgAction::Append)]
    pub deny: Vec<RuleSelector>,
    /// Findings of this rule (or `all`) are warnings
    #[arg(short = 'W', long = "warn", value_name = "RULE", value_parser = selector(), hide_possible_values = true, action = ArgAction::Append)]
    pub warn: Vec<RuleSelector>,
    /// Findings of this rule (or `all`) are not reported; the last of several -D, -W, -A counts
    #[arg(short = 'A', long = "allow", value_name = "RULE", value_parser = selector(), hide_possible_values = true, action = ArgAction::Append)]
    pub allow: Vec<RuleSelector>,

    /// Front end that reads the sources [default: scuba.toml's, else auto]
    #[arg(long, value_enum, value_name = "KIND")]
    pub frontend: Option<FrontendKind>,

    /// Settings file [default: scuba.toml in the source's folder or above]
    #[arg(long, value_name = "FILE", env = "SCUBA_CONFIG")]
    pub config: Option<PathBuf>,

    /// Colours in human-readable text; NO_COLOR also disables them
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,

    /// Print only denied findings: no progress, no summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Also print undecided and accepted accesses, and notes
    #[arg(short, long)]
    pub verbose: bool,

    /// Number of parallel analyses [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Print the time that each phase of a check took
    #[arg(long)]
    pub timings: bool,

    /// Print intermediate results of a check, to debug it or a verdict
    #[arg(long, value_enum, value_name = "WHAT", action = ArgAction::Append)]
    pub dump: Vec<Dump>,

    /// Treat as an error (exit status 2): a translation unit that was not analysed or was built without the analysis, or an
    /// undecided access of inline assembly
    #[arg(long, env = "SCUBA_STRICT", value_parser = clap::builder::FalseyValueParser::new(), action = ArgAction::SetTrue)]
    pub strict: bool,
}

/// Choice of findings by what changed.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// Report only findings that concern lines changed since REV, a revision of git; all if REV is empty
    #[arg(long, value_name = "REV", env = "SCUBA_DIFF_BASE")]
    pub diff_base: Option<String>,
}

/// Check sources as one program, or join a build's facts and report.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  scuba check main.cu -- -std=c++17 -arch=sm_80 -DN=1024
  scuba check build/             the facts of the last build through scuba-nvcc
  scuba check -p build/          the units of build/compile_commands.json
  scuba check build/ --shard 2/4 --message-format json > 2.json
                                 every fourth program; `scuba merge` joins the documents")]
pub struct CheckArgs {
    /// Sources (.cu, .cpp, .c …) of one program; or one folder with a build's facts [default: here or above]
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,

    /// Check only this program of a build: its file, a library in it, or its name; may be repeated
    #[arg(long, value_name = "PROGRAM", conflicts_with = "compile_commands")]
    pub program: Vec<PathBuf>,

    /// Analyse the translation units of DIR/compile_commands.json
    #[arg(short = 'p', value_name = "DIR", conflicts_with = "paths")]
    pub compile_commands: Option<PathBuf>,

    /// Read sources by the commands of the last build in DIR, or of a compile_commands.json there; a header by that of
    /// a source that includes it
    #[arg(long, value_name = "DIR", hide = true)]
    pub as_built: Option<PathBuf>,

    /// Check shard I of N, from 1/N to N/N: every N-th program of a build, for jobs that run side by side; `scuba merge`
    /// makes one report of their JSON documents
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Keep the report in this file instead
    #[arg(long, value_name = "FILE", hide = true)]
    pub report_to: Option<PathBuf>,

    /// Explain how the accesses at this position were decided, from index to verdict
    #[arg(long, value_name = "FILE:LINE[:COL]")]
    pub explain: Option<UserPosition>,

    #[command(flatten)]
    pub diff: DiffArgs,

    #[command(flatten)]
    pub common: CommonArgs,

    /// nvcc's flags for the sources
    #[arg(last = true, value_name = "NVCC-FLAGS")]
    pub flags: Vec<OsString>,
}

/// Reports what the shards of a check found, as one run would.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  for i in 1 2 3 4; do scuba check build/ --shard $i/4 --message-format json > $i.json & done; wait
  scuba merge [1-4].json
  scuba merge [1-4].json --message-format sarif > scuba.sarif")]
pub struct MergeArgs {
    /// Documents of all shards of one check
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub diff: DiffArgs,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// Format of contracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ContractFormat {
    /// For people: each condition, its evidence, and the accesses that rest on it
    #[default]
    Human,
    /// For programs: everything as JSON
    Json,
    /// For scuba.toml
    Toml,
    /// C++ code that tests the conditions before a launch
    Checks,
}

/// Infers contracts: what kernels require of their arguments.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  scuba contracts kernels.cu -- -std=c++17
  scuba contracts kernels.cu --function 'knn_*' --format toml >> scuba.toml
  scuba contracts                                the kernels of the last build")]
pub struct ContractsArgs {
    /// Sources of one program; or one folder with a build's facts [default: here or above]
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,

    /// Only functions whose name matches this glob, for example `knn_*`; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub function: Vec<String>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub format: ContractFormat,

    /// Print only requirements that differ from another version: a document of `--format json`, or a git revision
    #[arg(long, value_name = "REV|FILE")]
    pub diff: Option<PathBuf>,

    #[command(flatten)]
    pub common: CommonArgs,

    /// nvcc's flags for the sources
    #[arg(last = true, value_name = "NVCC-FLAGS")]
    pub flags: Vec<OsString>,
}

/// Run a build command with nvcc replaced by the analysis, then join the facts and report.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  scuba build -- make -j8
  scuba build -- cmake --build build
  scuba build -- pip install .")]
pub struct BuildArgs {
    #[command(flatten)]
    pub diff: DiffArgs,

    #[command(flatten)]
    pub common: CommonArgs,

    /// The build command
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<OsString>,
}

/// Run counterexamples on a GPU under Compute Sanitizer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  scuba confirm                                    the denied findings of the last build
  scuba confirm main.cu -- -std=c++17 -DN=1024     findings in sources, without a build
  scuba confirm --bundle b && scuba confirm --from b    the second on another machine, with the CUDA toolkit and a GPU")]
pub struct ConfirmArgs {
    /// Findings to confirm [default: the denied ones]; sources of one program, or a folder with a build's facts
    /// [default: here or above]
    #[arg(value_name = "FINGERPRINT|FILE|DIR")]
    pub targets: Vec<String>,
    /// The executable that the build made
    #[arg(long, value_name = "PATH")]
    pub exe: Option<PathBuf>,
    /// Write a self-contained folder that a machine with a GPU can run
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    pub bundle: Option<PathBuf>,
    /// Run such a folder, or import the results of its run elsewhere
    #[arg(long, value_name = "BUNDLE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// nvcc's flags for the sources
    #[arg(last = true, value_name = "NVCC-FLAGS")]
    pub flags: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("form").required(true).multiple(true))]
pub struct ReportArgs {
    /// Folder with a build's facts [default: here or above]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Write one self-contained page
    #[arg(long, value_name = "FILE", group = "form")]
    pub html: Option<PathBuf>,
    /// Write SARIF 2.1.0
    #[arg(long, value_name = "FILE", group = "form")]
    pub sarif: Option<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// Folder with a build's facts [default: here or above]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Write the baseline; without this option, only show what would change
    #[arg(long)]
    pub write: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Format of statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// A table
    #[default]
    Human,
    /// One document of schema scuba-stats/1
    Json,
}

#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Folder that was built or checked [default: here or above]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Number of latest builds and checks to show
    #[arg(long, value_name = "N", default_value = "10")]
    pub last: u16,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub format: StatsFormat,
}

#[derive(Debug, Args)]
pub struct CacheArgs {
    /// Remove everything that can be made again
    #[arg(long)]
    pub clean: bool,
    /// Remove the oldest entries until the others have at most this size, for example 500MiB
    #[arg(long, value_name = "SIZE", conflicts_with = "clean", value_parser = str::parse::<ByteSize>)]
    pub max_size: Option<ByteSize>,
}

#[derive(Debug, Args)]
pub struct WarmArgs {
    /// With the lowest priority and without output, as other commands start it
    #[arg(long, hide = true)]
    pub background: bool,
    /// Precompile what builds recorded instead
    #[arg(long, hide = true)]
    pub recorded: bool,
    /// Flags of an nvcc command, for example -std=c++20 -arch=sm_90, with sources: what these begin with [default: flags
    /// of most commands]
    #[arg(last = true, value_name = "NVCC-FLAGS")]
    pub flags: Vec<String>,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// The project's folder [default: here]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Overwrite an existing scuba.toml
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Settings file [default: scuba.toml here or above]
    #[arg(long, value_name = "FILE", env = "SCUBA_CONFIG")]
    pub config: Option<PathBuf>,
}

/// Returns `-D`, `-W` and `-A` in the order of the command line.
#[must_use]
pub fn level_overrides(matches: &ArgMatches) -> Overrides {
    let mut found: Vec<(usize, RuleSelector, Level)> = Vec::new();
    for (id, level) in [("deny", Level::Deny), ("warn", Level::Warn), ("allow", Level::Allow)] {
        // Commands without these options have no such ids.
        let Ok(Some(values)) = matches.try_get_many::<RuleSelector>(id) else { continue };
        let Some(indices) = matches.indices_of(id) else { continue };
        found.extend(indices.zip(values).map(|(at, rule)| (at, *rule, level)));
    }
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|(_, rule, level)| (rule, level)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cli, CliCommand, level_overrides};
    use base::rules::{Level, Rule};
    use clap::{CommandFactory, FromArgMatches};
    use config::RuleSelector::{All, One};

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn levels_keep_the_order_of_the_command_line() {
        let m = Cli::command()
            .try_get_matches_from([
                "scuba",
                "check",
                "-A",
                "all",
                "-D",
                "oob-global",
                "-Wdata-index",
                "-A",
                "oob-global",
                "a.cu",
            ])
            .unwrap();
        let o = level_overrides(m.subcommand().unwrap().1);
        assert_eq!(
            o,
            [
                (All, Level::Allow),
                (One(Rule::OobGlobal), Level::Deny),
                (One(Rule::DataIndex), Level::Warn),
                (One(Rule::OobGlobal), Level::Allow)
            ]
        );
    }

    #[test]
    fn build_commands_keep_their_own_flags_with_and_without_dashes() {
        for line in [
            &["scuba", "build", "-q", "--", "make", "-j8", "-q"][..],
            &["scuba", "build", "-q", "make", "-j8", "-q"][..],
        ] {
            let m = Cli::command().try_get_matches_from(line).unwrap();
            let CliCommand::Build(b) = Cli::from_arg_matches(&m).unwrap().command else { panic!("{line:?}") };
            assert!(b.common.quiet);
            assert_eq!(b.command, ["make", "-j8", "-q"]);
        }
    }
}
