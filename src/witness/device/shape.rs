//! Which threads a launch runs: its configuration, its attributes and those of its kernel together (CUDA C++ Programming Guide 13.0, Thread
//! Block Clusters and Blocks as Clusters).
//!
//! In: a kernel, the numbers that it is launched with. Out: the grid and block that run, that the launch is refused, or that it cannot be told.

use super::outcome::Fate;
use crate::ir::FuncRef;
use crate::models::launches::{self, Effect};
use crate::witness::library::arguments::read;
use crate::witness::machine::call::Stop;
use crate::witness::machine::state::Machine;
use crate::witness::machine::thread::Thread;
use crate::witness::machine::value::{Val, low32};

/// What a launch is made with.
pub struct Configuration {
    pub grid: [Val; 3],
    pub block: [Val; 3],
    pub shared: Val,
    pub attributes: Attributes,
}

/// Attributes of a launch that decide which threads run.
#[derive(Default)]
pub struct Attributes {
    /// Blocks of a cluster along each axis.
    pub cluster: Option<[Val; 3]>,
    /// All blocks must be on the device at the same time.
    pub cooperative: bool,
    /// Why it is not known what runs.
    pub open: Option<String>,
}

/// Attributes of one launch that are read.
const MOST: u64 = 16;

/// A grid and a block.
pub type Dimensions = ([u32; 3], [u32; 3]);

impl Machine<'_> {
    /// The attributes of a `cudaLaunchConfig_t`.
    pub fn launch_attributes(&mut self, th: &Thread, config: Val) -> Result<Attributes, Stop> {
        let mut out = Attributes::default();
        let at = |of: Val, offset: u64| Val { bits: of.bits + offset, ..of };
        let count = read(self, th, at(config, launches::COUNT_AT), 32)?;
        let Some(count) = count.known().filter(|n| *n <= MOST) else {
            out.open = Some("its attributes could not be read".to_owned());
            return Ok(out);
        };
        if count == 0 {
            return Ok(out);
        }
        let list = read(self, th, at(config, launches::LIST_AT), 64)?;
        for i in 0..count {
            let one = at(list, i * launches::ATTRIBUTE_BYTES);
            let Some(id) = read(self, th, one, 32)?.known() else {
                out.open = Some("its attributes could not be read".to_owned());
                return Ok(out);
            };
            let value = at(one, launches::VALUE_AT);
            match launches::effect(low32(id)) {
                Effect::Nothing => {}
                Effect::Cooperative => match read(self, th, value, 32)?.known() {
                    Some(n) => out.cooperative |= n != 0,
                    None => out.open = Some("whether it is cooperative is not known".to_owned()),
                },
                Effect::MayBeRefused => out.open = Some(format!("it has the attribute {id}")),
                Effect::Cluster => {
                    if out.cluster.is_some() {
                        out.open = Some("its cluster is set twice".to_owned());
                    }
                    let mut axes = [Val::ZERO; 3];
                    for (k, axis) in (0u64..).zip(&mut axes) {
                        *axis = read(self, th, at(value, 4 * k), 32)?;
                    }
                    out.cluster = Some(axes);
                }
                Effect::Unknown(name) => out.open = Some(format!("it has the attribute `{name}`")),
            }
        }
        Ok(out)
    }

    /// What runs of a launch with these numbers; otherwise what becomes of it.
    pub fn shape(
        &self,
        kernel: FuncRef,
        (grid, block): Dimensions,
        attributes: &Attributes,
    ) -> Result<Dimensions, Fate> {
        let open = |why: &str| Err(Fate::Open(why.to_owned()));
        if let Some(why) = &attributes.open {
            return open(why);
        }
        let shape = self.program.func(kernel).shape;
        if shape.unread {
            return open("the block or cluster sizes of the kernel's attributes are not known");
        }
        let asked = attributes.cluster.map(numbers);
        let required = self.cuda.clusters.get(&kernel).map(|axes| numbers(*axes)).filter(|c| *c != Some([0; 3]));
        let Some(declared) = shape.block else {
            let set = [shape.cluster.map(Some), asked, required];
            let Some(all) = set.into_iter().flatten().collect::<Option<Vec<[u32; 3]>>>() else {
                return open("the cluster is not known");
            };
            let Some(cluster) = all.first().copied() else {
                return if shape.names_no_cluster { open("no cluster is set") } else { Ok((grid, block)) };
            };
            if all.iter().any(|c| *c != cluster) || cluster.contains(&0) {
                return open("its clusters contradict each other");
            }
            return if grid.iter().zip(cluster).any(|(g, c)| g % c != 0) {
                Err(Fate::Refused)
            } else if launches::is_portable(cluster, shape.most_blocks) {
                Ok((grid, block))
            } else {
                open("whether the device takes so large a cluster")
            };
        };
        if asked.is_some() || required.is_some() {
            return open("the cluster of a `__block_size__` kernel is set once more");
        }
        if block != [1; 3] && block != declared {
            return open("it gives another block than the kernel's `__block_size__`");
        }
        let cluster = shape.cluster.unwrap_or([1; 3]);
        if !launches::is_portable(cluster, shape.most_blocks) {
            return open("whether the device takes so large a cluster");
        }
        let blocks = [0, 1, 2].map(|i| grid[i].saturating_mul(cluster[i]));
        Ok((blocks, declared))
    }

    /// Whether the threads of these blocks may be a launch of the kernel.
    pub fn may_be_launched(&self, kernel: FuncRef, (grid, block): Dimensions) -> Result<(), Fate> {
        let shape = self.program.func(kernel).shape;
        if shape.unread || shape.names_no_cluster {
            return Err(Fate::Open("the block or cluster sizes of its launches are not known".to_owned()));
        }
        let multiple = grid.iter().zip(shape.cluster.unwrap_or([1; 3])).all(|(g, c)| g % c == 0);
        if multiple && shape.block.is_none_or(|b| b == block) { Ok(()) } else { Err(Fate::Refused) }
    }

    /// `cudaFuncSetAttribute` for the cluster along an axis; along any where that is not known.
    pub fn require_cluster(&mut self, kernel: FuncRef, axis: Option<i64>, value: Val) {
        let axes = self.cuda.clusters.entry(kernel).or_insert([Val::ZERO; 3]);
        for (i, held) in (0..).zip(axes) {
            if axis.is_none_or(|a| a == i) {
                *held = value;
            }
        }
    }
}

/// Blocks along each axis, if all are known.
fn numbers(axes: [Val; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = axes.map(|v| v.known().map(low32));
    Some([x?, y?, z?])
}
