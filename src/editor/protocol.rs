//! Agreement with the client: what the server offers, and what the client understands.

use super::text::ColumnUnit;
use super::uri;
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, ExecuteCommandOptions, HoverProviderCapability,
    InitializeParams, PositionEncodingKind, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};
use serde::Deserialize;
use std::path::PathBuf;

/// Command that checks a file, whose URI is the argument.
pub const CHECK_FILE: &str = "scuba.checkFile";

/// Settings that a client sends as `initializationOptions`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientSettings {
    /// Whether a file is checked when it is saved.
    pub check_on_save: bool,
    /// nvcc's flags for files of which no build tells any.
    pub flags: Vec<String>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self { check_on_save: true, flags: vec![] }
    }
}

/// Agreement with a client.
#[derive(Clone, Debug)]
pub struct ClientAgreement {
    pub unit: ColumnUnit,
    pub folders: Vec<PathBuf>,
    pub settings: ClientSettings,
    /// Whether the client shows progress that the server begins.
    pub progress: bool,
}

impl ClientAgreement {
    /// Reads what a client offers. `here` is the folder where the client names none.
    #[must_use]
    #[expect(deprecated, reason = "clients without workspace folders name their root in the older fields")]
    pub fn of(params: &InitializeParams, here: PathBuf) -> Self {
        let general = params.capabilities.general.as_ref();
        let encodings = general.and_then(|g| g.position_encodings.as_deref()).unwrap_or_default();
        let mut folders: Vec<PathBuf> =
            params.workspace_folders.iter().flatten().filter_map(|f| uri::path_of(&f.uri)).collect();
        if folders.is_empty() {
            folders.extend(params.root_uri.as_ref().and_then(uri::path_of));
        }
        if folders.is_empty() {
            folders.push(here);
        }
        let settings = params.initialization_options.clone().filter(serde_json::Value::is_object);
        Self {
            unit: if encodings.contains(&PositionEncodingKind::UTF8) { ColumnUnit::Bytes } else { ColumnUnit::Utf16 },
            folders,
            settings: settings.and_then(|v| serde_json::from_value(v).ok()).unwrap_or_default(),
            progress: params.capabilities.window.as_ref().and_then(|w| w.work_done_progress).unwrap_or(false),
        }
    }

    /// Returns what the server offers.
    #[must_use]
    pub fn capabilities(&self) -> ServerCapabilities {
        ServerCapabilities {
            position_encoding: Some(match self.unit {
                ColumnUnit::Bytes => PositionEncodingKind::UTF8,
                ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
            }),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
                ..TextDocumentSyncOptions::default()
            })),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::SOURCE]),
                ..CodeActionOptions::default()
            })),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: vec![CHECK_FILE.into()],
                ..ExecuteCommandOptions::default()
            }),
            ..ServerCapabilities::default()
        }
    }
}
