//! Query results for each name, as recorded in `answers.txt`.

use super::attributes::{
    calls_nothing, gives_nothing_else, is_launch, is_manipulator, is_of_c_interface, is_of_c_library, is_of_cuda,
    is_of_library, keeps_functions, may_keep_addresses, may_launch_given, may_throw, only_reads,
    writes_what_it_is_given,
};
use super::no_return::returns;
use super::returns::Returns;

/// Returns a word for each query that is true.
fn answers(name: &str) -> String {
    let mut words: Vec<String> = [
        ("calls-nothing", calls_nothing(name)),
        ("gives-nothing-else", gives_nothing_else(name)),
        ("keeps-functions", keeps_functions(name)),
        ("may-keep-addresses", may_keep_addresses(name)),
        ("may-launch-given", may_launch_given(name)),
        ("of-cuda", is_of_cuda(name)),
        ("of-library", is_of_library(name)),
        ("of-c-interface", is_of_c_interface(name)),
        ("manipulator", is_manipulator(name)),
        ("launch", is_launch(name)),
        ("writes-what-it-is-given", writes_what_it_is_given(name)),
        ("of-c-library", is_of_c_library(name)),
        ("may-throw", may_throw(name)),
    ]
    .into_iter()
    .filter(|(_, yes)| *yes)
    .map(|(word, _)| word.to_owned())
    .collect();
    let read: Vec<String> = (0..5).filter(|i| only_reads(name, "f(char*)", *i)).map(|i| i.to_string()).collect();
    if !read.is_empty() {
        words.push(format!("only-reads:{}", read.join(",")));
    }
    match returns(name) {
        None => {}
        Some(Returns::Never) => words.push("returns:never".to_owned()),
        Some(Returns::IfZero(i)) => words.push(format!("returns:if-zero-{i}")),
        Some(Returns::IfHandled(i)) => words.push(format!("returns:if-handled-{i}")),
        Some(Returns::Perhaps) => words.push("returns:perhaps".to_owned()),
    }
    words.join(" ")
}

/// Compares with the recorded answers; `SCUBA_BLESS=1` records the present answers for the names in the file.
#[test]
fn answers_are_those_recorded() {
    let recorded = include_str!("answers.txt");
    let names: Vec<&str> = recorded.lines().filter_map(|l| l.split_whitespace().next()).collect();
    let now: String = names.iter().map(|n| format!("{n} {}", answers(n)).trim_end().to_owned() + "\n").collect();
    if std::env::var_os("SCUBA_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/answers.txt"), &now).unwrap();
        return;
    }
    for (old, new) in recorded.lines().zip(now.lines()) {
        assert_eq!(old, new);
    }
}
