//! The cgeist front end: runs cgeist, reads the MLIR that it prints, and lowers it to the analysis form.

pub mod lower;
pub mod mlir;

use lower::{About, Lowered};

/// Why a text gives no modules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error("cgeist's output cannot be read: {0}")]
    Read(#[from] mlir::ReadError),
    #[error(transparent)]
    Lower(#[from] lower::LowerError),
}

/// Reads and lowers what cgeist printed.
///
/// # Errors
/// Where the text is not MLIR in generic form, or holds no module.
pub fn lower_text(text: &str, about: &About) -> Result<Lowered, TextError> { Ok(lower::lower(&mlir::read(text)?, about)?) }
