"""page_test.py SNAG WORK: the HTML report in a browser: opened, filtered, stepped through, in the dark, without
JavaScript, with names that attack it, with thousands of findings. WORK has a store of real findings; more are made
by writing rows into copies of it. Screenshots go to WORK."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

from webdriver import Browser

snag, work = sys.argv[1:3]
HOSTILE = [
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=\"window.hacked=1\">",
    "\"><svg onload=window.hacked=1>",
    "' onmouseover='window.hacked=1",
    "&lt;b&gt;&#x3c;script&#x3e;window.hacked=1&#x3c;/script&#x3e;",
    "</style><script>window.hacked=1</script><!--",
    "javascript:window.hacked=1",
    "if (a \u202e/* )b tnemmoc */ x",
]
failures = []


def check(good, words):
    if not good:
        failures.append(words)
        print("FAILED:", words)


def report(store, page):
    answer = subprocess.run([snag, "report", "--quiet", "--store", store, "--html", page], stderr=subprocess.PIPE)
    check(answer.returncode == 66, f"snag report --html: status {answer.returncode}: {answer.stderr.decode()}")


def variant(body, number, name):
    """The same finding elsewhere: `name` takes the place of every name in it."""
    body = json.loads(body)
    body["title"] = f"data race on `{name}` in {name}()"
    body["text"] = name
    if "object" in body:
        body["object"]["name"] = name
    for site in body["sites"]:
        site["note"] = name
        for frame in site.get("stack", []):
            frame["function"] = name
            frame["file"] = f"/src/{name}/{number % 40}.c"
            frame["line"] = number % 1000 + 1
    for step in body.get("steps", []):
        step["what"] = step["what"].replace("lock lock", f"lock {name}")
        if "at" in step and "file" in step["at"]:
            step["at"]["file"] = f"/src/{name}/{number % 40}.c"
    return json.dumps(body)


def more(store, names):
    """A copy of the real store with one more finding per name."""
    shutil.copytree(os.path.join(work, "store"), store)
    db = sqlite3.connect(os.path.join(store, "snag.db"))
    body, = db.execute("SELECT body FROM finding ORDER BY length(body) DESC LIMIT 1").fetchone()
    run, = db.execute("SELECT num FROM run LIMIT 1").fetchone()
    first = db.execute("SELECT max(id) FROM finding").fetchone()[0] + 1
    for i, name in enumerate(names):
        row = db.execute("INSERT INTO finding(key, id, status, engine, harmful, effect, schedule, weight, body)"
                         " VALUES(?, ?, ?, 'race', ?, ?, 0, 1, ?)",
                         (f"made {i}", first + i, 1 + i % 3, -1 + i % 3, name, variant(body, i, name)))
        db.execute("INSERT INTO hit(finding, run, n) VALUES(?, ?, 1)", (row.lastrowid, run))
    db.commit()
    db.close()


def shown(b):
    return b.run("return document.querySelectorAll('details.f:not([hidden])').length")


def test_reading(page):
    with Browser() as b:
        b.open(page)
        total = shown(b)
        check(total >= 2, "the real store has at least two findings")
        check(b.text("h1") == f"{total} findings", "the headline counts them")
        check(b.run("return document.querySelector('details.f').open"), "the first finding is open")
        check("snag replay" in b.text(".again"), "a confirmed finding has its replay command")
        check(b.run("return document.querySelectorAll('details.f[open] .side .hit').length") >= 2,
              "both sides show their line")
        sides = b.run("return [...document.querySelectorAll('details.f[open] .side')].slice(0,2)"
                      ".map(e => e.getBoundingClientRect().toJSON())")
        check(sides[0]["top"] == sides[1]["top"] and sides[0]["right"] <= sides[1]["left"], "sides are side by side")
        check(not b.errors(), f"no errors: {b.errors()}")
        b.screenshot(os.path.join(work, "reading.png"))


def test_filters(page):
    with Browser() as b:
        b.open(page)
        total = shown(b)
        b.choose("#kind", "deadlock")
        deadlocks = shown(b)
        check(0 < deadlocks < total, "the kind is filtered")
        check(b.text("#shown") == f"{deadlocks} of {total} shown", "the number shown is said")
        b.click("#clear")
        check(shown(b) == total, "clear shows all again")
        b.choose("#status", "confirmed")
        confirmed = shown(b)
        check(confirmed == b.run("return document.querySelectorAll('[data-s=confirmed]').length") > 0,
              "the status is filtered")
        b.click("#clear")
        value = b.run("return [...document.querySelectorAll('#file option')]"
                      ".find(o => o.textContent.startsWith('bank.c')).value")
        b.choose("#file", value)
        check(0 < shown(b) < total, "the file is filtered")
        b.click("#clear")
        b.type("#words", "balance")
        check(0 < shown(b) < total, "words are filtered")
        b.type("#words", " nothing has this")
        check(shown(b) == 0, "words that nothing has show nothing")
        check(not b.errors(), f"no errors: {b.errors()}")


def test_stepping(page):
    with Browser() as b:
        b.open(page)
        steps = b.run("return document.querySelectorAll('details.f[open] .step').length")
        check(steps > 5, "the schedule has steps")
        check(b.run("return document.querySelectorAll('details.f[open] .bar').length") > 0, "locks are bars")
        b.press("ArrowRight")
        check(b.run("return document.querySelector('.now').dataset.i") == "1", "the first step is marked")
        check(b.text("details.f[open] .say").startswith(f"step 1 of {steps}:"), "and said")
        lock = b.run("return +[...document.querySelectorAll('details.f[open] .step')]"
                     ".find(s => s.textContent.startsWith('lock ')).dataset.i")
        for _ in range(lock - 1):
            b.press("ArrowRight")
        check("holds" in b.text("details.f[open] .say"), "the lock that was just taken is held")
        b.screenshot(os.path.join(work, "stepping.png"))
        b.press("ArrowLeft")
        check(b.run("return document.querySelector('.now').dataset.i") == str(lock - 1), "and back")
        b.click("details.f[open] .step:last-of-type")
        check(b.run("return document.querySelector('.now').dataset.i") == str(steps), "a step can be clicked")
        b.press("ArrowRight")
        check(b.run("return document.querySelector('.now').dataset.i") == str(steps), "the end is the end")
        b.press("j")
        check(b.run("return document.querySelectorAll('details.f')[1].open"), "j opens the next finding")
        b.click("details.f:nth-of-type(2) summary")
        check(not b.run("return document.querySelectorAll('details.f')[1].open"), "a click closes it")
        check(not b.errors(), f"no errors: {b.errors()}")


def test_colours(page):
    colour = "return getComputedStyle(document.body).backgroundColor"
    with Browser(dark=True) as b:
        b.open(page)
        check(b.run(colour) == "rgb(20, 24, 28)", f"the page follows a dark desktop: {b.run(colour)}")
        b.screenshot(os.path.join(work, "dark.png"))
        b.click("#theme")
        check(b.run(colour) == "rgb(255, 255, 255)", "the button makes it light")
        b.click("#theme")
        check(b.run(colour) == "rgb(20, 24, 28)", "and dark again")
    with Browser() as b:
        b.open(page)
        check(b.run(colour) == "rgb(255, 255, 255)", "and a light one")


def test_no_script(page):
    with Browser(script=False) as b:
        b.open(page)
        check(not b.call("GET", f"{b.session}/element/{b.find('#filters')}/displayed"), "no dead filters are shown")
        check("balance" in b.text("main"), "the findings are there")
        check("bank.c" in b.text("details.f[open] .side"), "and their sources")
        check("lock" in b.text("details.f[open] .lanes"), "and the schedule")
        b.click_plain("details.f:nth-of-type(2) summary")
        check("fork_at" in b.text("details.f:nth-of-type(2) .body"), "others can be opened")
        b.screenshot(os.path.join(work, "no_script.png"))


def test_hostile():
    store, page = os.path.join(work, "hostile"), os.path.join(work, "hostile.html")
    more(store, HOSTILE)
    report(store, page)
    text = open(page, encoding="utf-8").read()
    check(text.count("<script") == 1, "there is one script in the page")
    check("\u202e" not in text, "characters that turn the direction are written out")
    with Browser() as b:
        b.open(page)
        b.run("document.querySelectorAll('details.f').forEach(d => d.open = true)")
        b.screenshot(os.path.join(work, "hostile.png"))
        check(b.run("return typeof window.hacked") == "undefined", "no name became code")
        check(b.run("return document.images.length + document.querySelectorAll('svg,main script,main style').length") == 0,
              "no name became an element")
        titles = b.run("return [...document.querySelectorAll('.title')].map(e => e.textContent)")
        for name in HOSTILE[:-1]:
            check(f"data race on `{name}` in {name}()" in titles, f"the name is shown as it is: {name}")
        check(not b.errors(), f"nothing was refused, because nothing tried: {b.errors()}")


def test_many():
    store, page = os.path.join(work, "many"), os.path.join(work, "many.html")
    more(store, [f"name{i}" for i in range(5000)])
    begin = time.monotonic()
    report(store, page)
    made = time.monotonic() - begin
    with Browser() as b:
        begin = time.monotonic()
        b.open(page)
        opened = time.monotonic() - begin
        filtered = b.run("const s = performance.now(); document.getElementById('status').value = 'observed';"
                         "document.getElementById('status').dispatchEvent(new Event('input'));"
                         "document.body.offsetHeight; return performance.now() - s")
        n = shown(b)
        check(1000 < n < 2500, f"a third of them is observed: {n}")
        stepped = b.run("const s = performance.now();"
                        "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'j'}));"
                        "document.body.offsetHeight; return performance.now() - s")
        b.click("#clear")
        b.run("location.hash = 'f4000'")
        check("this thread was created" in b.text("#f4000"), "a late finding opens with all it has")
        b.press("ArrowRight")
        check("step 1 of" in b.text("#f4000 .say"), "and can be stepped through")
        check(not b.errors(), f"no errors: {b.errors()}")
        b.screenshot(os.path.join(work, "many.png"))
    with Browser(script=False) as b:
        b.open(page)
        b.click_plain("#f5000 summary")
        check("this thread was created" in b.text("#f5000"), "without JavaScript, too")
    size = os.path.getsize(page) / 1e6
    print(f"5000 findings: {size:.1f} MB, made in {made:.1f} s, opened in {opened:.1f} s, "
          f"filtered in {filtered:.0f} ms, next finding in {stepped:.0f} ms")


real = os.path.join(work, "real.html")
report(os.path.join(work, "store"), real)
test_reading(real)
test_filters(real)
test_stepping(real)
test_colours(real)
test_no_script(real)
test_hostile()
test_many()
sys.exit(1 if failures else 0)
