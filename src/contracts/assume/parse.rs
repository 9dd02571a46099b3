//! Parses text to [`AssumeExpr`], with C's operators and their precedence.

use super::{AssumeExpr, AssumeUnary};
use crate::operators::{OPERATORS, of_each_row};
use winnow::ascii::{digit1, hex_digit1, multispace0, oct_digit0};
use winnow::combinator::{
    Infix, Postfix, Prefix, alt, cut_err, delimited, dispatch, expression, fail, not, opt, peek, preceded, repeat,
    terminated,
};
use winnow::error::ContextError;
use winnow::prelude::*;
use winnow::token::{any, one_of, take_while};

/// Longest text in bytes: more than a person writes, and short enough for a recursive parser.
const LONGEST: usize = 1000;
/// Deepest nesting of parentheses.
const DEEPEST: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    #[error(
        "`{rest}` is not allowed here: a condition consists of integers, names of parameters, `argv[1]`, parentheses and C's operators without assignments"
    )]
    Syntax {
        /// Bytes from the start of the text.
        at: usize,
        /// Text at this position.
        rest: String,
    },
    #[error("the condition ends too early: an operand or a parenthesis is missing")]
    Unfinished,
    #[error("the condition is longer than {LONGEST} characters, or has more than {DEEPEST} nested parentheses")]
    TooLong,
}

impl ExprError {
    /// Position of the error in the text, in bytes.
    #[must_use]
    pub fn at(&self) -> usize {
        if let Self::Syntax { at, .. } = self { *at } else { 0 }
    }
}

/// Parses a C expression over integers.
///
/// # Errors
/// If the text is no such expression, or longer than a person would write.
pub fn parse(text: &str) -> Result<AssumeExpr, ExprError> {
    let mut depth = 0_usize;
    let nested = text.bytes().any(|b| {
        match b {
            b'(' | b'?' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    });
    if nested || text.len() > LONGEST {
        return Err(ExprError::TooLong);
    }
    delimited(multispace0, whole, multispace0).parse(text).map_err(|e| {
        // If the error is inside a word, report the whole word.
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let (before, from) = text.split_at(e.offset());
        let at = if from.starts_with(word) { before.trim_end_matches(word).len() } else { before.len() };
        let rest: String = text[at..].trim().chars().take(24).collect();
        if rest.is_empty() { ExprError::Unfinished } else { ExprError::Syntax { at, rest } }
    })
}

type AssumeInput<'i> = &'i str;
type ParseFailure = winnow::error::ErrMode<ContextError>;

fn whole(i: &mut AssumeInput<'_>) -> Result<AssumeExpr, ParseFailure> {
    at_least(0, i)
}

/// Parses operators with at least this binding power.
fn at_least(level: i64, i: &mut AssumeInput<'_>) -> Result<AssumeExpr, ParseFailure> {
    expression(delimited(multispace0, operand, multispace0))
        .current_precedence_level(level)
        .prefix(preceded(multispace0, dispatch! {any;
            '-' => Prefix(28, |_, a| Ok(unary(AssumeUnary::Minus, a))),
            '+' => Prefix(28, |_, a| Ok(a)),
            '!' => Prefix(28, |_, a| Ok(unary(AssumeUnary::Not, a))),
            '~' => Prefix(28, |_, a| Ok(unary(AssumeUnary::Complement, a))),
            _ => fail,
        }))
        .infix(infix)
        .postfix(dispatch! {any;
            '?' => Postfix(2, |i: &mut AssumeInput<'_>, c| {
                let (yes, no) = (terminated(cut_err(whole), cut_err((multispace0, ':'))), cut_err(|i: &mut AssumeInput<'_>| at_least(2, i))).parse_next(i)?;
                Ok(AssumeExpr::Choice(Box::new(c), Box::new(yes), Box::new(no)))
            }),
            _ => fail,
        })
        .parse_next(i)
}

type AssumeFold = fn(&mut AssumeInput<'_>, AssumeExpr, AssumeExpr) -> Result<AssumeExpr, ParseFailure>;

/// Combines two operands with the operator of a table row.
fn folded<const ROW: usize>(_: &mut AssumeInput<'_>, a: AssumeExpr, b: AssumeExpr) -> Result<AssumeExpr, ParseFailure> {
    Ok(AssumeExpr::Binary(OPERATORS[ROW].2, Box::new(a), Box::new(b)))
}

const FOLDS: [AssumeFold; OPERATORS.len()] = of_each_row!(folded);

fn infix<'i>(i: &mut AssumeInput<'i>) -> Result<Infix<AssumeInput<'i>, AssumeExpr, ParseFailure>, ParseFailure> {
    let Some(row) = OPERATORS.iter().position(|(text, ..)| i.starts_with(text)) else {
        return fail.parse_next(i);
    };
    let (text, power, _) = OPERATORS[row];
    // `+=` and the like are assignments.
    terminated(text, peek(not('='))).parse_next(i)?;
    Ok(Infix::Left(power, FOLDS[row]))
}

fn unary(op: AssumeUnary, a: AssumeExpr) -> AssumeExpr {
    AssumeExpr::Unary(op, Box::new(a))
}

fn operand(i: &mut AssumeInput<'_>) -> Result<AssumeExpr, ParseFailure> {
    alt((number, argument, name, delimited('(', whole, cut_err((multispace0, ')'))))).parse_next(i)
}

/// Parses a C integer with its suffixes.
fn number(i: &mut AssumeInput<'_>) -> Result<AssumeExpr, ParseFailure> {
    let value = alt((
        preceded(alt(("0x", "0X")), cut_err(hex_digit1.try_map(|d| i128::from_str_radix(d, 16)))),
        preceded('0', oct_digit0.try_map(|d: &str| if d.is_empty() { Ok(0) } else { i128::from_str_radix(d, 8) })),
        digit1.try_map(str::parse::<i128>),
    ))
    .verify(|v| *v <= i128::from(u64::MAX));
    let suffix = repeat::<_, _, (), _, _>(0..=3, one_of(['u', 'U', 'l', 'L']));
    terminated(value, (suffix, cut_err(not(one_of(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.')))))
        .map(AssumeExpr::Int)
        .parse_next(i)
}

fn identifier<'i>(i: &mut AssumeInput<'i>) -> Result<&'i str, ParseFailure> {
    (one_of(|c: char| c.is_alphabetic() || c == '_'), take_while(0.., |c: char| c.is_alphanumeric() || c == '_'))
        .take()
        .parse_next(i)
}

fn argument(i: &mut AssumeInput<'_>) -> Result<AssumeExpr, ParseFailure> {
    let index = delimited(('[', multispace0), digit1.try_map(str::parse::<u32>), (multispace0, ']'));
    preceded((identifier.verify(|n: &str| n == "argv"), multispace0), cut_err(index))
        .map(AssumeExpr::Argv)
        .parse_next(i)
}

/// Parses a name without a call, subscript or member access after it.
fn name(i: &mut AssumeInput<'_>) -> Result<AssumeExpr, ParseFailure> {
    let more = (multispace0, opt(alt(("(", "[", ".", "->")))).verify(|(_, m): &(&str, Option<&str>)| m.is_none());
    terminated(identifier, peek(cut_err(more))).map(|n: &str| AssumeExpr::Name(n.to_owned())).parse_next(i)
}

#[cfg(test)]
mod tests {
    use super::{ExprError, parse};
    use crate::assume::{AssumeExpr, AssumeUnary};

    /// Prints with full parentheses.
    fn show(e: &AssumeExpr) -> String {
        match e {
            AssumeExpr::Int(v) => v.to_string(),
            AssumeExpr::Name(n) => n.clone(),
            AssumeExpr::Argv(k) => format!("argv[{k}]"),
            AssumeExpr::Unary(op, a) => format!(
                "{}{}",
                match op {
                    AssumeUnary::Minus => '-',
                    AssumeUnary::Not => '!',
                    AssumeUnary::Complement => '~',
                },
                show(a)
            ),
            AssumeExpr::Binary(op, a, b) => format!("({} {} {})", show(a), op.sign(), show(b)),
            AssumeExpr::Choice(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, meant) in [
            ("n % 16 == 0", "((n % 16) == 0)"),
            ("  argv[ 1 ]*argv[2]<100&&argc>2 ", "(((argv[1] * argv[2]) < 100) && (argc > 2))"),
            ("a - b - c + d * -e", "(((a - b) - c) + (d * -e))"),
            ("(n & (n - 1)) == 0", "((n & (n - 1)) == 0)"),
            ("n & 3 == 0 || !m", "((n & (3 == 0)) || !m)"),
            ("a | b ^ c & d << 1 >> 2", "(a | (b ^ (c & ((d << 1) >> 2))))"),
            ("a < b != c >= d", "((a < b) != (c >= d))"),
            ("a ? b ? 1 : 2 : c ? 3 : 4", "(a ? (b ? 1 : 2) : (c ? 3 : 4))"),
            ("a || b ? c && d : e + 1 == 2", "((a || b) ? (c && d) : ((e + 1) == 2))"),
            ("0x10u + 010 + 0 + 12UL + - + ~x", "((((16 + 8) + 0) + 12) + -~x)"),
            ("((((n))))", "n"),
            ("18446744073709551615 > _a1", "(18446744073709551615 > _a1)"),
        ] {
            assert_eq!(parse(text).as_ref().map(show).as_deref(), Ok(meant), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_where_it_begins() {
        for (text, rest) in [
            ("n = 3", "= 3"),
            ("n += 3", "+= 3"),
            ("n % 16 = 0", "= 0"),
            ("a b", "b"),
            ("f(n) > 0", "(n) > 0"),
            ("p->n > 0", "->n > 0"),
            ("p.n > 0", ".n > 0"),
            ("a[1] > 0", "[1] > 0"),
            ("argv > 1", "> 1"),
            ("argv[n] > 1", "n] > 1"),
            ("n > 0 )", ")"),
            ("1.5 < n", ".5 < n"),
            ("12x < n", "12x < n"),
            ("09", "09"),
            ("n > 'a'", "a'"),
            ("18446744073709551616 > n", "18446744073709551616 > n"),
            ("n > 0;", ";"),
        ] {
            match parse(text) {
                Err(ExprError::Syntax { at, rest: r }) => {
                    assert_eq!((r.as_str(), at), (rest, text.find(rest).unwrap()), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        for text in ["", " ", "(n > 0", "n ?", "n ? 1 :"] {
            assert_eq!(parse(text), Err(ExprError::Unfinished), "{text}");
        }
        for text in
            ["(".repeat(5000), "-".repeat(5000), format!("{}n{}", "(".repeat(33), ")".repeat(33)), "a?".repeat(40)]
        {
            assert_eq!(parse(&text), Err(ExprError::TooLong));
        }
        assert!(parse(&format!("{}n{}", "(".repeat(32), ")".repeat(32))).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-a-c0-2+*%/&|^~!<>=?:() \\[\\].arvgc]{0,60}") {
            if let Err(ExprError::Syntax { at, .. }) = parse(&text) { assert!(at <= text.len()); }
        }

        #[test]
        fn text_of_any_letters_is_read_or_refused(text in "\\PC{0,30}") { let _ = parse(&text); }
    }
}
