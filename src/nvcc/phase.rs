//! Phases up to which nvcc compiles, and their precedence.

/// Phase up to which a command compiles. The order is nvcc's precedence: of several phase flags on one command line it
/// obeys the first in this order, whatever their positions (tried pair by pair against 13.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompilePhase {
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

impl CompilePhase {
    /// Returns the suffix of the file that the phase makes of one source; `None` for phases that make one file of all
    /// inputs or none.
    pub fn suffix(self) -> Option<&'static str> {
        Some(match self {
            CompilePhase::Ptx => "ptx",
            CompilePhase::OptixIr => "optixir",
            CompilePhase::LtoIr => "ltoir",
            CompilePhase::Cubin => "cubin",
            CompilePhase::Fatbin => "fatbin",
            CompilePhase::TileBc => "tilebc",
            CompilePhase::TileFatbin => "tile.fatbin",
            CompilePhase::TileCubin => "tile.cubin",
            CompilePhase::CudaToCxx => "cu.cpp.ii",
            CompilePhase::Compile => "o",
            CompilePhase::Preprocess
            | CompilePhase::Dependencies
            | CompilePhase::DeviceLink
            | CompilePhase::Archive
            | CompilePhase::Link => return None,
        })
    }

    /// Whether the phase drops the host half of the source.
    pub fn device_only(self) -> bool {
        matches!(
            self,
            CompilePhase::Ptx
                | CompilePhase::OptixIr
                | CompilePhase::LtoIr
                | CompilePhase::Cubin
                | CompilePhase::Fatbin
                | CompilePhase::TileBc
                | CompilePhase::TileFatbin
                | CompilePhase::TileCubin
        )
    }

    /// Whether the phase keeps no result of sources in other languages than CUDA: nvcc compiles them into a temporary
    /// file.
    pub fn keeps_cuda_only(self) -> bool {
        self.device_only() || self == CompilePhase::CudaToCxx
    }
}
