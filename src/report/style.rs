//! Formats of a report, and how much of it text shows.

/// Value of `--message-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// Excerpts of the source with what goes wrong and for which input
    #[default]
    Human,
    /// One line per finding: file:line:column: level[rule]: message
    Short,
    /// One document of schema scuba-findings/1
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Workflow commands of GitHub Actions: annotations of a pull request
    Github,
    /// Code quality report of GitLab
    Gitlab,
    /// Test results in the XML of JUnit
    Junit,
}

impl MessageFormat {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Short => "short",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
        }
    }

    /// Returns the names of all formats, for messages.
    #[must_use]
    pub fn names() -> String {
        let names: Vec<&str> = <Self as clap::ValueEnum>::value_variants().iter().map(|f| f.name()).collect();
        match names.as_slice() {
            [others @ .., last] => format!("{} or {last}", others.join(", ")),
            [] => String::new(),
        }
    }

    /// Whether the format is one document, which stands alone on standard output.
    #[must_use]
    pub fn is_document(self) -> bool {
        matches!(self, Self::Json | Self::Sarif | Self::Gitlab | Self::Junit)
    }

    /// Whether machines read the format, from standard output; text for people goes to standard error. A report covers
    /// the whole run, whatever was shown before.
    #[must_use]
    pub fn is_for_machines(self) -> bool {
        self.is_document() || self == Self::Github
    }

    /// Returns the format of the shim, whose output holds what many commands write: lines instead of documents that
    /// only make sense for a whole run.
    #[must_use]
    pub fn of_one_command(self) -> Self {
        if matches!(self, Self::Gitlab | Self::Junit) { Self::Short } else { self }
    }
}

impl std::str::FromStr for MessageFormat {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        <Self as clap::ValueEnum>::from_str(s, false)
    }
}

/// Amount of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Denied findings only.
    Quiet,
    #[default]
    Normal,
    /// Undecided accesses and notes too.
    Verbose,
}

/// Style of the text renderers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// True to write ANSI escape sequences.
    pub colour: bool,
    pub verbosity: Verbosity,
    /// True to end with a line of counts; the shim writes none.
    pub summary: bool,
}
