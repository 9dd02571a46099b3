//! Maps of a grid's blocks and of a block's threads, with those that go wrong.

use super::allocation::grouped;
use finding::steps::StepKind;
use finding::{Finding, Witness};

/// Number of threads of a warp, and of cells of a row where a line of cells is wrapped.
const WARP: u64 = 32;
/// Largest numbers of columns and rows that are drawn.
const COLUMNS: u64 = 64;
const ROWS: u64 = 32;

/// A map of cells; positions are pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellMap {
    pub width: u64,
    pub height: u64,
    /// Size of a cell.
    pub size: u64,
    /// Borders between columns and between rows.
    pub columns: Vec<u64>,
    pub rows: Vec<u64>,
    /// Width of the end of the last row that has no cells.
    pub missing: u64,
    pub wrong: Vec<(u64, u64)>,
    pub caption: String,
}

/// Draws the grid, and the block where its size is known.
#[must_use]
pub fn draw(f: &Finding) -> Vec<CellMap> {
    let (Some(w), Some(launch)) = (&f.witness, &f.launch) else { return vec![] };
    let threads =
        block_size(&launch.block).or_else(|| of_steps(f)).filter(|size| w.thread.iter().zip(size).all(|(i, n)| i < n));
    let mut maps = Vec::new();
    if w.grid.iter().product::<u64>() > 1 {
        maps.extend(map("block", "grid", w.grid, w.block));
    }
    maps.extend(threads.and_then(|size| map("thread", &block(w), size, w.thread)));
    maps
}

fn block(w: &Witness) -> String {
    if w.grid.iter().product::<u64>() > 1 { format!("block {}", triple(w.block)) } else { "the only block".into() }
}

fn triple([x, y, z]: [u64; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// Reads the size of a block from the launch's values in the run: `grid (8, 1, 1), block (256, 1, 1)`.
fn of_steps(f: &Finding) -> Option<[u64; 3]> {
    let launch = f.steps.iter().find(|s| s.kind == StepKind::Launch)?;
    let (_, block) = launch.value.as_ref()?.split_once("block ")?;
    block_size(&block[..=block.find(')')?])
}

/// Reads the size of a block from the launch's expression, if it has numbers only.
#[must_use]
pub fn block_size(text: &str) -> Option<[u64; 3]> {
    let inner = text.trim();
    let inner = inner.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(inner);
    let mut size = [1; 3];
    for (i, part) in inner.split(',').enumerate() {
        *size.get_mut(i)? = part.trim().parse().ok().filter(|n| *n > 0)?;
    }
    Some(size)
}

/// Draws the cells of one plane; a line of cells is wrapped after [`WARP`].
fn map(what: &str, of: &str, size: [u64; 3], at: [u64; 3]) -> Option<CellMap> {
    if at.iter().zip(&size).any(|(i, n)| i >= n) {
        return None;
    }
    let count: u64 = size.iter().product();
    if count == 1 {
        return None;
    }
    let line = size[1] == 1 && size[2] == 1;
    let (columns, rows, column, row) = if line {
        let rows = size[0].div_ceil(WARP);
        (size[0].min(WARP), rows, at[0] % WARP, at[0] / WARP)
    } else {
        (size[0], size[1], at[0], at[1])
    };
    let (left, across) = window(columns, column, COLUMNS);
    let (top, down) = window(rows, row, ROWS);
    let cell = if across > WARP { 5 } else { 10 };
    let (width, height) = (across * cell + 1, down * cell + 1);
    let last = if line && top + down == rows { size[0] % WARP } else { 0 };
    let missing = if last > 0 && rows > 1 { (WARP - last) * cell } else { 0 };
    let mut caption = match (what, of) {
        ("thread", of) => format!("Thread {} of {} in {of} goes wrong.", triple(at), grouped_u(count)),
        _ => format!("Block {} of {} goes wrong.", triple(at), grouped_u(count)),
    };
    if line && rows > 1 {
        caption.push_str(if what == "thread" { " A row is a warp." } else { " A row has 32 blocks." });
    } else if !line {
        caption.push_str(" x to the right, y down");
        caption.push_str(&if size[2] > 1 { format!("; the plane z = {}.", at[2]) } else { ".".into() });
    }
    if (across, down) != (columns, rows) {
        caption.push_str(" Only cells near it are drawn.");
    }
    Some(CellMap {
        width,
        height,
        size: cell,
        columns: (1..across).map(|i| i * cell).collect(),
        rows: (1..down).map(|i| i * cell).collect(),
        missing,
        wrong: vec![((column - left) * cell, (row - top) * cell)],
        caption,
    })
}

fn grouped_u(n: u64) -> String {
    i64::try_from(n).map_or_else(|_| n.to_string(), grouped)
}

/// Returns the first of at most `most` cells around one, and their number.
fn window(count: u64, at: u64, most: u64) -> (u64, u64) {
    if count <= most {
        return (0, count);
    }
    (at.saturating_sub(most / 2).min(count - most), most)
}

#[cfg(test)]
mod tests {
    use super::{block_size, draw, map, window};
    use finding::samples;
    use finding::steps::{Step, StepKind};

    #[test]
    fn only_numbers_are_a_known_size() {
        assert_eq!(block_size("256"), Some([256, 1, 1]));
        assert_eq!(block_size("(16, 8, 2)"), Some([16, 8, 2]));
        for text in ["n", "(n, 1, 1)", "(1, 2, 3, 4)", "0", "", "(16, 8"] {
            assert_eq!(block_size(text), None, "{text}");
        }
    }

    #[test]
    fn the_wrong_thread_stands_in_its_warp() {
        let m = map("thread", "block (0, 0, 0)", [100, 1, 1], [70, 0, 0]).unwrap();
        assert_eq!((m.width, m.height, &m.wrong[..]), (321, 41, &[(60, 20)][..]));
        assert_eq!(m.missing, 280, "the last warp has 4 threads");
        assert!(m.caption.starts_with("Thread (70, 0, 0) of 100 in block (0, 0, 0) goes wrong."), "{}", m.caption);
        let plane = map("thread", "block (0, 0, 0)", [16, 16, 2], [3, 5, 1]).unwrap();
        assert_eq!((plane.width, plane.height, &plane.wrong[..]), (161, 161, &[(30, 50)][..]));
        assert!(plane.caption.contains("the plane z = 1."), "{}", plane.caption);
    }

    #[test]
    fn huge_grids_show_what_is_near() {
        assert_eq!(window(1 << 31, 1 << 30, 64), ((1 << 30) - 32, 64));
        assert_eq!((window(100, 99, 64), window(100, 0, 64)), ((36, 64), (0, 64)));
        let m = map("block", "grid", [1 << 31, 1, 1], [(1 << 31) - 1, 0, 0]).unwrap();
        assert_eq!((m.width, m.height, &m.wrong[..]), (321, 321, &[(310, 310)][..]));
    }

    #[test]
    fn a_launch_with_one_block_has_no_map_of_its_grid() {
        let f = samples::finding();
        assert_eq!(draw(&f).len(), 1);
        let mut computed = f.clone();
        computed.launch.as_mut().unwrap().block = "threads".into();
        computed.steps.clear();
        assert_eq!(draw(&computed), []);
        let step = Step::new(StepKind::Launch, "it is launched").with_value(Some("grid (1, 1, 1), block (16, 4, 1)"));
        computed.steps = vec![step];
        assert_eq!(draw(&computed)[0].width, 161);
        let mut more = f.clone();
        more.witness.as_mut().unwrap().grid = [4, 1, 1];
        assert_eq!(draw(&more).len(), 2);
        more.launch = None;
        assert_eq!(draw(&more), []);
    }
}
