"""A small client of `snag lsp` for the tests: sends requests and notifications, keeps what came."""
import json
import os
import queue
import subprocess
import threading

PATIENCE = 300  # seconds for anything that must come; a loaded machine is slow


class Client:
    def __init__(self, snag, root, options=None, capabilities=None, env=None):
        self.process = subprocess.Popen([snag, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=dict(os.environ, **(env or {})), cwd=root)
        self.inbox = queue.Queue()
        self.seen = []  # notifications that nobody has asked for yet
        self.last_id = 0
        self.version = {}
        threading.Thread(target=self.pump, daemon=True).start()
        self.root = root
        self.server = self.request("initialize", {
            "processId": os.getpid(), "rootUri": uri(root), "capabilities": capabilities or {},
            "initializationOptions": options or {}})
        self.notify("initialized", {})

    def pump(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.inbox.put(None)
                    return
                if line.strip() == b"":
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.inbox.put(json.loads(out.read(length).decode()))

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        message = self.inbox.get(timeout=PATIENCE)
        assert message is not None, "the server has ended"
        return message

    def request(self, method, params, fails=False):
        self.last_id += 1
        wanted = self.last_id
        self.send({"id": wanted, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == wanted and "method" not in message:
                assert fails == ("error" in message), message
                return message["error"] if fails else message["result"]
            self.seen.append(message)

    def wait(self, method, which=lambda params: True):
        """The next message of that method for which `which` holds, earlier ones included."""
        while True:
            for k, message in enumerate(self.seen):
                if message.get("method") == method and which(message["params"]):
                    del self.seen[:k + 1]
                    return message["params"]
            self.seen.append(self.receive())

    def diagnostics(self, path, which=lambda list: True):
        return self.wait("textDocument/publishDiagnostics",
                         lambda p: p["uri"] == uri(path) and which(p["diagnostics"]))["diagnostics"]

    def open(self, path, text=None, language="c"):
        if text is None:
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                text = f.read()
        self.version[path] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri(path), "languageId": language, "version": 1, "text": text}})

    def change(self, path, *changes):
        self.version[path] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri(path), "version": self.version[path]}, "contentChanges": list(changes)})

    def save(self, path):
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri(path)}})

    def close(self, path):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri(path)}})

    def end(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=PATIENCE)


def uri(path):
    return path if path.startswith("untitled:") else "file://" + path


def edit(line, begin, end, text):
    return {"range": {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}},
            "text": text}


def lines(diagnostics):
    """Line numbers as people count them."""
    return sorted(d["range"]["start"]["line"] + 1 for d in diagnostics)
