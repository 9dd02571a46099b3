//! Texts and their syntax trees; invalid texts and their errors.

use crate::ast::{Cond, CondKind, ContractTerm, TermKind, UnaryOperator};
use crate::parse::{DEEPEST, LONGEST, parse};
use crate::print::toml;

/// Prints with full parentheses.
fn show(c: &Cond) -> String {
    let join = |all: &[Cond], sign: &str| format!("({})", all.iter().map(show).collect::<Vec<_>>().join(sign));
    match &c.kind {
        CondKind::Literal(b) => b.to_string(),
        CondKind::Compare(op, a, b) => format!("({} {} {})", term(a), op.sign(), term(b)),
        CondKind::Truth(t) => format!("bool({})", term(t)),
        CondKind::Not(a) => format!("!{}", show(a)),
        CondKind::And(all) => join(all, " && "),
        CondKind::Or(all) => join(all, " || "),
        CondKind::Implies(a, b) => format!("({} ==> {})", show(a), show(b)),
        CondKind::Choice(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
        CondKind::Forall(all) => {
            let close = if all.closed { ']' } else { ')' };
            let (from, to) = (term(&all.from), term(&all.to));
            format!("(forall {} in [{from}, {to}{close}: {})", all.variable, show(&all.body))
        }
        CondKind::Disjoint(all) => format!("disjoint({})", all.iter().map(term).collect::<Vec<_>>().join(", ")),
    }
}

fn term(t: &ContractTerm) -> String {
    let list = |all: &[ContractTerm]| all.iter().map(term).collect::<Vec<_>>().join(", ");
    match &t.kind {
        TermKind::Binary(op, a, b) => format!("({} {} {})", term(a), op.sign(), term(b)),
        TermKind::Unary(op, a) => format!("{}{}", if *op == UnaryOperator::Minus { '-' } else { '~' }, term(a)),
        TermKind::Choice(c, a, b) => format!("({} ? {} : {})", show(c), term(a), term(b)),
        TermKind::Cast(to, a) => format!("({}){}", to.name(), term(a)),
        TermKind::Deref(a) => format!("(*{})", term(a)),
        TermKind::Subscript(a, i) => format!("{}[{}]", term(a), term(i)),
        TermKind::Apply(f, args) => format!("{}({})", f.name(), list(args)),
        TermKind::Member(..) | TermKind::Method(..) => format!("<{t}>"),
        _ => t.to_string(),
    }
}

#[test]
fn texts_are_read_with_the_precedence_of_c() {
    for (text, meant) in [
        ("elements(x) >= n * dim", "(elements(x) >= (n * dim))"),
        ("a - b - c + d * -e == 0", "((((a - b) - c) + (d * -e)) == 0)"),
        ("(n & (n - 1)) == 0", "((n & (n - 1)) == 0)"),
        ("a | b ^ c & d << 1 >> 2", "bool((a | (b ^ (c & ((d << 1) >> 2)))))"),
        ("a / b % c * d > 1", "((((a / b) % c) * d) > 1)"),
        ("!a && b || c && !d", "((!bool(a) && bool(b)) || (bool(c) && !bool(d)))"),
        ("a && (b && c) && d", "(bool(a) && bool(b) && bool(c) && bool(d))"),
        ("a ==> b ==> c || d", "(bool(a) ==> (bool(b) ==> (bool(c) || bool(d))))"),
        ("n > 0 ==> p != nullptr", "((n > 0) ==> (p != nullptr))"),
        ("n >= (b ? 1 : c ? 3 : 4)", "(n >= (bool(b) ? 1 : (bool(c) ? 3 : 4)))"),
        ("b ? n > 1 : m > 1", "(bool(b) ? (n > 1) : (m > 1))"),
        ("b ? true : n", "(bool(b) ? true : bool(n))"),
        ("a || b ? c : d", "bool(((bool(a) || bool(b)) ? c : d))"),
        ("flag == true", "(flag == 1)"),
        ("true", "true"),
        ("extent(data) >= ne[0] * nb[0]", "(extent(data) >= (ne[0] * nb[0]))"),
        ("t->ne[0] == x.size(1)", "(<t->ne>[0] == <x.size(1)>)"),
        ("*p <= **q && (*s).n < 3", "(((*p) <= (*(*q))) && (<(*s).n> < 3))"),
        ("x.data_ptr< float >() != NULL", "(<x.data_ptr<float>()> != nullptr)"),
        ("p->t.x[i + 1]->y > 0", "(<p->t.x[i + 1]->y> > 0)"),
        ("ns::kMax >= std::min(a, b, c)", "(ns::kMax >= min(a, b, c))"),
        ("ceil_div(n, 4) <= abs(max(a, b))", "(ceil_div(n, 4) <= abs(max(a, b)))"),
        ("n == sizeof( unsigned  char*)", "(n == sizeof(unsigned char *))"),
        ("(size_t)n * m < (long int)-1", "(((size_t)n * m) < (long)-1)"),
        ("static_cast<std::int64_t>(n) + size_t(m) > 0", "(((int64_t)n + (size_t)m) > 0)"),
        ("(n) * m > 0", "((n * m) > 0)"),
        ("p == ((void *)0) || p == __null", "((p == nullptr) || (p == nullptr))"),
        ("blockDim.x * gridDim . y >= n", "((blockDim.x * gridDim.y) >= n)"),
        ("dynamicSharedBytes >= 4 * blockDim.x", "(dynamicSharedBytes >= (4 * blockDim.x))"),
        ("0x1F + 0b101 + 017 + 1'000'000u + 0 + 12ULL > 0", "((((((31 + 5) + 15) + 1000000) + 0) + 12) > 0)"),
        ("forall i in [0, n): x[i] < m && y[i] < m", "(forall i in [0, n): ((x[i] < m) && (y[i] < m)))"),
        ("forall i in [0, n]: 0 <= p[i]", "(forall i in [0, n]: (0 <= p[i]))"),
        ("n > 0 ==> forall i in [0, n): x[i]", "((n > 0) ==> (forall i in [0, n): bool(x[i])))"),
        (
            "forall i in [0, n): forall j in [0, i): x[j] <= x[i]",
            "(forall i in [0, n): (forall j in [0, i): (x[j] <= x[i])))",
        ),
        ("disjoint(p, q + 4, r)", "disjoint(p, (q + 4), r)"),
        ("\"forall i in [0, n): \" \"x[i] < m\"", "(forall i in [0, n): (x[i] < m))"),
        (" \n\tn\n>\n0 ", "(n > 0)"),
        ("größe > 0", "(größe > 0)"),
    ] {
        let read = parse(text);
        assert_eq!(read.as_ref().map(show).as_deref(), Ok(meant), "{text}");
        // The printed text has the same meaning.
        let printed = read.unwrap().to_string();
        assert_eq!(parse(&printed).as_ref().map(show).as_deref(), Ok(meant), "{text} was printed as {printed}");
    }
}

#[test]
fn texts_are_printed_with_the_fewest_parentheses() {
    for text in [
        "elements(x) >= rows * cols",
        "a - (b - c) - d * (e + f) == -g",
        "a - -b > -(-c)",
        "(n & 3) == 0",
        "n & 3 | m",
        "(a || b) && !(c && d)",
        "(a ==> b) ==> c ==> d",
        "n >= (b ? 1 : 2)",
        "(b ? 1 : 2) ? c : d",
        "n > 0 ==> forall i in [0, n): x[i] < m ==> y[i] < m",
        "n > 0 && (forall i in [0, n): x[i] < m) && m > 0",
        "(*p).n[3] == (*q)[1] && *r[2]",
        "(size_t)(n + 1) * (size_t)m > (long)-n",
        "a / (b * c) != a / b / c",
        "1 << (n << 2) < ~(m + 1)",
    ] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
    assert_eq!(toml(&parse("n  >  0").unwrap()), "\"n > 0\"");
}

#[test]
fn hostile_texts_are_refused_soon() {
    let deep = DEEPEST - 1;
    for text in [
        "(".repeat(4000),
        "- ".repeat(2000),
        "-~".repeat(2000),
        "*".repeat(4000),
        "!".repeat(4000),
        "a?".repeat(2000),
        "a[".repeat(1300),
        "(long)".repeat(600),
        "size_t(".repeat(580),
        "x.f(".repeat(1000),
        "a==>".repeat(1000),
        "forall i in [0,n): ".repeat(200),
        format!("a{}", "+a".repeat(2000)),
        format!("a{}", "[0]".repeat(1300)),
        format!("{}n{}", "(".repeat(deep + 1), ")".repeat(deep + 1)),
        "a".repeat(LONGEST + 1),
    ] {
        let e = parse(&text).unwrap_err();
        let expected = ["the contract is too deep", "the contract is longer than 4096 bytes"];
        assert!(expected.contains(&e.message.as_str()), "{}: {e}", &text[..20]);
    }
    assert!(parse(&format!("{}n{}", "(".repeat(deep), ")".repeat(deep))).is_ok());
    // A long chain of conditions is not deep.
    assert!(parse(&format!("a{}", "&&a".repeat(1300))).is_ok());
}

/// Invalid texts with the erroneous part, the message and the advice.
#[test]
fn faults_show_the_place_and_what_is_allowed() {
    for (text, place, message, help) in [
        ("n => 3", "=>", "`=>` is not an operator", "`==>` relates conditions, `>=` numbers"),
        ("n = 3", "=", "`=` assigns", "a contract compares with `==`"),
        ("n += 3", "+=", "`+=` assigns", "a contract compares with `==`"),
        (
            "n++ < 3",
            "++",
            "`++` changes a variable",
            "a contract only reads values; a space between two signs makes them two operators",
        ),
        ("a < b < c", "a < b < c", "comparisons cannot be chained", "did you mean `a < b && b < c`?"),
        ("0 <= i && i < n < m", "i < n < m", "comparisons cannot be chained", "did you mean `i < n && n < m`?"),
        (
            "n & 3 == 0",
            "3 == 0",
            "a condition stands where a number is expected: `==` binds tighter than `&`",
            "did you mean `(n & 3) == 0`?",
        ),
        (
            "n == 3 & 1",
            "n == 3",
            "a condition stands where a number is expected: `==` binds tighter than `&`",
            "did you mean `n == (3 & 1)`?",
        ),
        (
            "(a < b) + 1 > 0",
            "(a < b)",
            "a condition stands where a number is expected",
            "`(a < b) ? 1 : 0` converts it to a number",
        ),
        (
            "(a < b) == (c < d)",
            "(a < b) == (c < d)",
            "`==` compares numbers, not conditions",
            "`==>` relates conditions",
        ),
        (
            "len(x) > 0",
            "len",
            "`len` is not a contract function",
            "functions are `extent`, `elements`, `min`, `max`, `abs`, `ceil_div`, `disjoint`, `sizeof`",
        ),
        ("elemnts(x) > 0", "elemnts", "`elemnts` is not a contract function", "did you mean `elements`?"),
        ("min(a) > 0", "min(a)", "`min` is called with 1 argument", "it takes at least 2"),
        ("extent(p, q) > 0", "extent(p, q)", "`extent` is called with 2 arguments", "it takes 1"),
        (
            "(int)n > 0",
            "(int)",
            "a cast to `int` can change the value",
            "remove it: arithmetic in contracts never wraps; for low bits write `x & 0xff`",
        ),
        (
            "float(n) > 0",
            "float",
            "a cast to `float` can change the value",
            "remove it: arithmetic in contracts never wraps; for low bits write `x & 0xff`",
        ),
        (
            "(float *)p != 0",
            "(float *)",
            "contracts have no cast to `float *`",
            "`extent(p)` counts bytes whatever `p` points to",
        ),
        (
            "(foo_t)n > 0",
            "n",
            "`n` is not expected here",
            "an operator is missing before it; a cast is to an integer type of 64 bits",
        ),
        (
            "&p[3] != 0",
            "&",
            "a contract cannot take an address",
            "for an address write the sum of pointer and index: `extent(p + i)`",
        ),
        ("gridDim > 0", "gridDim", "`gridDim` alone is not a number", "write `gridDim.x`, `.y` or `.z`"),
        (
            "1.5 < n",
            "1.5",
            "`1.5` is not a whole number",
            "whole numbers are decimal, `0x`, `0b` or octal, with C's suffixes",
        ),
        (
            "0x > n",
            "0x",
            "`0x` is not a whole number",
            "whole numbers are decimal, `0x`, `0b` or octal, with C's suffixes",
        ),
        (
            "09 > n",
            "09",
            "`09` is not a whole number",
            "whole numbers are decimal, `0x`, `0b` or octal, with C's suffixes",
        ),
        (
            "12x > n",
            "12x",
            "`12x` is not a whole number",
            "whole numbers are decimal, `0x`, `0b` or octal, with C's suffixes",
        ),
        (
            "170141183460469231731687303715884105728 > n",
            "170141183460469231731687303715884105728",
            "the number is too large",
            "numbers have at most 127 bits",
        ),
        (
            "x.data_ptr< >() != NULL",
            ">",
            "`>` is not expected here",
            "the operators are C's without assignments, and `==>`",
        ),
        ("n > 0;", ";", "`;` is not expected here", "a contract is one condition, without a semicolon"),
        ("n > 0, m > 0", ",", "`,` is not expected here", "conditions are joined by `&&`"),
        ("n > 0)", ")", "`)` is not expected here", "unmatched closing bracket, or a missing operand before it"),
        ("(n > 0", "", "the contract ends too early", "an operand, a parenthesis or a bracket is missing at its end"),
        ("n >", "", "the contract ends too early", "an operand, a parenthesis or a bracket is missing at its end"),
        ("n ? 1", "", "the contract ends too early", "an operand, a parenthesis or a bracket is missing at its end"),
        ("a b", "b", "`b` is not expected here", "an operator is missing before it"),
        ("p[1 > 0", "", "the contract ends too early", "an operand, a parenthesis or a bracket is missing at its end"),
        (
            "forall i in 0, n: x[i]",
            "0",
            "the range of `forall` is malformed",
            "write `forall i in [0, n): x[i] < m`, with `]` if the range includes its end",
        ),
        (
            "forall i in [0, n) x[i]",
            "x",
            "the range of `forall` is malformed",
            "write `forall i in [0, n): x[i] < m`, with `]` if the range includes its end",
        ),
        (
            "forall i in [0, n): ",
            "",
            "the contract ends too early",
            "an operand, a parenthesis or a bracket is missing at its end",
        ),
        ("forall true in [0, n): a", "forall true", "`true` cannot be a variable", "choose another name"),
        (
            "sizeof(*p) > 0",
            "sizeof(*p)",
            "`sizeof` takes a type in parentheses here",
            "write `sizeof(float)`; `elements(p) >= n` counts in elements of `p`",
        ),
        (
            "sizeof n",
            "sizeof",
            "`sizeof` takes a type in parentheses here",
            "write `sizeof(float)`; `elements(p) >= n` counts in elements of `p`",
        ),
        ("n > 'a'", "'", "`'` is not expected here", "contracts have no strings or characters"),
        ("disjoint(p)", "disjoint(p)", "`disjoint` is called with 1 argument", "it takes at least 2"),
        (
            "x.size(a < b) > 0",
            "a < b",
            "a condition stands where a number is expected",
            "`a < b ? 1 : 0` converts it to a number",
        ),
        ("n @ m", "@", "`@` is not expected here", "the operators are C's without assignments, and `==>`"),
        ("\"n > 0", "\"", "`\"` is not expected here", "contracts have no strings or characters"),
        ("größe > ß ü", "ü", "`ü` is not expected here", "an operator is missing before it"),
    ] {
        let e = parse(text).expect_err(text);
        let shown = (&text[e.span.start..e.span.end], e.message.as_str(), e.help.as_str());
        assert_eq!(shown, (place, message, help), "{text}");
    }
}

#[test]
fn faults_are_shown_below_their_text() {
    let rendered = |text: &str, line| parse(text).expect_err(text).render(text, "scuba.toml", line);
    let shown = "\
error: a condition stands where a number is expected: `==` binds tighter than `&`
  --> scuba.toml:12:14
   |
12 | n > 0 && n & 3 == 0
   |              ^^^^^^
   |
   = help: did you mean `(n & 3) == 0`?";
    assert_eq!(rendered("n > 0 && n & 3 == 0", 12), shown);
    let shown = "\
error: the contract ends too early
 --> scuba.toml:4:12
  |
4 |   && (m > 0
  |            ^
  |
  = help: an operand, a parenthesis or a bracket is missing at its end";
    assert_eq!(rendered("größe > 0\n  && (m > 0", 3), shown);
}
