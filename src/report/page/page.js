// page.js: what the page can do beyond being read: filters, stepping through a schedule with the
// arrow keys, light and dark. Everything it shows is in the page already. Of a long list the insides
// stand in <noscript>, which costs nothing until a finding is opened; they are snag's own escaped HTML.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const all = [...document.querySelectorAll("details.f")].map((el) => ({
    el,
    kind: el.dataset.k,
    status: el.dataset.s,
    harm: el.dataset.h === "1",
    files: el.dataset.f ? el.dataset.f.split(" ") : [],
    text: el.firstElementChild.textContent.toLowerCase(),
  }));

  // ---- filters ----
  const filters = $("filters");
  filters.hidden = false;
  filters.addEventListener("submit", (e) => e.preventDefault());
  const apply = () => {
    const kind = $("kind").value, status = $("status").value, file = $("file").value;
    const words = $("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const f of all) {
      const show = (!kind || f.kind === kind) &&
        (!status || (status === "harmful" ? f.harm : f.status === status)) &&
        (!file || f.files.includes(file)) && words.every((w) => f.text.includes(w));
      if (f.el.hidden === show) f.el.hidden = !show;
      n += show;
    }
    $("shown").textContent = n === all.length ? n + " shown" : n + " of " + all.length + " shown";
  };
  for (const id of ["kind", "status", "file", "words"]) {
    $(id).addEventListener("input", apply);
    $(id).addEventListener("change", apply);
  }
  $("clear").addEventListener("click", () => {
    for (const id of ["kind", "status", "file", "words"]) $(id).value = "";
    apply();
  });
  apply();

  // ---- light and dark ----
  const root = document.documentElement;
  const remember = (theme) => { try { localStorage.setItem("snag-theme", theme); } catch (e) { /* a file may have none */ } };
  try { if (localStorage.getItem("snag-theme")) root.dataset.theme = localStorage.getItem("snag-theme"); } catch (e) { /* same */ }
  $("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  });

  // ---- stepping ----
  let current = all.length ? all[0].el : null;
  const lanesOf = (el) => el && el.open && !el.hidden && el.querySelector(".lanes");
  const held = (lanes, at) => [...lanes.querySelectorAll(".bar")]
    .filter((b) => +b.dataset.a <= at && at < +b.dataset.b)
    .map((b) => b.dataset.who + " holds " + b.textContent);
  const goTo = (lanes, at) => {
    const steps = [...lanes.querySelectorAll(".step")];
    at = Math.max(0, Math.min(at, steps.length));
    lanes.dataset.at = at;
    lanes.classList.toggle("stepping", at > 0);
    steps.forEach((s, i) => {
      s.classList.toggle("now", i === at - 1);
      s.classList.toggle("later", at > 0 && i >= at);
    });
    const say = lanes.nextElementSibling;
    if (!at) { say.textContent = "← and → step through it"; return; }
    const s = steps[at - 1], locks = held(lanes, at);
    say.textContent = "step " + at + " of " + steps.length + ": " + s.dataset.who + ": " +
      s.firstElementChild.textContent + (locks.length ? " (" + locks.join("; ") + ")" : " (no locks held)");
    s.scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    const shown = all.filter((f) => !f.el.hidden).map((f) => f.el);
    const at = shown.indexOf(current);
    const to = shown[at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + by))];
    if (!to) return;
    if (current && current !== to) current.open = false;
    current = to;
    to.open = true;
    ready(to);
    to.firstElementChild.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  };
  const ready = (el) => {
    const inside = el.querySelector(":scope > noscript");
    if (inside) {
      const made = document.createElement("template");
      made.innerHTML = inside.textContent;
      inside.replaceWith(made.content);
    }
    const lanes = el.querySelector(".lanes");
    if (lanes && !lanes.dataset.at) goTo(lanes, 0);
  };
  document.addEventListener("toggle", (e) => { if (e.target.open && e.target.matches("details.f")) ready(e.target); }, true);
  for (const f of all) if (f.el.open) ready(f.el);
  document.addEventListener("click", (e) => {
    const f = e.target.closest("details.f"), step = e.target.closest(".step");
    if (f) current = f;
    if (step) goTo(step.parentElement, +step.dataset.i);
  });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const f = e.target.closest && e.target.closest("details.f");
    if (f) current = f;
    const lanes = lanesOf(current);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by && lanes) goTo(lanes, +(lanes.dataset.at || 0) + by);
    else if (e.key === "j" || e.key === "k") move(e.key === "j" ? 1 : -1);
    else return;
    e.preventDefault();
  });

  // ---- #f12 opens finding 12 ----
  const follow = () => {
    const el = /^#f\d+$/.test(location.hash) && $(location.hash.slice(1));
    if (!el) return;
    el.open = true;
    current = el;
    el.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
})();
