//! URLs of remote caches.
//!
//! In: the text of a setting. Out: a URL whose scheme names a store that `scuba-cache-remote` knows. A URL may hold
//! credentials: messages show it without them.

use std::fmt;

/// Schemes of the stores, with what must follow `://` in words.
const SCHEMES: [(&str, Host); 8] = [
    ("azblob", Host::Needed("container")),
    ("fs", Host::Absent),
    ("gcs", Host::Needed("bucket")),
    ("ghac", Host::Optional),
    ("redis", Host::Needed("server")),
    ("rediss", Host::Needed("server")),
    ("s3", Host::Needed("bucket")),
    ("webdav", Host::Needed("server")),
];

/// Requirements on the part of a URL between `://` and the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    /// Needed, with the word for it.
    Needed(&'static str),
    Optional,
    /// The path is absolute and follows at once.
    Absent,
}

/// URL of a remote cache.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl(String);

impl RemoteUrl {
    /// Whether a text has the form of a URL, whatever its scheme.
    #[must_use]
    pub fn is_url(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| {
            let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(rest)
        })
    }

    /// Reads a URL.
    ///
    /// # Errors
    /// If it is no URL of a known store; the message shows no credentials.
    pub fn parse(text: &str) -> Result<Self, String> {
        let shown = without_secrets(text);
        let known = || SCHEMES.map(|(name, _)| name).join(", ");
        if !Self::is_url(text) {
            return Err(format!("`{shown}` is no URL of a remote cache: use STORE://…, with STORE one of {}", known()));
        }
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let Some((_, host)) = SCHEMES.iter().find(|(name, _)| *name == scheme) else {
            return Err(format!("`{shown}` names no store of remote caches: use one of {}", known()));
        };
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(format!("`{shown}` has a blank or a control character: write it as %20 and the like"));
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let named = authority.rsplit('@').next().unwrap_or_default();
        match host {
            Host::Needed(word) if named.is_empty() => {
                Err(format!("`{shown}` names no {word}: use {scheme}://{word}/…"))
            }
            Host::Absent if !authority.is_empty() || rest.is_empty() => {
                Err(format!("`{shown}` names no absolute folder: use {scheme}:///FOLDER"))
            }
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// Returns the whole URL, with credentials if it has any.
    #[must_use]
    pub fn with_secrets(&self) -> &str {
        &self.0
    }

    /// Returns the name of the store's kind.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.0.split_once("://").map_or("", |(scheme, _)| scheme)
    }
}

/// Shows the URL without user, password and options.
impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.0))
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteUrl({self})")
    }
}

/// Returns a URL without the parts that may be secret: user, password, options. An `@` after the server may belong to a
/// password with a `/` or `?`: then only the scheme is left.
fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.split(['?', '#', '@']).next().unwrap_or_default().to_owned();
    };
    let (authority, after) = rest.find(['/', '?', '#']).map_or((rest, ""), |at| rest.split_at(at));
    if after.contains('@') {
        return format!("{scheme}://…");
    }
    let path = after.split(['?', '#']).next().unwrap_or_default();
    format!("{scheme}://{}{path}", authority.rsplit('@').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::RemoteUrl;

    #[test]
    fn urls_of_stores_are_read() {
        for text in [
            "s3://bucket",
            "s3://bucket/team/scuba?region=eu-central-1&endpoint=http://localhost:5000",
            "gcs://bucket/x",
            "azblob://container/x?endpoint=https://a.blob.core.windows.net",
            "redis://localhost:6379/0",
            "rediss://user:word@cache.example/1/scuba",
            "webdav://dav.example/scuba",
            "ghac://",
            "ghac:///scuba",
            "fs:///tmp/scuba",
        ] {
            assert_eq!(RemoteUrl::parse(text).unwrap().with_secrets(), text);
        }
    }

    #[test]
    fn other_texts_are_errors_that_say_what_is_allowed() {
        for (text, part) in [
            ("", "is no URL of a remote cache: use STORE://"),
            ("/var/cache/scuba", "is no URL of a remote cache"),
            ("ftp://host/x", "`ftp://host/x` names no store of remote caches: use one of azblob, fs, gcs, ghac, redis"),
            ("s3://", "`s3://` names no bucket: use s3://bucket/…"),
            ("s3:///x", "names no bucket"),
            ("azblob://?x=1", "`azblob://` names no container"),
            ("redis://user@", "names no server"),
            ("fs://folder/x", "names no absolute folder: use fs:///FOLDER"),
            ("fs://", "names no absolute folder"),
            ("s3://bucket/a b", "has a blank or a control character"),
        ] {
            let said = RemoteUrl::parse(text).unwrap_err();
            assert!(said.contains(part), "{text}: {said}");
        }
    }

    #[test]
    fn no_message_has_credentials() {
        let secret = "hunter2";
        for text in
            ["redis://user:hunter2@host:1/0", "s3://bucket/x?secret_access_key=hunter2", "webdav://hunter2@host/x"]
        {
            let url = RemoteUrl::parse(text).unwrap();
            assert!(!format!("{url} {url:?}").contains(secret), "{url}");
        }
        for text in [
            "ftp://user:hunter2@host",
            "s3://user:hunter2@?x=hunter2",
            "other://a:hunter2@b c",
            "other://a:hunter2/x@b",
            "other://a:hunter2?x@b",
            "other://host?x=y@hunter2",
        ] {
            let said = RemoteUrl::parse(text).unwrap_err();
            assert!(!said.contains(secret), "{said}");
        }
        assert_eq!(RemoteUrl::parse("redis://user:a@b@host:1/0?x=1").unwrap().to_string(), "redis://host:1/0");
    }
}
