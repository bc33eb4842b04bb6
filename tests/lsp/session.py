"""session.py SNAG: what a client of `snag lsp` sees, from initialize to exit."""
import json
import os
import shutil
import sys
import time

from client import PATIENCE, Client, edit, lines, uri

SNAG = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.getcwd())
FIXED = "pthread_mutex_lock(&lock); counter++; pthread_mutex_unlock(&lock);"


def place(name, text=None):
    path = os.path.join(ROOT, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if text is None:
        shutil.copy(os.path.join(HERE, "counter.c"), path)
    else:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return path


def at(path, line, character=0):
    return {"textDocument": {"uri": uri(path)}, "position": {"line": line - 1, "character": character}}


def actions(client, path, line):
    p = {"line": line - 1, "character": 0}
    return client.request("textDocument/codeAction", {"textDocument": {"uri": uri(path)},
                                                      "range": {"start": p, "end": p},
                                                      "context": {"diagnostics": []}})


def test_life():
    """From open to exit: diagnostics, related information, hover, incremental and full changes."""
    path = place("life/counter.c")
    c = Client(SNAG, ROOT)
    caps = c.server["capabilities"]
    assert caps["textDocumentSync"]["change"] == 2 and caps["hoverProvider"] and caps["codeActionProvider"]
    c.open(path)
    found = c.diagnostics(path)
    assert lines(found) == [8, 17], found
    work = [d for d in found if d["range"]["start"]["line"] == 7][0]
    assert work["source"] == "snag" and work["code"] == "data-race" and work["severity"] == 2
    assert "data race on `counter`" in work["message"] and "no lock" in work["message"]
    others = [(r["location"]["range"]["start"]["line"] + 1, r["message"]) for r in work["relatedInformation"]]
    assert others[0][0] == 17 and "holding lock" in others[0][1], others
    assert any(line == 15 and "created here" in m for line, m in others), others
    assert any(line == 3 and "declared here" in m for line, m in others), others
    hover = c.request("textDocument/hover", at(path, 8, 4))["contents"]["value"]
    for words in ("counter.c:17", "created by", "1. the main thread: pthread_create()", "write counter"):
        assert words in hover, hover
    assert c.request("textDocument/hover", at(path, 1)) is None
    assert actions(c, path, 1) == []
    assert [a["title"] for a in actions(c, path, 8)] == ["Confirm with snag fuzz"]
    c.change(path, edit(7, 4, 14, FIXED))  # one range
    assert c.diagnostics(path) == []
    with open(path) as f:
        c.change(path, {"text": f.read()})  # the whole text
    assert lines(c.diagnostics(path)) == [8, 17]
    # Two edits in one message, each on what the one before left.
    c.change(path, edit(8, 0, 0, "\n"), edit(7, 4, 14, FIXED))
    assert c.diagnostics(path) == []
    c.close(path)
    c.request("textDocument/hover", at(path, 8))
    assert c.end() == 0


def test_unsaved():
    """What is in the editor counts: dirty headers, files that are nowhere on disk, UTF-16 positions."""
    head = place("unsaved/lock.h", "#define TAKE() ((void)0)\n#define GIVE() ((void)0)\n")
    path = place("unsaved/main.c", '#include <pthread.h>\n#include "lock.h"\nint n;\n'
                 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n'
                 'static void *work(void *p) { (void)&m; TAKE(); /* \U0001d11e\u00e9 */ n++; GIVE(); return p; }\n'
                 'int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); TAKE(); n++; GIVE(); '
                 'pthread_join(t, 0); return 0; }\n')
    c = Client(SNAG, ROOT, {"debounce": 20})
    c.open(head)
    c.open(path)
    found = c.diagnostics(path, lambda d: d)
    line5 = [d["range"] for d in found if d["range"]["start"]["line"] == 4][0]
    with open(path, encoding="utf-8") as f:
        text = f.read().split("\n")[4]
    wanted = len(text[:text.index("n++") + 1].encode("utf-16-le")) // 2  # the ++
    assert line5["start"]["character"] == wanted, (line5, wanted)
    c.change(head, {"text": "#define TAKE() pthread_mutex_lock(&m)\n#define GIVE() pthread_mutex_unlock(&m)\n"})
    assert c.diagnostics(path) == []
    c.close(head)  # without saving
    assert lines(c.diagnostics(path, lambda d: d)) == [5, 6]
    with open(os.path.join(HERE, "counter.c")) as f:
        text = f.read()
    c.open("untitled:Untitled-1", text)
    assert lines(c.diagnostics("untitled:Untitled-1")) == [8, 17]
    new = os.path.join(ROOT, "unsaved", "a new file.c")
    c.notify("textDocument/didOpen", {"textDocument": {
        "uri": "file://" + new.replace(" ", "%20"), "languageId": "c", "version": 1, "text": text}})
    p = c.wait("textDocument/publishDiagnostics", lambda p: p["uri"].endswith("a%20new%20file.c"))
    assert lines(p["diagnostics"]) == [8, 17]
    assert c.end() == 0


def test_broken():
    """Text that does not compile is a message; what was known stays; then it goes on."""
    path = place("broken/counter.c")
    c = Client(SNAG, ROOT, {"debounce": 20})
    c.open(path)
    assert lines(c.diagnostics(path)) == [8, 17]
    c.change(path, edit(7, 4, 14, "counter++ +;"))
    c.wait("window/logMessage", lambda p: "does not compile" in p["message"])
    c.change(path, edit(7, 4, 16, FIXED))
    assert c.diagnostics(path) == []
    assert c.end() == 0


def test_cancel():
    """Edits in quick succession: the last one counts; a slow check is given up."""
    path = place("cancel/counter.c")
    c = Client(SNAG, ROOT, {"debounce": 0, "steps": 10**12})
    with open(path) as f:
        endless = f.read().replace("return counter;", "for (;;) counter++;").replace("counter++;", FIXED)
    c.open(path, endless.replace(FIXED, "for (;;) { " + FIXED + " }", 1))
    c.notify("workspace/didChangeConfiguration", {"settings": {"snag": {"steps": 1000000}}})
    for _ in range(30):
        c.change(path, {"text": endless})
    with open(path) as f:
        c.change(path, {"text": f.read()})
    assert lines(c.diagnostics(path, lambda d: d)) == [8, 17]
    assert c.end() == 0


def test_project():
    """compile_commands.json: flags, other units of the program, headers; cached from edit to edit."""
    shared = place("project/src/shared.c", "int counter;\nvoid add(int n)\n{\n    counter += n;\n}\n")
    main = place("project/src/main.c", "#include <pthread.h>\nextern void add(int);\n"
                 "static void *work(void *p) { add(AMOUNT); return p; }\n"
                 "int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); add(2); pthread_join(t, 0); return 0; }\n")
    place("project/build/compile_commands.json", json.dumps([
        {"directory": os.path.join(ROOT, "project/src"), "file": "main.c", "command": "cc -DAMOUNT=1 -c main.c"},
        {"directory": os.path.join(ROOT, "project/src"), "file": "shared.c", "command": "cc -c shared.c"}]))
    c = Client(SNAG, ROOT, {"debounce": 20})
    c.open(main)
    assert lines(c.diagnostics(shared, lambda d: d)) == [4]  # a file that is not open
    c.diagnostics(main)
    with open(main) as f:
        at_add = f.read().split("\n")[3].index("add(2);")
    c.change(main, edit(3, at_add, at_add + 7, ""))
    assert c.diagnostics(shared) == []
    c.change(main, edit(3, at_add, at_add, "add(2);"))
    assert lines(c.diagnostics(shared, lambda d: d)) == [4]
    # An edit in one unit is seen by the others that are open.
    c.open(shared)
    assert lines(c.diagnostics(shared, lambda d: d)) == [4]
    c.change(shared, edit(3, 4, 17, "__atomic_fetch_add(&counter, n, 5);"))
    assert c.diagnostics(shared, lambda d: not d) == []
    assert c.end() == 0


def test_settings():
    """Settings from initialize, from a push and from a pull; what makes no sense is passed over."""
    path = place("settings/entry.c", "#include <pthread.h>\n#ifdef RACE\nint n;\n"
                 "static void *work(void *p) { n++; return p; }\n"
                 "void other(void) { pthread_t t; pthread_create(&t, 0, work, 0); n++; pthread_join(t, 0); }\n"
                 "#endif\nint main(void) { return 0; }\n")
    c = Client(SNAG, ROOT, {"flags": ["-DRACE"], "entry": "other", "steps": "many", "debounce": -5, "nonsense": {}})
    c.open(path)
    assert lines(c.diagnostics(path)) == [4, 5]
    c.notify("workspace/didChangeConfiguration", {"settings": {"snag": {"flags": "-DNOTHING", "entry": ""}}})
    assert c.diagnostics(path) == []
    assert c.end() == 0
    c = Client(SNAG, ROOT, capabilities={"workspace": {"configuration": True}})
    asked = next(m for m in iter(c.receive, None) if m.get("method") == "workspace/configuration")
    assert asked["params"]["items"][0]["section"] == "snag"
    c.send({"id": asked["id"], "result": [{"flags": ["-DRACE"], "entry": "other"}]})
    c.open(path)
    assert lines(c.diagnostics(path, lambda d: d)) == [4, 5]
    assert c.end() == 0
    # Candidates only when they are asked for.
    lib = place("settings/lib.c", "#include <pthread.h>\nstatic int n;\nstatic void *work(void *p) { n++; return p; }\n"
                "void start(int k) { pthread_t t; if (k) pthread_create(&t, 0, work, 0); }\nint get(void) { return n; }\n")
    c = Client(SNAG, ROOT)
    c.open(lib)
    assert c.diagnostics(lib) == []
    c.notify("workspace/didChangeConfiguration", {"settings": {"snag": {"candidates": True}}})
    assert all(d["severity"] == 3 for d in c.diagnostics(lib, lambda d: d))
    assert c.end() == 0


def test_save_only():
    """checkWhileTyping off: open and save alone count."""
    path = place("save/counter.c")
    c = Client(SNAG, ROOT, {"checkWhileTyping": False, "debounce": 0})
    c.open(path)
    assert lines(c.diagnostics(path)) == [8, 17]
    c.change(path, edit(7, 4, 14, FIXED))
    c.request("textDocument/hover", at(path, 8))
    with open(path) as f:
        text = f.read().replace("counter++;", FIXED, 1)
    with open(path, "w") as f:
        f.write(text)
    c.save(path)
    assert c.diagnostics(path) == []
    assert c.end() == 0


def test_confirm():
    """The code action: snag fuzz makes it happen, and the mark becomes an error."""
    path = place("confirm/counter.c")
    c = Client(SNAG, os.path.join(ROOT, "confirm"))
    c.open(path)
    c.diagnostics(path)
    command = actions(c, path, 8)[0]["command"]
    c.request("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
    found = c.diagnostics(path, lambda d: d and d[0]["severity"] == 1)
    assert all("(confirmed)" in d["message"] for d in found), found
    c.wait("window/showMessage", lambda p: p["message"].startswith("confirmed: data race on `counter`"))
    assert actions(c, path, 8) == []
    c.request("workspace/executeCommand", {"command": "snag.nothing", "arguments": []}, fails=True)
    c.request("workspace/executeCommand", {"command": "snag.confirm", "arguments": [{"uri": uri(path), "key": "x"}]},
              fails=True)
    assert c.end() == 0


def test_protocol():
    """Order and errors of the protocol."""
    c = Client(SNAG, ROOT)
    assert c.request("textDocument/rename", {}, fails=True)["code"] == -32601
    assert c.request("textDocument/hover", {"position": 3}, fails=True)["code"] == -32602
    c.request("initialize", {}, fails=True)
    c.notify("$/cancelRequest", {"id": 1})
    c.notify("textDocument/didChange", {"textDocument": {"uri": "file:///none"}, "contentChanges": [{}]})
    c.request("shutdown", None)
    assert c.request("textDocument/hover", at("/x", 1), fails=True)["code"] == -32600
    c.notify("exit", None)
    assert c.process.wait(timeout=PATIENCE) == 0
    c = Client(SNAG, ROOT)
    c.notify("exit", None)  # without shutdown
    assert c.process.wait(timeout=PATIENCE) == 1
    c = Client(SNAG, ROOT)
    c.process.stdin.close()
    assert c.process.wait(timeout=PATIENCE) == 1


def test_leaves_nothing():
    """No file and no process stays behind, not even when the editor dies in the middle of a check."""
    path = place("clean/counter.c")
    scratch = os.path.join(ROOT, "scratch")
    os.makedirs(scratch)
    c = Client(SNAG, ROOT, {"steps": 10**12}, env={"TMPDIR": scratch})
    c.open(path, "#include <pthread.h>\nint main(void) { for (;;); }\n")
    deadline = time.monotonic() + PATIENCE
    while not any(n.startswith("snag-lsp-job") for n in os.listdir(scratch)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    c.process.stdin.close()
    c.process.wait(timeout=PATIENCE)
    assert os.listdir(scratch) == [], os.listdir(scratch)


if __name__ == "__main__":
    wanted = sys.argv[2:]
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not wanted or name[5:] in wanted):
            test()
            print("ok", name[5:], flush=True)
