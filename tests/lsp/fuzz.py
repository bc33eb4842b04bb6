"""fuzz.py SNAG [ROUNDS [SEED]]: messages that make no sense. The server must neither die nor stop answering:
after every round an honest request gets its answer."""
import json
import os
import random
import sys

from client import Client, uri

SNAG = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 400
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
METHODS = ["initialize", "initialized", "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave",
           "textDocument/didClose", "textDocument/hover", "textDocument/codeAction", "workspace/executeCommand",
           "workspace/didChangeConfiguration", "nothing", ""]
URIS = ["file:///tmp/a.c", "file:///", "untitled:x", "", "file://host/%zz%00/\u00e9", "http://x", "a" * 5000]
TEXTS = ["int main(void) { return 0; }", "", "\u0000\n", "\U0001d11e" * 100, "\r\n\r", "{" * 50, "#include \"/dev/null\""]


def value(depth=0):
    kinds = [None, True, 0, -1, 2**62, 1.5, "", random.choice(TEXTS), random.choice(URIS)]
    if depth < 4 and random.random() < 0.5:
        return [value(depth + 1) for _ in range(random.randrange(4))]
    return random.choice(kinds)


def position():
    return {"line": random.choice([0, 1, 5, -1, 2**31, "x", None]),
            "character": random.choice([0, 1, 70, -3, 2**40, {}])}


def params():
    document = {"uri": random.choice(URIS), "languageId": random.choice(["c", "cpp", "", None]),
                "version": random.choice([1, 2, "3", None]), "text": random.choice(TEXTS + [None, 7])}
    p = {"textDocument": random.choice([document, document, document, value()]),
         "contentChanges": random.choice([[{"text": random.choice(TEXTS)}],
                                          [{"range": {"start": position(), "end": position()},
                                            "text": random.choice(TEXTS)}], value()]),
         "position": position(), "range": {"start": position(), "end": position()},
         "command": random.choice(["snag.confirm", "x", None]), "arguments": value(),
         "settings": {"snag": {k: value() for k in ("entry", "flags", "program", "debounce", "steps", "heap", "seed",
                                                    "compileCommands", "candidates")}}}
    for key in list(p):
        if random.random() < 0.2:
            p[key] = value()
    return p


def frame(body, length=None):
    return b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body


def message():
    m = {"jsonrpc": "2.0", "method": random.choice(METHODS), "params": random.choice([params(), params(), value()])}
    if random.random() < 0.5:
        m["id"] = random.choice([value(), "s", 10**9])
    return json.dumps(m).encode()


def broken():
    body = bytearray(message())
    kind = random.randrange(6)
    if kind == 0:
        for _ in range(random.randrange(1, 9)):
            body[random.randrange(len(body))] = random.randrange(256)
    elif kind == 1:
        return frame(bytes(body[:random.randrange(len(body))]))
    elif kind == 2:
        return b"Content-Length: %s\r\n\r\n" % random.choice([b"-1", b"x", b"", b"99999999999999999999999"])
    elif kind == 3:
        return b"Header: x\r\nContent-Type: y\r\n\r\n" + bytes(random.randrange(256) for _ in range(200))
    elif kind == 4:
        return frame(b"[" * 3000 + b"]" * 3000)
    return frame(bytes(body))


root = os.path.realpath(os.getcwd())
client = Client(SNAG, root, {"debounce": 5000})
for k in range(ROUNDS):
    for _ in range(random.randrange(1, 6)):
        client.raw(broken() if random.random() < 0.5 else frame(message()))
    # What is left of a broken frame must not swallow the next one for ever.
    client.raw(b"\r\n\r\n" + b" " * 5000)
    client.request("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": 1, "character": 1}})
    client.seen.clear()
assert client.end() == 0
print(ROUNDS, "rounds survived")
