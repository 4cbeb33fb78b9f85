// SPDX-License-Identifier: Apache-2.0
//
// The web inspector in headless Chromium, on made-up desktops. Usage:
//   node inspector_test.mjs GANTRY SOURCE_DIR [PICTURE_DIR]
// Each test has a daemon and a tab of its own; at its end the page has asked nobody but its own
// server, and the browser had nothing to complain about. With PICTURE_DIR it leaves screenshots there.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { Browser } from "../../clients/chromium.mjs";
import { Observer } from "../../clients/observer.mjs";

const [, , gantry, source, pictures] = process.argv;
const scenario = (name) => ["--scenario", path.join(source, "config/scenarios", name)];
const EDIT = 'Window[name="Untitled — Notepad"]/MenuBar[name="MenuBar"]/MenuItem[name="Edit"]';
const own = (name) => ["--scenario", path.join(source, "tests/conformance/inspector", name)];
const HOSTILE = own("hostile.yaml");
const CONFIRM = ["--set", 'guard.confirmation_required=[{name_regex: "Sign in"}]'];

let browser;
before(async () => {
  if (pictures) mkdirSync(pictures, { recursive: true });
  browser = await Browser.launch();
});
after(() => browser.close());

const picture = (page, name) => (pictures ? page.screenshot(path.join(pictures, `${name}.png`)) : null);

/** A test on a daemon with `options` and the page opened; `more.load` false leaves the page to it. */
function on(options, name, body, { size, load = true, expected = [] } = {}) {
  test(name, async () => {
    const observer = await Observer.start(gantry, ["--mock", ...options]);
    const page = await browser.page(size);
    try {
      if (load) await open(page, observer);
      await body(page, observer);
      const foreign = page.requests.filter((url) => !url.startsWith(observer.address) && !url.startsWith("data:"));
      assert.deepEqual(foreign, [], "requests to others");
      const complaints = page.complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
      assert.deepEqual(complaints, [], "complaints of the browser");
    } finally {
      try { await page.close(); } finally { await observer.stop(); }  // or the test would wait for it
    }
  });
}

async function open(page, observer) {
  await page.goto(observer.address + "/");
  await page.until(`document.querySelectorAll("[role=treeitem]").length > 1`);
  await page.until(`document.querySelector(".stage img").complete && !document.querySelector(".stage").hidden`);
}

const textOf = (page, selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText`);
const rowTexts = (page) => page.evaluate(`[...document.querySelectorAll("[role=treeitem]")].map((r) => r.ariaLabel)`);
const focus = (page, selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);

/** Clicks the row of the tree whose label begins with `label`. */
async function pick(page, label) {
  await page.click(`[role=treeitem][aria-label^=${JSON.stringify(label)}] .name`);
  await page.until(`document.querySelector("#element-selector")?.textContent.length > 1`);
}

/** Presses the button with this text by the keyboard: what moves on the page meanwhile does not matter. */
async function press(page, text, scope = "body") {
  await page.evaluate(`(() => {
    const all = [...document.querySelectorAll(${JSON.stringify(scope)} + " button")];
    const found = all.find((b) => b.textContent === ${JSON.stringify(text)} && !b.disabled && b.offsetParent !== null);
    if (!found) throw new Error("there is no button " + ${JSON.stringify(text)});
    found.focus(); })()`);
  await page.key(" ");
}

/** Puts a text into the field with this label. */
async function enter(page, label, text) {
  await page.evaluate(`(() => {
    const found = [...document.querySelectorAll("label")].find((l) => l.textContent.startsWith(${JSON.stringify(label)}));
    const input = document.getElementById(found.htmlFor); input.focus(); input.select(); })()`);
  await page.type(text);
}

const latest = (page) => textOf(page, "#receipts details[open]");

on([], "the page is its own: strict policy, no foreign request, nothing inline", async (page, observer) => {
  const answer = await fetch(observer.address + "/");
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  const policy = answer.headers.get("content-security-policy").split("; ");
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
    "require-trusted-types-for 'script'"]) assert.ok(policy.includes(rule), rule);
  const html = await answer.text();
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/web\/)|https?:/);
  // A module that is not named at once costs a round trip more.
  const modules = [...html.matchAll(/modulepreload" href="\/web\/(.*?)"/g)].map((found) => found[1]);
  const files = readdirSync(path.join(source, "plugins/rest_observer/web"));
  assert.deepEqual([...modules, "main.js"].sort(), files.filter((file) => file.endsWith(".js")).sort());
  for (const file of page.requests.filter((url) => url.includes("/web/"))) {
    const asset = await fetch(file);
    assert.equal(asset.headers.get("x-content-type-options"), "nosniff", file);
    const again = await fetch(file, { headers: { "If-None-Match": asset.headers.get("etag") } });
    assert.equal(again.status, 304, file);
  }
  // The policy is in force, not only announced.
  assert.equal(await page.evaluate(`(() => { try { document.body.innerHTML = "<p>x</p>"; return "taken"; }
    catch (e) { return e.name; } })()`), "TypeError");
  await picture(page, "light");
}, { expected: [/TrustedHTML/] });

on([], "windows are listed, and choosing one shows its elements", async (page) => {
  const titles = await page.evaluate(`[...document.querySelectorAll("#windows .title")].map((t) => t.textContent)`);
  assert.deepEqual(titles, ["Untitled — Notepad", "GitHub · Where software is built — Google Chrome",
    "screen_observer.py — Visual Studio Code"]);
  assert.equal(await textOf(page, "#windows [aria-current=true] .title"), "Untitled — Notepad");
  assert.ok((await rowTexts(page)).includes('MenuItem "File"'));
});

on([], "what has a number instead of a text shows where it stands, and is found by it", async (page) => {
  const bar = `[...document.querySelectorAll("[role=treeitem]")].find((r) => r.ariaLabel.startsWith('ProgressBar "Saving"'))`;
  assert.equal(await page.evaluate(`${bar}.ariaLabel`), 'ProgressBar "Saving", value 40');
  assert.equal(await page.evaluate(`${bar}.querySelector(".value").innerText`), "40");
  await page.click("#tree-search input");
  await page.type("progressbar 40");
  await page.until(`document.querySelector("#spoken").innerText === "1 of 17 elements"`);
});

on(HOSTILE, "choosing a window shows its elements and its picture", async (page) => {
  await page.click("#windows li:nth-child(2) button");
  await page.until(`document.querySelector("[role=treeitem]")?.ariaLabel === 'Window "Plain"'`);
  assert.deepEqual(await rowTexts(page), ['Window "Plain"', 'Button "Close"']);
  assert.equal(await textOf(page, "#windows [aria-current=true] .title"), "Plain");
  await page.until(`document.querySelector(".stage img").alt === "Picture of the window Plain"`);
});

on([], "a search keeps what fits and the way to it", async (page) => {
  await page.click("#tree-search input");
  await page.type("menuitem ed");
  await page.until(`document.querySelectorAll("[role=treeitem]").length === 3`);
  assert.deepEqual(await rowTexts(page), ['Window "Untitled — Notepad"', 'MenuBar "MenuBar"', 'MenuItem "Edit"']);
  assert.equal(await textOf(page, "#spoken"), "1 of 17 elements");
  assert.equal(await textOf(page, "#tree-note"), "1 of 17 elements");
  await picture(page, "search");
});

on(own("deep.yaml"), "what is deeper than one answer is read when it is opened, and kept current", async (page, observer) => {
  await page.until(`document.querySelector("#tree-note").innerText.includes("1 deeper branch is read when opened")`);
  assert.ok(!(await rowTexts(page)).some((row) => row.includes("Bottom")));
  await focus(page, "#tree");
  await page.key("End");
  await page.key("ArrowRight");
  await page.until(`[...document.querySelectorAll("[role=treeitem]")].some((r) => r.ariaLabel.includes("Level 9"))`);
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  const bottom = `[...document.querySelectorAll("[role=treeitem]")].find((r) => r.ariaLabel.startsWith('Edit "Bottom"'))`;
  await page.until(`Boolean(${bottom})`);
  assert.equal(await page.evaluate(`${bottom}.ariaLevel`), "12");
  await observer.ask("/api/element/set_value", { selector: '//Edit[name="Bottom"]', value: "found" });
  await page.until(`${bottom}?.ariaLabel.includes("value found")`);
});

on([], "the picture tells what is under the pointer, and a click selects it", async (page) => {
  const place = await page.evaluate(`(() => { const r = document.querySelector(".stage").getBoundingClientRect();
    return { x: r.x, y: r.y, width: r.width, height: r.height }; })()`);
  // The menu item Edit: 138..194, 60..82 on the screen, the window's corner at 80, 60.
  const edit = { x: place.x + (86 / 800) * place.width, y: place.y + (11 / 600) * place.height };
  await page.hover(edit);
  await page.until(`document.querySelector(".caption").innerText.startsWith('MenuItem "Edit"')`);
  const box = await page.evaluate(`(() => { const b = document.querySelector(".box.hovered");
    return ["x", "y", "width", "height"].map((n) => Number(b.getAttribute(n))); })()`);
  assert.deepEqual(box, [138, 60, 56, 22]);
  await picture(page, "hover");
  await page.click(edit);
  await page.until(`document.querySelector("#element-selector")?.textContent.length > 1`);
  assert.equal(await textOf(page, "#element-selector"), EDIT);
  assert.equal(await page.evaluate(`document.querySelector("[role=treeitem][aria-selected=true]").ariaLabel`), 'MenuItem "Edit"');
  assert.equal(await page.evaluate(`document.querySelectorAll(".box.selected").length`), 1);
  await picture(page, "selected");
});

on([], "a selector shows its matches on the picture, and its mistake at the column", async (page) => {
  await enter(page, "Selector", "//MenuItem");
  await page.key("Enter");
  await page.until(`document.querySelectorAll(".box.match").length === 5`);
  assert.match(await textOf(page, "#selector-result"), /^5 elements match\./);
  await picture(page, "matches");
  await enter(page, "Selector", 'Button[name^"x"]');
  await page.key("Enter");
  await page.until(`document.querySelector("#selector-result .error")`);
  assert.match(await textOf(page, "#selector-result"), /BadRequest selector parse error: column 12: expected/);
  assert.equal(await page.evaluate(`document.querySelector("pre.pointer").textContent`), 'Button[name^"x"]\n           ^');
  const { invalid, start } = await page.evaluate(`(() => { const i = document.querySelector("#selector input");
    return { invalid: i.ariaInvalid, start: i.selectionStart }; })()`);
  assert.deepEqual([invalid, start], ["true", 11]);
  assert.equal(await page.evaluate(`document.querySelectorAll(".box.match").length`), 0);
  await picture(page, "selector-error");
  await enter(page, "Selector", '//MenuItem[name="edit"]');
  await page.key("Enter");
  await page.until(`document.querySelector("#selector-result .link")`);
  await press(page, EDIT, "#selector-result");
  await page.until(`document.querySelectorAll(".box.match").length === 1`);
}, { expected: [/status of 40[04]/] });

on(scenario("login.yaml"), "an act has a receipt, and what it changed is told", async (page, observer) => {
  await pick(page, 'Edit "User"');
  await enter(page, "New value", "mira");
  await press(page, "Set value");
  await page.until(`document.querySelector("#receipts details")`);
  assert.match(await latest(page), /Set value: Edit "User": confirmed/);
  assert.match(await latest(page), /Route\s+a11y:set_text\s+Evidence\s+the value that was read back/);
  await page.until(`document.querySelector("#diff li")`);
  assert.match(await textOf(page, "#diff"), /Edit "User".*value: nothing → mira/);
  assert.match(await textOf(page, "#spoken"), /Set value: Edit "User": confirmed/);
  await pick(page, 'Edit "Password"');
  await enter(page, "New value", "wrong");
  await press(page, "Set value");
  await page.until(`document.querySelectorAll("#earlier details").length === 1`);
  assert.doesNotMatch(await page.evaluate("document.body.innerText"), /wrong/, "a password shows");
  const shownFields = `[...document.querySelectorAll("input:not([type=password])")].some((i) => i.value === "wrong")`;
  assert.equal(await page.evaluate(shownFields), false, "a password stands in a field");
  await pick(page, 'Button "Sign in"');
  await press(page, "Click", "#element-acts");
  await page.until(`document.querySelector("#diff .add")`);
  assert.match(await textOf(page, "#diff"), /Alert "Wrong user or password"/);
  await picture(page, "receipt");
  const { windows } = await observer.ask("/api/windows");
  assert.equal(windows[0].title, "Harbour Login");
});

on(scenario("login.yaml"), "a dry run does nothing and says so", async (page) => {
  await pick(page, 'Button "Sign in"');
  await page.click("#dry-run");
  await press(page, "Click", "#element-acts");
  await page.until(`document.querySelector("#receipts details")`);
  assert.match(await latest(page), /Click: Button "Sign in": dry run/);
  await page.until(`document.querySelector("#diff").innerText.startsWith("Nothing changed")`);
});

on([...scenario("login.yaml"), ...CONFIRM], "what the guard wants confirmed is shown and asked", async (page) => {
  await pick(page, 'Button "Sign in"');
  await press(page, "Click", "#element-acts");
  await page.until(`document.querySelector("dialog[open]")`);
  assert.match(await textOf(page, "dialog"), /Confirm this act[\s\S]*click_element[\s\S]*Button\[name="Sign in"\]/);
  assert.equal(await page.evaluate(`document.activeElement.textContent`), "Cancel");
  await picture(page, "confirm");
  await page.key("Escape");
  await page.until(`document.querySelector("#receipts .failed")`);
  assert.match(await latest(page), /ConfirmationRequired/);
  await press(page, "Click", "#element-acts");
  await page.until(`document.querySelector("dialog[open]")`);
  await press(page, "Confirm and act", "dialog");
  await page.until(`document.querySelectorAll("#earlier details").length === 1`);
  assert.match(await latest(page), /Evidence\s+the reaction of line 57 answered/);
  await page.until(`document.querySelector("#diff .add")`);
}, { expected: [/status of 412/] });

on(["--max-actions", "3", "--max-screenshots", "50", "--set", "guard.redaction.element_name_patterns=[Zoom]"],
  "budgets, redaction and the trace say how they stand, and a recording is replayed", async (page) => {
    await page.until(`document.querySelector("#state meter")`);
    // Each part of the state is asked for on its own.
    await page.until(`document.querySelector("#state").textContent.includes("in force")`);
    assert.match(await textOf(page, "#state"), /Acts: 0 of 3[\s\S]*Pictures: \d+ of 50[\s\S]*1 in force/);
    assert.ok(!(await rowTexts(page)).some((row) => row.includes("Zoom")), "a hidden name shows");
    await press(page, "Start recording");
    await page.until(`document.querySelector("#state .recording")`);
    assert.equal(await textOf(page, "#live-state"), "paused while recording");
    await pick(page, 'MenuItem "File"');
    await press(page, "Click", "#element-acts");
    await page.until(`document.querySelector("#receipts details")`);
    await press(page, "Stop recording");
    await page.until(`document.querySelector("#state").innerText.includes("Acts: 1 of 3")`);
    await page.until(`document.querySelector("#state").innerText.includes("Last recording")`);
    assert.match(await page.evaluate(`document.querySelector("#replay input").value`), /trace-/);
    await press(page, "Open", "#replay");
    await page.until(`document.querySelector("#replay progress").max > 1`);
    await press(page, "Step", "#replay");
    await page.until(`document.querySelectorAll("#replay .steps-list li").length === 1`);
    await press(page, "Run to the end", "#replay");
    await page.until(`document.querySelector("#replay").innerText.includes(", finished")`);
    assert.match(await textOf(page, "#replay"), /click_element as recorded/);
    await picture(page, "replay");
  });

on(HOSTILE, "what windows and elements are called stays text", async (page) => {
  assert.equal(await page.evaluate("document.title"), "Gantry inspector");
  assert.match(await textOf(page, "#windows"), /<img src=x onerror="document\.title='owned'"> & <b>bold<\/b>/);
  assert.equal(await page.evaluate(`document.querySelectorAll("main b, main script, img[onerror], [onmouseover]").length`), 0);
  await pick(page, 'Button "</bdi><script>');
  await press(page, "Click", "#element-acts");
  await page.until(`document.querySelector("#receipts details")`);
  assert.match(await latest(page), /<script>document\.title='owned'<\/script>/);
  for (const tab of ["sketch", "prose"]) {
    await page.click(`#tab-${tab}`);
    await page.until(`document.querySelector("#${tab} pre")`);
  }
  // Nothing on the page can turn text around or hide it.
  assert.equal(await page.evaluate(`/[\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)`), false);
  assert.equal(await page.evaluate("document.title"), "Gantry inspector");
  await picture(page, "hostile");
});

on([], "text that would turn or hide is named by the page itself", async (page) => {
  const told = await page.evaluate(`import("/web/dom.js").then((dom) => dom.shown("a\\u202eb\\u200bc\\u0007d\\ne\\u{e0041}"))`);
  assert.equal(told, "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0007⟩d↵e⟨U+E0041⟩");
});

on([], "dark and light follow the system, with readable contrast in both", async (page, observer) => {
  for (const scheme of ["light", "dark"]) {
    await page.prefer(scheme);
    await open(page, observer);
    await pick(page, 'MenuItem "Edit"');
    const grounds = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    assert.equal(grounds, scheme === "dark" ? "rgb(16, 20, 26)" : "rgb(238, 241, 245)");
    const poor = await page.evaluate(`(${poorContrast})()`);
    assert.deepEqual(poor, [], scheme);
    await picture(page, scheme);
  }
});

/** Runs in the page: texts whose contrast with what is behind them is below 4.5 to 1 (WCAG AA). */
function poorContrast() {
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest("svg, noscript") || element.offsetParent === null || element.disabled) continue;
    const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(groundOf(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${element.tagName} "${element.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return poor;
}

on(scenario("login.yaml"), "everything is reached and done with the keyboard", async (page) => {
  const here = () => page.evaluate(`document.activeElement.id || document.activeElement.innerText?.slice(0, 40) || document.activeElement.tagName`);
  await page.key("Tab");
  assert.match(await here(), /Skip to the element tree/);
  assert.ok(await page.evaluate(`document.activeElement.getBoundingClientRect().top >= 0`), "the skip link shows");
  await page.key("Enter");
  await page.until(`document.activeElement.id === "tree"`);
  const active = () => page.evaluate(`document.getElementById(document.querySelector("#tree").getAttribute("aria-activedescendant")).ariaLabel`);
  assert.match(await active(), /^Window "Harbour Login"/);
  await page.key("ArrowDown");
  assert.match(await active(), /^Heading/);
  await page.key("End");
  assert.match(await active(), /^Button "Sign in"/);
  await page.key("Home");
  await page.key("ArrowLeft");
  assert.equal((await rowTexts(page)).length, 1, "the branch is closed");
  await page.key("ArrowRight");
  await page.key("u");
  assert.match(await active(), /^Edit "User"/);
  await page.key("Enter");
  await page.until(`document.querySelector("#element-selector")?.textContent.length > 1`);
  for (let i = 0; (await here()) !== "Click"; ++i) {
    assert.ok(i < 20, `Tab did not come to the act: ${await here()}`);
    const visible = await page.evaluate(`(() => { const s = getComputedStyle(document.activeElement);
      return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; })()`);
    assert.ok(visible, `the focus does not show on ${await here()}`);
    await page.key("Tab");
  }
  await page.key(" ");
  await page.until(`document.querySelector("#receipts details")`);
  assert.match(await latest(page), /Click: Edit "User"/);
  await focus(page, "#tab-picture");
  await page.key("ArrowRight");
  await page.until(`document.querySelector("#sketch pre")`);
  assert.equal(await here(), "tab-sketch");
  await page.key("End");
  await page.until(`document.querySelector("#prose pre")`);
  await picture(page, "prose");
  // Every stop of the whole round shows where it is, and none is a trap.
  const seen = new Set();
  for (let i = 0; i < 120; ++i) {
    await page.key("Tab");
    seen.add(await page.evaluate(`(() => { const all = [...document.querySelectorAll("*")]; return all.indexOf(document.activeElement); })()`));
  }
  const stops = await page.evaluate(`[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
    .filter((e) => e.offsetParent !== null && !e.disabled && e.tabIndex >= 0).length`);
  assert.ok(seen.size >= stops, `${seen.size} of ${stops} stops were reached`);
});

for (const size of [{ width: 1280, height: 700 }, { width: 400, height: 700 }]) {
  on([], `what has the focus is in view and uncovered, ${size.width} pixels wide`, async (page) => {
    assert.equal(await page.evaluate(`document.querySelector("footer").offsetHeight`), 0, "an empty bar takes room");
    await page.evaluate(`document.querySelector("#spoken").textContent = "a message of ".repeat(9)`);
    const seen = new Set();
    for (let tabs = 0; tabs < 80; tabs++) {
      await page.key("Tab");
      const { name, top, there } = await page.evaluate(`(() => { const e = document.activeElement;
        const r = e.getBoundingClientRect();
        const at = document.elementFromPoint(r.x + r.width / 2, Math.min(r.bottom, innerHeight) - 4);
        return { name: e === document.body ? "" : e.id || e.textContent.trim().slice(0, 40) || e.tagName, top: r.top,
          there: e.contains(at) || (e.labels?.length ?? 0) > 0 && e.parentElement.contains(at) }; })()`);
      if (name === "") break;  // past the last one
      seen.add(name);
      assert.ok(there && top >= 0, `${name} has the focus and is covered, or out of view`);
    }
    assert.ok(seen.size > 20, `${seen.size} controls`);
  }, { size });
}

on(["--set", "rest_observer.bearer_token=opensesame"], "with a token the page asks for it and keeps it in this tab only", async (page, observer) => {
  await page.goto(observer.address + "/");
  await page.until(`document.querySelector("dialog[open] input")`);
  assert.equal((await fetch(observer.address + "/api/windows")).status, 401);
  await page.type("wrong");
  await page.key("Enter");
  await page.until(`document.querySelector("dialog[open] input")?.value === ""`);
  assert.match(await textOf(page, "dialog"), /not the right one/);
  await picture(page, "token");
  await page.type("opensesame");
  await page.key("Enter");
  await page.until(`document.querySelectorAll("[role=treeitem]").length > 1`);
  assert.equal(await page.evaluate("document.cookie + Object.keys(localStorage)"), "");
  assert.ok(!page.requests.some((url) => url.includes("opensesame")), "the token stands in an address");
  await press(page, "Forget token");
  await page.until(`document.querySelector("dialog[open] input")`);
}, { load: false, expected: [/status of 401/] });

on(["--set", "rest_observer.web=false"], "switched off, the page is a list of the routes", async (page, observer) => {
  const html = await (await fetch(observer.address + "/")).text();
  assert.match(html, /\/api\/structure/);
  assert.doesNotMatch(html, /<script/);
  assert.equal((await fetch(observer.address + "/web/main.js")).status, 404);
}, { load: false });

on([], "the page asks gently: rarely while nothing happens, never while nobody looks", async (page) => {
  const setHidden = (hidden) => page.evaluate(`(Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true }),
    document.dispatchEvent(new Event("visibilitychange")))`);
  const asked = (what) => page.requests.filter((url) => url.includes(what)).length;
  await page.until(`document.querySelector("#state").innerText.includes("Trace")`);
  await setHidden(true);
  await page.until(`document.querySelector("#live-state").textContent === "paused"`);
  await page.pass(1000);  // what was under way
  const before = asked("/api/");
  await page.pass(60000);
  assert.equal(asked("/api/"), before, "a hidden page asked");
  const pictures = asked("/api/screenshot");
  const looks = asked("/api/observe");
  await setHidden(false);
  await page.pass(60000);
  assert.ok(asked("/api/observe") - looks >= 8, "a visible page does not look");
  assert.ok(asked("/api/observe") - looks <= 16, "it looks too often while nothing changes");
  assert.ok(asked("/api/") - before <= 45, `${asked("/api/") - before} requests in a minute`);
  assert.equal(asked("/api/screenshot"), pictures, "a picture was taken although nothing changed");
});

on([], "assistive technology gets landmarks, one title, and a name for every control", async (page) => {
  await pick(page, 'MenuItem "Edit"');
  const { nodes } = await page.command("Accessibility.getFullAXTree");
  const told = nodes.filter((node) => !node.ignored).map((node) => ({ role: node.role.value, name: node.name?.value ?? "" }));
  const named = (role) => told.filter((node) => node.role === role).map((node) => node.name);
  assert.deepEqual([named("banner").length, named("main").length, named("contentinfo").length], [1, 1, 1]);
  assert.deepEqual(named("navigation"), ["Windows"]);
  assert.deepEqual(named("region"), ["Window", "Selector", "Acts", "Elements", "Selected element", "Act on the window", "Guard and trace", "Replay"]);
  assert.equal(await page.evaluate(`document.querySelectorAll("h1").length`), 1);
  const levels = await page.evaluate(`[...document.querySelectorAll("h1, h2, h3")].map((h) => Number(h.tagName[1]))`);
  assert.ok(levels.every((level, i) => level <= (levels[i - 1] ?? 0) + 1), `headings jump: ${levels}`);
  for (const role of ["button", "textbox", "searchbox", "spinbutton", "checkbox", "combobox", "tab", "treeitem", "image", "link"]) {
    assert.ok(named(role).every((name) => name.trim() !== ""), `a nameless ${role}`);
  }
  assert.equal(named("status").length, 1);
  const ids = await page.evaluate(`[...document.querySelectorAll("[id]")].map((e) => e.id)`);
  assert.equal(new Set(ids).size, ids.length, "an id stands twice");
});

on(scenario("login.yaml"), "what happens on the desktop comes by itself", async (page, observer) => {
  await pick(page, 'Edit "User"');
  await observer.ask("/api/element/set_value", { selector: '//Edit[name="User"]', value: "ann" });
  await page.until(`[...document.querySelectorAll("[role=treeitem]")].some((r) => r.ariaLabel.includes("value ann"))`);
  assert.equal(await page.evaluate(`document.querySelector("[role=treeitem][aria-selected=true]").ariaLabel`),
    'Edit "User", value ann, focused'.replace(", focused", await page.evaluate(
      `document.querySelector("[role=treeitem][aria-selected=true]").ariaLabel.includes("focused") ? ", focused" : ""`)));
});

on([], "an error says its code, what it is about and what helps", async (page, observer) => {
  await observer.stop();
  await page.click("#refresh");
  await page.until(`!document.querySelector("#problem").hidden`);
  assert.equal(await textOf(page, "#live-state"), "no answer");
  assert.match(await textOf(page, "#problem"), /Unreachable[\s\S]*What helps: Is the daemon running/);
  await picture(page, "unreachable");
}, { expected: [/ERR_CONNECTION_REFUSED/] });

on(own("nothing.yaml"), "a desktop without a window says so", async (page, observer) => {
  await page.goto(observer.address + "/");
  await page.until(`document.querySelector("#windows").innerText === "There is no window."`);
  await page.until(`document.querySelector("#live-state").textContent === "up to date"`);
  await page.until(`/No limits/.test(document.querySelector("#state").innerText)`);
  await picture(page, "no window");
}, { load: false });

test("without a desktop the page says why, and shows what needs none", async () => {
  const observer = await Observer.start(gantry, []);
  const page = await browser.page();
  try {
    await page.goto(observer.address + "/");
    await page.until(`document.querySelector("#live-state").textContent === "could not read"`);
    await page.until(`/No limits[^]*Redaction[^]*Start recording/.test(document.querySelector("#state").innerText)`);
    assert.match(await textOf(page, "#problem"), /PlatformUnsupported[^]*What helps/);
    assert.equal(await textOf(page, "#windows"), "");
    await picture(page, "no desktop");
  } finally {
    await page.close();
    await observer.stop();
  }
});

for (const [name, size] of [["narrow", { width: 390, height: 844 }], ["middle", { width: 1000, height: 800 }]]) {
  on([], `nothing is cut on a ${name} screen`, async (page) => {
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways");
    await picture(page, name);
  }, { size });
}

test("the commands of docs/inspector.md serve what they say", async () => {
  const text = readFileSync(path.join(source, "docs/inspector.md"), "utf-8");
  const commands = [...text.matchAll(/```sh\n(.*?)\n```/gs)].map((found) => found[1]);
  const titles = [];
  for (const command of commands) {
    const [program, verb, ...options] = command.split(" ");
    assert.deepEqual([program, verb], ["gantry", "observer"]);
    const observer = await Observer.start(gantry, options, { cwd: source });
    try {
      titles.push(/<title>(.*?)<\/title>/.exec(await (await fetch(observer.address + "/")).text())[1]);
    } finally {
      await observer.stop();
    }
  }
  assert.deepEqual(titles, ["Gantry inspector", "Gantry screen observer"]);
});
