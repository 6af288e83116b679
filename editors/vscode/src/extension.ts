// Starts `ptxcvt lsp` for PTX files and files that may contain PTX.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { findServer } from "./server";

const LANGUAGES = ["ptx", "cuda", "cuda-cpp", "cpp", "c", "hip", "python", "llvm", "mlir", "rust"];

let client: LanguageClient | undefined;
/** The folder of the extension. */
let home = "";

/** The settings for the server, without empty ones. */
function settings(): Record<string, string> {
  const configured = vscode.workspace.getConfiguration("ptxcvt");
  const named: Record<string, string> = {};
  for (const name of ["target", "isa"]) {
    const value = configured.get<string>(name, "").trim();
    if (value !== "") named[name] = value;
  }
  return named;
}

async function start(): Promise<void> {
  const wanted = vscode.workspace.getConfiguration("ptxcvt").get<string>("path", "ptxcvt");
  const command = findServer(wanted, home, process.env["PATH"] ?? "", process.platform === "win32");
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    initializationOptions: settings(),
  };
  client = new LanguageClient("ptxcvt", "ptxcvt", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const what = error instanceof Error ? error.message : String(error);
    const help = "Install it with `cargo install --path crates/ptxcvt-cli`, or set `ptxcvt.path`.";
    void vscode.window.showErrorMessage(`ptxcvt: \`${command} lsp\` cannot be run: ${what}. ${help}`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  home = context.extensionPath;
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("ptxcvt.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("ptxcvt.path")) return restart();
      if (change.affectsConfiguration("ptxcvt")) {
        await client?.sendNotification("workspace/didChangeConfiguration", { settings: { ptxcvt: settings() } });
      }
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
