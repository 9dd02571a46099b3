//! Phases up to which nvcc compiles, and their precedence.

/// Phase up to which a command compiles. The order is nvcc's precedence: of several phase flags on one command line it
/// obeys the first in this order, whatever their positions (tried pair by pair against 13.0).
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
    /// Compiles tile kernels only (nvcc 13.5), as do the next two.
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
    /// Returns the suffix of the file that the phase makes of one source; `None` for phases that make one file of all
    /// inputs or none.
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

    /// Whether the phase drops the host half of the source.
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
