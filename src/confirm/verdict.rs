//! Judges a finding by the records of a run.

use super::bundle::SOURCES;
use super::kernel_check;
use super::manifest::{Expected, HOST_ACCESS};
use super::record::{FaultRecord, Records, SourceFrame};
use base::rules::Rule;
use files::normalise;
use finding::Direction;
use finding::names::base_name;
use frontend::own::UserFolders;
use std::fmt;
use std::path::{Path, PathBuf};

/// Verdict of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunVerdict {
    /// The same kernel, line, direction and thread were reported; holds the evidence.
    Confirmed(String),
    /// The run ended by itself and reported nothing similar.
    NotReproduced(String),
    Inconclusive(String),
}

/// Folders of code on the machine that ran it.
pub struct CodeFolders<'a> {
    /// Folder of the bundle to which sources were copied.
    pub bundle: &'a Path,
    /// Folder of the toolkit, by all its names.
    pub toolkit: Vec<PathBuf>,
}

impl CodeFolders<'_> {
    /// Whether a file is a header outside the user's code, by the analysis's rules. A copy in the bundle is judged by
    /// the path of its original. Toolkits and projects may be reached through links with several names.
    fn is_system(&self, own: &UserFolders, path: &str) -> bool {
        let copies = self.bundle.join(SOURCES);
        let original = |p: &Path| match p.strip_prefix(&copies) {
            Ok(rest) => Path::new("/").join(rest),
            Err(_) => p.to_owned(),
        };
        let path = normalise(Path::new("/"), Path::new(path));
        own.is_system(&original(&path)) || path.canonicalize().is_ok_and(|p| own.is_system(&original(&p)))
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

    /// Position of an access as a user would name it, by the analysis's rules: the innermost frame in the user's own
    /// sources. Frames below it come from another compiler's view of system headers and may differ.
    fn place<'r>(&self, record: &'r FaultRecord, expected: &Expected) -> Option<RelevantFrames<'r>> {
        let own = if expected.own == UserFolders::default() { UserFolders::outside([]) } else { expected.own.clone() };
        let own = own.and_outside(self.toolkit.clone());
        let at = record.frames.iter().position(|f| {
            !f.path.is_empty() && (self.same_file(&f.path, &expected.file) || !self.is_system(&own, &f.path))
        })?;
        Some(RelevantFrames { users: &record.frames[at], inner: record.frames[..at].first() })
    }
}

/// Relevant frames of a record.
struct RelevantFrames<'r> {
    users: &'r SourceFrame,
    /// The access itself, if the user's frame only leads to it.
    inner: Option<&'r SourceFrame>,
}

impl fmt::Display for RelevantFrames<'_> {
    /// Prints `a.cu:5, in `k``, and the position of the access itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", DisplayedFrame(self.users))?;
        match self.inner {
            Some(inner) => write!(f, "; the access itself at {}", DisplayedFrame(inner)),
            None => Ok(()),
        }
    }
}

struct DisplayedFrame<'r>(&'r SourceFrame);

impl fmt::Display for DisplayedFrame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}, in `{}`", file_name(&self.0.path), self.0.line, self.0.func)
    }
}

/// An array on the device: its address, and the witness's offset and extent in bytes.
pub type Array = (u64, i64, i64);

/// Compares records with the expected fault. `ended`: the run ended by itself; `how` describes its end. `array`: the
/// array's position, if known.
pub fn judge(
    expected: &Expected,
    records: &Records,
    ended: bool,
    how: &str,
    array: Option<Array>,
    around: &CodeFolders<'_>,
) -> RunVerdict {
    if let Some(call) = &expected.call {
        return judge_call(expected.rule, call, records, ended, how);
    }
    let kernel = base_name(&expected.kernel);
    let is_here =
        |p: &RelevantFrames<'_>| p.users.line == expected.line && around.same_file(&p.users.path, &expected.file);
    let here: Vec<&FaultRecord> = records
        .records
        .iter()
        .filter(|r| around.place(r, expected).is_some_and(|p| is_here(&p)) && r.frames.iter().any(|f| f.func == kernel))
        .collect();
    let direction = match expected.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Atomic => "atomic",
    };
    let same: Vec<&FaultRecord> = here.iter().copied().filter(|r| r.direction == direction).collect();
    if let Some(r) = same.iter().find(|r| (r.block, r.thread) == (expected.block, expected.thread)) {
        let place = match array {
            None => String::new(),
            Some((start, offset, extent)) => {
                let seen = r.address.wrapping_sub(start).cast_signed();
                // The same thread at the same line, elsewhere in the array: perhaps in another iteration. It is not
                // the witness.
                if seen != offset {
                    return RunVerdict::Inconclusive(format!(
                        "the same access was reported{} at byte {seen} of {extent}, not at byte {offset}",
                        by(r)
                    ));
                }
                format!(", byte {offset} of {extent},")
            }
        };
        let matched = around.place(r, expected).map_or_else(String::new, |p| format!(", matched at {p}"));
        return RunVerdict::Confirmed(format!("{} at {:#x}{place}{}{matched}", r.text, r.address, by(r)));
    }
    if let Some(r) = same.first() {
        return RunVerdict::Inconclusive(format!("the same access was reported{}, not by that of the witness", by(r)));
    }
    if !records.unknown.is_empty() {
        let names: Vec<&str> = records.unknown.iter().take(3).map(String::as_str).collect();
        return RunVerdict::Inconclusive(format!(
            "Compute Sanitizer's records have unknown elements: {}",
            names.join(", ")
        ));
    }
    if let Some(r) = here.first().or(records.records.iter().find(|r| !r.frames.is_empty()).as_ref()) {
        let at = around.place(r, expected).map_or_else(String::new, |p| format!(" at {p}"));
        return RunVerdict::Inconclusive(format!("another bad access ended the kernel first: {}{at}{}", r.text, by(r)));
    }
    if let Some(r) = records.records.first() {
        return RunVerdict::Inconclusive(format!("the run failed before: {}", r.text));
    }
    if !ended || records.cut_off {
        return RunVerdict::Inconclusive(format!("the run {how}"));
    }
    RunVerdict::NotReproduced("Compute Sanitizer reported nothing".into())
}

/// Judges a runtime call that must fail because of its arguments. Records do not distinguish several calls of one
/// function.
fn judge_call(rule: Rule, call: &str, records: &Records, ended: bool, how: &str) -> RunVerdict {
    let refused: Vec<&FaultRecord> = records
        .records
        .iter()
        .filter(|r| r.kind == "Api" && r.api == call && r.error == "cudaErrorInvalidValue")
        .collect();
    if let [first, others @ ..] = refused.as_slice() {
        let more = if others.is_empty() { String::new() } else { format!(", {} times", refused.len()) };
        return RunVerdict::Confirmed(format!("{}{more}", first.text.trim_end_matches('.')));
    }
    if let Some(r) = records.records.first() {
        return RunVerdict::Inconclusive(format!("the run failed before: {}", r.text));
    }
    if !ended || records.cut_off {
        return RunVerdict::Inconclusive(format!("the run {how}"));
    }
    if call == HOST_ACCESS {
        return RunVerdict::Inconclusive("host accesses are seen only where the machine refuses them".into());
    }
    // The driver reserves memory in steps and sees only accesses that leave them; it does not see host memory.
    if !rule.info().confirmation.refused {
        return RunVerdict::Inconclusive(format!(
            "no call of `{call}` was refused: the driver sees neither a copy that stays in the memory that it reserved for device arrays, nor accesses to host memory"
        ));
    }
    RunVerdict::NotReproduced(format!("no call of `{call}` was refused"))
}

/// Verdict from the check compiled into the kernel; `record` is `None` if it never saw the access out of bounds.
/// `left_out`: number of other bad accesses that the guard skipped in this run.
pub fn of_record(
    expected: &Expected,
    left_out: u64,
    record: Option<kernel_check::RowRecord>,
    extent: i64,
    ended: bool,
    how: &str,
) -> RunVerdict {
    let what = match expected.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Atomic => "atomic update",
    };
    let part = expected.rule.info().confirmation.place;
    let others = if left_out == 0 { String::new() } else { format!(", {left_out} other bad accesses omitted") };
    match record {
        Some(r) if r.by_witness > 0 => {
            let address = r.address.map_or_else(String::new, |a| format!("{a:#x}, "));
            RunVerdict::Confirmed(format!(
                "{what} of {} bytes at {address}byte {} of {extent}{part}{}, {} times out of bounds in all{others}, checked at {}:{}{}",
                expected.bytes,
                r.offset,
                thread(expected.thread, expected.block),
                r.count,
                file_name(&expected.file),
                expected.line,
                expected.inner.as_ref().map_or_else(String::new, |i| format!("; the access itself at {i}")),
            ))
        }
        Some(r) => RunVerdict::Inconclusive(format!(
            "the same access was out of bounds{}, not by that of the witness",
            thread(r.thread, r.block)
        )),
        None if !ended => RunVerdict::Inconclusive(format!("the launch {how}")),
        None => RunVerdict::NotReproduced("the access was never out of bounds".into()),
    }
}

fn by(r: &FaultRecord) -> String {
    thread(r.thread, r.block)
}

fn thread(thread: [u64; 3], block: [u64; 3]) -> String {
    let triple = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    format!(" by thread {} of block {}", triple(thread), triple(block))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{CodeFolders, Records, RunVerdict, judge, of_record};
    use crate::kernel_check::RowRecord;
    use crate::manifest::Expected;
    use base::rules::Rule;
    use finding::Direction;
    use frontend::own::UserFolders;
    use nvcc::command::{Environment, NvccCommand};
    use std::ffi::OsString;
    use std::path::Path;

    fn around() -> CodeFolders<'static> {
        CodeFolders { bundle: Path::new("/project"), toolkit: vec!["/usr/local/cuda-13.0".into()] }
    }

    fn golden(name: &str) -> Records {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/confirm/golden").join(name);
        Records::parse(&std::fs::read_to_string(path).unwrap())
    }

    fn expected(kernel: &str, file: &str, line: u32, direction: Direction, thread: [u64; 3]) -> Expected {
        Expected {
            fingerprint: "f".into(),
            witness: "w".into(),
            rule: Rule::OobGlobal,
            proved: None,
            summary: String::new(),
            architecture: None,
            kernel: kernel.into(),
            file: file.into(),
            line,
            inner: None,
            own: UserFolders::default(),
            direction,
            bytes: 8,
            block: [0; 3],
            thread,
            call: None,
            side: None,
        }
    }

    /// Verdict on the machine where `golden` was recorded, on which the toolkit has two names.
    fn says(e: &Expected, r: &Records) -> RunVerdict {
        judge(e, r, true, "ended", None, &around())
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
        let RunVerdict::Confirmed(detail) = says(&good, &r) else { panic!("{:?}", says(&good, &r)) };
        assert_eq!(
            detail,
            "Invalid __global__ read of size 8 bytes is out of bounds at 0x7f1e2a800700 by thread (7, 3, 0) of block (0, 0, 0), matched at global_read.cu:5, in `load`"
        );
        for bad in [
            Expected { kernel: "other(int)".into(), ..good.clone() },
            Expected { line: 11, ..good.clone() },
            Expected { file: "other.cu".into(), ..good.clone() },
            Expected { direction: Direction::Write, ..good.clone() },
            Expected { thread: [6, 3, 0], ..good.clone() },
            Expected { block: [1, 0, 0], ..good.clone() },
        ] {
            assert!(matches!(says(&bad, &r), RunVerdict::Inconclusive(_)), "{bad:?}");
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
        assert!(matches!(says(&e, &golden("atomic.xml")), RunVerdict::Confirmed(_)));
    }

    /// Own paths of a unit compiled with the flags with which `header_frames` was recorded.
    fn own_of_header_frames() -> UserFolders {
        let words = ["-Iinc", "-isystem", "system", "header_frames.cu"].map(OsString::from);
        let command = NvccCommand::read(&words, &Environment::default(), Path::new("/project"));
        let plan = command.plan(Path::new("/project"), Some(Path::new("/cuda/bin/nvcc")), &Vec::new).unwrap();
        UserFolders::of(&plan.request.units[0], [])
    }

    #[test]
    fn frames_match_where_the_user_stands_whatever_headers_lie_below() {
        let kernel = "k(int, int*, float4*, __half*)";
        let at = |line, direction| Expected {
            own: own_of_header_frames(),
            ..expected(kernel, "header_frames.cu", line, direction, [4, 0, 0])
        };
        for (record, line, direction, frames) in [
            (
                "ldg",
                14,
                Direction::Read,
                "header_frames.cu:14, in `k`; the access itself at sm_32_intrinsics.hpp:112, in `__ldg`",
            ),
            (
                "stcs",
                16,
                Direction::Write,
                "header_frames.cu:16, in `k`; the access itself at sm_32_intrinsics.hpp:473, in `__stcs`",
            ),
            (
                "atomic_ref",
                17,
                Direction::Atomic,
                "header_frames.cu:17, in `k`; the access itself at cuda_ptx_generated.h:2543, in `__cuda_atomic_fetch_add`",
            ),
            (
                "vendored",
                19,
                Direction::Read,
                "header_frames.cu:19, in `k`; the access itself at vendored.h:2, in `vendored`",
            ),
            (
                "memcpy_async",
                20,
                Direction::Read,
                "header_frames.cu:20, in `k`; the access itself at cuda_pipeline_helpers.h:190, in `cp_async`",
            ),
        ] {
            let r = golden(&format!("header_frames_{record}.xml"));
            let RunVerdict::Confirmed(detail) = says(&at(line, direction), &r) else {
                panic!("{record}: {:?}", says(&at(line, direction), &r))
            };
            assert!(detail.ends_with(&format!(", matched at {frames}")), "{record}: {detail}");
            for other in [line + 1, 112, 2] {
                assert!(matches!(says(&at(other, direction), &r), RunVerdict::Inconclusive(_)), "{record} at {other}");
            }
        }
        // A project's own header belongs to the user: the position is there, and not at the call.
        let operator = golden("header_frames_operator.xml");
        let own =
            Expected { own: own_of_header_frames(), ..expected(kernel, "inc/own.h", 2, Direction::Read, [4, 0, 0]) };
        let RunVerdict::Confirmed(detail) = says(&own, &operator) else { panic!("{:?}", says(&own, &operator)) };
        assert!(detail.ends_with(", matched at own.h:2, in `+`"), "{detail}");
        assert!(matches!(says(&at(18, Direction::Read), &operator), RunVerdict::Inconclusive(_)));
        // With `-I`, the other header would also be the user's.
        let vendored = golden("header_frames_vendored.xml");
        let mine = Expected { own: UserFolders::default(), ..at(19, Direction::Read) };
        assert!(matches!(says(&mine, &vendored), RunVerdict::Inconclusive(_)));
        let there = Expected { file: "system/vendored.h".into(), line: 2, ..mine };
        assert!(matches!(says(&there, &vendored), RunVerdict::Confirmed(_)));
    }

    #[test]
    fn copies_in_a_bundle_are_judged_by_where_they_came_from() {
        let text = std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/confirm/golden/header_frames_vendored.xml"),
        )
        .unwrap();
        let r = Records::parse(&text.replace("/project/", "/bundle/sources/project/"));
        let e = Expected {
            own: own_of_header_frames(),
            ..expected("k(int)", "sources/project/header_frames.cu", 19, Direction::Read, [4, 0, 0])
        };
        let at = CodeFolders { bundle: Path::new("/bundle"), toolkit: vec!["/opt/cuda".into()] };
        assert!(matches!(judge(&e, &r, true, "ended", None, &at), RunVerdict::Confirmed(_)));
        // A toolkit that this machine has in another folder.
        let r = Records::parse(&text.replace("/project/system", "/opt/cuda/include"));
        let e = Expected { file: "/project/header_frames.cu".into(), ..e };
        assert!(matches!(judge(&e, &r, true, "ended", None, &at), RunVerdict::Confirmed(_)));
        let without = CodeFolders { bundle: Path::new("/bundle"), toolkit: vec![] };
        assert!(matches!(judge(&e, &r, true, "ended", None, &without), RunVerdict::Inconclusive(_)));
    }

    #[test]
    fn an_address_that_is_known_must_be_the_witnesss() {
        let e = expected("s(float4*)", "vector.cu", 1, Direction::Write, [31, 0, 0]);
        let r = golden("vector.xml");
        let at = |start| judge(&e, &r, true, "ended", Some((start, 496, 504)), &around());
        let RunVerdict::Confirmed(detail) = at(r.records[0].address - 496) else { panic!() };
        assert!(detail.contains("at 0x7fcb008001f0, byte 496 of 504, by thread (31, 0, 0)"), "{detail}");
        assert!(matches!(at(r.records[0].address - 480), RunVerdict::Inconclusive(_)));
    }

    #[test]
    fn what_the_check_recorded_has_its_address() {
        let e = expected("s(float4*)", "vector.cu", 1, Direction::Write, [31, 0, 0]);
        let says = |address| {
            of_record(
                &e,
                0,
                Some(RowRecord { count: 2, by_witness: 1, offset: -8, address, block: [0; 3], thread: [30, 0, 0] }),
                504,
                true,
                "ended",
            )
        };
        let rest = "byte -8 of 504 by thread (31, 0, 0) of block (0, 0, 0), 2 times out of bounds in all, checked at vector.cu:1";
        assert_eq!(
            says(Some(0x7f5a_0000_0478)),
            RunVerdict::Confirmed(format!("write of 8 bytes at 0x7f5a00000478, {rest}"))
        );
        assert_eq!(says(None), RunVerdict::Confirmed(format!("write of 8 bytes at {rest}")));
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
            let RunVerdict::Confirmed(detail) = says(&call(name), &golden(file)) else { panic!("{name}") };
            assert!(detail.starts_with("Program hit cudaErrorInvalidValue") && detail.ends_with(name), "{detail}");
        }
        assert!(matches!(says(&call("cudaMemcpy"), &golden("double_free.xml")), RunVerdict::Inconclusive(_)));
        assert!(matches!(says(&call("cudaFree"), &golden("use_after_free.xml")), RunVerdict::Inconclusive(_)));
        assert!(matches!(says(&call("cudaFree"), &golden("clean.xml")), RunVerdict::NotReproduced(_)));
        assert!(matches!(says(&call("cudaMemcpy"), &golden("clean.xml")), RunVerdict::Inconclusive(_)));
    }

    #[test]
    fn freed_memory_is_confirmed_at_the_access_in_the_kernel() {
        let e = Expected {
            rule: Rule::UseAfterFree,
            ..expected("s(int*)", "use_after_free.cu", 1, Direction::Write, [0; 3])
        };
        assert!(matches!(says(&e, &golden("use_after_free.xml")), RunVerdict::Confirmed(_)));
    }

    #[test]
    fn what_is_hidden_is_inconclusive_and_silence_is_not_reproduced() {
        let hidden = expected("s(int*, int*)", "two_lines.cu", 2, Direction::Write, [16, 0, 0]);
        let RunVerdict::Inconclusive(why) = says(&hidden, &golden("two_lines.xml")) else { panic!() };
        assert!(why.contains("another bad access ended the kernel first") && why.contains("two_lines.cu:3"), "{why}");
        let e = expected("s(int*)", "shared_neighbour.cu", 5, Direction::Write, [15, 0, 0]);
        assert!(matches!(says(&e, &golden("shared_neighbour.xml")), RunVerdict::NotReproduced(_)));
        assert!(matches!(
            judge(&e, &golden("clean.xml"), false, "did not end in time", None, &around()),
            RunVerdict::Inconclusive(_)
        ));
        assert!(matches!(says(&e, &Records::parse("")), RunVerdict::Inconclusive(_)));
        let mut odd = golden("clean.xml");
        odd.unknown.insert("record/novelty".into());
        assert!(matches!(says(&e, &odd), RunVerdict::Inconclusive(_)));
        let api = golden("invalid_launch.xml");
        let RunVerdict::Inconclusive(why) = says(&e, &api) else { panic!() };
        assert!(why.starts_with("the run failed before: Program hit"), "{why}");
    }
}
