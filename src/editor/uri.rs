//! Paths as `file` URIs (RFC 8089), and back.

use lsp_types::Uri;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Bytes that a path component must not have unencoded (RFC 3986, `pchar` and `/`).
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Returns the URI of an absolute path.
#[must_use]
pub fn of_path(path: &Path) -> Option<Uri> {
    let encoded = percent_encode(path.as_os_str().as_bytes(), ENCODED);
    Uri::from_str(&format!("file://{encoded}")).ok()
}

/// Returns the path of a `file` URI of this machine.
#[must_use]
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(OsString::from_vec(percent_decode_str(rest).collect()));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::{of_path, path_of};
    use lsp_types::Uri;
    use std::path::Path;
    use std::str::FromStr;

    #[test]
    fn paths_survive_the_way_to_the_client_and_back() {
        for path in ["/a/b.cu", "/with space/ü#1?.cu", "/100%/[x]/{y}|^`.cu", "/a+b@c:d,e.cu"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
        assert_eq!(path_of(&Uri::from_str("file:///a%2Fb.cu").unwrap()).as_deref(), Some(Path::new("/a/b.cu")));
        assert_eq!(path_of(&Uri::from_str("file://localhost/a.cu").unwrap()).as_deref(), Some(Path::new("/a.cu")));
        assert_eq!(path_of(&Uri::from_str("untitled:Untitled-1").unwrap()), None);
        assert_eq!(path_of(&Uri::from_str("file://other/a.cu").unwrap()), None);
    }
}
