//! The stages up to which nvcc compiles, and which of several that are asked for it takes.

/// How far a command compiles. The order is nvcc's preference: of several phase flags on one command line it obeys the first
/// of these, wherever they stand (tried pair by pair against 13.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// `-E`: standard output, or `-o`.
    Preprocess,
    /// `-M`, `-MM` without compiling.
    Dependencies,
    Ptx,
    OptixIr,
    LtoIr,
    Cubin,
    Fatbin,
    /// What tile kernels become, and nothing else (nvcc 13.5).
    TileBc,
    TileFatbin,
    TileCubin,
    /// `-cuda`: C++ for the host compiler.
    CudaToCxx,
    Compile,
    DeviceLink,
    Archive,
    /// The default.
    Link,
}

impl Phase {
    /// Suffix of the file that the phase makes of one source; `None` for phases that make one file of all inputs or none.
    pub fn suffix(self) -> Option<&'static str> {
        Some(match self {
            Phase::Ptx => "ptx",
            Phase::OptixIr => "optixir",
            Phase::LtoIr => "ltoir",
            Phase::Cubin => "cubin",
            Phase::Fatbin => "fatbin",
            Phase::TileBc => "tilebc",
            Phase::TileFatbin => "tile.fatbin",
            Phase::TileCubin => "tile.cubin",
            Phase::CudaToCxx => "cu.cpp.ii",
            Phase::Compile => "o",
            Phase::Preprocess | Phase::Dependencies | Phase::DeviceLink | Phase::Archive | Phase::Link => return None,
        })
    }

    /// Whether the host half of the source is dropped.
    pub fn device_only(self) -> bool {
        matches!(
            self,
            Phase::Ptx
                | Phase::OptixIr
                | Phase::LtoIr
                | Phase::Cubin
                | Phase::Fatbin
                | Phase::TileBc
                | Phase::TileFatbin
                | Phase::TileCubin
        )
    }
}
