//! Output of Compute Sanitizer: its XML records, or its text if a run was ended before the XML was written.
//!
//! In: the file from `--xml --save`, complete or cut off, or the tool's printed output. Out: [`Records`]. Element
//! names vary between versions of the tool: unknown ones are kept, so that a reader can report "inconclusive" instead
//! of "clean".

use finding::names::base_name;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::BTreeSet;

/// Root element; a file without it is not Compute Sanitizer's.
const ROOT: &str = "ComputeSanitizerOutput";

/// Prefix of each line that the tool prints.
const MARGIN: &str = "=========";

/// A position in device code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFrame {
    /// Name of the function without parameters or template arguments.
    pub func: String,
    pub path: String,
    pub line: u32,
}

/// A record of a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultRecord {
    /// `Precise` for an access whose instruction is known; `Api` for a failed runtime call.
    pub kind: String,
    pub thread: [u64; 3],
    pub block: [u64; 3],
    /// Message for people.
    pub text: String,
    /// `__global__`, `__shared__`, `__local__`.
    pub space: String,
    /// Width of the access in bytes.
    pub size: u64,
    /// `read`, `write` or `atomic`; empty if there is no access.
    pub direction: String,
    /// `out of bounds`, `misaligned`, …; for a failed call the name of the error.
    pub error: String,
    /// Runtime function that failed.
    pub api: String,
    pub address: u64,
    /// Call chain from the access outwards, with the kernel last.
    pub frames: Vec<SourceFrame>,
}

/// Contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    pub records: Vec<FaultRecord>,
    /// Unknown element names, with the names of the elements around them.
    pub unknown: BTreeSet<String>,
    /// Whether the file ends before its root element does, or is invalid XML from some point on.
    pub cut_off: bool,
}

impl Records {
    /// Parses the text of a file. Never fails: the result describes what cannot be parsed.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut reader = Reader::from_str(text);
        let mut out = Self { cut_off: true, ..Self::default() };
        let mut path: Vec<String> = Vec::new();
        let mut value = String::new();
        let mut record = FaultRecord::default();
        loop {
            match reader.read_event() {
                Ok(Event::Start(e)) => {
                    path.push(String::from_utf8_lossy(e.name().as_ref()).into_owned());
                    value.clear();
                    match inner(&path).as_str() {
                        "record" => record = FaultRecord::default(),
                        "record/where" | "record/deviceStack/frame" => record.frames.push(SourceFrame::default()),
                        _ => {}
                    }
                }
                Ok(Event::Empty(e)) => {
                    path.push(String::from_utf8_lossy(e.name().as_ref()).into_owned());
                    out.element(&path, "", &mut record);
                    path.pop();
                    if path.is_empty() {
                        out.cut_off = false;
                    }
                }
                Ok(Event::End(_)) => {
                    out.element(&path, value.trim(), &mut record);
                    if inner(&path) == "record" {
                        out.records.push(std::mem::take(&mut record));
                    }
                    path.pop();
                    value.clear();
                    if path.is_empty() {
                        out.cut_off = false;
                    }
                }
                Ok(Event::Text(t)) => value.push_str(&t.decode().unwrap_or_default()),
                Ok(Event::CData(t)) => value.push_str(&t.decode().unwrap_or_default()),
                Ok(Event::GeneralRef(r)) => match (r.resolve_char_ref(), r.decode()) {
                    (Ok(Some(c)), _) => value.push(c),
                    (_, Ok(name)) => value.push_str(quick_xml::escape::resolve_predefined_entity(&name).unwrap_or("?")),
                    _ => value.push('?'),
                },
                Ok(Event::Eof) => return out,
                Ok(Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_)) => {}
                Err(_) => {
                    out.cut_off = true;
                    return out;
                }
            }
        }
    }

    /// Parses the printed output of a run that was ended early, because the tool writes the XML last. Only complete
    /// records count; all other lines are the program's.
    #[must_use]
    pub fn parse_text(text: &str) -> Self {
        let mut out = Self { cut_off: true, ..Self::default() };
        let mut record: Option<FaultRecord> = None;
        for line in text.lines() {
            let Some(line) = line.strip_prefix(MARGIN).map(str::trim) else { continue };
            if let Some(rest) = line.strip_prefix("Invalid ") {
                let mut words = rest.split(' ');
                let (space, direction) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                let size = rest.split_once(" of size ").and_then(|(_, n)| n.split(' ').next()?.parse().ok());
                record = size.map(|size| FaultRecord {
                    kind: "Precise".into(),
                    text: line.into(),
                    space: space.into(),
                    direction: direction.into(),
                    size,
                    ..FaultRecord::default()
                });
                continue;
            }
            let Some(r) = &mut record else { continue };
            if let Some(frame) = line.strip_prefix("at ").or_else(|| line.strip_prefix("Device Frame: ")) {
                r.frames.extend(text_frame(frame));
            } else if let Some((thread, block)) =
                line.strip_prefix("by thread ").and_then(|l| l.split_once(" in block "))
            {
                if let (Some(t), Some(b)) = (triple(thread), triple(block)) {
                    (r.thread, r.block) = (t, b);
                } else {
                    record = None;
                }
            } else if let Some((address, error)) = line.strip_prefix("Access to ").and_then(|l| l.split_once(" is ")) {
                error.clone_into(&mut r.error);
                match number(address) {
                    Some(a) => r.address = a,
                    None => record = None,
                }
            } else if (line.is_empty() || line.starts_with("Saved host"))
                && let Some(mut whole) = record.take().filter(|r| !r.error.is_empty() && !r.frames.is_empty())
            {
                whole.text = format!("{} is {}", whole.text, whole.error);
                out.records.push(whole);
            }
        }
        out
    }

    /// Processes an element at its end.
    fn element(&mut self, path: &[String], value: &str, record: &mut FaultRecord) {
        let full = inner(path);
        // The host's stack contains nothing to compare.
        if path.first().is_some_and(|p| p == ROOT) && full.starts_with("record/hostStack") {
            return;
        }
        let frame = record.frames.last_mut();
        let known = match (path.first().map(String::as_str), full.as_str()) {
            (
                Some(ROOT),
                ""
                | "record"
                | "record/who"
                | "record/who/threadIdx"
                | "record/who/blockIdx"
                | "record/what"
                | "record/where"
                | "record/deviceStack"
                | "record/deviceStack/frame"
                | "record/level"
                | "record/deviceStack/saveLocation"
                | "record/where/pc"
                | "record/deviceStack/frame/pc"
                | "record/where/module"
                | "record/deviceStack/frame/module"
                | "record/what/message"
                | "record/what/result",
            ) => true,
            (Some(ROOT), "record/kind") => {
                value.clone_into(&mut record.kind);
                true
            }
            (Some(ROOT), "record/what/text") => {
                value.clone_into(&mut record.text);
                true
            }
            (Some(ROOT), "record/what/space") => {
                value.clone_into(&mut record.space);
                true
            }
            (Some(ROOT), "record/what/direction") => {
                value.clone_into(&mut record.direction);
                true
            }
            (Some(ROOT), "record/what/api") => {
                value.clone_into(&mut record.api);
                true
            }
            (Some(ROOT), "record/what/error") => {
                value.clone_into(&mut record.error);
                true
            }
            (Some(ROOT), "record/what/size") => number(value).map(|n| record.size = n).is_some(),
            (Some(ROOT), "record/what/address") => number(value).map(|n| record.address = n).is_some(),
            (Some(ROOT), "record/where/func" | "record/deviceStack/frame/func") => {
                frame.map(|f| value.clone_into(&mut f.func)).is_some()
            }
            (Some(ROOT), "record/where/path" | "record/deviceStack/frame/path") => {
                frame.map(|f| value.clone_into(&mut f.path)).is_some()
            }
            (Some(ROOT), "record/where/line" | "record/deviceStack/frame/line") => {
                frame.zip(value.parse().ok()).map(|(f, n)| f.line = n).is_some()
            }
            (Some(ROOT), which) => coordinate(which, record).zip(number(value)).map(|(slot, n)| *slot = n).is_some(),
            _ => false,
        };
        if !known {
            self.unknown.insert(path.join("/"));
        }
    }
}

/// Parses `scale(float *, int)+0xa0 in /project/scale.cu:5`.
fn text_frame(text: &str) -> Option<SourceFrame> {
    let (func, place) = text.rsplit_once(" in ")?;
    let (path, line) = place.rsplit_once(':')?;
    Some(SourceFrame { func: base_name(func), path: path.into(), line: line.parse().ok()? })
}

/// Parses `(1,2,3)`.
fn triple(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.strip_prefix('(')?.strip_suffix(')')?.split(',').map(|n| n.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Path without the root element.
fn inner(path: &[String]) -> String {
    path.get(1..).unwrap_or_default().join("/")
}

fn coordinate<'r>(which: &str, record: &'r mut FaultRecord) -> Option<&'r mut u64> {
    let (of, axis) = which.strip_prefix("record/who/")?.split_once('/')?;
    let axis = match axis {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        _ => return None,
    };
    match of {
        "threadIdx" => Some(&mut record.thread[axis]),
        "blockIdx" => Some(&mut record.block[axis]),
        _ => None,
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Records, SourceFrame};
    use std::path::Path;

    fn golden(name: &str) -> Records {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/confirm/golden").join(name);
        Records::parse(&std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn an_access_is_read_with_its_calls() {
        let r = golden("global_read.xml");
        assert!(!r.cut_off && r.unknown.is_empty(), "{:?}", r.unknown);
        let [one] = r.records.as_slice() else { panic!("{} records", r.records.len()) };
        assert_eq!((one.kind.as_str(), one.thread, one.block), ("Precise", [7, 3, 0], [0; 3]));
        assert_eq!(
            (one.space.as_str(), one.size, one.direction.as_str(), one.error.as_str()),
            ("__global__", 8, "read", "out of bounds")
        );
        assert_eq!(one.address, 0x7f1e_2a80_0700);
        let frame = |func: &str, line| SourceFrame { func: func.into(), path: "/project/global_read.cu".into(), line };
        assert_eq!(one.frames, [frame("load", 5), frame("blur", 11)]);
    }

    #[test]
    fn every_recorded_output_is_understood() {
        for (file, count, direction) in [
            ("atomic", 1, "atomic"),
            ("clean", 0, ""),
            ("constant", 0, ""),
            ("device_global", 4, "write"),
            ("double_free", 1, ""),
            ("invalid_launch", 1, ""),
            ("local", 32, "write"),
            ("memcpy_too_long", 1, ""),
            ("memset_too_long", 1, ""),
            ("misaligned", 3, "write"),
            ("null_pointer", 32, "write"),
            ("host_pointer", 32, "write"),
            ("shared_dynamic", 2, "write"),
            ("shared_neighbour", 0, ""),
            ("shared_static", 15, "write"),
            ("two_lines", 40, "read"),
            ("use_after_free", 32, "write"),
            ("vector", 1, "write"),
            ("launch", 1, "read"),
        ] {
            let r = golden(&format!("{file}.xml"));
            assert!(!r.cut_off && r.unknown.is_empty(), "{file}: {:?}", r.unknown);
            assert_eq!(r.records.len(), count, "{file}");
            assert_eq!(r.records.first().map_or("", |r| r.direction.as_str()), direction, "{file}");
        }
        assert_eq!(
            golden("double_free.xml").records[0].text,
            "Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to cudaFree."
        );
    }

    #[test]
    fn what_is_not_known_is_said() {
        let text = "<ComputeSanitizerOutput><record><kind>Precise</kind><what><width>4</width><size>four</size></what></record></ComputeSanitizerOutput>";
        let r = Records::parse(text);
        assert_eq!(
            r.unknown.iter().map(String::as_str).collect::<Vec<_>>(),
            ["ComputeSanitizerOutput/record/what/size", "ComputeSanitizerOutput/record/what/width"]
        );
        assert!(!r.cut_off && r.records.len() == 1);
        assert!(!Records::parse("<html><body>no such tool</body></html>").unknown.is_empty());
        assert!(Records::parse("").cut_off);
    }

    #[test]
    fn what_came_before_the_end_of_a_cut_off_file_counts() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/confirm/golden/two_lines.xml");
        let text = std::fs::read_to_string(path).unwrap();
        let r = Records::parse(&text[..text.len() / 2]);
        assert!(r.cut_off && r.unknown.is_empty());
        assert!((15..=25).contains(&r.records.len()), "{}", r.records.len());
        assert!(r.records.iter().all(|r| r.frames[0].line == 3 && r.size == 4));
    }

    #[test]
    fn text_says_the_same_as_xml() {
        for file in ["global_read", "atomic", "shared_dynamic", "vector", "misaligned"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/confirm/golden/{file}.txt"));
            let text = Records::parse_text(&std::fs::read_to_string(path).unwrap());
            let mut xml = golden(&format!("{file}.xml"));
            assert_eq!(text.records.len(), xml.records.len(), "{file}");
            for (t, x) in text.records.iter().zip(&mut xml.records) {
                // Another run has other addresses.
                x.address = t.address;
                assert_eq!(t, x, "{file}");
            }
        }
    }

    #[test]
    fn a_record_that_is_not_whole_does_not_count() {
        let whole =
            "=========     by thread (63,0,0) in block (0,0,0)\n=========     Access to 0x4fc is out of bounds\n";
        let text = format!(
            "own output\n========= Invalid __shared__ write of size 4 bytes\n=========     at s(int *)+0xa0 in /project/a.cu:3\n{whole}"
        );
        assert!(Records::parse_text(&text).records.is_empty());
        assert_eq!(Records::parse_text(&format!("{text}========= \n")).records.len(), 1);
        assert!(Records::parse_text("========= Invalid\n========= \n").records.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[<>/a-z&;\" ]{0,200}") { let _ = Records::parse(&text); }
        #[test]
        fn any_lines_are_read(text in "(=========( at | by thread | Invalid | Access to )?[ (),:a-z0-9_]{0,30}\n){0,6}") { let _ = Records::parse_text(&text); }
    }
}
