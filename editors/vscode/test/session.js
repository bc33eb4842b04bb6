// session.js: the protocol library of VS Code against the real server: a racy file is opened, its
// diagnostics come; it is fixed, they go. SNAG is the command (default ../../build/snag).
const { spawn } = require("child_process");
const path = require("path");
const rpc = require("vscode-languageserver-protocol/node");

const snag = process.env.SNAG || path.join(__dirname, "../../../build/snag");
const uri = "untitled:racy.c";
const racy = `#include <pthread.h>
static int n;
static void *work(void *p) { n++; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); n++; pthread_join(t, 0); return n; }
`;
const fixed = racy.replace("static int n;", "static _Atomic int n;");

async function main() {
  const server = spawn(snag, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const link = rpc.createProtocolConnection(new rpc.StreamMessageReader(server.stdout),
                                            new rpc.StreamMessageWriter(server.stdin));
  const waiting = [];
  link.onNotification(rpc.PublishDiagnosticsNotification.type, (p) => {
    const next = waiting.shift();
    if (next) next(p.diagnostics);
  });
  const diagnostics = () => new Promise((done) => waiting.push(done));
  link.listen();
  await link.sendRequest(rpc.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
  await link.sendNotification(rpc.InitializedNotification.type, {});
  let shown = diagnostics();
  await link.sendNotification(rpc.DidOpenTextDocumentNotification.type,
    { textDocument: { uri, languageId: "c", version: 1, text: racy } });
  const before = (await shown).map((d) => d.range.start.line + 1).sort();
  shown = diagnostics();
  await link.sendNotification(rpc.DidChangeTextDocumentNotification.type,
    { textDocument: { uri, version: 2 }, contentChanges: [{ text: fixed }] });
  const after = (await shown).length;
  await link.sendRequest(rpc.ShutdownRequest.type);
  await link.sendNotification(rpc.ExitNotification.type);
  if (before.join() !== "3,4" || after !== 0) throw new Error(`lines ${before}, then ${after} left`);
  console.log("race seen, fixed, gone");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
