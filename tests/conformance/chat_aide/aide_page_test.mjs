// SPDX-License-Identifier: Apache-2.0
//
// The aide chat's own pages in headless Chromium: signing in with the form and by a link, a chat with a
// question, a lost connection, signing out. Usage: node aide_page_test.mjs GANTRY
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { Chats } from "../../clients/chats.mjs";
import { Browser } from "../../clients/chromium.mjs";
import { pdf } from "../../clients/pdf.mjs";

const [, , gantry] = process.argv;
const PASSWORD = "correct horse";

// A picture of one pixel.
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let chats, browser, folder;
function attachments() {
  const files = [["dot.png", Buffer.from(DOT, "base64")], ["note.pdf", pdf("Tea at five")]];
  return files.map(([name, bytes]) => (writeFileSync(path.join(folder, name), bytes), path.join(folder, name)));
}
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "aide-page-"));
  chats = await Chats.start(gantry);
  chats.user(["add", "ann"], `${PASSWORD}\n`);
  browser = await Browser.launch();
});
after(async () => {
  await browser?.close();
  await chats?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** A tab at a path, without the cookies of the tabs before. */
async function tab(path) {
  const page = await browser.page();
  await page.command("Network.clearBrowserCookies");
  await page.goto(`http://${chats.aide.address}${path}`);
  return page;
}

async function fill(page, selector, text) {
  await page.click(selector);
  await page.type(text);
}

const shows = (page, text) => page.until(`document.body?.innerText.includes(${JSON.stringify(text)})`);
const chatting = (page) => page.until(`document.querySelectorAll("#model option").length > 0`);

async function sign_in(page, password) {
  await fill(page, "[name=username]", "ann");
  await fill(page, "[name=password]", password);
  await page.click("button");
}

async function say(page, text) {
  await page.evaluate(`document.getElementById("text").focus()`);
  await page.type(text);
  await page.click("#form button");
}

test("the form lets in whoever has the password", async () => {
  const page = await tab("/");
  assert.match(await page.evaluate("location.pathname"), /^\/login$/);
  await sign_in(page, "wrong horse");
  await shows(page, "The name or the password is wrong.");
  await sign_in(page, PASSWORD);
  await chatting(page);

  await say(page, "@script reply Hello to you");
  await shows(page, "\nHello to you");
  await say(page, '@script tool write_file {"file_path":"page.txt","content":"x"}\n@script reply It is written');
  await page.until(`document.querySelectorAll("#log button").length === 2`);
  const asked = await page.evaluate(`document.querySelector("#log details").parentNode.innerText`);
  assert.equal(asked.split("page.txt").length, 2, `the arguments stand once in the question: ${asked}`);
  await page.click("#log summary");
  await shows(page, '"file_path": "page.txt"');
  await page.click("#log button");
  await shows(page, "page.txt written");
  await shows(page, "\nIt is written");
});

test("what was attached is shown where it was said, and the tab has its sign", async () => {
  const page = await tab("/login");
  await sign_in(page, PASSWORD);
  await chatting(page);
  await page.choose("#files", attachments());
  await say(page, "@script reply Two things came");
  await shows(page, "\nTwo things came");
  await shows(page, "note.pdf");
  await page.until(`document.querySelector("#log .user figure img")?.naturalWidth === 1`);
  assert.equal(await page.evaluate(`document.querySelector("#log .user figure img").parentNode.innerText`), "dot.png");
  assert.deepEqual(page.requests.filter((url) => url.includes("favicon")), []);
  assert.deepEqual(page.complaints, []);
});

test("a link signs in with its button, and signing out leads back", async () => {
  const page = await tab(new URL(chats.user(["link", "bob"]).trim()).pathname);
  await page.click("button");
  await chatting(page);
  await page.click("form[action='/logout'] button");
  await page.until(`location.pathname === "/login"`);
});

test("who is signed out elsewhere is asked to sign in", async () => {
  const page = await tab("/login");
  await sign_in(page, PASSWORD);
  await chatting(page);
  chats.user(["password", "ann"], "another horse\n");
  await page.until(`location.pathname === "/login"`);
});

test("what cannot be sent stays in the form", async () => {
  chats.user(["password", "ann"], `${PASSWORD}\n`);
  const page = await tab("/login");
  await sign_in(page, PASSWORD);
  await chatting(page);
  await page.evaluate("socket.onclose = null, new Promise((closed) => { socket.addEventListener('close', closed); socket.close(); }).then(() => true)");
  await say(page, "@script reply lost");
  await shows(page, "Not connected.");
  assert.equal(await page.evaluate(`document.getElementById("text").value`), "@script reply lost");
});
