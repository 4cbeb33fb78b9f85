// SPDX-License-Identifier: Apache-2.0
//
// The web inspector on a private desktop. Usage:
//   node inspector_desktop.mjs SOURCE_DIR GANTRY OUTPUT_DIR form|self
//
// form: the page, in headless Chromium, fills in a GTK 3 form, which writes down what reached it.
// self: a visible Chromium shows the page, and Gantry reads that window through its own REST: every
//       control that the browser tells assistive technology of is there with its name and role.
// Called with --inside first it is the part that runs on the desktop.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { Browser, skip } from "../../clients/chromium.mjs";
import { Observer } from "../../clients/observer.mjs";

const HERE = fileURLToPath(import.meta.url);
const PYTHON = "/usr/bin/python3";

const focusField = (label, scope) => `(() => {
  const found = [...document.querySelectorAll(${JSON.stringify(scope)} + " label")].find((l) => l.textContent === ${JSON.stringify(label)});
  const input = document.getElementById(found.htmlFor); input.focus(); input.select(); })()`;

/** Selects the element whose row begins with `label`, and returns its derived selector. */
async function pick(page, label) {
  const row = `[role=treeitem][aria-label^=${JSON.stringify(label)}] .name`;
  await page.until(`document.querySelector(${JSON.stringify(row)})`);
  await page.click(row);
  await page.until(`document.querySelector("[role=treeitem][aria-selected=true]")?.ariaLabel.startsWith(${JSON.stringify(label)})`);
  await page.until(`document.querySelector("#element-selector")?.textContent.length > 1`);
  return page.evaluate(`document.querySelector("#element-selector").textContent`);
}

/** Does what `start` does and waits for the receipt that it brings. */
async function receiptOf(page, start) {
  await page.evaluate(`document.querySelector("#receipts").dataset.seen = "1";
    document.querySelector("#receipts").firstElementChild.dataset.old = "1"`);
  await start();
  await page.until(`document.querySelector("#receipts details:not([data-old])")`);
  return page.evaluate(`document.querySelector("#receipts details").innerText`);
}

const setValue = (page, value) => receiptOf(page, async () => {
  await page.evaluate(focusField("New value", "#element-acts"));
  await page.type(value);
  await page.key("Enter");
});

const press = (page, text) => receiptOf(page, async () => {
  await page.evaluate(`[...document.querySelectorAll("#element-acts button")].find((b) => b.textContent === ${JSON.stringify(text)}).focus()`);
  await page.key(" ");
});

async function form(observer, folder) {
  const browser = await Browser.launch();
  try {
    const page = await browser.page();
    await page.goto(observer.address + "/");
    const title = `[...document.querySelectorAll("#windows button")].find((b) => b.innerText.includes("Acme Login"))`;
    await page.until(`Boolean(${title})`);
    await page.evaluate(`${title}.click()`);
    await page.until(`document.querySelector("[role=treeitem]")?.ariaLabel.includes("Acme Login")`);
    await page.until(`document.querySelector(".stage img").naturalWidth > 100`);
    assert.match(await pick(page, 'Edit "Username"'), /Edit\[name="Username"\]$/);
    assert.match(await setValue(page, "alice Ω"), /confirmed[\s\S]*Evidence/);
    await page.until(`document.querySelector("#diff li")`);
    assert.match(await page.evaluate(`document.querySelector("#diff").innerText`), /alice Ω/);
    await pick(page, 'CheckBox "Remember me"');
    assert.match(await press(page, "Click"), /confirmed/);
    await page.screenshot(path.join(folder, "form.png"));
    // The box of the selected element lies on the picture where the check box is.
    const box = await page.evaluate(`(() => { const b = document.querySelector(".box.selected").getBoundingClientRect();
      const i = document.querySelector(".stage img").getBoundingClientRect();
      return b.x >= i.x - 2 && b.y >= i.y - 2 && b.right <= i.right + 2 && b.bottom <= i.bottom + 2 && b.width > 20; })()`);
    assert.ok(box, "the box lies outside the picture");
    await pick(page, 'Button "Locked"');
    assert.match(await press(page, "Click"), /ElementDisabled[\s\S]*What helps/);
    await pick(page, 'Button "Log in"');
    assert.doesNotMatch(await press(page, "Click"), /refused/);
    await page.until(`[...document.querySelectorAll("[role=treeitem]")].some((r) => r.ariaLabel.includes("Welcome alice"))`);
    const state = JSON.parse(readFileSync(path.join(folder, "state.json"), "utf-8"));
    assert.equal(state.user, "alice Ω");
    assert.equal(state.remember, true);
    assert.equal(state.presses, 1);
    await page.screenshot(path.join(folder, "logged-in.png"));
    assert.deepEqual(page.complaints.filter((text) => !text.includes("status of 409")), []);
  } finally {
    await browser.close();
  }
}

// What the browser calls a control, and what Gantry does.
const ROLES = {
  button: ["Button", "ToggleButton"], textbox: ["Edit"], searchbox: ["Edit"], checkbox: ["CheckBox"],
  combobox: ["ComboBox"], link: ["Hyperlink", "Link"], tab: ["TabItem", "Tab"], tree: ["Tree"],
  treeitem: ["TreeItem"], spinbutton: ["Spinner", "SpinButton"], meter: ["Meter", "ProgressBar"],
};
const PLACES = ["button", "textbox", "searchbox", "checkbox", "combobox", "link", "tab", "tree", "treeitem", "spinbutton"];

/** (role, name) of every control, as the browser's own accessibility tree has it. */
async function controlsOf(page) {
  const { nodes } = await page.command("Accessibility.getFullAXTree");
  return nodes.filter((n) => !n.ignored && PLACES.includes(n.role?.value))
    .map((n) => ({ role: n.role.value, name: n.name?.value ?? "" }));
}

/** All lines of a window's tree. */
async function linesOf(observer, uid) {
  const lines = [];
  for (let cursor = ""; cursor !== null;) {
    const more = cursor ? `&page_cursor=${encodeURIComponent(cursor)}` : "";
    const answer = await observer.ask(`/api/structure?format=lines&max_text_len=200&window_uid=${encodeURIComponent(uid)}${more}`);
    assert.ok(answer.ok, JSON.stringify(answer.error));
    lines.push(...answer.lines.split("\n"));
    cursor = answer.next_cursor;
  }
  return lines;
}

async function self(observer, folder) {
  const browser = await Browser.launch(["--force-renderer-accessibility", "--window-size=1250,780", "--window-position=10,10"]);
  try {
    const page = await browser.page(null);
    await page.goto(observer.address + "/");
    await page.until(`document.querySelectorAll("[role=treeitem]").length > 1`);
    await page.until(`document.querySelector("#state").innerText.includes("Trace")`);
    await page.click("#live");  // what is read shall stand still
    await page.evaluate(`document.querySelector("[role=tree]").focus()`);
    await page.key("ArrowDown");
    await page.key("Enter");
    await page.until(`document.querySelector("#element-selector")?.textContent.length > 1`);
    const window = (await observer.ask("/api/windows")).windows.find((w) => w.title.startsWith("Gantry inspector"));
    await observer.ask("/api/wait_for", { any_of: [{ type: "text_visible", regex: "Selected element" }], window_uid: window.window_uid, timeout_ms: 20000 });
    const controls = await controlsOf(page);
    const nameless = controls.filter((c) => c.name.trim() === "");
    assert.deepEqual(nameless, [], "controls without a name");
    let missing;  // the browser tells its tree in parts, so the last of it may come late
    for (const end = Date.now() + 20000;;) {
      const tree = (await linesOf(observer, window.window_uid)).join("\n");
      missing = controls.filter((c) => !ROLES[c.role].some((role) => tree.includes(`${role} "${JSON.stringify(c.name).slice(1, 31)}`)));
      if (missing.length === 0 || Date.now() > end) break;
      await observer.ask("/api/wait_for", { any_of: [{ type: "tree_changes" }], window_uid: window.window_uid, timeout_ms: 1000 });
    }
    assert.deepEqual(missing, [], "controls that Gantry does not read");
    assert.ok(controls.length > 30, `only ${controls.length} controls`);
    await page.screenshot(path.join(folder, "self.png"));
  } finally {
    await browser.close();
  }
}

const RUNS = { form, self };

async function inside(gantry, folder, run) {
  const observer = await Observer.start(gantry, [], { desktop: true });
  try {
    await observer.ready();
    await RUNS[run](observer, folder);
  } finally {
    await observer.stop();
  }
  console.log(`${run}: every check passed`);
}

function main(source, gantry, output, run) {
  const folder = path.join(output, run);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const gtk = spawnSync(PYTHON, ["-c", "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk"]);
  if (run === "form" && gtk.status !== 0) skip("GTK 3 for Python is not installed");
  const app = run === "form" ? ["--app", `${PYTHON} ${source}/tests/desktop/acts/login_form.py 3 ${folder}/state.json`] : [];
  const env = { ...process.env };
  delete env.GANTRY_DESKTOP_SESSION;
  const done = spawnSync(path.join(source, "tools/desktop-session"),
    [...app, "--", process.execPath, HERE, "--inside", gantry, folder, run], { stdio: "inherit", env, timeout: 220000 });
  process.exit(done.status ?? 1);
}

if (process.argv[2] === "--inside") await inside(...process.argv.slice(3, 6));
else main(...process.argv.slice(2, 6));
