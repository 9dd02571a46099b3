//! Random conditions and worlds. The conditions resolve in [`super::small::Signature`].

use super::small::Small;
use crate::ast::{
    Binary, Comparison, Cond, CondKind, ContractFunction, ContractTerm, Dim3Member, Forall, LaunchProperty,
    MemberOperator, Span, TermKind, UnaryOperator, WideType,
};
use proptest::prelude::*;
use proptest::strategy::Union;

fn term(kind: TermKind) -> ContractTerm {
    ContractTerm::new(kind, Span::default())
}

fn cond(kind: CondKind) -> Cond {
    Cond::new(kind, Span::default())
}

fn comparisons() -> impl Strategy<Value = Comparison> {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    prop::sample::select(vec![Lt, Le, Gt, Ge, Eq, Ne])
}

fn pointers() -> impl Strategy<Value = ContractTerm> {
    prop_oneof![
        3 => prop::sample::select(vec!["p", "q"]).prop_map(ContractTerm::name),
        1 => (prop::sample::select(vec!["p", "q"]), 0..3_i128)
            .prop_map(|(p, by)| ContractTerm::binary(Binary::Add, ContractTerm::name(p), ContractTerm::int(by))),
    ]
}

/// Random integer terms; `memory` allows arrays and extents.
pub fn numbers(memory: bool) -> BoxedStrategy<ContractTerm> {
    let shape =
        || Box::new(term(TermKind::Member(Box::new(ContractTerm::name("t")), MemberOperator::Arrow, "ne".into())));
    let size = |d: i128| {
        TermKind::Method(
            Box::new(ContractTerm::name("x")),
            MemberOperator::Dot,
            "size".into(),
            vec![ContractTerm::int(d)],
        )
    };
    let leaf = prop_oneof![
        4 => (0..6_i128).prop_map(ContractTerm::int),
        6 => prop::sample::select(vec!["n", "m", "k"]).prop_map(ContractTerm::name),
        2 => (0..3_i128).prop_map(move |d| term(size(d))),
        1 => (0..3_i128).prop_map(move |d| term(TermKind::Subscript(shape(), Box::new(ContractTerm::int(d))))),
    ];
    let memory = if memory { 2 } else { 0 };
    leaf.prop_recursive(4, 24, 3, move |inner| {
        use Binary::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        let op = prop::sample::select(vec![Add, Add, Sub, Sub, Mul, Mul, Div, Rem, Shl, Shr, And, Or, Xor]);
        let i = || inner.clone();
        let function =
            prop::sample::select(vec![ContractFunction::Min, ContractFunction::Max, ContractFunction::CeilDiv]);
        some_of(vec![
            (8, ((op, i(), i()).prop_map(|(op, a, b)| ContractTerm::binary(op, a, b))).boxed()),
            (1, (i().prop_map(|a| term(TermKind::Unary(UnaryOperator::Minus, Box::new(a))))).boxed()),
            (1, (i().prop_map(|a| term(TermKind::Unary(UnaryOperator::Complement, Box::new(a))))).boxed()),
            (1, (i().prop_map(|a| term(TermKind::Cast(WideType::Size, Box::new(a))))).boxed()),
            (1, ((function, i(), i()).prop_map(|(f, a, b)| ContractTerm::apply(f, vec![a, b]))).boxed()),
            (1, (i().prop_map(|a| ContractTerm::apply(ContractFunction::Abs, vec![a]))).boxed()),
            (
                1,
                ((comparisons(), i(), i(), i(), i()).prop_map(|(op, a, b, c, d)| {
                    term(TermKind::Choice(Box::new(Cond::compare(op, a, b)), Box::new(c), Box::new(d)))
                }))
                .boxed(),
            ),
            (
                memory,
                ((pointers(), i()).prop_map(|(p, a)| term(TermKind::Subscript(Box::new(p), Box::new(a))))).boxed(),
            ),
            (memory, (pointers().prop_map(|p| ContractTerm::apply(ContractFunction::Extent, vec![p]))).boxed()),
            (memory, (pointers().prop_map(|p| ContractTerm::apply(ContractFunction::Elements, vec![p]))).boxed()),
            (memory, (Just(term(TermKind::Launch(LaunchProperty::Grid(Dim3Member::X))))).boxed()),
            (memory, (Just(term(TermKind::SizeOf("float".into())))).boxed()),
        ])
    })
    .boxed()
}

pub fn conds(memory: bool) -> BoxedStrategy<Cond> {
    let number = || numbers(memory);
    let pointer = if memory { 1 } else { 0 };
    // Few shapes, so that some imply others.
    let simple = (comparisons(), prop::sample::select(vec!["n", "m", "k"]), -2..4_i128)
        .prop_map(|(op, a, b)| Cond::compare(op, ContractTerm::name(a), ContractTerm::int(b)));
    let leaf = some_of(vec![
        (6, (simple).boxed()),
        (6, ((comparisons(), number(), number()).prop_map(|(op, a, b)| Cond::compare(op, a, b))).boxed()),
        (1, (number().prop_map(|a| cond(CondKind::Truth(Box::new(a))))).boxed()),
        (1, (any::<bool>().prop_map(Cond::literal)).boxed()),
        (pointer, ((pointers(), pointers()).prop_map(|(a, b)| cond(CondKind::Disjoint(vec![a, b])))).boxed()),
        (pointer, ((pointers(), pointers()).prop_map(|(a, b)| Cond::compare(Comparison::Eq, a, b))).boxed()),
        (pointer, (pointers().prop_map(|a| cond(CondKind::Truth(Box::new(a))))).boxed()),
        (pointer, (pointers().prop_map(|a| Cond::compare(Comparison::Ne, a, term(TermKind::Null)))).boxed()),
    ]);
    leaf.prop_recursive(4, 20, 3, move |inner| {
        let i = || inner.clone();
        let ranges = (numbers(memory), numbers(memory), any::<bool>());
        let quantified = (ranges, i(), any::<bool>()).prop_map(|((from, to, closed), body, uses)| {
            let index = term(TermKind::Subscript(Box::new(ContractTerm::name("p")), Box::new(ContractTerm::name("i"))));
            let reads = Cond::compare(Comparison::Ge, index, ContractTerm::name("n"));
            let variable = if has_forall(&body) { "j" } else { "i" };
            let body = if uses && variable == "i" { Cond::any(vec![reads, body]) } else { body };
            cond(CondKind::Forall(Box::new(Forall { variable: variable.into(), from, to, closed, body })))
        });
        some_of(vec![
            (3, (prop::collection::vec(i(), 2..4).prop_map(Cond::all)).boxed()),
            (3, (prop::collection::vec(i(), 2..4).prop_map(Cond::any)).boxed()),
            (2, (i().prop_map(|a| cond(CondKind::Not(Box::new(a))))).boxed()),
            (2, ((i(), i()).prop_map(|(a, b)| Cond::implies(a, b))).boxed()),
            (1, ((i(), i(), i()).prop_map(|(c, a, b)| Cond::choice(c, a, b))).boxed()),
            (pointer, (quantified).boxed()),
        ])
    })
    // A name that is already bound is refused.
    .prop_filter("one variable in another", |c| deepest_forall(c) < 3)
    .boxed()
}

/// Union of the strategies with a nonzero weight.
fn some_of<T: std::fmt::Debug + 'static>(mut all: Vec<(u32, BoxedStrategy<T>)>) -> BoxedStrategy<T> {
    all.retain(|(weight, _)| *weight > 0);
    Union::new_weighted(all).boxed()
}

fn has_forall(c: &Cond) -> bool {
    deepest_forall(c) > 0
}

fn deepest_forall(c: &Cond) -> usize {
    match &c.kind {
        CondKind::Forall(all) => 1 + deepest_forall(&all.body),
        CondKind::Not(a) => deepest_forall(a),
        CondKind::And(all) | CondKind::Or(all) => all.iter().map(deepest_forall).max().unwrap_or(0),
        CondKind::Implies(a, b) => deepest_forall(a).max(deepest_forall(b)),
        CondKind::Choice(c, a, b) => [c, a, b].into_iter().map(|c| deepest_forall(c)).max().unwrap_or(0),
        _ => 0,
    }
}

pub fn worlds() -> impl Strategy<Value = Small> {
    let array = || prop::option::weighted(0.8, prop::collection::vec(-2..5_i128, 0..4));
    let alias = prop::option::weighted(0.2, 0..3_i128);
    let sizes = prop::collection::vec(0..4_i128, 0..3);
    ((-3..5_i128, -3..5_i128, 0..5_i128), array(), array(), alias, sizes, (-2..4_i128, 0..4_i128), 1..4_i128).prop_map(
        |((n, m, k), p, q, alias, sizes, ne, grid)| Small {
            n,
            m,
            k,
            arrays: [p, q],
            alias,
            sizes,
            ne: [ne.0, ne.1],
            grid,
        },
    )
}
