//! Levels of findings: the rule's default for the verdict, overridden by scuba.toml, then by the command line.

use base::rules::{Level, Rule};
use config::{Config, RuleSelector};
use finding::{Finding, Verdict};

/// `-D`, `-W` and `-A` in the order of the command line.
pub type Overrides = Vec<(RuleSelector, Level)>;

/// Levels as configured. A configured level applies to every verdict of the rule, `possible` ones included: users who
/// write `-D data-index` want the build to stop at each of them.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    in_order: Vec<(RuleSelector, Level)>,
}

impl Levels {
    #[must_use]
    pub fn new(config: &Config, overrides: &Overrides) -> Self {
        let mut in_order: Vec<(RuleSelector, Level)> = Vec::new();
        in_order.extend(config.level_of_all.map(|l| (RuleSelector::All, l)));
        in_order.extend(config.levels.iter().map(|(r, l)| (RuleSelector::One(*r), *l)));
        in_order.extend(overrides.iter().copied());
        Self { in_order }
    }

    /// Returns the level configured for this rule; if there are several, the last.
    #[must_use]
    pub fn set_for(&self, rule: Rule) -> Option<Level> {
        self.in_order.iter().rev().find(|(s, _)| s.matches(rule)).map(|(_, l)| *l)
    }

    #[must_use]
    pub fn level_of(&self, finding: &Finding) -> Level {
        self.set_for(finding.rule).unwrap_or_else(|| default_level(finding))
    }
}

fn default_level(finding: &Finding) -> Level {
    match finding.verdict {
        Verdict::Proved if !finding.degenerate => finding.rule.info().level,
        _ => Level::Warn,
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;
    use base::rules::{Level, Rule};
    use config::{Config, RuleSelector};
    use finding::samples;
    use finding::{Finding, Verdict};

    fn level(levels: &Levels, change: impl FnOnce(&mut Finding)) -> Level {
        let mut f = samples::finding();
        change(&mut f);
        levels.level_of(&f)
    }

    #[test]
    fn defaults_follow_verdict_and_rule() {
        let levels = Levels::default();
        assert_eq!(level(&levels, |_| ()), Level::Deny);
        assert_eq!(level(&levels, |f| f.verdict = Verdict::Possible), Level::Warn);
        assert_eq!(level(&levels, |f| f.degenerate = true), Level::Warn);
        assert_eq!(level(&levels, |f| f.rule = Rule::IndexOverflow), Level::Warn);
    }

    #[test]
    fn the_command_line_beats_scuba_toml_and_its_last_word_counts() {
        let mut config = Config { level_of_all: Some(Level::Note), ..Config::default() };
        config.levels.insert(Rule::OobGlobal, Level::Warn);
        assert_eq!(level(&Levels::new(&config, &vec![]), |_| ()), Level::Warn);
        assert_eq!(level(&Levels::new(&config, &vec![]), |f| f.rule = Rule::OobShared), Level::Note);
        let overrides = vec![(RuleSelector::All, Level::Deny), (RuleSelector::One(Rule::OobGlobal), Level::Allow)];
        let levels = Levels::new(&config, &overrides);
        assert_eq!(level(&levels, |_| ()), Level::Allow);
        assert_eq!(
            level(&levels, |f| {
                f.rule = Rule::DataIndex;
                f.verdict = Verdict::Possible;
            }),
            Level::Deny
        );
        let reversed = Levels::new(&config, &overrides.into_iter().rev().collect());
        assert_eq!(level(&reversed, |_| ()), Level::Deny);
    }
}
