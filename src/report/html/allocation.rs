//! Drawing of an allocation and of the wrong access: bytes from left to right, not to scale where that would hide
//! something.

use base::rules::Rule;
use finding::{Direction, Finding, Witness};

/// Least width of a stretch in percent of the drawing, by its kind.
const LEAST_OBJECT: f64 = 30.0;
const LEAST_ACCESS: f64 = 7.0;
const LEAST_GAP: f64 = 10.0;
/// Width of the rest of an object around a part of it, in percent.
const REST: f64 = 22.0;
/// Longest label.
const LABEL: usize = 12;
/// Largest number of elements that are drawn as cells.
const CELLS: i64 = 64;

/// A stretch of bytes; positions are percent of the drawing's width.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteSegment {
    pub class: &'static str,
    pub x: f64,
    pub width: f64,
    /// Name of what lies there, where it has room.
    pub label: String,
    /// Middle of the stretch.
    pub middle: f64,
}

/// A label with a line to the byte that it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteTick {
    pub x: f64,
    pub from: u32,
    pub to: u32,
    pub y: u32,
    pub dx: i32,
    pub anchor: &'static str,
    pub class: &'static str,
    pub text: String,
}

/// A drawing of bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByteDrawing {
    pub segments: Vec<ByteSegment>,
    /// Borders between elements of the object.
    pub cells: Vec<f64>,
    /// Places where the drawing is not to scale.
    pub breaks: Vec<f64>,
    pub ticks: Vec<ByteTick>,
    pub caption: String,
}

/// A stretch of bytes before it is laid out.
struct Stretch {
    start: i64,
    end: i64,
    inside: bool,
    accessed: bool,
}

/// Draws the bytes of a finding with a witness, if its bytes tell something.
#[must_use]
pub fn draw(f: &Finding) -> Option<ByteDrawing> {
    let w = f.witness.as_ref()?;
    let tells = !matches!(f.rule, Rule::InvalidPointer | Rule::FalseAssumption | Rule::Contract | Rule::DoubleFree);
    let width = i64::try_from(f.access.bytes).ok().filter(|n| *n > 0)?;
    let end = w.offset_bytes.checked_add(width)?;
    if !tells || w.extent_bytes < 0 {
        return None;
    }
    let stretches = stretches(w, end);
    let widths = widths(&stretches);
    let mut drawing = ByteDrawing { caption: caption(f, w, end), ..ByteDrawing::default() };
    // A part is drawn within its object, whose rest lies on the side of the access.
    let part = f.access.partition.as_deref();
    let (first, span) = match part {
        None => (0.0, 100.0),
        Some(_) if w.offset_bytes < 0 => (REST, 100.0 - REST),
        Some(_) => (0.0, 100.0 - REST),
    };
    if let Some(part) = part {
        let x = if first > 0.0 { 0.0 } else { span };
        drawing.segments.push(segment("rest", (x, REST), whole(part)));
    }
    let widths: Vec<f64> = widths.iter().map(|width| width * span / 100.0).collect();
    let mut x = first;
    let total: f64 = stretches.iter().map(length).sum();
    for (s, width) in stretches.iter().zip(&widths) {
        let class = match (s.inside, s.accessed) {
            (_, true) => "wrong",
            (true, false) => "object",
            (false, false) => "outside",
        };
        let label = if class == "object" && s.start == 0 { f.access.array.as_str() } else { "" };
        drawing.segments.push(segment(class, (x, *width), label));
        let scaled = (width / span - length(s) / total).abs() < 0.02;
        if !scaled && !s.accessed && length(s) > 0.0 {
            drawing.breaks.push(round(x + width / 2.0));
        } else if s.inside && !s.accessed {
            drawing.cells.extend(cells(s, i64::try_from(f.access.bytes).unwrap_or(i64::MAX), (x, *width)));
        }
        x += width;
    }
    let at = |byte: i64| {
        let mut x = first;
        for (s, width) in stretches.iter().zip(&widths) {
            if byte <= s.start {
                break;
            }
            x += width * ((byte.min(s.end) - s.start) as f64 / length(s).max(1.0));
        }
        round(x)
    };
    ticks(&mut drawing, f, w, end, at);
    Some(drawing)
}

fn segment(class: &'static str, (x, width): (f64, f64), label: &str) -> ByteSegment {
    let label = if label.chars().count() <= LABEL { label.to_owned() } else { String::new() };
    ByteSegment { class, x: round(x), width: round(width), label, middle: round(x + width / 2.0) }
}

/// Returns the name of the object that a part belongs to: the last name in the part's description.
fn whole(part: &str) -> &str {
    part.rsplit('`').nth(1).unwrap_or("it")
}

#[expect(clippy::cast_precision_loss, reason = "a drawing needs no more than 52 bits")]
fn length(s: &Stretch) -> f64 {
    s.end.saturating_sub(s.start) as f64
}

fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// Cuts the bytes from the first to the last that matter at the ends of the object and of the access.
fn stretches(w: &Witness, end: i64) -> Vec<Stretch> {
    let mut cuts = vec![0, w.extent_bytes, w.offset_bytes, end];
    cuts.sort_unstable();
    cuts.dedup();
    let stretch = |pair: &[i64]| {
        let (start, until) = (pair[0], pair[1]);
        Stretch {
            start,
            end: until,
            inside: start >= 0 && until <= w.extent_bytes,
            accessed: start >= w.offset_bytes && until <= end,
        }
    };
    cuts.windows(2).map(stretch).collect()
}

/// Returns widths in percent, in proportion where each stretch remains visible.
fn widths(stretches: &[Stretch]) -> Vec<f64> {
    let total: f64 = stretches.iter().map(length).sum();
    let least = |s: &Stretch| match (s.accessed, s.inside) {
        (true, _) => LEAST_ACCESS,
        (_, true) => LEAST_OBJECT,
        _ => LEAST_GAP,
    };
    let share = |s: &Stretch| 100.0 * length(s) / total.max(1.0);
    let mut fixed: Vec<bool> = vec![false; stretches.len()];
    // Each round fixes the stretches that their share of the rest would hide.
    for _ in 0..stretches.len() {
        let taken: f64 = stretches.iter().zip(&fixed).filter(|(_, f)| **f).map(|(s, _)| least(s)).sum();
        let rest: f64 = stretches.iter().zip(&fixed).filter(|(_, f)| !**f).map(|(s, _)| share(s)).sum();
        let narrow = stretches.iter().zip(&fixed).position(|(s, f)| !f && share(s) * (100.0 - taken) / rest < least(s));
        match narrow {
            Some(i) => fixed[i] = true,
            None => break,
        }
    }
    let taken: f64 = stretches.iter().zip(&fixed).filter(|(_, f)| **f).map(|(s, _)| least(s)).sum();
    let rest: f64 = stretches.iter().zip(&fixed).filter(|(_, f)| !**f).map(|(s, _)| share(s)).sum();
    let of = |(s, fixed): (&Stretch, &bool)| match (fixed, rest > 0.0) {
        // Where all are fixed they share the whole width.
        (true, false) => 100.0 * least(s) / taken,
        (true, true) => least(s),
        (false, _) => share(s) * (100.0 - taken) / rest,
    };
    stretches.iter().zip(&fixed).map(of).collect()
}

fn cells(s: &Stretch, element: i64, (x, width): (f64, f64)) -> Vec<f64> {
    let count = (s.end - s.start) / element;
    if count > CELLS || s.start % element != 0 {
        return vec![];
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 64 cells")]
    let border = |i: i64| round(x + width * (i * element) as f64 / length(s));
    (1..=count).map(border).filter(|b| *b < x + width - 0.1).collect()
}

fn ticks(drawing: &mut ByteDrawing, f: &Finding, w: &Witness, end: i64, at: impl Fn(i64) -> f64) {
    let below = |x: f64, text: String| {
        let (anchor, dx) = anchor(x);
        ByteTick { x, from: 64, to: 72, y: 86, dx, anchor, class: "soft", text }
    };
    drawing.ticks.push(below(at(0), "0".into()));
    if w.extent_bytes > 0 {
        drawing.ticks.push(below(at(w.extent_bytes), grouped(w.extent_bytes)));
    }
    let middle = round(f64::midpoint(at(w.offset_bytes), at(end)));
    let text = match f.access.bytes {
        1 => format!("byte {}", grouped(w.offset_bytes)),
        _ => format!("bytes {} to {}", grouped(w.offset_bytes), grouped(end - 1)),
    };
    let (anchor, dx) = anchor(middle);
    drawing.ticks.push(ByteTick { x: middle, from: 20, to: 30, y: 14, dx, anchor, class: "wrongtext", text });
}

/// Returns the side on which a text has room.
fn anchor(x: f64) -> (&'static str, i32) {
    if x < 25.0 {
        ("start", 0)
    } else if x > 75.0 {
        ("end", 0)
    } else {
        ("middle", 0)
    }
}

fn caption(f: &Finding, w: &Witness, end: i64) -> String {
    let what = match f.access.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Atomic => "atomic access",
    };
    let array = &f.access.array;
    let object = match &f.access.partition {
        Some(part) => {
            let range = part.strip_prefix(&format!("`{array}`: ")).unwrap_or(part);
            format!("`{array}` ({range}) has {} bytes", grouped(w.extent_bytes))
        }
        None => format!("`{array}` has {} bytes", grouped(w.extent_bytes)),
    };
    let (first, last) = (w.offset_bytes, end - 1);
    let distance = if w.extent_bytes == 0 {
        "finds nothing there".to_owned()
    } else if first >= w.extent_bytes {
        match first - w.extent_bytes {
            0 => "begins right behind its end".to_owned(),
            n => format!("begins {} bytes behind its end", grouped(n)),
        }
    } else if last < 0 {
        format!("ends {} bytes before its start", grouped(-last - 1))
    } else if first < 0 {
        "begins before its start".to_owned()
    } else if end > w.extent_bytes {
        format!("reaches {} bytes beyond its end", grouped(end - w.extent_bytes))
    } else if f.rule == Rule::UseAfterFree {
        "is inside it, after it was freed".to_owned()
    } else {
        format!("begins at byte {}", grouped(first))
    };
    format!("{object}; the {what} of {} bytes {distance}.", f.access.bytes)
}

/// Formats a number with a comma behind each group of three digits.
#[must_use]
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if n < 0 { format!("-{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::{draw, grouped};
    use base::rules::Rule;
    use finding::samples;

    fn drawn(offset: i64, extent: i64, bytes: u64) -> super::ByteDrawing {
        let mut f = samples::finding();
        f.access.bytes = bytes;
        let w = f.witness.as_mut().unwrap();
        (w.offset_bytes, w.extent_bytes) = (offset, extent);
        draw(&f).unwrap()
    }

    #[test]
    fn every_stretch_is_seen_and_together_they_fill_the_drawing() {
        let far = 1 << 40;
        for (offset, extent, bytes) in [
            (4, 4, 4),
            (0, 0, 4),
            (-8, 128, 8),
            (far, 64, 1),
            (-far, 1, 1),
            (62, 64, 4),
            (4, 128, 4),
            (0, 4, 4),
            (-2, 1, 8),
        ] {
            let d = drawn(offset, extent, bytes);
            let sum: f64 = d.segments.iter().map(|s| s.width).sum();
            assert!((sum - 100.0).abs() < 0.1, "{offset} {extent} {bytes}: {d:?}");
            assert!(d.segments.iter().all(|s| s.width >= 5.0), "{offset} {extent} {bytes}: {d:?}");
            assert!(d.segments.iter().any(|s| s.class == "wrong"), "{d:?}");
            assert!(d.ticks.iter().all(|t| (0.0..=100.0).contains(&t.x)), "{d:?}");
        }
    }

    #[test]
    fn a_part_is_drawn_within_its_object() {
        let mut f = samples::finding();
        f.access.partition = Some("`a`: bytes 0 to 4 of `pool`".into());
        let d = draw(&f).unwrap();
        let rest = d.segments.iter().find(|s| s.class == "rest").unwrap();
        assert_eq!((rest.label.as_str(), rest.x), ("pool", 78.0));
        f.witness.as_mut().unwrap().offset_bytes = -4;
        let before = draw(&f).unwrap();
        assert_eq!(before.segments[0].x, 0.0);
        assert!(before.ticks.iter().all(|t| t.x >= 20.0), "{before:?}");
    }

    #[test]
    fn the_access_stands_on_its_side_of_the_object() {
        let classes = |d: super::ByteDrawing| d.segments.iter().map(|s| s.class).collect::<Vec<_>>();
        assert_eq!(classes(drawn(128, 128, 4)), ["object", "wrong"]);
        assert_eq!(classes(drawn(160, 128, 4)), ["object", "outside", "wrong"]);
        assert_eq!(classes(drawn(-4, 128, 4)), ["wrong", "object"]);
        assert_eq!(classes(drawn(126, 128, 4)), ["object", "wrong", "wrong"]);
        assert_eq!(classes(drawn(64, 128, 4)), ["object", "wrong", "object"]);
    }

    #[test]
    fn the_caption_says_in_words_what_is_drawn() {
        assert_eq!(drawn(4, 4, 4).caption, "`a` has 4 bytes; the write of 4 bytes begins right behind its end.");
        let far = drawn(1 << 20, 64, 8).caption;
        assert!(far.ends_with("begins 1,048,512 bytes behind its end."), "{far}");
        assert!(drawn(-4, 64, 4).caption.ends_with("ends 0 bytes before its start."));
        let mut f = samples::finding();
        f.rule = Rule::DoubleFree;
        assert_eq!(draw(&f), None);
        assert_eq!((grouped(0), grouped(-1234), grouped(999)), ("0".into(), "-1,234".into(), "999".into()));
    }
}
