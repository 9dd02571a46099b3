//! Messages between `scuba` and its helper `scuba-cache-remote`: frames on the helper's standard streams.
//!
//! The first frame on the helper's input is an [`Order`]: the URL passes there, not by a command line, which every user
//! of the machine can read. A frame is its length (four bytes, the lowest first) and a value in postcard.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Maximum length of a frame in bytes: more than any entry has.
pub const LONGEST: u32 = 16 << 20;

/// First message to a helper.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// URL with credentials.
    pub url: String,
    pub task: HelperTask,
}

/// Work of a helper.
#[derive(Debug, Serialize, Deserialize)]
pub enum HelperTask {
    /// Answers requests until its input ends.
    Serve,
    /// Sends the entries of an outbox in this folder, and ends.
    Send { folder: PathBuf },
}

/// Request for an entry.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Number by which its answer names it.
    pub id: u64,
    pub name: String,
}

/// HelperAnswer to a request.
#[derive(Debug, Serialize, Deserialize)]
pub struct HelperAnswer {
    pub id: u64,
    pub found: StoreAnswer,
}

/// HelperAnswer of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoreAnswer {
    Entry(Vec<u8>),
    Missing,
    /// Failure, in one line without credentials.
    Failed(String),
}

/// Writes one frame.
///
/// # Errors
/// If the value is too long, or the stream is closed.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(value).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|n| *n <= LONGEST).ok_or(io::ErrorKind::InvalidInput)?;
    out.write_all(&[&length.to_le_bytes(), bytes.as_slice()].concat())?;
    out.flush()
}

/// Reads one frame.
///
/// # Errors
/// If the stream ends, or holds no such value.
pub fn read<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::{HelperAnswer, StoreAnswer, read, write};

    #[test]
    fn frames_come_back_and_others_are_errors() {
        let mut stream = vec![];
        for id in 0..3 {
            write(&mut stream, &HelperAnswer { id, found: StoreAnswer::Entry(vec![7; 1000]) }).unwrap();
        }
        let mut input = stream.as_slice();
        for id in 0..3 {
            let answer: HelperAnswer = read(&mut input).unwrap();
            assert_eq!((answer.id, answer.found), (id, StoreAnswer::Entry(vec![7; 1000])));
        }
        assert!(read::<HelperAnswer>(&mut input).is_err());
        assert!(read::<HelperAnswer>(&mut &stream[..20]).is_err());
        assert!(read::<HelperAnswer>(&mut &[255; 8][..]).is_err());
    }
}
