// The extension for VS Code with stand-ins for the editor's own modules, for tools/try-editors.py: prints what it would start and register, and what its
// problem matcher reads of the lines on standard input.
"use strict";

const Module = require("module");
const fs = require("fs");
const path = require("path");

const folder = process.argv[2];
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
const settings = Object.entries(manifest.contributes.configuration.properties).map(([name, p]) => [name.replace("scuba.", ""), p.default]);
const told = { commands: [], started: false };
const modules = {
  vscode: {
    workspace: { getConfiguration: () => new Map(settings) },
    window: {},
    commands: { registerCommand: (name) => told.commands.push(name) },
  },
  "vscode-languageclient/node": {
    LanguageClient: class {
      constructor(id, name, server, client) {
        Object.assign(told, { id, server: server.run, client });
      }
      start() {
        told.started = true;
      }
      stop() {
        told.started = false;
      }
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => modules[name] || load(name, ...rest);
const extension = require(path.join(folder, manifest.main));
extension.activate({ subscriptions: [] });
const { started } = told;
extension.deactivate();

const pattern = manifest.contributes.problemPatterns[0];
const lines = fs.readFileSync(0, "utf8").split("\n");
const problems = lines.map((line) => line.match(new RegExp(pattern.regexp))).filter(Boolean);
const fields = ["file", "line", "column", "severity", "code", "message"];
const read = problems.map((m) => Object.fromEntries(fields.map((f) => [f, m[pattern[f]]])));
const declared = manifest.contributes.commands.map((c) => c.command);
console.log(JSON.stringify({ ...told, started, stopped: !told.started, declared, read }));
