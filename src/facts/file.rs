//! Format of a fact file.
//!
//! ```text
//! 8 bytes   magic
//! 4 bytes   version of this format      little endian
//! 4 bytes   ir::FORMAT_VERSION
//! 2 bytes   length of the tool's version, then the version
//! 8 bytes   length of the head          little endian
//! 8 bytes   length of the body
//! head      packed by `files::store`
//! body      packed likewise
//! ```
//!
//! The head is small, and is read for every unit of a build. The body holds the code, and is read only for the units of
//! the program under analysis.

use files::store;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read};
use std::path::PathBuf;

/// Version of the format; changes whenever the head or the format changes.
const FORM_VERSION: u32 = 8;
const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Kind of facts; each kind has its own magic bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind {
    Unit,
    Link,
}

impl FactKind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Unit => b"SCUBA\x01TU",
            Self::Link => b"SCUBA\x01LN",
        }
    }
}

/// Reasons to ignore a fact file.
#[derive(Debug, thiserror::Error)]
pub enum FactFileError {
    #[error("cannot be read: {0}")]
    Io(io::Error),
    #[error("is not a fact file")]
    Foreign,
    #[error("was written by version {0} of the tool")]
    OtherVersion(String),
    #[error("is damaged or incomplete")]
    Damaged,
    #[error("belongs to a build folder that was at {} before", .0.display())]
    Elsewhere(PathBuf),
}

impl From<io::Error> for FactFileError {
    fn from(e: io::Error) -> Self {
        if e.kind() == io::ErrorKind::UnexpectedEof { Self::Damaged } else { Self::Io(e) }
    }
}

/// A decoded head; the body follows in the file.
pub struct FactHead<H> {
    pub head: H,
    body_length: usize,
}

/// Encodes a fact file.
///
/// # Errors
/// When a value cannot be represented (postcard has no such case for our types).
pub fn encode<H: Serialize, B: Serialize>(kind: FactKind, head: &H, body: &B) -> Result<Vec<u8>, postcard::Error> {
    let (head, body) = (store::pack(head)?, store::pack(body)?);
    let mut bytes = Vec::with_capacity(128 + head.len() + body.len());
    bytes.extend_from_slice(kind.magic());
    bytes.extend_from_slice(&FORM_VERSION.to_le_bytes());
    bytes.extend_from_slice(&ir::FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(TOOL_VERSION.len() as u16).to_le_bytes());
    bytes.extend_from_slice(TOOL_VERSION.as_bytes());
    bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&head);
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

fn take<const N: usize>(source: &mut impl Read) -> Result<[u8; N], FactFileError> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Checks a fact file of `length` bytes and decodes its head. Reads no further.
///
/// # Errors
/// When it is foreign, of another version, damaged or truncated.
pub fn open<H: DeserializeOwned>(
    kind: FactKind,
    source: &mut impl Read,
    length: u64,
) -> Result<FactHead<H>, FactFileError> {
    let foreign = |e| if matches!(e, FactFileError::Damaged) { FactFileError::Foreign } else { e };
    if take::<8>(source).map_err(foreign)? != *kind.magic() {
        return Err(FactFileError::Foreign);
    }
    let versions = (u32::from_le_bytes(take(source)?), u32::from_le_bytes(take(source)?));
    let mut tool = vec![0; usize::from(u16::from_le_bytes(take(source)?))];
    source.read_exact(&mut tool)?;
    if versions != (FORM_VERSION, ir::FORMAT_VERSION) || tool != TOOL_VERSION.as_bytes() {
        return Err(FactFileError::OtherVersion(String::from_utf8_lossy(&tool).into_owned()));
    }
    let (head, body) = (u64::from_le_bytes(take(source)?), u64::from_le_bytes(take(source)?));
    let fixed = 8 + 4 + 4 + 2 + tool.len() as u64 + 16;
    // This check also prevents an allocation of a damaged length.
    if head.checked_add(body).and_then(|n| n.checked_add(fixed)) != Some(length) {
        return Err(FactFileError::Damaged);
    }
    let (head, body_length) = (usize::try_from(head), usize::try_from(body));
    let (Ok(head), Ok(body_length)) = (head, body_length) else { return Err(FactFileError::Damaged) };
    let mut bytes = vec![0; head];
    source.read_exact(&mut bytes)?;
    let head = store::unpack(&bytes).ok_or(FactFileError::Damaged)?;
    Ok(FactHead { head, body_length })
}

impl<H> FactHead<H> {
    /// Decodes the body, from the position at which [`open`] left the file.
    ///
    /// # Errors
    /// When it is damaged, or not of this type.
    pub fn body<B: DeserializeOwned>(&self, source: &mut impl Read) -> Result<B, FactFileError> {
        let mut packed = vec![0; self.body_length];
        source.read_exact(&mut packed)?;
        store::unpack(&packed).ok_or(FactFileError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::{FactFileError, FactKind, encode, open};
    use serde::de::DeserializeOwned;

    fn bytes() -> Vec<u8> {
        encode(FactKind::Unit, &("head".to_owned(), 7_u32), &vec![1_u64; 1000]).unwrap()
    }

    fn read<H: DeserializeOwned, B: DeserializeOwned>(bytes: &[u8]) -> Result<(H, B), FactFileError> {
        let mut source = bytes;
        let opened = open::<H>(FactKind::Unit, &mut source, bytes.len() as u64)?;
        let body = opened.body(&mut source)?;
        Ok((opened.head, body))
    }

    fn whole(bytes: &[u8]) -> Result<((String, u32), Vec<u64>), FactFileError> {
        read(bytes)
    }

    #[test]
    fn head_and_body_come_back_and_the_body_is_packed() {
        let bytes = bytes();
        assert!(bytes.len() < 300, "{}", bytes.len());
        assert_eq!(whole(&bytes).unwrap(), (("head".to_owned(), 7), vec![1; 1000]));
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let good = bytes();
        for n in 0..good.len() {
            assert!(whole(&good[..n]).is_err(), "{n} bytes");
            // The head of a truncated file is refused as well.
            assert!(open::<(String, u32)>(FactKind::Unit, &mut &good[..n], n as u64).is_err(), "{n} bytes");
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(whole(&bad).is_err(), "byte {at} bit {bit}");
            }
        }
    }

    proptest::proptest! {
        /// Files that another version with our version numbers might have written: right hashes, any contents.
        #[test]
        fn any_contents_are_decoded_or_refused(head in proptest::collection::vec(0_u8.., 0..200), body in proptest::collection::vec(0_u8.., 0..200)) {
            let mut bytes = encode(FactKind::Unit, &(), &()).unwrap();
            bytes.truncate(18 + super::TOOL_VERSION.len());
            let hashed = |packed: &[u8]| [blake3::hash(packed).as_bytes().as_slice(), packed].concat();
            let (head, body) = (hashed(&lz4_flex::block::compress_prepend_size(&head)), hashed(&body));
            bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
            bytes.extend([head, body].concat());
            let _ = read::<crate::UnitFacts, Vec<ir::Module>>(&bytes);
            let _ = read::<u8, Vec<ir::Module>>(&bytes);
        }
    }

    #[test]
    fn foreign_files_and_other_versions_are_told_apart() {
        let error = |b: &[u8]| whole(b).err().unwrap();
        assert!(matches!(error(b""), FactFileError::Foreign));
        assert!(matches!(error(b"\x7fELF and so on, long enough"), FactFileError::Foreign));
        assert!(matches!(error(&encode(FactKind::Link, &("", 0_u32), &()).unwrap()), FactFileError::Foreign));
        let mut other = bytes();
        other[8] += 1;
        assert!(matches!(error(&other), FactFileError::OtherVersion(_)));
    }
}
