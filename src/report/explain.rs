//! Pages of `scuba explain RULE`, and the rule descriptions in SARIF and HTML.

use base::rules::Rule;

/// Returns the page of a rule, in Markdown. Its first line is `# NAME: what it means in a few words`.
#[must_use]
pub fn page(rule: Rule) -> &'static str {
    match rule {
        Rule::OobGlobal => include_str!("explain/oob-global.md"),
        Rule::OobShared => include_str!("explain/oob-shared.md"),
        Rule::OobLocal => include_str!("explain/oob-local.md"),
        Rule::OobConstant => include_str!("explain/oob-constant.md"),
        Rule::IntraAllocation => include_str!("explain/intra-allocation.md"),
        Rule::MemcpyOutOfBounds => include_str!("explain/memcpy-out-of-bounds.md"),
        Rule::UseAfterFree => include_str!("explain/use-after-free.md"),
        Rule::DoubleFree => include_str!("explain/double-free.md"),
        Rule::InvalidPointer => include_str!("explain/invalid-pointer.md"),
        Rule::DataIndex => include_str!("explain/data-index.md"),
        Rule::UncheckedArgument => include_str!("explain/unchecked-argument.md"),
        Rule::IndexOverflow => include_str!("explain/index-overflow.md"),
        Rule::Misaligned => include_str!("explain/misaligned.md"),
        Rule::FalseAssumption => include_str!("explain/false-assumption.md"),
        Rule::Contract => include_str!("explain/contract.md"),
    }
}

/// Returns the rule's meaning in a few words, without a full stop.
#[must_use]
pub fn title(rule: Rule) -> &'static str {
    let first = page(rule).lines().next().unwrap_or_default();
    first.split_once(": ").map_or(first, |(_, title)| title)
}

#[cfg(test)]
mod tests {
    use super::{page, title};
    use base::rules::Rule;

    #[test]
    fn every_page_explains_its_rule_with_examples_and_how_to_silence_it() {
        for rule in Rule::ALL {
            let text = page(rule);
            assert!(text.starts_with(&format!("# {rule}: ")), "{rule}");
            assert!(!title(rule).is_empty() && !title(rule).contains('#') && !title(rule).ends_with('.'), "{rule}");
            for part in ["## Why it matters", "## Wrong", "## Right", "## Silencing", "```cuda"] {
                assert!(text.contains(part), "{rule} lacks {part}");
            }
            assert!(text.contains(&format!("scuba: allow({rule})")), "{rule}");
            assert!(text.lines().all(|l| l.chars().count() <= 100), "{rule} has a line too long for a terminal");
        }
    }
}
