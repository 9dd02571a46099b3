//! What records say of a finding.

use super::kernel_check;
use super::manifest::Expected;
use super::record::{Frame, Record, Records};
use crate::report::finding::Direction;
use crate::rules::Rule;
use std::path::Path;

/// What one run says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same kernel, line, direction and thread; the evidence.
    Confirmed(String),
    /// The run came to its end and showed nothing like it.
    NotReproduced(String),
    Inconclusive(String),
}

/// Folders whose code is nobody's own.
pub struct Surroundings<'a> {
    /// The folder of the bundle, where sources were copied.
    pub bundle: &'a Path,
    /// The toolkit's folder.
    pub toolkit: &'a Path,
}

impl Surroundings<'_> {
    fn is_system(&self, path: &str) -> bool {
        let own = |p: &Path| {
            ["/usr/include", "/usr/lib", "/usr/local/cuda"].iter().any(|s| p.starts_with(s))
                || p.starts_with(self.toolkit)
        };
        let path = Path::new(path);
        // Toolkits are reached through links of several names.
        own(path) || path.canonicalize().is_ok_and(|p| own(&p))
    }

    fn same_file(&self, reported: &str, expected: &str) -> bool {
        let (reported, expected) = (Path::new(reported), self.bundle.join(expected));
        if reported == expected {
            return true;
        }
        match (reported.canonicalize(), expected.canonicalize()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        }
    }
}

/// Where an array is on the device: its address, and the witness's offset and its extent in bytes.
pub type Array = (u64, i64, i64);

/// Compares records with what is expected. `ended`: the run came to its own end; `how` says how it ended. `array`: where it is
/// known.
pub fn judge(
    expected: &Expected,
    records: &Records,
    ended: bool,
    how: &str,
    array: Option<Array>,
    around: &Surroundings<'_>,
) -> Verdict {
    if let Some(call) = &expected.call {
        return judge_call(expected.rule, call, records, ended, how);
    }
    let kernel = base_name(&expected.kernel);
    let here: Vec<&Record> = records
        .records
        .iter()
        .filter(|r| {
            place(r, around).is_some_and(|f| f.line == expected.line && around.same_file(&f.path, &expected.file))
                && r.frames.iter().any(|f| f.func == kernel)
        })
        .collect();
    let direction = match expected.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Atomic => "atomic",
    };
    let same: Vec<&Record> = here.iter().copied().filter(|r| r.direction == direction).collect();
    if let Some(r) = same.iter().find(|r| (r.block, r.thread) == (expected.block, expected.thread)) {
        let place = match array {
            None => String::new(),
            Some((start, offset, extent)) => {
                let seen = r.address.wrapping_sub(start).cast_signed();
                // The same thread at the same line elsewhere in the array: a loop's other round, perhaps. It is not the witness.
                if seen != offset {
                    return Verdict::Inconclusive(format!(
                        "the same access was reported{} at byte {seen} of {extent}, not at byte {offset}",
                        by(r)
                    ));
                }
                format!(", byte {offset} of {extent},")
            }
        };
        return Verdict::Confirmed(format!("{} at {:#x}{place}{}", r.text, r.address, by(r)));
    }
    if let Some(r) = same.first() {
        return Verdict::Inconclusive(format!("the same access was reported{}, not by that of the witness", by(r)));
    }
    if !records.unknown.is_empty() {
        let names: Vec<&str> = records.unknown.iter().take(3).map(String::as_str).collect();
        return Verdict::Inconclusive(format!(
            "Compute Sanitizer's records have elements that this version does not know: {}",
            names.join(", ")
        ));
    }
    if let Some(r) = here.first().or(records.records.iter().find(|r| !r.frames.is_empty()).as_ref()) {
        let at = place(r, around).map_or_else(String::new, |f| format!(" at {}:{}", file_name(&f.path), f.line));
        return Verdict::Inconclusive(format!("another bad access ended the kernel first: {}{at}{}", r.text, by(r)));
    }
    if let Some(r) = records.records.first() {
        return Verdict::Inconclusive(format!("the run failed before: {}", r.text));
    }
    if !ended || records.cut_off {
        return Verdict::Inconclusive(format!("the run {how}"));
    }
    Verdict::NotReproduced("Compute Sanitizer reported nothing".into())
}

/// A call of the runtime that must fail for its arguments. Records do not say which of several calls of one function it was.
fn judge_call(rule: Rule, call: &str, records: &Records, ended: bool, how: &str) -> Verdict {
    let refused: Vec<&Record> = records
        .records
        .iter()
        .filter(|r| r.kind == "Api" && r.api == call && r.error == "cudaErrorInvalidValue")
        .collect();
    if let [first, others @ ..] = refused.as_slice() {
        let more = if others.is_empty() { String::new() } else { format!(", {} times", refused.len()) };
        return Verdict::Confirmed(format!("{}{more}", first.text.trim_end_matches('.')));
    }
    if let Some(r) = records.records.first() {
        return Verdict::Inconclusive(format!("the run failed before: {}", r.text));
    }
    if !ended || records.cut_off {
        return Verdict::Inconclusive(format!("the run {how}"));
    }
    // The driver reserves memory in steps and sees what leaves them; of the host's memory it sees nothing.
    if rule != Rule::DoubleFree {
        return Verdict::Inconclusive(format!(
            "no call of `{call}` was refused: the driver does not see a copy that stays in the memory that it reserved for its device arrays, nor what it does to the host's"
        ));
    }
    Verdict::NotReproduced(format!("no call of `{call}` was refused"))
}

/// What the check compiled into the kernel says; `record` is `None` where it never saw the access out of bounds.
pub fn of_record(
    expected: &Expected,
    record: Option<kernel_check::Record>,
    extent: i64,
    ended: bool,
    how: &str,
) -> Verdict {
    let what = match expected.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Atomic => "atomic update",
    };
    let part = if expected.rule == Rule::IntraAllocation { " of its part" } else { "" };
    match record {
        Some(r) if r.by_witness > 0 => {
            let address = r.address.map_or_else(String::new, |a| format!("{a:#x}, "));
            Verdict::Confirmed(format!(
                "{what} of {} bytes at {address}byte {} of {extent}{part}{}, {} times out of bounds in all",
                expected.bytes,
                r.offset,
                thread(expected.thread, expected.block),
                r.count,
            ))
        }
        Some(r) => Verdict::Inconclusive(format!(
            "the same access was out of bounds{}, not by that of the witness",
            thread(r.thread, r.block)
        )),
        None if !ended => Verdict::Inconclusive(format!("the launch {how}")),
        None => Verdict::NotReproduced("the access was never out of bounds".into()),
    }
}

fn by(r: &Record) -> String {
    thread(r.thread, r.block)
}

fn thread(thread: [u64; 3], block: [u64; 3]) -> String {
    let triple = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    format!(" by thread {} of block {}", triple(thread), triple(block))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Where a user would say that the access is: the innermost frame outside the toolkit's and the system's headers.
fn place<'r>(record: &'r Record, around: &Surroundings<'_>) -> Option<&'r Frame> {
    record.frames.iter().find(|f| !f.path.is_empty() && !around.is_system(&f.path))
}

/// A function's name as records have it: without return type, scopes, template arguments and parameters.
pub fn base_name(display: &str) -> String {
    let text = display.replace("(anonymous namespace)", "anonymous").replace("<unnamed>", "anonymous");
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

#[cfg(test)]
mod tests {
    use super::{Records, Surroundings, Verdict, base_name, judge, of_record};
    use crate::confirm::kernel_check::Record;
    use crate::confirm::manifest::Expected;
    use crate::report::finding::Direction;
    use crate::rules::Rule;
    use std::path::Path;

    fn around() -> Surroundings<'static> {
        Surroundings { bundle: Path::new("/project"), toolkit: Path::new("/usr/local/cuda") }
    }

    fn golden(name: &str) -> Records {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/confirm/golden").join(name);
        Records::parse(&std::fs::read_to_string(path).unwrap())
    }

    fn expected(kernel: &str, file: &str, line: u32, direction: Direction, thread: [u64; 3]) -> Expected {
        Expected {
            fingerprint: "f".into(),
            witness: "w".into(),
            rule: Rule::OobGlobal,
            summary: String::new(),
            kernel: kernel.into(),
            file: file.into(),
            line,
            direction,
            bytes: 8,
            block: [0; 3],
            thread,
            call: None,
        }
    }

    fn says(e: &Expected, r: &Records) -> Verdict {
        judge(e, r, true, "ended", None, &around())
    }

    #[test]
    fn names_are_cut_to_what_records_have() {
        for (display, name) in [
            ("scale(float*, int)", "scale"),
            ("void grid::(anonymous namespace)::blur<double, 1>(double*, double const*, int, int)", "blur"),
            ("plain", "plain"),
            ("void ns::k<std::pair<int, float>, (Kind)1>(T1*)", "k"),
            ("ns::Outer<int>::run(int)", "run"),
        ] {
            assert_eq!(base_name(display), name, "{display}");
        }
    }

    #[test]
    fn only_the_same_kernel_line_direction_and_thread_confirm() {
        let r = golden("global_read.xml");
        let good = expected(
            "void grid::(anonymous namespace)::blur<double, 1>(double*, double const*, int, int)",
            "global_read.cu",
            5,
            Direction::Read,
            [7, 3, 0],
        );
        let Verdict::Confirmed(detail) = says(&good, &r) else { panic!("{:?}", says(&good, &r)) };
        assert_eq!(
            detail,
            "Invalid __global__ read of size 8 bytes is out of bounds at 0x7f1e2a800700 by thread (7, 3, 0) of block (0, 0, 0)"
        );
        for bad in [
            Expected { kernel: "other(int)".into(), ..good.clone() },
            Expected { line: 11, ..good.clone() },
            Expected { file: "other.cu".into(), ..good.clone() },
            Expected { direction: Direction::Write, ..good.clone() },
            Expected { thread: [6, 3, 0], ..good.clone() },
            Expected { block: [1, 0, 0], ..good.clone() },
        ] {
            assert!(matches!(says(&bad, &r), Verdict::Inconclusive(_)), "{bad:?}");
        }
    }

    #[test]
    fn an_access_in_a_header_of_the_toolkit_is_its_callers() {
        let e = expected(
            "histogram(unsigned int*, int const*, int)",
            "/project/atomic.cu",
            4,
            Direction::Atomic,
            [3, 0, 0],
        );
        assert!(matches!(says(&e, &golden("atomic.xml")), Verdict::Confirmed(_)));
    }

    #[test]
    fn an_address_that_is_known_must_be_the_witnesss() {
        let e = expected("s(float4*)", "vector.cu", 1, Direction::Write, [31, 0, 0]);
        let r = golden("vector.xml");
        let at = |start| judge(&e, &r, true, "ended", Some((start, 496, 504)), &around());
        let Verdict::Confirmed(detail) = at(r.records[0].address - 496) else { panic!() };
        assert!(detail.contains("at 0x7fcb008001f0, byte 496 of 504, by thread (31, 0, 0)"), "{detail}");
        assert!(matches!(at(r.records[0].address - 480), Verdict::Inconclusive(_)));
    }

    #[test]
    fn what_the_check_recorded_has_its_address() {
        let e = expected("s(float4*)", "vector.cu", 1, Direction::Write, [31, 0, 0]);
        let says = |address| {
            of_record(
                &e,
                Some(Record { count: 2, by_witness: 1, offset: -8, address, block: [0; 3], thread: [30, 0, 0] }),
                504,
                true,
                "ended",
            )
        };
        let rest = "byte -8 of 504 by thread (31, 0, 0) of block (0, 0, 0), 2 times out of bounds in all";
        assert_eq!(
            says(Some(0x7f5a_0000_0478)),
            Verdict::Confirmed(format!("write of 8 bytes at 0x7f5a00000478, {rest}"))
        );
        assert_eq!(says(None), Verdict::Confirmed(format!("write of 8 bytes at {rest}")));
    }

    #[test]
    fn a_call_is_confirmed_by_its_refusal_alone() {
        let rule = |name: &str| if name == "cudaFree" { Rule::DoubleFree } else { Rule::MemcpyOutOfBounds };
        let call = |name: &str| Expected {
            rule: rule(name),
            call: Some(name.into()),
            ..expected("main", "double_free.cu", 5, Direction::Write, [0; 3])
        };
        for (name, file) in [
            ("cudaFree", "double_free.xml"),
            ("cudaMemcpy", "memcpy_too_long.xml"),
            ("cudaMemset", "memset_too_long.xml"),
        ] {
            let Verdict::Confirmed(detail) = says(&call(name), &golden(file)) else { panic!("{name}") };
            assert!(detail.starts_with("Program hit cudaErrorInvalidValue") && detail.ends_with(name), "{detail}");
        }
        assert!(matches!(says(&call("cudaMemcpy"), &golden("double_free.xml")), Verdict::Inconclusive(_)));
        assert!(matches!(says(&call("cudaFree"), &golden("use_after_free.xml")), Verdict::Inconclusive(_)));
        assert!(matches!(says(&call("cudaFree"), &golden("clean.xml")), Verdict::NotReproduced(_)));
        assert!(matches!(says(&call("cudaMemcpy"), &golden("clean.xml")), Verdict::Inconclusive(_)));
    }

    #[test]
    fn freed_memory_is_confirmed_at_the_access_in_the_kernel() {
        let e = Expected {
            rule: Rule::UseAfterFree,
            ..expected("s(int*)", "use_after_free.cu", 1, Direction::Write, [0; 3])
        };
        assert!(matches!(says(&e, &golden("use_after_free.xml")), Verdict::Confirmed(_)));
    }

    #[test]
    fn what_is_hidden_is_inconclusive_and_silence_is_not_reproduced() {
        let hidden = expected("s(int*, int*)", "two_lines.cu", 2, Direction::Write, [16, 0, 0]);
        let Verdict::Inconclusive(why) = says(&hidden, &golden("two_lines.xml")) else { panic!() };
        assert!(why.contains("another bad access ended the kernel first") && why.contains("two_lines.cu:3"), "{why}");
        let e = expected("s(int*)", "shared_neighbour.cu", 5, Direction::Write, [15, 0, 0]);
        assert!(matches!(says(&e, &golden("shared_neighbour.xml")), Verdict::NotReproduced(_)));
        assert!(matches!(
            judge(&e, &golden("clean.xml"), false, "did not end in time", None, &around()),
            Verdict::Inconclusive(_)
        ));
        assert!(matches!(says(&e, &Records::parse("")), Verdict::Inconclusive(_)));
        let mut odd = golden("clean.xml");
        odd.unknown.insert("record/novelty".into());
        assert!(matches!(says(&e, &odd), Verdict::Inconclusive(_)));
        let api = golden("invalid_launch.xml");
        let Verdict::Inconclusive(why) = says(&e, &api) else { panic!() };
        assert!(why.starts_with("the run failed before: Program hit"), "{why}");
    }
}
