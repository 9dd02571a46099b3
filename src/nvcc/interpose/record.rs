//! Reader of the log that `preload.c` writes: `length kind folder path argc argv…`, integers in this machine's 32 bits,
//! each string after its length. A truncated record (a process killed while the disk was full) ends the log. Kinds in
//! lower case are reports of processes on their own execution; they are new only if no other process recorded that
//! execution.

use super::execution::ExecutedCommand;
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// A command passed to the shim.
    Nvcc,
    /// Perhaps a link.
    Link,
    /// A compilation by the host's compiler.
    Compile,
    /// A build tool.
    Tool,
}

pub fn parse(mut log: &[u8]) -> Vec<(RecordKind, ExecutedCommand)> {
    let mut records: Vec<(RecordKind, ExecutedCommand)> = Vec::new();
    // Number of recorded executions of a command whose process has not reported itself yet.
    let mut announced: HashMap<(RecordKind, ExecutedCommand), usize> = HashMap::new();
    while let Some(length) = number(&mut log) {
        let Some((mut body, rest)) = log.split_at_checked(length) else { break };
        log = rest;
        let told_by_itself = body.first().is_some_and(u8::is_ascii_lowercase);
        let Some(record) = one(&mut body) else { continue };
        let open = announced.entry(record.clone()).or_default();
        if !told_by_itself {
            *open += 1;
        } else if *open > 0 {
            *open -= 1;
            continue;
        }
        records.push(record);
    }
    records
}

fn one(body: &mut &[u8]) -> Option<(RecordKind, ExecutedCommand)> {
    let (kind, rest) = body.split_first()?;
    *body = rest;
    let kind = match kind.to_ascii_uppercase() {
        b'N' => RecordKind::Nvcc,
        b'L' => RecordKind::Link,
        b'C' => RecordKind::Compile,
        b'B' => RecordKind::Tool,
        _ => return None,
    };
    let directory = text(body)?.into();
    let program = text(body)?.into();
    let count = number(body)?;
    let arguments = (0..count).map(|_| text(body)).collect::<Option<_>>()?;
    Some((kind, ExecutedCommand { directory, program, arguments }))
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    usize::try_from(u32::from_ne_bytes(*head)).ok()
}

fn text(bytes: &mut &[u8]) -> Option<OsString> {
    let length = number(bytes)?;
    let (head, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(OsString::from_vec(head.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, texts: &[&str]) -> Vec<u8> {
        let put = |out: &mut Vec<u8>, t: &str| {
            out.extend(u32::try_from(t.len()).unwrap().to_ne_bytes());
            out.extend(t.as_bytes());
        };
        let mut body = vec![kind];
        put(&mut body, texts[0]);
        put(&mut body, texts[1]);
        body.extend(u32::try_from(texts.len() - 2).unwrap().to_ne_bytes());
        for t in &texts[2..] {
            put(&mut body, t);
        }
        let mut all = u32::try_from(body.len()).unwrap().to_ne_bytes().to_vec();
        all.extend(body);
        all
    }

    #[test]
    fn records_follow_each_other_and_a_cut_one_ends_the_log() {
        let mut log = record(b'N', &["/w", "/cuda/bin/nvcc", "nvcc", "-c", "a b.cu"]);
        log.extend(record(b'?', &["/w", "x", "y"]));
        log.extend(record(b'L', &["", "/usr/bin/ld", "ld", ""]));
        let whole = log.len();
        log.extend(record(b'L', &["/w", "/usr/bin/ar", "ar"]));
        log.truncate(whole + 9);
        let records = parse(&log);
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].0, RecordKind::Nvcc);
        assert_eq!(records[0].1.arguments, ["nvcc", "-c", "a b.cu"]);
        assert_eq!(records[1].1.arguments, ["ld", ""]);
        assert_eq!(records[1].1.directory, std::path::Path::new(""));
    }

    #[test]
    fn what_a_process_tells_of_itself_counts_where_nobody_was_seen_to_execute_it() {
        let mut log = Vec::new();
        for (kind, argument) in [(b'C', "a"), (b'C', "a"), (b'c', "a"), (b'c', "b"), (b'c', "a"), (b'c', "a")] {
            log.extend(record(kind, &["/w", "/usr/bin/g++", "g++", "-c", argument]));
        }
        let told: Vec<_> = parse(&log).into_iter().map(|(_, e)| e.arguments[2].clone()).collect();
        assert_eq!(told, ["a", "a", "b", "a"]);
    }

    #[test]
    fn lengths_that_reach_beyond_the_record_lose_only_that_record() {
        let mut log = record(b'N', &["/w", "p", "a"]);
        let at = log.len() - 5; // the length of the last text
        log[at] = 200;
        log.extend(record(b'L', &["/w", "q", "b"]));
        let records = parse(&log);
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].1.program, std::path::Path::new("q"));
    }
}
