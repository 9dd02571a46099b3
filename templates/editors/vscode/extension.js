// A client of `scuba lsp` for VS Code.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate(context) {
  const settings = vscode.workspace.getConfiguration("scuba");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("scuba", "SCuBA", { run: server, debug: server }, {
    documentSelector: [
      { scheme: "file", language: "cuda-cpp" },
      { scheme: "file", language: "cpp" },
    ],
    initializationOptions: { checkOnSave: settings.get("checkOnSave"), flags: settings.get("flags") },
  });
  const check = () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
    return client.sendRequest("workspace/executeCommand", { command: "scuba.checkFile", arguments: [uri] });
  };
  context.subscriptions.push(vscode.commands.registerCommand("scuba.checkThisFile", check));
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
