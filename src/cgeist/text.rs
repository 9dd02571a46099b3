//! Reads and lowers cgeist's output; it runs nothing.

use super::lower::module::{LowerError, LoweredModules, lower};
use super::lower::unit::SourceFacts;
use super::mlir;
use super::signs;

/// Reason why a text yields no modules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error("cgeist's output cannot be read: {0}")]
    Read(#[from] mlir::MlirSyntaxError),
    #[error(transparent)]
    Lower(#[from] LowerError),
}

/// Reads and lowers cgeist's output.
///
/// # Errors
/// Fails if the text is not MLIR in generic form, or holds no module.
pub fn lower_text(text: &str, about: &SourceFacts) -> Result<LoweredModules, TextError> {
    let mut module = mlir::read(text)?;
    let texts: Vec<&str> = std::iter::once(&about.text).chain(&about.headers).map(String::as_str).collect();
    signs::settle(&mut module, &texts);
    Ok(lower(&module, about)?)
}
