//! The form of a fact file.
//!
//! ```text
//! 8 bytes   magic
//! 4 bytes   version of this form        little endian
//! 4 bytes   ir::FORMAT_VERSION
//! 2 bytes   length of the tool's version, then the version
//! 32 bytes  blake3 of all that follows
//! 8 bytes   length of the head, then the head: postcard
//! rest      the body: lz4 block of postcard, its size before it; may be absent
//! ```
//!
//! The head is small and always decoded; the body is the code, decoded only for the units of the program at hand.

use crate::ir;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Changes whenever the head or the form changes.
const FORM_VERSION: u32 = 2;
const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// What kind of facts: each has its own magic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind { Unit, Link }

impl Kind {
    fn magic(self) -> &'static [u8; 8] {
        match self { Self::Unit => b"SCUBA\x01TU", Self::Link => b"SCUBA\x01LN" }
    }
}

/// Why a fact file is ignored.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("is no fact file")]
    Foreign,
    #[error("was written by version {0} of the tool")]
    OtherVersion(String),
    #[error("is damaged or incomplete")]
    Damaged,
}

/// A decoded head with the body still packed.
pub struct Opened<H> { pub head: H, body: Vec<u8> }

impl<H> Opened<H> {
    /// The body; [`ReadError::Damaged`] where there is none or it is not of this type.
    pub fn body<B: DeserializeOwned>(&self) -> Result<B, ReadError> {
        let (size, packed) = lz4_flex::block::uncompressed_size(&self.body).map_err(|_| ReadError::Damaged)?;
        // LZ4 packs at most 255 bytes into one: a size beyond that is no size, and not worth its memory.
        if size / 256 > packed.len() { return Err(ReadError::Damaged); }
        let plain = lz4_flex::block::decompress(packed, size).map_err(|_| ReadError::Damaged)?;
        postcard::from_bytes(&plain).map_err(|_| ReadError::Damaged)
    }
}

/// The bytes of a fact file.
///
/// # Errors
/// When a value cannot be represented (postcard knows no such case for our types).
pub fn encode<H: Serialize, B: Serialize>(kind: Kind, head: &H, body: &B) -> Result<Vec<u8>, postcard::Error> {
    let head = postcard::to_stdvec(head)?;
    let body = lz4_flex::block::compress_prepend_size(&postcard::to_stdvec(body)?);
    let mut rest = Vec::with_capacity(8 + head.len() + body.len());
    rest.extend_from_slice(&(head.len() as u64).to_le_bytes());
    rest.extend_from_slice(&head);
    rest.extend_from_slice(&body);
    let mut bytes = Vec::with_capacity(64 + rest.len());
    bytes.extend_from_slice(kind.magic());
    bytes.extend_from_slice(&FORM_VERSION.to_le_bytes());
    bytes.extend_from_slice(&ir::FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(TOOL_VERSION.len() as u16).to_le_bytes());
    bytes.extend_from_slice(TOOL_VERSION.as_bytes());
    bytes.extend_from_slice(blake3::hash(&rest).as_bytes());
    bytes.extend_from_slice(&rest);
    Ok(bytes)
}

/// Takes the first `n` bytes off.
fn take<'a>(rest: &mut &'a [u8], n: usize) -> Result<&'a [u8], ReadError> {
    let (taken, left) = rest.split_at_checked(n).ok_or(ReadError::Damaged)?;
    *rest = left;
    Ok(taken)
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, ReadError> {
    take(rest, 4)?.try_into().map(u32::from_le_bytes).map_err(|_| ReadError::Damaged)
}

/// Checks a fact file and decodes its head.
///
/// # Errors
/// When it is foreign, of another version, damaged or cut off.
pub fn decode<H: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Result<Opened<H>, ReadError> {
    let mut rest = bytes;
    if take(&mut rest, 8).map_err(|_| ReadError::Foreign)? != kind.magic() { return Err(ReadError::Foreign); }
    let versions = (take_u32(&mut rest)?, take_u32(&mut rest)?);
    let length = take(&mut rest, 2)?.try_into().map(u16::from_le_bytes).map_err(|_| ReadError::Damaged)?;
    let tool = take(&mut rest, usize::from(length))?;
    if versions != (FORM_VERSION, ir::FORMAT_VERSION) || tool != TOOL_VERSION.as_bytes() {
        return Err(ReadError::OtherVersion(String::from_utf8_lossy(tool).into_owned()));
    }
    if take(&mut rest, 32)? != blake3::hash(rest).as_bytes().as_slice() {
        return Err(ReadError::Damaged);
    }
    let head = take(&mut rest, 8)?.try_into().map(u64::from_le_bytes).map_err(|_| ReadError::Damaged)?;
    let head = take(&mut rest, usize::try_from(head).map_err(|_| ReadError::Damaged)?)?;
    let head = postcard::from_bytes(head).map_err(|_| ReadError::Damaged)?;
    Ok(Opened { head, body: rest.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::{Kind, ReadError, decode, encode};

    fn bytes() -> Vec<u8> { encode(Kind::Unit, &("head".to_owned(), 7_u32), &vec![1_u64; 1000]).unwrap() }

    #[test]
    fn head_and_body_come_back_and_the_body_is_packed() {
        let bytes = bytes();
        assert!(bytes.len() < 300, "{}", bytes.len());
        let opened = decode::<(String, u32)>(Kind::Unit, &bytes).unwrap();
        assert_eq!(opened.head, ("head".to_owned(), 7));
        assert_eq!(opened.body::<Vec<u64>>().unwrap(), vec![1; 1000]);
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let good = bytes();
        for n in 0..good.len() {
            assert!(decode::<(String, u32)>(Kind::Unit, &good[..n]).is_err(), "{n} bytes");
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(decode::<(String, u32)>(Kind::Unit, &bad).is_err(), "byte {at} bit {bit}");
            }
        }
    }

    proptest::proptest! {
        /// Files that another version with our version numbers might have written: right hash, any contents.
        #[test]
        fn any_contents_are_decoded_or_refused(head in proptest::collection::vec(0_u8.., 0..200), body in proptest::collection::vec(0_u8.., 0..200)) {
            // A length before each list, as `rest` has it; the file's own bytes stay as they are.
            let mut rest = (head.len() as u64).to_le_bytes().to_vec();
            rest.extend_from_slice(&head);
            rest.extend_from_slice(&body);
            let mut bytes = encode(Kind::Unit, &(), &()).unwrap();
            let fixed = 18 + super::TOOL_VERSION.len();
            bytes.truncate(fixed);
            bytes.extend_from_slice(blake3::hash(&rest).as_bytes());
            bytes.extend_from_slice(&rest);
            if let Ok(opened) = decode::<crate::facts::UnitFacts>(Kind::Unit, &bytes) { let _ = opened.body::<Vec<crate::ir::Module>>(); }
            if let Ok(opened) = decode::<u8>(Kind::Unit, &bytes) { let _ = opened.body::<Vec<crate::ir::Module>>(); }
        }
    }

    #[test]
    fn foreign_files_and_other_versions_are_told_apart() {
        let error = |b: &[u8]| decode::<(String, u32)>(Kind::Unit, b).err().unwrap();
        assert!(matches!(error(b""), ReadError::Foreign));
        assert!(matches!(error(b"\x7fELF and so on, long enough"), ReadError::Foreign));
        assert!(matches!(error(&encode(Kind::Link, &("", 0_u32), &()).unwrap()), ReadError::Foreign));
        let mut other = bytes();
        other[8] += 1;
        assert!(matches!(error(&other), ReadError::OtherVersion(_)));
    }
}
