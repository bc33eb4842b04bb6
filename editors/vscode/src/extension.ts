// The extension: starts `snag lsp` and leaves the rest to the language client. A change of snag.path
// starts the server anew; all other settings are sent to it.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("snag");
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: settings().get<string>("path", "snag"), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: ["file", "untitled"].flatMap((scheme) =>
      ["c", "cpp"].map((language) => ({ scheme, language }))),
    initializationOptions: settings(),
    synchronize: { configurationSection: "snag" },
  };
  client = new LanguageClient("snag", "snag", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(`snag lsp cannot be started: ${error}. Is snag.path right?`);
  }
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("snag.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("snag.path")) void restart();
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
