//! Key of a team, and the signature of an entry.
//!
//! In: the text of a key; an entry with its name. Out: the signed entry; later, the entry, if this key has signed it
//! under this name.

use std::fmt;
use std::path::Path;

/// First bytes of a signed entry, with the version of its form.
const MAGIC: &[u8] = b"scuba-entry-1\n";
/// Minimum length of a key's text in bytes.
const SHORTEST: usize = 16;
/// Context of the key's derivation (blake3's `derive_key`).
const CONTEXT: &str = "scuba remote cache 2026-11-30 signature of entries";

/// Environment variable that holds the key. No helper gets it.
pub const KEY_VARIABLE: &str = "SCUBA_CACHE_KEY";

/// Key that signs the entries of a team. Who has it may write entries that others of the team believe.
#[derive(Clone, PartialEq, Eq)]
pub struct TeamKey([u8; 32]);

impl TeamKey {
    /// Derives a key from its text, without white space around it.
    ///
    /// # Errors
    /// If the text is too short to be a key; the message does not show it.
    pub fn of(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() < SHORTEST {
            return Err(format!(
                "has {} characters: use at least {SHORTEST}, for example of `openssl rand -hex 32`",
                text.len()
            ));
        }
        Ok(Self(blake3::derive_key(CONTEXT, text.as_bytes())))
    }

    /// Reads a key from a file.
    ///
    /// # Errors
    /// If the file cannot be read, or holds no key.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{} cannot be read ({e})", path.display()))?;
        Self::of(&text).map_err(|why| format!("{} {why}", path.display()))
    }

    /// Signs an entry.
    #[must_use]
    pub fn seal(&self, name: &str, entry: &[u8]) -> Vec<u8> {
        [MAGIC, self.signature(name, entry).as_bytes(), entry].concat()
    }

    /// Returns the entry in signed bytes.
    ///
    /// # Errors
    /// If this key has not signed these bytes under this name; the message says so in few words.
    pub fn open<'e>(&self, name: &str, sealed: &'e [u8]) -> Result<&'e [u8], &'static str> {
        let rest = sealed.strip_prefix(MAGIC).ok_or("it has no signature")?;
        let (signature, entry) = rest.split_first_chunk::<32>().ok_or("it is cut off")?;
        // `blake3::Hash` compares in constant time.
        if self.signature(name, entry) == blake3::Hash::from_bytes(*signature) {
            Ok(entry)
        } else {
            Err("another key signed it, or it was changed")
        }
    }

    fn signature(&self, name: &str, entry: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(entry);
        hasher.finalize()
    }
}

/// Shows nothing of the key.
impl fmt::Debug for TeamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TeamKey")
    }
}

#[cfg(test)]
mod tests {
    use super::{SHORTEST, TeamKey};

    fn key(text: &str) -> TeamKey {
        TeamKey::of(text).unwrap()
    }

    #[test]
    fn only_what_this_key_signed_under_this_name_is_an_entry() {
        let ours = key("the key of our team");
        let sealed = ours.seal("readings/00", b"entry");
        assert_eq!(ours.open("readings/00", &sealed), Ok(&b"entry"[..]));
        assert!(ours.open("readings/01", &sealed).is_err());
        assert!(key("the key of their team").open("readings/00", &sealed).is_err());
        for n in 0..sealed.len() {
            assert!(ours.open("readings/00", &sealed[..n]).is_err(), "{n} bytes");
            let mut changed = sealed.clone();
            changed[n] ^= 1;
            assert!(ours.open("readings/00", &changed).is_err(), "byte {n}");
        }
        // The border between name and entry counts.
        assert!(ours.open("readings/00e", &ours.seal("readings/00", b"entry")).is_err());
    }

    #[test]
    fn a_key_is_long_enough_and_never_shown() {
        let text = "x".repeat(SHORTEST - 1);
        let said = TeamKey::of(&text).unwrap_err();
        assert!(said.starts_with("has 15 characters: use at least 16") && !said.contains(&text), "{said}");
        assert!(TeamKey::of(" \n\t                        ").is_err());
        assert_eq!(key("  0123456789abcdef\n"), key("0123456789abcdef"));
        assert_eq!(format!("{:?}", key("0123456789abcdef")), "TeamKey");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(TeamKey::read(&path).unwrap_err().contains("cannot be read"));
        std::fs::write(&path, "0123456789abcdef\n").unwrap();
        assert_eq!(TeamKey::read(&path), Ok(key("0123456789abcdef")));
    }
}
