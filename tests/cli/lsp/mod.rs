//! `scuba lsp` as a client meets it: a session over its standard input and output.

mod sessions;

use crate::Project;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longest wait for one message: the check of a small program takes seconds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client of the language server.
struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    number: i64,
    /// Everything that the server has said, and what was asked, with the project's folder as `ROOT`.
    record: Vec<String>,
    root: String,
}

/// Reads one message of the protocol; `None` at the end.
fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", n)) => length = n.parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

impl Client {
    /// Starts a server for a project, in an environment of its own.
    fn new(p: &Project, cache: &Path, change: impl FnOnce(&mut Command)) -> Self {
        let mut command = p.command();
        command
            .arg("lsp")
            .env("SCUBA_CACHE", cache)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        change(&mut command);
        let mut server = command.spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let root = p.root().to_string_lossy().into_owned();
        Self { server, input, messages, number: 0, record: vec![], root }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.root)
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn note(&mut self, arrow: &str, message: &Value) {
        let mut shown = message.clone();
        shown.as_object_mut().unwrap().remove("jsonrpc");
        let text = serde_json::to_string_pretty(&shown).unwrap().replace(&self.root, "ROOT");
        self.record.push(format!("{arrow} {text}"));
    }

    fn notify(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.note("->", &message);
        self.write(&message);
    }

    /// The next message that is wanted; others are recorded.
    #[track_caller]
    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|e| {
                panic!("no {what}: {e}; so far:\n{}", self.record.join("\n"));
            });
            self.note("<-", &message);
            // Whatever the server asks (`window/workDoneProgress/create`) is granted.
            if let Some(id) = message.get("id").filter(|_| message.get("method").is_some()) {
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": null});
                self.write(&answer);
            }
            if wanted(&message) {
                return message;
            }
        }
    }

    /// The answer to a request.
    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let id = self.number;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.note("->", &message);
        self.write(&message);
        let answer = self.wait(method, |m| m["id"] == id && m.get("method").is_none());
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Begins the session.
    #[track_caller]
    fn initialize(&mut self, extra: &Value) -> Value {
        let mut params = json!({
            "processId": null,
            "rootUri": self.uri("").trim_end_matches('/'),
            "capabilities": {"window": {"workDoneProgress": true}},
        });
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let offered = self.ask("initialize", params);
        self.notify("initialized", json!({}));
        offered
    }

    fn open(&mut self, name: &str, text: &str) {
        let item = json!({"uri": self.uri(name), "languageId": "cuda-cpp", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
    }

    fn save(&mut self, name: &str) {
        let uri = self.uri(name);
        self.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    }

    /// Replaces a range of an open file: line and column of its start and end.
    fn change(&mut self, name: &str, version: i64, range: [u32; 4], text: &str) {
        let [line, column, to, end] = range;
        let range = json!({"start": {"line": line, "character": column}, "end": {"line": to, "character": end}});
        let document = json!({"uri": self.uri(name), "version": version});
        let changes = json!([{"range": range, "text": text}]);
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// The next diagnostics of a file.
    #[track_caller]
    fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let message = self.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri.as_str()
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    #[track_caller]
    fn hover(&mut self, name: &str, line: u32, character: u32) -> Option<String> {
        let at = json!({"line": line, "character": character});
        let hover = self.ask("textDocument/hover", json!({"textDocument": {"uri": self.uri(name)}, "position": at}));
        hover["contents"]["value"].as_str().map(str::to_owned)
    }

    #[track_caller]
    fn actions(&mut self, name: &str, line: u32, diagnostics: &[Value]) -> Vec<Value> {
        let at = json!({"line": line, "character": 0});
        let params = json!({
            "textDocument": {"uri": self.uri(name)},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": diagnostics},
        });
        self.ask("textDocument/codeAction", params).as_array().unwrap().clone()
    }

    /// Ends the session as the protocol says; returns the server's exit status.
    #[track_caller]
    fn end(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        let status = self.server.wait().unwrap();
        let mut said = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "", "a server says nothing beside the protocol");
        status.code().unwrap_or(-1)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // After a failed assertion.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
