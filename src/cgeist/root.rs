//! The CUDA headers that cgeist reads: a toolkit configured for it, else that of the unit's nvcc.
//!
//! cgeist's clang supports CUDA headers up to 12.1 (LLVM 16 and 17: clang's own `__clang_cuda_runtime_wrapper.h`
//! includes `texture_fetch_functions.h`, which CUDA 13 dropped). Instead of a toolkit, an installation of NVIDIA's
//! wheels may be named: a folder with `cuda_runtime`, `cuda_nvcc`, `curand` and `cuda_cccl`. SCuBA makes a folder of
//! links from it, since clang wants a single root.

use super::process::CgeistError;
use base::paths;
use files::normalise;
use frontend::ExtractOptions;
use frontend::clang;
use nvcc::unit::TranslationUnit;
use std::fmt::Write as _;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Advice to name another toolkit, and which ones fit.
pub const NAME_ONE: &str =
    "name a toolkit up to CUDA 12.1, or its headers as wheels, by SCUBA_CGEIST_CUDA or `[frontend] cgeist_cuda`";

/// Newest CUDA version whose headers a cgeist on LLVM 16 or 17 reads.
const NEWEST: (u32, u32) = (12, 1);

/// Files that clang requires of a root (LLVM 16, `CudaInstallationDetector`), and headers that it includes in every
/// unit: path, and the wheel that has it.
const PARTS: [(&str, &str); 7] = [
    ("include/cuda.h", "nvidia-cuda-runtime-cu12"),
    ("include/cuda_runtime.h", "nvidia-cuda-runtime-cu12"),
    ("include/texture_fetch_functions.h", "nvidia-cuda-runtime-cu12"),
    ("include/crt/host_defines.h", "nvidia-cuda-nvcc-cu12"),
    ("include/curand_mtgp32_kernel.h", "nvidia-curand-cu12"),
    // cuRAND's header includes it; versions of this wheel before 12.4 lack it.
    ("include/nv/target", "nvidia-cuda-cccl-cu12"),
    ("nvvm/libdevice", "nvidia-cuda-nvcc-cu12"),
];

/// A CUDA root for cgeist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CudaRoot {
    /// Value of `--cuda-path`.
    pub path: Option<PathBuf>,
    /// Folder that the user named, if any.
    pub named: Option<PathBuf>,
    /// Version of the headers, e.g. `(12, 1)`.
    pub version: Option<(u32, u32)>,
    /// Header folders of the unit's own toolkit, which cgeist must not read if another toolkit is named.
    foreign: Vec<PathBuf>,
}

impl CudaRoot {
    /// Returns the root for a unit.
    ///
    /// # Errors
    /// [`CgeistError::Root`] if cgeist cannot use the named one.
    pub fn of(unit: &TranslationUnit, options: &ExtractOptions) -> Result<Self, CgeistError> {
        let Some(named) = &options.cgeist_cuda else {
            let path = clang::toolkit_root(unit, options);
            let version = path.as_deref().and_then(version);
            return Ok(Self { path, version, ..Self::default() });
        };
        let path = usable(named)?;
        Ok(Self {
            version: version(&path),
            path: Some(path),
            named: Some(named.clone()),
            foreign: clang::toolkit_headers(unit, options),
        })
    }

    /// Whether an include folder of the command belongs to the toolkit that this root replaces.
    #[must_use]
    pub fn replaces(&self, folder: &Path) -> bool {
        self.foreign.iter().any(|f| f == folder)
    }

    /// Returns the folders whose files are not the user's.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + use<> {
        [self.path.clone(), self.named.clone()].into_iter().flatten()
    }

    /// Returns a probable cause of a failure in these headers, to be appended to the message; empty if there is none.
    #[must_use]
    pub fn suspicion(&self) -> String {
        let Some(path) = &self.path else { return format!("; no CUDA toolkit was found: {NAME_ONE}") };
        let mut out = String::new();
        match self.version {
            Some((major, minor)) if (major, minor) > NEWEST => {
                let _ = write!(out, "; these are headers of CUDA {major}.{minor}: {NAME_ONE}");
            }
            _ => {
                if let Some((missing, _)) = PARTS.iter().find(|p| !path.join(p.0).exists()) {
                    let _ = write!(out, "; {} has no {missing}: {NAME_ONE}", path.display());
                }
            }
        }
        out
    }
}

/// Standard library headers that CUDA's macros would break, and the wrappers that precede them. libstdc++ 12 writes
/// `__attribute__((__noinline__))`, and CUDA's `crt/host_defines.h` has a macro of that name; clang has such a wrapper
/// since LLVM 17 (`cuda_wrappers/bits/shared_ptr_base.h`).
const SHIELDED: [(&str, &str); 1] = [(
    "bits/shared_ptr_base.h",
    "#pragma push_macro(\"__noinline__\")\n#undef __noinline__\n#include_next <bits/shared_ptr_base.h>\n#pragma pop_macro(\"__noinline__\")\n",
)];

/// Returns a folder with these wrappers; `None` if it cannot be written: sources that include the headers then fail as
/// before.
pub fn shields() -> Option<PathBuf> {
    let cache = paths::user_cache()?;
    let folder = cache.join("cgeist-headers-1");
    if folder.is_dir() {
        return Some(folder);
    }
    std::fs::create_dir_all(&cache).ok()?;
    let made = tempfile::tempdir_in(&cache).ok()?;
    for (name, text) in SHIELDED {
        let file = made.path().join(name);
        std::fs::create_dir_all(file.parent()?).ok()?;
        std::fs::write(file, text).ok()?;
    }
    if std::fs::rename(made.path(), &folder).is_ok() {
        // The temporary folder was renamed.
        let _ = made.keep();
    }
    folder.is_dir().then_some(folder)
}

/// Reads `(12, 1)` from `#define CUDA_VERSION 12010`.
fn version(root: &Path) -> Option<(u32, u32)> {
    let text = std::fs::read_to_string(root.join("include/cuda.h")).ok()?;
    let n: u32 = text.lines().find_map(|l| l.trim().strip_prefix("#define CUDA_VERSION "))?.trim().parse().ok()?;
    Some((n / 1000, n % 1000 / 10))
}

/// Returns a root in the form that clang wants, for the named folder.
fn usable(named: &Path) -> Result<PathBuf, CgeistError> {
    let refused = |why: String| CgeistError::Root { folder: named.to_owned(), why };
    if !named.is_dir() {
        return Err(refused("is not a folder".into()));
    }
    let root = match WheelFolders::of(named) {
        Some(wheels) => wheels.root().map_err(|e| refused(format!("cannot be made one folder of links: {e}")))?,
        None => named.to_owned(),
    };
    match PARTS.iter().find(|p| !root.join(p.0).exists()) {
        None => Ok(root),
        Some((missing, wheel)) if root != named => Err(refused(format!("lacks {missing}, of the wheel {wheel}"))),
        Some((missing, _)) => Err(refused(format!("lacks {missing}"))),
    }
}

/// Folders of NVIDIA's wheels: `NAME/include` each, and `cuda_nvcc/nvvm`.
struct WheelFolders {
    includes: Vec<PathBuf>,
    nvvm: PathBuf,
    key: String,
}

impl WheelFolders {
    fn of(folder: &Path) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        // `site-packages` itself is accepted too.
        let folder = Some(folder.join("nvidia")).filter(|f| f.join("cuda_runtime").is_dir()).unwrap_or(folder);
        if !folder.join("cuda_runtime/include").is_dir() {
            return None;
        }
        let mut includes: Vec<PathBuf> = std::fs::read_dir(&folder)
            .ok()?
            .flatten()
            .map(|e| e.path().join("include"))
            .filter(|p| p.is_dir())
            .collect();
        includes.sort();
        // Links point to the entries themselves, whatever they contain.
        let mut key = folder.display().to_string();
        for p in &includes {
            let entries = std::fs::read_dir(p).into_iter().flatten().flatten();
            let mut names: Vec<_> = entries.map(|e| e.file_name()).collect();
            names.sort();
            let _ = write!(key, " {} {names:?}", p.display());
        }
        Some(Self { includes, nvvm: folder.join("cuda_nvcc/nvvm"), key })
    }

    /// Returns one folder with links to all of them, made once for each state of the wheels.
    fn root(&self) -> io::Result<PathBuf> {
        let cache = paths::user_cache()
            .ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME names a folder for it"))?;
        let name = blake3::hash(self.key.as_bytes()).to_hex();
        let root = cache.join(format!("cgeist-cuda-{}", &name[..16]));
        if root.join("include").is_dir() {
            return Ok(root);
        }
        std::fs::create_dir_all(&cache)?;
        let made = tempfile::tempdir_in(&cache)?;
        // clang requires both folders, and reads nothing from the second.
        std::fs::create_dir(made.path().join("include"))?;
        std::fs::create_dir(made.path().join("bin"))?;
        for folder in &self.includes {
            for entry in std::fs::read_dir(folder)?.flatten() {
                let link = normalise(&made.path().join("include"), Path::new(&entry.file_name()));
                match symlink(entry.path(), link) {
                    // Every wheel has an `__init__.py`.
                    Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
                    _ => {}
                }
            }
        }
        symlink(&self.nvvm, made.path().join("nvvm"))?;
        match std::fs::rename(made.path(), &root) {
            Ok(()) => {
                // The temporary folder was renamed.
                let _ = made.keep();
                Ok(root)
            }
            // Another unit of the build was first.
            Err(_) if root.join("include").is_dir() => Ok(root),
            Err(e) => Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(folder: &Path, names: &[&str]) {
        for n in names {
            let p = folder.join(n);
            std::fs::create_dir_all(p.parent().unwrap()).unwrap();
            std::fs::write(p, "#define CUDA_VERSION 12010\n").unwrap();
        }
    }

    #[test]
    fn what_is_missing_of_a_root_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let of = || usable(dir.path()).map_err(|e| e.to_string());
        assert!(of().unwrap_err().contains("lacks include/cuda.h"), "{:?}", of());
        for (part, _) in PARTS {
            assert!(of().unwrap_err().contains(&format!("lacks {part}")), "{:?}", of());
            touch(dir.path(), &[part]);
        }
        assert_eq!(of(), Ok(dir.path().to_owned()));
        assert!(usable(&dir.path().join("none")).unwrap_err().to_string().contains("is not a folder"));
        assert_eq!(version(dir.path()), Some((12, 1)));
    }

    #[test]
    fn newer_headers_are_suspected() {
        let dir = tempfile::tempdir().unwrap();
        let of = || {
            let root =
                CudaRoot { path: Some(dir.path().to_owned()), version: version(dir.path()), ..CudaRoot::default() };
            root.suspicion()
        };
        assert!(of().contains("has no include/cuda.h"), "{}", of());
        touch(dir.path(), &PARTS.map(|p| p.0));
        assert_eq!(of(), "");
        std::fs::write(dir.path().join("include/cuda.h"), "#define CUDA_VERSION 13000\n").unwrap();
        assert!(of().starts_with("; these are headers of CUDA 13.0: name a toolkit"), "{}", of());
        assert!(CudaRoot::default().suspicion().contains("no CUDA toolkit was found"));
    }
}
