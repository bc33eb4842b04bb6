# The documentation: links lead somewhere, every kind has a page, commands and options that it names exist.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
python3 - "$root" "$SNAG" <<'END' || fail "see above"
import glob, os, re, subprocess, sys
root, snag = sys.argv[1:]
bad = []
pages = glob.glob(root + "/*.md") + glob.glob(root + "/doc/**/*.md", recursive=True)
for page in pages:
    text = open(page, encoding="utf-8").read()
    for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", link) and not os.path.exists(os.path.join(os.path.dirname(page), link)):
            bad.append(f"{page}: no {link}")
names = subprocess.run([snag, "help", "--names"], capture_output=True, text=True).stdout.split()
helps = {n: subprocess.run([snag, "help", "--all", n], capture_output=True, text=True).stdout for n in names}
own = ["README.md", "tutorial.md", "reports.md", "ci.md", "limits.md", "comparison.md"]
for page in [p for p in pages if os.path.basename(p) in own or "/kinds/" in p]:
    for name, rest in re.findall(r"(?<![./])\bsnag ([a-z+]+)((?: --?[a-z-]+(?: [^ `\n|]+)?)*)", " ".join(re.findall(r"(?<!`)`(snag [^`\n]*)`(?!`)", open(page, encoding="utf-8").read()))):
        if name not in names + ["help"]:
            bad.append(f"{page}: there is no snag {name}")
            continue
        for option in re.findall(r"(--[a-z-]+)", rest):
            if name != "help" and option not in helps[name]:
                bad.append(f"{page}: snag {name} has no {option}")
for kind in ["data-race", "thread-safety-violation", "deadlock", "lock-order", "order-violation", "atomicity-violation", "misuse"]:
    if not os.path.exists(f"{root}/doc/kinds/{kind}.md"):
        bad.append(f"no page for {kind}")
print("\n".join(bad))
sys.exit(bool(bad))
END
