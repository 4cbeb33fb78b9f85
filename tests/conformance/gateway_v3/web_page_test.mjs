// SPDX-License-Identifier: Apache-2.0
//
// The gateway as its web page needs it, in headless Chromium: a page that does what the deployed one
// was seen to do, behind a proxy as that one is. The test is the person, and says when the page has
// drawn. Usage: node web_page_test.mjs GANTRY
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { Browser } from "../../clients/chromium.mjs";
import { eventually } from "../../clients/eventually.mjs";
import { GatewayClient, GatewayDaemon, TOKEN } from "../../clients/gateway.mjs";
import { pdf } from "../../clients/pdf.mjs";
import { WebSite } from "../../clients/web_site.mjs";

const [, , gantry] = process.argv;
const html = readFileSync(new URL("./web_page.html", import.meta.url));
const API = ["/ws", "/v1/", "/health"];
// What the page asks for and can do without; and what the tests have refused.
const TOLERATED = [/status of (401|404|415)/];
const SAID = "@script chunks [\"Hello \", \"from \", \"here\"]";

let browser;
before(async () => { browser = await Browser.launch(); });
after(() => browser.close());

/** A test on a daemon and a tab of its own. */
function on(name, body, { gateway = {}, plugins = {} } = {}) {
  test(name, async () => {
    const daemon = await GatewayDaemon.start(gantry, { gateway: { agents: [{ key: "fox" }], new_chat_hold: "10s", ...gateway }, plugins });
    const site = await WebSite.start(html, daemon.address, API);
    const page = await browser.page();
    try {
      await page.goto(site.address);
      await body(page, daemon);
      const complaints = page.complaints.filter((text) => !TOLERATED.some((pattern) => pattern.test(text)));
      assert.deepEqual(complaints, [], "complaints of the browser");
    } finally {
      await page.close();
      await site.stop();
      await daemon.stop();
    }
  });
}

async function state(page, expected) {
  let is;
  await eventually(`the state ${expected}`, async () => (is = await page.evaluate(`document.getElementById("state")?.textContent`)) === expected, 30000)
    .catch((error) => { throw new Error(`${error.message}, but ${is}: ${JSON.stringify(page.complaints)}`); });
}
const seen = (page, what) => page.evaluate(`page.${what}`);
const textOf = (page, id) => page.evaluate(`document.getElementById("${id}").textContent`);

async function fill(page, id, text) {
  await page.evaluate(`document.getElementById("${id}").value = ""; document.getElementById("${id}").focus()`);
  await page.type(text);
}

async function log_in(page, user = "system", token = TOKEN) {
  await fill(page, "user", user);
  await fill(page, "token", token);
  await page.click("#enter");
}

/** The person writes; nothing is drawn yet. The events that say where the run is, to another socket of the same user. */
async function send(page, message) {
  await fill(page, "message", message);
  await page.click("#send");
  return eventually("the chat's name", () => seen(page, "asked"));
}

const event = (watcher, sessionKey, type) =>
  watcher.take((frame) => frame.event === "agent" && frame.payload.sessionKey === sessionKey && frame.payload.type === type);

/** A whole new chat: the model's last words. */
async function ask(page, watcher, message) {
  const key = await send(page, message);
  await event(watcher, key, "run.completed");
  await page.evaluate("render()");
  await state(page, "answered");
  return seen(page, "reply.then((reply) => reply.content)");
}

on("login with a token", async (page) => {
  await log_in(page, "system", "a-wrong-token");
  await state(page, "bad credentials");
  await log_in(page);
  await state(page, "chat");
  assert.equal(await page.evaluate(`localStorage.getItem("tenant")`), "master");  // and it has loaded itself anew
  assert.equal(await seen(page, "role"), "owner");
  const answers = await seen(page, "answers");
  for (const method of ["device.pair.list", "health", "status", "quota.usage", "channels.status"]) assert.equal(answers[method], "ok", method);
  assert.match(answers["cron.list"], /scheduler/);
  for (const target of Object.keys(answers).filter((name) => name.startsWith("/"))) assert.equal(answers[target], 404, target);
});

on("login by pairing, and no longer when it is taken back", async (page, daemon) => {
  await fill(page, "user", "dora");
  await page.click("#pair");
  await state(page, "pairing");
  const code = await textOf(page, "code");
  assert.match((await daemon.command("pair", "approve", code)).out, /paired browser/);
  await state(page, "chat");
  assert.equal(await seen(page, "role"), "operator");
  assert.match((await seen(page, "answers"))["device.pair.list"], /permission denied/);
  const admin = await GatewayClient.connect(daemon);
  assert.equal(await ask(page, admin, SAID), "Hello from here");
  const { paired } = (await admin.call("device.pair.list")).payload;
  assert.deepEqual(paired.map((row) => row.user_id), ["dora"]);
  const { sender_id } = paired[0];

  // While it streams.
  await send(page, `@script chunks ${JSON.stringify(Array(2000).fill("word "))} every 20ms`);
  await page.evaluate("render()");
  await page.until(`document.getElementById("text").textContent.length > 20`);
  assert.match((await daemon.command("pair", "revoke", sender_id)).out, /revoked browser/);
  await state(page, "failed: the socket has closed");
  const heard = await textOf(page, "text");
  assert.equal(await page.evaluate(`fetch("/v1/agents", { headers: session.headers }).then((answer) => answer.status)`), 401);
  assert.equal(await textOf(page, "text"), heard);
  await admin.close();
});

on("a new chat's first piece is not lost while the page draws", async (page, daemon) => {
  await log_in(page);
  await state(page, "chat");
  const watcher = await GatewayClient.connect(daemon, { user_id: "system" });
  const key = await send(page, SAID);
  await event(watcher, key, "run.completed");
  assert.equal((await watcher.call("chat.session.status", { sessionKey: key })).payload.isRunning, false);
  assert.deepEqual(await seen(page, "dropped"), []);
  await page.evaluate("render()");
  await state(page, "answered");
  assert.equal(await textOf(page, "text"), "Hello from here");
  const status = await seen(page, "status");
  assert.deepEqual([status.isRunning, status.runId.length], [true, 36]);  // for this client it goes on
  assert.equal(await seen(page, "replied"), "Hello from here");
  assert.deepEqual((await seen(page, "history")).map((row) => [row.role, row.content]), [["user", SAID], ["assistant", "Hello from here"]]);
  assert.deepEqual(await seen(page, "listed"), [key]);
  assert.deepEqual(await seen(page, "dropped"), []);
  await watcher.close();
});

on("which it would be if nothing were kept back", async (page, daemon) => {
  await log_in(page);
  await state(page, "chat");
  const watcher = await GatewayClient.connect(daemon, { user_id: "system" });
  const key = await send(page, SAID);
  await event(watcher, key, "run.completed");
  await page.until(`page.dropped.includes("run.completed")`);
  await page.evaluate("render()");
  assert.equal((await seen(page, "status")).isRunning, false);
  assert.equal(await textOf(page, "text"), "");
  await watcher.close();
}, { gateway: { new_chat_hold: 0 } });

on("tools are shown, and what they answered", async (page, daemon) => {
  await log_in(page);
  await state(page, "chat");
  const watcher = await GatewayClient.connect(daemon, { user_id: "system" });
  await send(page, `@script tool write_file {"file_path": "note.txt", "content": "x"}\n@script tool read_file {"file_path": "note.txt"}\n@script reply over`);
  await page.evaluate("render()");
  const asked = await watcher.take((frame) => frame.event === "exec.approval.requested");
  await page.until(`document.getElementById("tools").textContent === "write_file…"`);
  assert.equal((await watcher.call("exec.approval.approve", { id: asked.payload.id })).ok, true);
  await state(page, "answered");
  const rows = await page.evaluate(`[...document.querySelectorAll("#tools li")].map((row) => row.textContent)`);
  assert.equal(rows.length, 2, JSON.stringify(rows));
  assert.match(rows[0], /^write_file: (?!failed)/);
  assert.match(rows[1], /^read_file: .*x/s);
  assert.equal(await textOf(page, "text"), "over");
  await watcher.close();
}, { plugins: { tools_files: {} } });

on("a PDF that is uploaded reaches the model as text", async (page, daemon) => {
  const choose = async (name, content) => {
    const file = path.join(daemon.folder, name);
    writeFileSync(file, content);
    await page.choose("#file", [file]);
  };
  await log_in(page);
  await state(page, "chat");
  const watcher = await GatewayClient.connect(daemon, { user_id: "system" });
  await choose("tea.pdf", pdf("Tea at five"));
  await state(page, "uploaded");
  const shown = await ask(page, watcher, "@script show user");
  assert.match(shown, /tea\.pdf/);
  assert.match(shown, /trust="untrusted"[^<]*Tea at five/s);
  assert.doesNotMatch(shown, /%PDF|base64/);

  await page.evaluate("page.media = []");
  await choose("broken.pdf", "%PDF-1.4\nnothing");
  await state(page, "uploaded");
  assert.match(await ask(page, watcher, "@script show user"), /broken\.pdf.*not shown, because/s);
  await choose("none.pdf", "no document at all");
  await page.until(`document.getElementById("state").textContent.startsWith("not uploaded")`);
  await watcher.close();
}, { plugins: { document_poppler: {} } });
