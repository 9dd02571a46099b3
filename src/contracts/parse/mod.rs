//! Parses text to [`Cond`] or [`ContractTerm`], with C's operators and their precedence.
//!
//! In: a condition as text, also in quotation marks, as `scuba.h` makes a string of it. Out: its syntax tree, or the
//! first error. `==>` binds weaker than `?:` and is right-associative; the body of `forall` extends as far as
//! possible.

use super::ast::{
    Comparison, Cond, CondKind, ContractFunction, ContractTerm, Forall, MemberOperator, Span, TermKind, UnaryOperator,
};
use super::error::{ContractError, meant};
use super::lexical::{
    Cast, ContractInput, ParseResult, ParserState, SyntaxFault, cast, cast_of, here, identifier, is_reserved, launch,
    number, qualified, refuse, rest, sign, since, space, type_spelling, within_name,
};
use super::operators::{BinaryOperator, OPERATORS, of_each_row};
use fold::{ParsedExpr, RawExpr};
use unexpected::unexpected;
use winnow::combinator::{Infix, Postfix, alt, cut_err, expression, fail, opt, peek, preceded, separated, terminated};
use winnow::error::ErrMode;
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Stateful};
use winnow::token::{any, literal, one_of, take_till, take_while};

mod fold;
mod unexpected;

/// Longest text in bytes: more than a person writes.
pub const LONGEST: usize = 4096;
/// Largest tree height and nesting of parentheses, small enough for recursion.
pub const DEEPEST: usize = 64;

/// Parses a condition.
///
/// # Errors
/// If the text is no condition, or longer or deeper than a person would write.
pub fn parse(text: &str) -> Result<Cond, ContractError> {
    read(text)?.into_cond().map_err(told)
}

/// Parses a term.
///
/// # Errors
/// Errors of [`parse`], and a text that is a condition.
pub fn parse_term(text: &str) -> Result<ContractTerm, ContractError> {
    read(text)?.into_term(text).map_err(told)
}

fn told(e: ErrMode<SyntaxFault>) -> ContractError {
    match e.into_inner() {
        Ok(SyntaxFault::Told(e)) => e,
        Ok(SyntaxFault::Unexpected(at)) => unexpected("", at),
        Err(_) => unexpected("", 0),
    }
}

fn read(text: &str) -> Result<RawExpr, ContractError> {
    if text.len() > LONGEST {
        let span = Span { start: LONGEST, end: text.len() };
        let help = "split it: state the conditions of one function one by one";
        return Err(ContractError::new(span, format!("the contract is longer than {LONGEST} bytes"), help));
    }
    // Adjacent literals are one string in C. No other part of a contract has quotation marks.
    let quoted = text.trim().starts_with('"') && text.matches('"').count().is_multiple_of(2);
    let text = if quoted { text.replace('"', " ") } else { text.to_owned() };
    if text.trim().is_empty() {
        let span = Span { start: 0, end: text.len() };
        return Err(ContractError::new(span, "the contract is empty", "write a condition, as `elements(x) >= n`"));
    }
    let state = ParserState { text: &text, depth: 0 };
    let mut i = Stateful { input: LocatingSlice::new(text.as_str()), state };
    let raw = whole(&mut i).and_then(|raw| {
        space(&mut i)?;
        if rest(&i).is_empty() { Ok(raw) } else { Err(ErrMode::Backtrack(SyntaxFault::Unexpected(here(&i)))) }
    });
    raw.map_err(|e| match e.into_inner() {
        Ok(SyntaxFault::Told(e)) => e,
        Ok(SyntaxFault::Unexpected(at)) => unexpected(&text, at),
        Err(_) => unexpected(&text, 0),
    })
}

/// Span of the character at `at`.
fn spot(i: &ContractInput<'_>, at: usize) -> Span {
    let length = i.state.text.get(at..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    (at..at + length).into()
}

/// Parses something nested one level deeper.
fn deeper<'i, T>(
    i: &mut ContractInput<'i>,
    inner: impl FnOnce(&mut ContractInput<'i>) -> ParseResult<T>,
) -> ParseResult<T> {
    if i.state.depth == DEEPEST {
        return refuse(spot(i, here(i)), "the contract is too deep", fold::too_deep());
    }
    i.state.depth += 1;
    let out = inner(i);
    i.state.depth -= 1;
    out
}

fn whole(i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    at_least(0, i)
}

fn at_least(level: i64, i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    deeper(i, |i| expression(unary).current_precedence_level(level).infix(infix).postfix(tail).parse_next(i))
}

/// Parses `? a : b` and `==> b` after a condition. Their last operand is right-associative, so it counts as nested.
fn tail<'i>(i: &mut ContractInput<'i>) -> ParseResult<Postfix<ContractInput<'i>, RawExpr, ErrMode<SyntaxFault>>> {
    space(i)?;
    Ok(match alt(("?", "==>")).parse_next(i)? {
        "?" => Postfix(6, |i, c| {
            let yes = terminated(cut_err(whole), cut_err(sign(":"))).parse_next(i)?;
            let no = cut_err(|i: &mut ContractInput<'_>| at_least(6, i)).parse_next(i)?;
            fold::choice(i, c, yes, no)
        }),
        _ => Postfix(4, |i, a| {
            let b = cut_err(|i: &mut ContractInput<'_>| at_least(4, i)).parse_next(i)?;
            fold::implies(a, b)
        }),
    })
}

fn infix<'i>(i: &mut ContractInput<'i>) -> ParseResult<Infix<ContractInput<'i>, RawExpr, ErrMode<SyntaxFault>>> {
    space(i)?;
    let (at, from) = (here(i), rest(i));
    if from.starts_with("++") || from.starts_with("--") {
        let help = "a contract only reads values; a space between two signs makes them two operators";
        return refuse((at..at + 2).into(), format!("`{}` changes a variable", &from[..2]), help);
    }
    let row = OPERATORS.iter().position(|(text, ..)| from.starts_with(text));
    let found = row.map(|row| (OPERATORS[row], FOLDS[row]));
    let length = found.map_or(0, |((text, ..), _)| text.len());
    let compares = found.is_some_and(|((.., op), _)| matches!(op, BinaryOperator::Compare(_)));
    if from.starts_with("=>") {
        return refuse(
            (at..=at + 1).into_span(),
            "`=>` is not an operator".to_owned(),
            "`==>` relates conditions, `>=` numbers",
        );
    }
    if from[length..].starts_with('=') && !compares {
        let help = "a contract compares with `==`";
        return refuse((at..=at + length).into_span(), format!("`{}` assigns", &from[..=length]), help);
    }
    let Some(((text, power, _), fold)) = found else { return fail.parse_next(i) };
    literal(text).parse_next(i)?;
    Ok(Infix::Left(power, fold))
}

type FoldRule = for<'i> fn(&mut ContractInput<'i>, RawExpr, RawExpr) -> ParseResult<RawExpr>;

/// Applies the operator of a table row to its operands.
fn folded<const ROW: usize>(i: &mut ContractInput<'_>, a: RawExpr, b: RawExpr) -> ParseResult<RawExpr> {
    fold::operation(i, OPERATORS[ROW].2, a, b)
}

/// Instances of [`folded`] for all rows.
const FOLDS: [FoldRule; OPERATORS.len()] = of_each_row!(folded);

trait IntoSpan {
    fn into_span(self) -> Span;
}
impl IntoSpan for std::ops::RangeInclusive<usize> {
    fn into_span(self) -> Span {
        Span { start: *self.start(), end: *self.end() + 1 }
    }
}

/// Parses an operand with its prefix operators.
fn unary(i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    space(i)?;
    let (start, from) = (here(i), rest(i));
    if from.starts_with("++") || from.starts_with("--") {
        return infix(i).and_then(|_| fail.parse_next(i));
    }
    let Some(first) = from.chars().next() else { return fail.parse_next(i) };
    match first {
        '-' | '~' | '+' | '!' | '*' => {
            any.parse_next(i)?;
            let a = deeper(i, |i| cut_err(unary).parse_next(i))?;
            let span = since(start, i);
            let height = a.height + 1;
            if first == '!' {
                return RawExpr::of(ParsedExpr::Cond(Cond::new(CondKind::Not(Box::new(a.into_cond()?)), span)), height);
            }
            let a = Box::new(a.into_term(i.state.text)?);
            let kind = match first {
                '-' => TermKind::Unary(UnaryOperator::Minus, a),
                '~' => TermKind::Unary(UnaryOperator::Complement, a),
                '*' => TermKind::Deref(a),
                _ => a.kind,
            };
            RawExpr::of(ParsedExpr::Term(ContractTerm::new(kind, span)), height)
        }
        '&' => {
            let help = "for an address write the sum of pointer and index: `extent(p + i)`";
            refuse((start..start + 1).into(), "a contract cannot take an address", help)
        }
        '(' => match opt(cast).parse_next(i)? {
            Some(to) => converted(to, start, i),
            None => suffixed(i),
        },
        _ => suffixed(i),
    }
}

/// Parses the operand of a cast whose type was just read.
fn converted(to: Cast, start: usize, i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    let type_span = since(start, i);
    let a = deeper(i, |i| cut_err(unary).parse_next(i))?;
    into_type(to, type_span, start, a, i)
}

fn into_type(to: Cast, type_span: Span, start: usize, a: RawExpr, i: &ContractInput<'_>) -> ParseResult<RawExpr> {
    let (span, height) = (since(start, i), a.height + 1);
    let a = a.into_term(i.state.text)?;
    let kind = match to {
        Cast::Wide(to) => TermKind::Cast(to, Box::new(a)),
        // NULL in C, after macro expansion.
        Cast::Pointer(_) if a.kind == TermKind::Int(0) => TermKind::Null,
        Cast::Pointer(to) => {
            let help = "`extent(p)` counts bytes whatever `p` points to";
            return refuse(type_span, format!("contracts have no cast to `{to}`"), help);
        }
        Cast::Narrow(to) => {
            let help = "remove it: arithmetic in contracts never wraps; for low bits write `x & 0xff`";
            return refuse(type_span, format!("a cast to `{to}` can change the value"), help);
        }
    };
    RawExpr::of(ParsedExpr::Term(ContractTerm::new(kind, span)), height)
}

/// Parses an operand with subscripts, members and calls after it.
fn suffixed(i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    let mut a = primary(i)?;
    let start = a.span.start;
    loop {
        let Some(op) = opt(preceded(space, alt(("[", "->", ".")))).parse_next(i)? else { return Ok(a) };
        let mut height = a.height + 1;
        let of = Box::new(a.into_term(i.state.text)?);
        if matches!(of.kind, TermKind::Int(_)) {
            return refuse(
                of.span,
                "a number has neither members nor elements",
                "write the name of an array or object",
            );
        }
        let kind = if op == "[" {
            let index = terminated(cut_err(whole), cut_err(sign("]"))).parse_next(i)?;
            height = height.max(index.height + 1);
            TermKind::Subscript(of, Box::new(index.into_term(i.state.text)?))
        } else {
            let access = if op == "." { MemberOperator::Dot } else { MemberOperator::Arrow };
            let name = cut_err(preceded(space, identifier)).parse_next(i)?;
            let types = opt(terminated(type_arguments, peek((space, "(")))).parse_next(i)?;
            let name = types.map_or_else(|| name.to_owned(), |t| format!("{name}{t}"));
            match opt(arguments).parse_next(i)? {
                Some((args, high)) => {
                    height = height.max(high + 1);
                    TermKind::Method(of, access, name, args)
                }
                None => TermKind::Member(of, access, name),
            }
        };
        a = RawExpr::of(ParsedExpr::Term(ContractTerm::new(kind, since(start, i))), height)?;
    }
}

/// Parses a method's type argument, such as `<float>`.
fn type_arguments(i: &mut ContractInput<'_>) -> ParseResult<String> {
    let inner = take_while(1.., |c: char| within_name(c) || matches!(c, ' ' | ':' | '*' | ','));
    let inner = inner.verify(|t: &str| !t.trim().is_empty());
    let inner = preceded(sign("<"), terminated(inner, ">")).parse_next(i)?;
    Ok(format!("<{}>", type_spelling(inner)))
}

/// Parses terms in parentheses; also returns the largest height.
fn arguments(i: &mut ContractInput<'_>) -> ParseResult<(Vec<ContractTerm>, usize)> {
    sign("(").parse_next(i)?;
    if opt(sign(")")).parse_next(i)?.is_some() {
        return Ok((vec![], 0));
    }
    let raws: Vec<RawExpr> = cut_err(terminated(separated(1.., whole, sign(",")), cut_err(sign(")")))).parse_next(i)?;
    let height = raws.iter().map(|r| r.height).max().unwrap_or(0);
    let text = i.state.text;
    Ok((raws.into_iter().map(|r| r.into_term(text)).collect::<ParseResult<_>>()?, height))
}

fn primary(i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    let start = here(i);
    if opt("(").parse_next(i)?.is_some() {
        let inner = cut_err(terminated(whole, sign(")"))).parse_next(i)?;
        return Ok(inner.in_parentheses(since(start, i)));
    }
    if let Some(v) = opt(number).parse_next(i)? {
        return RawExpr::of(ParsedExpr::Term(ContractTerm::new(TermKind::Int(v), since(start, i))), 1);
    }
    if let Some(l) = opt(launch).parse_next(i)? {
        return RawExpr::of(ParsedExpr::Term(ContractTerm::new(TermKind::Launch(l), since(start, i))), 1);
    }
    if let Some(all) = opt(forall).parse_next(i)? {
        return Ok(all);
    }
    let name = qualified(i)?;
    let span = since(start, i);
    let term = |kind, i: &ContractInput<'_>| RawExpr::of(ParsedExpr::Term(ContractTerm::new(kind, since(start, i))), 1);
    match name {
        "true" | "false" => RawExpr::of(ParsedExpr::Bool(name == "true", span), 1),
        "nullptr" | "NULL" | "__null" => term(TermKind::Null, i),
        "sizeof" => {
            let text = opt(preceded(sign("("), terminated(take_till(0.., ['(', ')']), sign(")")))).parse_next(i)?;
            match text.map(type_spelling).filter(|t| is_type(t)) {
                Some(t) => term(TermKind::SizeOf(t), i),
                None => {
                    let help = "write `sizeof(float)`; `elements(p) >= n` counts in elements of `p`";
                    refuse(since(start, i), "`sizeof` takes a type in parentheses here", help)
                }
            }
        }
        "static_cast" => {
            let text = cut_err(preceded(sign("<"), terminated(take_till(1.., ['>', '(']), ">"))).parse_next(i)?;
            let type_span = since(start, i);
            cut_err(sign("(")).parse_next(i)?;
            let a = cut_err(terminated(whole, sign(")"))).parse_next(i)?;
            into_type(cast_of(text).unwrap_or(Cast::Narrow(type_spelling(text))), type_span, start, a, i)
        }
        _ if peek(opt(sign("("))).parse_next(i)?.is_some() => call(name, span, i),
        _ => term(TermKind::Name(name.to_owned()), i),
    }
}

fn is_type(text: &str) -> bool {
    let name = |c: char| within_name(c) || matches!(c, ' ' | ':' | '<' | '>' | ',' | '*');
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(name)
}

/// Parses a call after its name.
fn call(name: &str, span: Span, i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    let plain = name.trim_start_matches("::").trim_start_matches("std::");
    let function = ContractFunction::ALL.iter().find(|(known, _)| *known == plain).map(|(_, f)| *f);
    let conversion = cast_of(name);
    if function.is_none() && plain != "disjoint" && conversion.is_none() {
        let known = ContractFunction::ALL.map(|(name, _)| name).into_iter().chain(["disjoint", "sizeof"]);
        return refuse(span, format!("`{name}` is not a contract function"), meant(plain, known, "functions"));
    }
    let (mut args, height) = arguments(i)?;
    let whole = since(span.start, i);
    let (least, most) =
        function.map_or(if conversion.is_some() { (1, 1) } else { (2, usize::MAX) }, ContractFunction::arity);
    if !(least..=most).contains(&args.len()) {
        let count = if least == most { format!("{least}") } else { format!("at least {least}") };
        let message = format!("`{name}` is called with {}", count_of(args.len()));
        return refuse(whole, message, format!("it takes {count}"));
    }
    match (function, conversion) {
        (Some(f), _) => RawExpr::of(ParsedExpr::Term(ContractTerm::new(TermKind::Apply(f, args), whole)), height + 1),
        (None, Some(to)) => {
            let a = RawExpr::of(ParsedExpr::Term(args.remove(0)), height)?;
            into_type(to, span, span.start, a, i)
        }
        (None, None) => RawExpr::of(ParsedExpr::Cond(Cond::new(CondKind::Disjoint(args), whole)), height + 1),
    }
}

fn count_of(arguments: usize) -> String {
    if arguments == 1 { "1 argument".into() } else { format!("{arguments} arguments") }
}

/// Parses `forall i in [a, b): cond`.
fn forall(i: &mut ContractInput<'_>) -> ParseResult<RawExpr> {
    let start = here(i);
    let variable = preceded((identifier.verify(|w: &str| w == "forall"), space), identifier).parse_next(i)?;
    let named = since(start, i);
    if is_reserved(variable) {
        return refuse(named, format!("`{variable}` cannot be a variable"), "choose another name");
    }
    let ins = preceded(space, identifier.verify(|w: &str| w == "in"));
    let form = "write `forall i in [0, n): x[i] < m`, with `]` if the range includes its end";
    let head = (ins, sign("["), whole, sign(","), whole, space, one_of([')', ']']), sign(":")).parse_next(i);
    let (_, (), from, (), to, (), close, ()) = match head {
        Ok(head) => head,
        Err(ErrMode::Backtrack(SyntaxFault::Unexpected(at))) => {
            return refuse(spot(i, at), "the range of `forall` is malformed", form);
        }
        Err(e) => return Err(e),
    };
    let body = cut_err(whole).parse_next(i)?;
    let (span, text) = (since(start, i), i.state.text);
    let height = from.height.max(to.height).max(body.height) + 1;
    let (from, to) = (from.into_term(text)?, to.into_term(text)?);
    let all = Forall { variable: variable.to_owned(), from, to, closed: close == ']', body: body.into_cond()? };
    RawExpr::of(ParsedExpr::Cond(Cond::new(CondKind::Forall(Box::new(all)), span)), height)
}
