//! The capabilities and settings that client and server exchange at the beginning.

use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    HoverProviderCapability, InitializeResult, OneOf, PositionEncodingKind, SaveOptions, ServerCapabilities,
    ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use ptxcvt::targets::{IsaVersionError, Machine, TargetError};
use ptxcvt::{IsaVersion, Target};
use serde::Deserialize;

use crate::actions::FIX_ALL;
use crate::diagnostics::SOURCE;
use crate::lines::Units;
use crate::rules::Overrides;

/// UTF-8 if the client supports it, else UTF-16.
pub fn units(client: &ClientCapabilities) -> Units {
    let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_ref());
    match offered {
        Some(offered) if offered.contains(&PositionEncodingKind::UTF8) => Units::Utf8,
        _ => Units::Utf16,
    }
}

/// True if the client can report changes of files.
pub fn watches(client: &ClientCapabilities) -> bool {
    let workspace = client.workspace.as_ref();
    let files = workspace.and_then(|workspace| workspace.did_change_watched_files);
    files.and_then(|files| files.dynamic_registration).unwrap_or(false)
}

/// The answer to `initialize`.
pub fn result(units: Units) -> InitializeResult {
    let capabilities = ServerCapabilities {
        position_encoding: Some(match units {
            Units::Utf8 => PositionEncodingKind::UTF8,
            Units::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_owned()]),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(false)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    };
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    InitializeResult { capabilities, server_info: Some(ServerInfo { name: SOURCE.to_owned(), version }) }
}

/// `initializationOptions`, or the settings that the client sends later.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    target: Option<String>,
    isa: Option<String>,
}

/// Reads `{ "target": "sm_90a", "isa": "8.7" }`, or an object whose field `ptxcvt` is one.
pub fn overrides(value: &serde_json::Value) -> Result<Overrides, String> {
    let value = value.get(SOURCE).unwrap_or(value);
    if value.is_null() {
        return Ok(Overrides::default());
    }
    let options: Options =
        serde_json::from_value(value.clone()).map_err(|error| format!("the settings of ptxcvt: {error}"))?;
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let wrong = |error: &dyn std::error::Error| format!("the settings of ptxcvt: {error}");
    let target: Option<Target> =
        given(options.target).map(|text| text.parse()).transpose().map_err(|e: TargetError| wrong(&e))?;
    let isa: Option<IsaVersion> =
        given(options.isa).map(|text| text.parse()).transpose().map_err(|e: IsaVersionError| wrong(&e))?;
    Machine::new(target, isa).map_err(|error| wrong(&error))?;
    Ok(Overrides { target, isa })
}
