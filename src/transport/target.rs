//! The store that a URL names.

use futures_util::TryStreamExt;
use opendal::services::{AzblobConfig, FsConfig, Gcs, Ghac, RedisConfig, S3, WebdavConfig};
use opendal::{Builder, Configurator, ErrorKind, Operator, OperatorUri};
use remote::protocol::{self, StoreAnswer};
use std::time::Duration;

/// Maximum number of characters of a failure's text.
const LONGEST: usize = 200;
/// Maximum length of an entry in bytes. Longer ones, which are none of ours, are not read whole.
const LONGEST_ENTRY: usize = protocol::LONGEST as usize / 2;

/// A store, or why there is none.
#[derive(Clone)]
pub(crate) struct Target {
    operator: Result<Operator, String>,
    /// Texts that no message may show.
    secrets: Vec<String>,
}

/// Failure of an entry on its way to the store.
pub(crate) struct SendFailure {
    /// Reason, in one line without credentials.
    pub why: String,
    /// Whether the store answered, and refused to store.
    pub is_refusal: bool,
}

impl Target {
    /// Opens the store of a URL. Nothing is sent yet.
    pub fn of(url: &str) -> Self {
        let parsed = OperatorUri::new(url, []);
        let secrets = parsed.as_ref().map(secrets).unwrap_or_default();
        let operator = parsed.and_then(|uri| open(&uri)).map_err(|e| one_line(&e.to_string(), &secrets));
        Self { operator, secrets }
    }

    /// Reads an entry.
    pub async fn read(&self, name: &str) -> StoreAnswer {
        match &self.operator {
            Err(why) => StoreAnswer::Failed(why.clone()),
            Ok(operator) => match bounded(operator, name).await {
                Ok(Some(bytes)) => StoreAnswer::Entry(bytes),
                // None of ours.
                Ok(None) => StoreAnswer::Missing,
                Err(e) if e.kind() == ErrorKind::NotFound => StoreAnswer::Missing,
                Err(e) => StoreAnswer::Failed(one_line(&e.to_string(), &self.secrets)),
            },
        }
    }

    /// Writes an entry.
    pub async fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), SendFailure> {
        let operator = self.operator.as_ref().map_err(|why| SendFailure { why: why.clone(), is_refusal: true })?;
        let scheme = operator.info().scheme();
        let mut writing = operator.write_with(name, bytes);
        if scheme == "gcs" {
            // Some servers answer without the type of an object that has none, and their answer is not understood then.
            writing = writing.content_type("application/octet-stream");
        }
        match writing.await {
            Ok(_) => Ok(()),
            // GitHub's cache never replaces an entry.
            Err(e) if e.kind() == ErrorKind::AlreadyExists && scheme == "ghac" => Ok(()),
            Err(e) => Err(SendFailure {
                why: one_line(&e.to_string(), &self.secrets),
                is_refusal: matches!(
                    e.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::Unsupported | ErrorKind::ConfigInvalid
                ),
            }),
        }
    }
}

/// Reads an entry; `None` if it is longer than any of ours.
async fn bounded(operator: &Operator, name: &str) -> opendal::Result<Option<Vec<u8>>> {
    let mut parts = operator.reader(name).await?.into_bytes_stream(..).await?;
    let mut bytes = vec![];
    while let Some(part) = parts.try_next().await.map_err(|e| failure(&e))? {
        bytes.extend_from_slice(&part);
        if bytes.len() > LONGEST_ENTRY {
            return Ok(None);
        }
    }
    Ok(Some(bytes))
}

/// Returns the store's own failure inside of one of a stream.
fn failure(error: &std::io::Error) -> opendal::Error {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => ErrorKind::NotFound,
        _ => ErrorKind::Unexpected,
    };
    opendal::Error::new(kind, error.to_string())
}

/// Opens the store that a URL names.
fn open(uri: &OperatorUri) -> opendal::Result<Operator> {
    match uri.scheme() {
        "azblob" => azure(uri, |name| std::env::var(name).ok()),
        "fs" => folder(uri),
        "gcs" => built::<Gcs>(uri),
        "ghac" => built::<Ghac>(uri),
        "redis" | "rediss" => redis(uri),
        "s3" => built::<S3>(uri),
        "webdav" => webdav(uri),
        other => Err(opendal::Error::new(ErrorKind::Unsupported, "no such store").with_context("scheme", other)),
    }
}

fn built<B: Builder>(uri: &OperatorUri) -> opendal::Result<Operator> {
    Ok(Operator::from_config(B::Config::from_uri(uri)?)?.finish())
}

/// Opens Azure's store, with the credentials of the variables that Azure's own tools read.
fn azure(uri: &OperatorUri, variable: impl Fn(&str) -> Option<String>) -> opendal::Result<Operator> {
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name)).filter(|value| !value.is_empty());
    let mut config = AzblobConfig::from_uri(uri)?;
    config.account_name =
        config.account_name.or_else(|| first(&["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"]));
    config.account_key = config.account_key.or_else(|| first(&["AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_KEY"]));
    config.sas_token = config.sas_token.or_else(|| first(&["AZURE_STORAGE_SAS_TOKEN"]));
    Ok(Operator::from_config(config)?.finish())
}

/// Opens a folder: entries are written aside and renamed.
fn folder(uri: &OperatorUri) -> opendal::Result<Operator> {
    let mut config = FsConfig::from_uri(uri)?;
    config.atomic_write_dir = config.root.as_ref().map(|root| format!("{root}/.writing"));
    Ok(Operator::from_config(config)?.finish())
}

/// Opens Redis. Its own reading of URLs knows no users, no encrypted connections, and no time after which entries go.
fn redis(uri: &OperatorUri) -> opendal::Result<Operator> {
    let authority = uri.authority().unwrap_or_default();
    let options = [
        ("endpoint", Some(format!("{}://{authority}", uri.scheme()))),
        ("username", uri.username().map(str::to_owned)),
        ("password", uri.password().map(str::to_owned)),
    ];
    let mut all = with(uri, "redis", options)?;
    let lifetime = all
        .option("default_ttl")
        .map(str::parse)
        .transpose()
        .map_err(|_| opendal::Error::new(ErrorKind::ConfigInvalid, "default_ttl is no whole number of seconds"))?;
    let without = all.options().iter().filter(|(name, _)| *name != "default_ttl");
    all = OperatorUri::new(&address(&all), without.map(|(name, value)| (name.clone(), value.clone())))?;
    let mut config = RedisConfig::from_uri(&all)?;
    config.default_ttl = lifetime.map(Duration::from_secs);
    Ok(Operator::from_config(config)?.finish())
}

/// Returns a URL without its options and credentials.
fn address(uri: &OperatorUri) -> String {
    format!("{}://{}/{}", uri.scheme(), uri.authority().unwrap_or_default(), uri.root().unwrap_or_default())
}

/// Opens WebDAV: encrypted, unless an option names another endpoint.
fn webdav(uri: &OperatorUri) -> opendal::Result<Operator> {
    let options = [
        ("endpoint", None),
        ("username", uri.username().map(str::to_owned)),
        ("password", uri.password().map(str::to_owned)),
    ];
    let uri = with(uri, "webdav", options)?;
    let mut config = WebdavConfig::from_uri(&uri)?;
    if let Some(endpoint) = uri.option("endpoint") {
        config.endpoint = Some(endpoint.to_owned());
    }
    Ok(Operator::from_config(config)?.finish())
}

/// Returns a URL with further options; options that the URL has stay.
fn with<const N: usize>(
    uri: &OperatorUri,
    scheme: &str,
    more: [(&str, Option<String>); N],
) -> opendal::Result<OperatorUri> {
    let mut options = uri.options().clone();
    let address = address(uri).replacen(uri.scheme(), scheme, 1);
    for (name, value) in more {
        if let Some(value) = value {
            options.entry(name.to_owned()).or_insert_with(|| decoded(&value));
        }
    }
    OperatorUri::new(&address, options)
}

/// Replaces `%40` and the like by the bytes that they stand for.
fn decoded(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|d| u8::from_str_radix(d, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the parts of a URL that may be secret.
fn secrets(uri: &OperatorUri) -> Vec<String> {
    let all = uri.options().values().map(String::as_str).chain(uri.username()).chain(uri.password());
    let mut all: Vec<String> = all.flat_map(|text| [text.to_owned(), decoded(text)]).filter(|s| s.len() > 3).collect();
    // A secret may be part of a longer one.
    all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    all
}

/// Returns a failure's text in one line, without secrets.
fn one_line(text: &str, secrets: &[String]) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = secrets.iter().fold(line, |line, secret| line.replace(secret.as_str(), "…"));
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Target, decoded, one_line};

    #[test]
    fn stores_are_opened_by_their_urls() {
        for url in [
            "fs:///tmp/scuba-of-no-one",
            "s3://bucket/team?region=eu-central-1",
            "gcs://bucket/team",
            "azblob://container/team?endpoint=https://a.example&account_name=a&account_key=AAAA",
            "redis://user:word@localhost:6379/1/team",
            "redis://localhost/0?default_ttl=86400",
            "rediss://localhost/team",
            "webdav://host.example/team",
            "webdav://user:word@host.example/team?endpoint=http://localhost:80",
        ] {
            let opened = Target::of(url);
            assert!(opened.operator.is_ok(), "{url}: {:?}", opened.operator.err());
        }
        let info = Target::of("webdav://host.example/team?endpoint=http://localhost:80").operator.unwrap().info();
        assert_eq!(info.root(), "/team/");
    }

    #[test]
    fn a_failure_is_one_line_without_secrets() {
        let Err(why) = Target::of("redis://localhost/0?default_ttl=hunter2").operator else { panic!("no number") };
        assert!(why.contains("default_ttl is no whole number") && !why.contains("hunter2"), "{why}");
        let Err(why) = Target::of("s3://?secret_access_key=hunter2").operator else { panic!("no bucket") };
        assert!(!why.contains("hunter2") && !why.contains('\n'), "{why}");
        let secrets = Target::of("redis://user:hunter2%40@host/0?token=sesame").secrets;
        let said = one_line("refused\n hunter2@ hunter2%40\t sesame", &secrets);
        assert_eq!(said, "refused … … …");
        assert_eq!(one_line(&"ä".repeat(LONGEST + 1), &[]).chars().count(), LONGEST + 1);
        assert_eq!(decoded("a%40b%zz%"), "a@b%zz%");
    }
}
