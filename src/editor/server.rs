//! The loop of the server: messages of the client, ends of checks, and reports that others have written.

use super::EditorTools;
use super::actions;
use super::checks::{AskedCheck, CheckQueue, FinishedCheck};
use super::diagnostics::{DiagnosticContext, range_in, range_of};
use super::hover;
use super::protocol::{CHECK_FILE, ClientAgreement};
use super::reports::KnownReports;
use super::text::{OpenText, byte};
use super::uri;
use super::view;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionParams, Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, ExecuteCommandParams, Hover, HoverContents, HoverParams, LogMessageParams,
    MarkupContent, MarkupKind, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    PublishDiagnosticsParams, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime};

/// Pause between two looks for reports that others have written.
const PAUSE: Duration = Duration::from_secs(2);

/// Time without a change after which a build without `scuba build` counts as finished.
const QUIET: Duration = Duration::from_secs(6);

/// Endings of sources that are checked when they are saved, and of headers that a source is sought for.
const SOURCES: [&str; 5] = ["cu", "cpp", "cc", "cxx", "c"];
const HEADERS: [&str; 4] = ["cuh", "h", "hpp", "hxx"];

/// End of a session with a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEnd {
    /// The client asked for it.
    Asked,
    /// The client went away.
    Lost,
}

/// What the loop waits for.
enum ServerEvent {
    Message(Message),
    Closed,
    Checked(Box<FinishedCheck>),
}

/// State of a session.
struct LanguageServer {
    tools: EditorTools,
    agreed: ClientAgreement,
    sender: Sender<Message>,
    events: Sender<ServerEvent>,
    open: BTreeMap<PathBuf, OpenText>,
    reports: KnownReports,
    /// Files that change with each build or check, with the time of their contents.
    kept: BTreeMap<PathBuf, Option<SystemTime>>,
    /// Last look at these files.
    looked: Instant,
    /// Last change of these files, until builds were looked for since.
    quiet_since: Option<Instant>,
    checks: CheckQueue,
    published: BTreeMap<PathBuf, Vec<Diagnostic>>,
    requests: i32,
    shutting_down: bool,
}

/// Serves a client on standard input and output until it leaves.
///
/// # Errors
/// If the client does not begin as the protocol says.
pub fn serve(tools: EditorTools, here: PathBuf) -> Result<ServerEnd, Box<dyn std::error::Error + Send + Sync>> {
    let (connection, threads) = Connection::stdio();
    let (id, params) = connection.initialize_start()?;
    let agreed = ClientAgreement::of(&serde_json::from_value(params)?, here);
    let offered = serde_json::json!({
        "capabilities": agreed.capabilities(),
        "serverInfo": { "name": "scuba", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, offered)?;
    let (events, incoming) = mpsc::channel();
    let (sender, outgoing) = mpsc::channel();
    let Connection { sender: to_client, receiver } = connection;
    let messages = events.clone();
    std::thread::spawn(move || {
        for message in receiver {
            if messages.send(ServerEvent::Message(message)).is_err() {
                return;
            }
        }
        let _ = messages.send(ServerEvent::Closed);
    });
    let writer = std::thread::spawn(move || {
        for message in outgoing {
            if to_client.send(message).is_err() {
                return;
            }
        }
    });
    let mut server = LanguageServer {
        tools,
        agreed,
        sender,
        events,
        open: BTreeMap::new(),
        reports: KnownReports::default(),
        kept: BTreeMap::new(),
        looked: Instant::now(),
        quiet_since: None,
        checks: CheckQueue::default(),
        published: BTreeMap::new(),
        requests: 0,
        shutting_down: false,
    };
    server.look_for_reports();
    let end = server.run(&incoming);
    server.checks.stop();
    drop(server);
    // What the client was told is written before the process ends; who has gone reads nothing.
    if writer.join().is_ok() && end == ServerEnd::Asked {
        let _ = threads.join();
    }
    Ok(end)
}

impl LanguageServer {
    fn run(&mut self, incoming: &Receiver<ServerEvent>) -> ServerEnd {
        loop {
            match incoming.recv_timeout(PAUSE) {
                Ok(ServerEvent::Message(Message::Request(request))) => self.answer(request),
                Ok(ServerEvent::Message(Message::Notification(n))) if n.method == notification::Exit::METHOD => {
                    return if self.shutting_down { ServerEnd::Asked } else { ServerEnd::Lost };
                }
                Ok(ServerEvent::Message(Message::Notification(n))) => self.take(n),
                // Answers to `window/workDoneProgress/create` change nothing.
                Ok(ServerEvent::Message(Message::Response(_))) => {}
                Ok(ServerEvent::Checked(finished)) => self.take_check(*finished),
                Ok(ServerEvent::Closed) | Err(RecvTimeoutError::Disconnected) => return ServerEnd::Lost,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.looked.elapsed() >= PAUSE {
                self.looked = Instant::now();
                if self.kept.iter().any(|(file, at)| time_of(file) != *at) {
                    self.look_for_reports();
                }
                self.check_builds();
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that has gone is noticed by the end of its input.
        let _ = self.sender.send(message.into());
    }

    fn notify<N: notification::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn log(&self, typ: MessageType, message: String) {
        self.notify::<notification::LogMessage>(LogMessageParams { typ, message });
    }

    fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if self.shutting_down {
            let why = "the server is shutting down".to_owned();
            return self.send(Response::new_err(id, ErrorCode::InvalidRequest as i32, why));
        }
        match method.as_str() {
            request::Shutdown::METHOD => {
                self.shutting_down = true;
                self.checks.stop();
                self.send(Response::new_ok(id, Value::Null));
            }
            request::HoverRequest::METHOD => self.reply(id, params, |server, params| server.hover(&params)),
            request::CodeActionRequest::METHOD => self.reply(id, params, |server, params| server.actions(&params)),
            request::ExecuteCommand::METHOD => self.reply(id, params, |server, params| server.execute(&params)),
            _ => {
                let why = format!("{method} is not offered");
                self.send(Response::new_err(id, ErrorCode::MethodNotFound as i32, why));
            }
        }
    }

    /// Answers a request whose parameters can be read.
    fn reply<P: DeserializeOwned, R: Serialize>(
        &mut self,
        id: RequestId,
        params: Value,
        answer: impl FnOnce(&mut Self, P) -> R,
    ) {
        let response = match serde_json::from_value(params) {
            Ok(params) => Response::new_ok(id, answer(self, params)),
            Err(e) => Response::new_err(id, ErrorCode::InvalidParams as i32, e.to_string()),
        };
        self.send(response);
    }

    fn take(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            notification::DidOpenTextDocument::METHOD => self.with(params, |server, p: DidOpenTextDocumentParams| {
                let Some(path) = uri::path_of(&p.text_document.uri) else { return };
                let open = OpenText { text: p.text_document.text, version: p.text_document.version };
                server.open.insert(path.clone(), open);
                server.published.remove(&path);
                server.publish(&path);
            }),
            notification::DidChangeTextDocument::METHOD => {
                self.with(params, |server, p: DidChangeTextDocumentParams| {
                    let Some(path) = uri::path_of(&p.text_document.uri) else { return };
                    let unit = server.agreed.unit;
                    let Some(open) = server.open.get_mut(&path) else { return };
                    p.content_changes.into_iter().for_each(|change| open.change(change, unit));
                    open.version = p.text_document.version;
                    server.publish(&path);
                });
            }
            notification::DidCloseTextDocument::METHOD => {
                self.with(params, |server, p: DidCloseTextDocumentParams| {
                    let Some(path) = uri::path_of(&p.text_document.uri) else { return };
                    server.open.remove(&path);
                    server.publish(&path);
                });
            }
            notification::DidSaveTextDocument::METHOD => self.with(params, |server, p: DidSaveTextDocumentParams| {
                let Some(path) = uri::path_of(&p.text_document.uri) else { return };
                if server.agreed.settings.check_on_save {
                    server.check(&path);
                }
            }),
            // Others say nothing that matters here.
            _ => {}
        }
    }

    fn with<P: DeserializeOwned>(&mut self, params: Value, act: impl FnOnce(&mut Self, P)) {
        match serde_json::from_value(params) {
            Ok(params) => act(self, params),
            Err(e) => self.log(MessageType::ERROR, format!("a message cannot be read: {e}")),
        }
    }

    /// Returns the present text of a file.
    fn text(&self, path: &Path) -> Option<String> {
        match self.open.get(path) {
            Some(open) => Some(open.text.clone()),
            None => std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    fn hover(&mut self, params: &HoverParams) -> Option<Hover> {
        let at = &params.text_document_position_params;
        let path = uri::path_of(&at.text_document.uri)?;
        let text = self.text(&path)?;
        let reports = self.reports.of(&path);
        let marks = reports.as_ref().map(|r| view::marks(r, &text)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let (number, unit) = (at.position.line, self.agreed.unit);
        let line = lines.get(number as usize)?;
        let byte = byte(line, at.position.character, unit);
        let (value, range) = match hover::at(&marks, number, byte) {
            Some(mark) => (hover::text(mark), range_of(mark, &lines, unit)),
            None => {
                let report = self.reports.newest_around(&path)?;
                let (bytes, value) = hover::contract_at(report, &text, number, byte)?;
                (value, range_in(line, number, &bytes, unit))
            }
        };
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Some(Hover { contents, range: Some(range) })
    }

    fn actions(&mut self, params: &CodeActionParams) -> Vec<lsp_types::CodeActionOrCommand> {
        let Some(path) = uri::path_of(&params.text_document.uri) else { return vec![] };
        let Some(text) = self.text(&path) else { return vec![] };
        let reports = self.reports.of(&path);
        let marks = reports.map(|r| view::marks(&r, &text)).unwrap_or_default();
        actions::actions(params, &marks, &text, self.agreed.unit)
    }

    fn execute(&mut self, params: &ExecuteCommandParams) -> Value {
        let uri = params.arguments.first().and_then(Value::as_str).and_then(|text| Uri::from_str(text).ok());
        match uri.as_ref().and_then(uri::path_of).filter(|_| params.command == CHECK_FILE) {
            Some(path) => self.check(&path),
            None => self.log(MessageType::ERROR, format!("`{}` needs the URI of a file", params.command)),
        }
        Value::Null
    }

    /// Asks for a check of a file; of a header, one of a source that includes it.
    fn check(&mut self, path: &Path) {
        let has = |endings: &[&str]| {
            path.extension().is_some_and(|e| endings.iter().any(|known| e.eq_ignore_ascii_case(known)))
        };
        let source = if has(&HEADERS) {
            self.includer(path).unwrap_or_else(|| path.to_owned())
        } else if has(&SOURCES) {
            path.to_owned()
        } else {
            return;
        };
        let within =
            self.agreed.folders.iter().filter(|f| source.starts_with(f)).max_by_key(|f| f.components().count());
        let folder = within.cloned().or_else(|| source.parent().map(Path::to_owned)).unwrap_or_default();
        let flags = self.agreed.settings.flags.clone();
        self.ask(AskedCheck { target: source, folder, flags });
    }

    fn ask(&mut self, asked: AskedCheck) {
        if let Some(ended) = self.checks.ask(asked) {
            self.progress_end(ended, "superseded");
        }
        self.start_checks();
    }

    /// Checks what was built without `scuba build`, once no command of the build has ended for a while.
    fn check_builds(&mut self) {
        if self.quiet_since.is_none_or(|since| since.elapsed() < QUIET) {
            return;
        }
        self.quiet_since = None;
        for folder in self.agreed.folders.clone() {
            if (self.tools.is_behind)(&folder) {
                self.ask(AskedCheck { target: folder.clone(), folder, flags: vec![] });
            }
        }
    }

    fn start_checks(&mut self) {
        let events = self.events.clone();
        let done = move |finished| {
            let _ = events.send(ServerEvent::Checked(Box::new(finished)));
        };
        if let Some((number, target)) = self.checks.start_next(&self.tools, done) {
            self.progress_begin(number, &target);
        }
    }

    /// Returns an open source that includes a header by its name, else one beside the header.
    fn includer(&self, header: &Path) -> Option<PathBuf> {
        let name = header.file_name()?.to_str()?;
        let includes = |text: &str| {
            let mut lines = text.lines().filter(|l| l.trim_start().starts_with('#') && l.contains("include"));
            lines.any(|l| l.split(['"', '<', '>', '/']).any(|part| part == name))
        };
        let is_source = |p: &Path| p.extension().is_some_and(|e| SOURCES.iter().any(|known| e == *known));
        let open = self.open.iter().find(|(p, open)| is_source(p) && includes(&open.text));
        open.map(|(p, _)| p.clone()).or_else(|| {
            let entries = std::fs::read_dir(header.parent()?).ok()?;
            let beside: BTreeSet<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_source(p)).collect();
            beside.into_iter().find(|p| self.text(p).is_some_and(|text| includes(&text)))
        })
    }

    fn take_check(&mut self, finished: FinishedCheck) {
        // Whoever ended it has told so.
        if !self.checks.finish(finished.number) {
            return;
        }
        let name = finished.asked.target.display().to_string();
        match finished.report {
            Some(report) => {
                let found = report.assembled.report.findings.len();
                self.progress_end(
                    finished.number,
                    &if found == 1 { "1 finding".into() } else { format!("{found} findings") },
                );
                let asides: Vec<&str> = finished.said.lines().filter(|l| l.starts_with("scuba: ")).collect();
                if !asides.is_empty() {
                    self.log(MessageType::INFO, format!("{name}: {}", asides.join("\n")));
                }
                if finished.asked.is_of_build() {
                    self.reports.take_last(&finished.asked.folder, report);
                } else {
                    // A header's check is about the source that includes it.
                    let source = report.origin.sources.first().map(|s| report.origin.folder.join(s));
                    self.reports.take_checked(source.unwrap_or(finished.asked.target), report);
                }
                self.publish_all();
            }
            None => {
                self.progress_end(finished.number, "not checked");
                self.log(MessageType::WARNING, format!("{name} was not checked: {}", finished.said));
            }
        }
        self.start_checks();
    }

    fn progress_begin(&mut self, number: u64, source: &Path) {
        if !self.agreed.progress {
            return;
        }
        self.requests += 1;
        let token = token_of(number);
        let create = WorkDoneProgressCreateParams { token: token.clone() };
        self.send(Request::new(self.requests.into(), request::WorkDoneProgressCreate::METHOD.to_owned(), create));
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let begin = WorkDoneProgressBegin { title: format!("SCuBA: {name}"), ..WorkDoneProgressBegin::default() };
        let value = ProgressParamsValue::WorkDone(WorkDoneProgress::Begin(begin));
        self.notify::<notification::Progress>(ProgressParams { token, value });
    }

    fn progress_end(&self, number: u64, message: &str) {
        if !self.agreed.progress {
            return;
        }
        let end = WorkDoneProgressEnd { message: Some(message.to_owned()) };
        let value = ProgressParamsValue::WorkDone(WorkDoneProgress::End(end));
        self.notify::<notification::Progress>(ProgressParams { token: token_of(number), value });
    }

    /// Reads the last report of each folder.
    fn look_for_reports(&mut self) {
        self.quiet_since = Some(Instant::now());
        self.kept.clear();
        for folder in self.agreed.folders.clone() {
            for file in (self.tools.kept_files)(&folder) {
                let at = time_of(&file);
                self.kept.insert(file, at);
            }
            if let Some(report) = (self.tools.last_report)(&folder) {
                self.reports.take_last(&folder, report);
            }
        }
        self.publish_all();
    }

    fn publish_all(&mut self) {
        let mut files = self.reports.files();
        files.extend(self.published.keys().cloned());
        files.extend(self.open.keys().cloned());
        for file in files {
            // An open file has the client's name.
            let opened = self.open.keys().find(|p| **p != file && p.canonicalize().ok().as_ref() == Some(&file));
            let file = opened.cloned().unwrap_or(file);
            self.publish(&file);
        }
    }

    /// Sends the diagnostics of a file, if they differ from those that the client has.
    fn publish(&mut self, path: &Path) {
        let text = self.text(path);
        let diagnostics = match (&text, self.reports.of(path)) {
            (Some(text), Some(reports)) => {
                let text_of = |path: &Path| self.text(path);
                let context = DiagnosticContext { tools: &self.tools, unit: self.agreed.unit, text_of: &text_of };
                context.of(&view::marks(&reports, text), text)
            }
            _ => vec![],
        };
        let known = self.published.get(path);
        if known.map_or(diagnostics.is_empty() && !self.open.contains_key(path), |known| *known == diagnostics) {
            return;
        }
        let Some(uri) = uri::of_path(path) else { return };
        let version = self.open.get(path).map(|open| open.version);
        self.published.insert(path.to_owned(), diagnostics.clone());
        self.notify::<notification::PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version });
    }
}

fn token_of(number: u64) -> NumberOrString {
    NumberOrString::String(format!("scuba-check-{number}"))
}

fn time_of(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|m| m.modified()).ok()
}
