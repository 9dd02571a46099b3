//! Function names, as people and device tools write them.

/// Returns a function's name without result, scopes, template arguments and parameters, from its displayed form.
#[must_use]
pub fn base_name(display: &str) -> String {
    let text = display.replace("(anonymous namespace)", "anonymous").replace("<unnamed>", "anonymous");
    if let Some(operator) = operator(&text) {
        return operator;
    }
    let mut name = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            c if depth == 0 => name.push(c),
            _ => {}
        }
    }
    let last = name.trim().rsplit([' ', '*', '&']).next().unwrap_or_default();
    last.rsplit("::").next().unwrap_or(last).to_owned()
}

/// Returns the name of an operator, `operator()`, `operator<`, `operator->`, ...: these names contain characters that
/// delimit others.
fn operator(text: &str) -> Option<String> {
    const WORD: &str = "operator";
    let (at, _) = text.match_indices(WORD).find(|(at, _)| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| matches!(c, ':' | ' ' | '*' | '&'))
    })?;
    let rest = &text[at + WORD.len()..];
    if rest.starts_with("()") {
        return Some(format!("{WORD}()"));
    }
    let symbol: String = rest.chars().take_while(|c| "+-*/%^&|~!=<>,[]".contains(*c)).collect();
    // Next comes `(`, or the template arguments of an operator.
    let symbol = match symbol.as_str() {
        "<<" | "<" | "<=" | "<=>" | "<<=" => symbol,
        s => s.split('<').next().unwrap_or_default().to_owned(),
    };
    (!symbol.is_empty()).then(|| format!("{WORD}{symbol}"))
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn names_are_cut_to_what_records_have() {
        for (display, name) in [
            ("scale(float*, int)", "scale"),
            ("void grid::(anonymous namespace)::blur<double, 1>(double*, double const*, int, int)", "blur"),
            ("plain", "plain"),
            ("void ns::k<std::pair<int, float>, (Kind)1>(T1*)", "k"),
            ("ns::Outer<int>::run(int)", "run"),
            ("operator+(float4 const&, float4 const&)", "operator+"),
            ("bool ns::operator< <int>(ns::V<int> const&)", "operator<"),
            ("V<int>& V<int>::operator+=<float>(float)", "operator+="),
            ("main::{lambda(int)#1}::operator()(int) const", "operator()"),
            ("P<T>::operator->() const", "operator->"),
            ("P<T>::operator[](int) const", "operator[]"),
            ("my_operator(int)", "my_operator"),
        ] {
            assert_eq!(base_name(display), name, "{display}");
        }
    }
}
