//! Lexer of contracts: integers, names, types.
//!
//! In: the rest of the text. Out: one token, or an error at it.

use super::ast::{Dim3Member, LaunchProperty, Span, WideType};
use super::error::ContractError;
use winnow::ascii::{digit1, hex_digit1, multispace0};
use winnow::combinator::{alt, delimited, opt, preceded, repeat};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stateful};
use winnow::token::{one_of, take_while};

/// State of the parser.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParserState<'i> {
    pub text: &'i str,
    /// Nesting depth in parentheses, subscripts and unary operators.
    pub depth: usize,
}

pub(super) type ContractInput<'i> = Stateful<LocatingSlice<&'i str>, ParserState<'i>>;
pub(super) type ParseResult<T> = Result<T, ErrMode<SyntaxFault>>;

#[derive(Clone, Debug)]
pub(super) enum SyntaxFault {
    /// The token at this byte offset fits no rule.
    Unexpected(usize),
    Told(ContractError),
}

impl<'i> ParserError<ContractInput<'i>> for SyntaxFault {
    type Inner = Self;

    fn from_input(input: &ContractInput<'i>) -> Self {
        Self::Unexpected(here(input))
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Fails without backtracking.
pub(super) fn refuse<T>(span: Span, message: impl Into<String>, help: impl Into<String>) -> ParseResult<T> {
    Err(ErrMode::Cut(SyntaxFault::Told(ContractError::new(span, message, help))))
}

pub(super) fn here(i: &ContractInput<'_>) -> usize {
    i.current_token_start()
}

/// Span of the text read since `start`.
pub(super) fn since(start: usize, i: &ContractInput<'_>) -> Span {
    Span { start, end: i.previous_token_end() }
}

/// Remaining text.
pub(super) fn rest<'i>(i: &ContractInput<'i>) -> &'i str {
    i.state.text.get(here(i)..).unwrap_or_default()
}

pub(super) fn space(i: &mut ContractInput<'_>) -> ParseResult<()> {
    multispace0.void().parse_next(i)
}

/// Parses punctuation after optional space.
pub(super) fn sign<'i>(text: &'static str) -> impl Parser<ContractInput<'i>, (), ErrMode<SyntaxFault>> {
    (space, text).void()
}

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn within_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn identifier<'i>(i: &mut ContractInput<'i>) -> ParseResult<&'i str> {
    (one_of(begins_name), take_while(0.., within_name)).take().parse_next(i)
}

/// Parses a name with its namespaces.
pub(super) fn qualified<'i>(i: &mut ContractInput<'i>) -> ParseResult<&'i str> {
    (opt("::"), identifier, repeat::<_, _, (), _, _>(0.., ("::", identifier))).take().parse_next(i)
}

/// Parses a C integer with its suffixes; separators as in C++14 and C23.
pub(super) fn number(i: &mut ContractInput<'_>) -> ParseResult<i128> {
    let start = here(i);
    one_of(|c: char| c.is_ascii_digit()).parse_peek(*i)?;
    let separated = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'' || c == '.';
    let all: &str = take_while(1.., separated).parse_next(i)?;
    let text: String = all.chars().filter(|c| *c != '\'').collect();
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let value = alt((
        preceded(alt(("0x", "0X")), hex_digit1::<_, ErrMode<SyntaxFault>>).map(|d: &str| (d, 16)),
        preceded(alt(("0b", "0B")), take_while(1.., ['0', '1'])).map(|d: &str| (d, 2)),
        preceded("0", take_while(1.., '0'..='7')).map(|d: &str| (d, 8)),
        digit1.verify(|d: &str| d == "0" || !d.starts_with('0')).map(|d: &str| (d, 10)),
    ));
    let read = parse_whole(value, digits).filter(|_| text.len() - digits.len() <= 3 && !all.ends_with('\''));
    let span = since(start, i);
    let Some((digits, radix)) = read else {
        let help = "whole numbers are decimal, `0x`, `0b` or octal, with C's suffixes";
        return refuse(span, format!("`{all}` is not a whole number"), help);
    };
    match i128::from_str_radix(&digits, radix) {
        Ok(v) => Ok(v),
        Err(_) => refuse(span, "the number is too large", "numbers have at most 127 bits"),
    }
}

/// Parses all of `digits` with `parser`.
fn parse_whole<'i, P>(mut parser: P, digits: &'i str) -> Option<(String, u32)>
where
    P: Parser<ContractInput<'i>, (&'i str, u32), ErrMode<SyntaxFault>>,
{
    let state = ParserState { text: digits, depth: 0 };
    let mut i = Stateful { input: LocatingSlice::new(digits), state };
    let (d, radix) = parser.parse_next(&mut i).ok()?;
    rest(&i).is_empty().then(|| (d.to_owned(), radix))
}

/// Parses `gridDim.x`, `blockDim.y`, `dynamicSharedBytes`.
pub(super) fn launch(i: &mut ContractInput<'_>) -> ParseResult<LaunchProperty> {
    let start = here(i);
    let name = identifier.verify(|n: &str| matches!(n, "gridDim" | "blockDim" | "dynamicSharedBytes")).parse_next(i)?;
    let make = match name {
        "gridDim" => LaunchProperty::Grid,
        "blockDim" => LaunchProperty::Block,
        _ => return Ok(LaunchProperty::DynamicShared),
    };
    match opt(preceded((sign("."), space), identifier)).parse_next(i)? {
        Some("x") => Ok(make(Dim3Member::X)),
        Some("y") => Ok(make(Dim3Member::Y)),
        Some("z") => Ok(make(Dim3Member::Z)),
        _ => refuse(
            since(start, i),
            format!("`{name}` alone is not a number"),
            format!("write `{name}.x`, `.y` or `.z`"),
        ),
    }
}

/// Kind of the type in a cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cast {
    Wide(WideType),
    /// Narrow type, as it is spelled.
    Narrow(String),
    Pointer(String),
}

/// Type names known without a declaration, other than those of at least 64 bits.
const NARROW: &[&str] = &[
    "int8_t", "int16_t", "int32_t", "uint8_t", "uint16_t", "uint32_t", "bool", "float", "double", "__half", "half",
    "uint", "uchar", "ushort",
];
/// Keywords of C types.
const WORDS: &[&str] = &["unsigned", "signed", "long", "int", "short", "char", "const", "void", "__int128"];

/// Type that the words spell, if they spell one.
pub(super) fn cast_of(text: &str) -> Option<Cast> {
    let spelled = type_spelling(text);
    let words: Vec<&str> = spelled.split([' ', '*']).filter(|w| !w.is_empty()).collect();
    let wide = |w: &str| WideType::ALL.iter().find(|(name, _)| *name == w).map(|(_, t)| *t);
    let known = |w: &&str| {
        let w = w.trim_start_matches("std::");
        NARROW.contains(&w) || WORDS.contains(&w) || wide(w).is_some()
    };
    if words.is_empty() || !words.iter().all(known) {
        return None;
    }
    if spelled.contains('*') {
        return Some(Cast::Pointer(spelled));
    }
    let plain: Vec<&str> = words.iter().filter(|w| **w != "const").map(|w| w.trim_start_matches("std::")).collect();
    if let [one] = plain[..]
        && let Some(t) = wide(one)
    {
        return Some(Cast::Wide(t));
    }
    let count = |word: &str| plain.iter().filter(|w| **w == word).count();
    let longs = count("long");
    let only = |also: &[&str]| plain.iter().all(|w| also.contains(w));
    let unsigned = count("unsigned") > 0;
    let integer = only(&["unsigned", "signed", "long", "int"]);
    Some(match (integer, longs, unsigned) {
        (true, 1, false) => Cast::Wide(WideType::Long),
        (true, 1, true) => Cast::Wide(WideType::UnsignedLong),
        (true, 2, false) => Cast::Wide(WideType::LongLong),
        (true, 2, true) => Cast::Wide(WideType::UnsignedLongLong),
        _ if only(&["unsigned", "__int128"]) && count("__int128") == 1 => Cast::Wide(WideType::UnsignedInt128),
        _ => Cast::Narrow(spelled),
    })
}

/// Parses a type in parentheses as a cast, unless it is a name that no C type has.
pub(super) fn cast(i: &mut ContractInput<'_>) -> ParseResult<Cast> {
    let words = take_while(1.., |c: char| within_name(c) || matches!(c, ' ' | ':' | '*'));
    delimited(("(", space), words.verify_map(cast_of), sign(")")).parse_next(i)
}

/// Normalises the spelling of a type: single spaces, and one space before the first `*`.
pub(super) fn type_spelling(text: &str) -> String {
    let mut out = String::new();
    for word in text.replace('*', " * ").split_whitespace() {
        let starred = word == "*" && out.ends_with('*');
        if !out.is_empty() && !starred {
            out.push(' ');
        }
        out.push_str(word);
    }
    for tight in ["::", "<", ">", ","] {
        out = out.replace(&format!(" {tight}"), tight).replace(&format!("{tight} "), tight);
    }
    out
}

/// Whether a name has another meaning in contracts.
#[must_use]
pub(super) fn is_reserved(name: &str) -> bool {
    const KEYWORDS: &[&str] = &["true", "false", "nullptr", "NULL", "__null", "sizeof", "static_cast"];
    KEYWORDS.contains(&name) || matches!(name, "gridDim" | "blockDim" | "dynamicSharedBytes")
}

#[cfg(test)]
mod tests {
    use super::{Cast, cast_of};
    use crate::ast::WideType;

    /// C lets the words of a type come in any order, with `int` and `signed` or without.
    #[test]
    fn all_spellings_of_a_wide_integer_are_that_type() {
        for unsigned in [false, true] {
            for longs in 0..=2 {
                for int in [false, true] {
                    let sign = if unsigned { "unsigned" } else { "signed" };
                    let words = [vec![sign], vec!["long"; longs], if int { vec!["int"] } else { vec![] }].concat();
                    let expected = match (longs, unsigned) {
                        (1, false) => Some(WideType::Long),
                        (1, true) => Some(WideType::UnsignedLong),
                        (2, false) => Some(WideType::LongLong),
                        (2, true) => Some(WideType::UnsignedLongLong),
                        _ => None,
                    };
                    for turn in 0..words.len() {
                        let mut turned = words.clone();
                        turned.rotate_left(turn);
                        let text = turned.join(" ");
                        let expected = expected.map_or_else(|| Cast::Narrow(text.clone()), Cast::Wide);
                        assert_eq!(cast_of(&text), Some(expected), "{text}");
                    }
                }
            }
        }
        for (name, of) in WideType::ALL {
            assert_eq!(cast_of(name), Some(Cast::Wide(of)), "{name}");
            assert_eq!(cast_of(&format!("const {name}")), Some(Cast::Wide(of)), "{name}");
            assert_eq!(cast_of(&format!("const {name}*")), Some(Cast::Pointer(format!("const {name} *"))), "{name}");
        }
    }

    #[test]
    fn other_words_are_no_wide_integer() {
        for narrow in ["unsigned", "int", "short", "unsigned char", "long double", "float", "bool", "std::uint32_t"] {
            assert!(!matches!(cast_of(narrow), Some(Cast::Wide(_))), "{narrow}");
        }
        assert_eq!([cast_of(""), cast_of("a"), cast_of("long n")], [None, None, None]);
        assert_eq!(cast_of("std::size_t"), Some(Cast::Wide(WideType::Size)));
    }
}
