//! nvcc's rules for quotes, backslashes and commas.
//!
//! In: the bytes of a value, of an environment variable or of an options file. Out: words. This module knows no flags.
//!
//! The rules were found by giving nvcc 13.0 a host compiler that prints its arguments (`tests/build/quoting.rs` repeats
//! that):
//! - a list value is cut at commas outside double quotes; a backslash takes the next byte literally and is dropped;
//!   quotes stay in the items; empty items vanish. Single quotes have no effect here;
//! - paths (`-I`, `-isystem`, `-include`) then lose their quotes, macros keep them, and `-Xcompiler` items are words
//!   for a shell;
//! - `NVCC_PREPEND_FLAGS` and `NVCC_APPEND_FLAGS` are cut at spaces and tabs outside double quotes, nothing else
//!   changes;
//! - options files lose quotes and backslashes once, then unescaped quotes once more. They have no comments.

/// Cuts a list value into its items.
pub fn list(value: &[u8]) -> Vec<Vec<u8>> {
    let mut items = Vec::new();
    let mut item = Vec::new();
    let mut quoted = false;
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => item.extend(bytes.next()),
            b'"' => {
                quoted = !quoted;
                item.push(byte);
            }
            b',' if !quoted => items.push(std::mem::take(&mut item)),
            _ => item.push(byte),
        }
    }
    items.push(item);
    items.retain(|item| !item.is_empty());
    items
}

/// Removes the quotes of an item that names a path.
pub fn path(item: &[u8]) -> Vec<u8> {
    item.iter().copied().filter(|&byte| byte != b'"').collect()
}

/// Returns an item that defines a macro as the host compiler receives it: nvcc writes it between double quotes for a
/// shell, which drops a backslash before a backslash, `$` or a backquote.
pub fn macro_definition(item: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(item.len());
    let mut bytes = item.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && matches!(bytes.peek(), Some(b'\\' | b'$' | b'`')) {
            text.extend(bytes.next());
        } else {
            text.push(byte);
        }
    }
    text
}

/// Returns `-Xcompiler` items as the host compiler receives them: nvcc joins them by spaces into a shell command.
pub fn host_words(items: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    // Text that a shell would refuse makes nvcc fail; then the analysis does not run.
    let line = items.join(&b' ');
    let mut shell = shlex::bytes::Shlex::new(&line);
    words.extend(&mut shell);
    if shell.had_error { items.to_vec() } else { words }
}

/// Cuts `NVCC_PREPEND_FLAGS` or `NVCC_APPEND_FLAGS` into words.
pub fn environment(value: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut quoted = false;
    for &byte in value {
        if byte == b'"' {
            quoted = !quoted;
        }
        if !quoted && matches!(byte, b' ' | b'\t') {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(byte);
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Cuts an options file into words.
pub fn options_file(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quoted = false;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            b'"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            b' ' | b'\t' | b'\n' | b'\r' if !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(|word| unescaped_quotes_removed(&word)).collect()
}

fn unescaped_quotes_removed(word: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(word.len());
    let mut previous = 0;
    for &byte in word {
        if byte != b'"' || previous == b'\\' {
            text.push(byte);
        }
        previous = byte;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: Vec<Vec<u8>>) -> Vec<String> {
        words.into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
    }

    /// Compares with the arguments that the host compiler received from nvcc 13.0 for `-D VALUE`.
    #[test]
    fn macros() {
        for (given, received) in [
            (r#"A="x y""#, vec![r#"A="x y""#]),
            (r#"A=\"x\""#, vec![r#"A="x""#]),
            (r"A='x y'", vec![r"A='x y'"]),
            (r#"A="x,y",B="c""#, vec![r#"A="x,y""#, r#"B="c""#]),
            (r#"A=\"x,y\",B"#, vec![r#"A="x"#, r#"y""#, "B"]),
            (r"A=x\,y", vec!["A=x,y"]),
            ("F(a,b)=a", vec!["F(a", "b)=a"]),
            ("A,,B", vec!["A", "B"]),
            ("A=", vec!["A="]),
            ("", vec![]),
        ] {
            let items = list(given.as_bytes()).iter().map(|item| macro_definition(item)).collect();
            assert_eq!(text(items), received, "{given}");
        }
    }

    #[test]
    fn paths() {
        for (given, received) in [
            ("inc,d", vec!["inc", "d"]),
            (r#""inc dir""#, vec!["inc dir"]),
            (r#""inc"/x,d"#, vec!["inc/x", "d"]),
            (r#""inc,d""#, vec!["inc,d"]),
            ("'inc,d'", vec!["'inc", "d'"]),
        ] {
            let items = list(given.as_bytes()).iter().map(|item| path(item)).collect();
            assert_eq!(text(items), received, "{given}");
        }
    }

    #[test]
    fn host_compiler_options() {
        for (given, received) in [
            ("-Wall,-Wextra", vec!["-Wall", "-Wextra"]),
            ("-Wall -Wextra", vec!["-Wall", "-Wextra"]),
            (",-Wall,,", vec!["-Wall"]),
            (r#"-DX=\"a b\""#, vec!["-DX=a b"]),
            (r#""-DX=\"a b\"""#, vec!["-DX=a", "b"]),
            (r#"-DX=\"a\ b\""#, vec!["-DX=a b"]),
            (r#"-DX=\\\"a\\\""#, vec![r#"-DX="a""#]),
            (r"-DX=a\,b", vec!["-DX=a,b"]),
            (r#""-DX=a\,b,-DY""#, vec!["-DX=a,b,-DY"]),
            ("-DX='a,b',-DY", vec!["-DX=a b", "-DY"]),
            ("'-DX=a b'", vec!["-DX=a b"]),
            ("-DX='a", vec!["-DX='a"]),
            ("", vec![]),
        ] {
            assert_eq!(text(host_words(&list(given.as_bytes()))), received, "{given}");
        }
    }

    /// Compares with the arguments that the host compiler received for a `-D` in an options file.
    #[test]
    fn options_files() {
        for (given, received) in [
            (r#"-DA="x y""#, vec!["A=x y"]),
            (r#"-DA=\"x\""#, vec!["A=x"]),
            (r#""-DA=x y""#, vec!["A=x y"]),
            (r"-DA=x\ y", vec!["A=x y"]),
            (r"-DA=\\x", vec!["A=x"]),
            (r"-DA=\\\\x", vec![r"A=\x"]),
            (r"-DA=\\\\\\\\x", vec![r"A=\x"]),
            (r"-DA=x\,y -DB", vec!["A=x", "y", "B"]),
            (r"-DA=x\\,y", vec!["A=x,y"]),
            (r#"-DA=\\\"x\\\""#, vec![r#"A="x""#]),
            (r#"-DA="\"x y\"""#, vec!["A=x y"]),
            (r#"-DA="x\\\"y""#, vec![r#"A=x"y"#]),
            (r#"-DA=a"b c"d"#, vec!["A=ab cd"]),
            ("-DA\r\n-DB\t-DC", vec!["A", "B", "C"]),
            ("", vec![]),
        ] {
            let received_now = options_file(given.as_bytes())
                .iter()
                .flat_map(|word| list(word.strip_prefix(b"-D").unwrap()))
                .map(|item| macro_definition(&item))
                .collect();
            assert_eq!(text(received_now), received, "{given}");
        }
    }

    #[test]
    fn flags_of_the_environment() {
        for (given, words) in [
            (r#"-DA="x y" -DB"#, vec![r#"-DA="x y""#, "-DB"]),
            ("-DA\t-DB", vec!["-DA", "-DB"]),
            ("-DA\n-DB", vec!["-DA\n-DB"]),
            (r"-DA=\\x", vec![r"-DA=\\x"]),
            ("  ", vec![]),
        ] {
            assert_eq!(text(environment(given.as_bytes())), words, "{given}");
        }
    }
}
