// SPDX-License-Identifier: Apache-2.0
//
// Examples in JavaScript of the pages about the chats, as they stand there.
// Usage: node chats_page_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { Chats } from "../clients/chats.mjs";
import { WebSocket } from "../clients/chromium.mjs";
import { CortaskDaemon } from "../clients/cortask.mjs";
import { eventually, within } from "../clients/eventually.mjs";
import { GatewayDaemon, TOKEN } from "../clients/gateway.mjs";

const [, , gantry, source] = process.argv;
const LIMIT = 60000;
const AsyncFunction = (async () => {}).constructor;

/** An example of a page, with what its user would say put for what stands there. */
function example(page, name, spoken = {}) {
  const text = readFileSync(path.join(source, "docs", page), "utf8");
  let code = new RegExp(`<!-- example: ${name} -->\n\`\`\`js\n([\\s\\S]*?)\`\`\``).exec(text)[1];
  for (const [there, said] of Object.entries(spoken)) {
    assert.ok(code.includes(`"${there}"`), `${there} in ${name}`);
    code = code.replace(`"${there}"`, JSON.stringify(said));
  }
  return code;
}

const tool = (file_path) => `@script tool write_file ${JSON.stringify({ file_path, content: "tea" })}`;
const writing = (file, answer) => `${tool(file)}\n@script reply ${answer}`;

test("a device is paired in the terminal and approves what it is asked about", async () => {
  const daemon = await GatewayDaemon.start(gantry, { plugins: { tools_files: {} } });
  try {
    const code = example("protocols/gateway-v3.md", "device", { "Make a note of it": writing("note.txt", "It is noted") });
    const lines = [];
    const device = new Function("WebSocket", "address", "console", `${code}; return device;`)(WebSocket, daemon.address, { log: (line) => lines.push(line) });
    const closed = new Promise((resolve) => device.addEventListener("close", resolve));
    const command = await eventually("the code", () => lines[0]);
    assert.match((await daemon.command(...command.split(" ").slice(1))).out, /^paired browser /);
    await within("the end of the chat", closed, LIMIT);
    assert.deepEqual(lines.slice(1), ["It is noted"]);
    assert.match((await daemon.command("pair", "list")).out, /paired .* phone /);
  } finally {
    await daemon.stop();
  }
});

test("one person begins in one chat, approves in another and goes on in a third", async () => {
  const chats = await Chats.start(gantry);
  try {
    const code = example("one-person.md", "one-person", { "Write the list": writing("list.txt", "It is written"), "What is on it?": "@script reply Tea" });
    const lines = [];
    const given = { WebSocket, gateway: chats.gateway.address, cortask: chats.cortask.address, aide: chats.aide.address, token: TOKEN,
      workspace: await chats.cortask.workspace(), cookie: await chats.aideCookie("ann"), console: { log: (line) => lines.push(line) } };
    await within("the example's end", new AsyncFunction(...Object.keys(given), code)(...Object.values(given)), LIMIT);
    assert.deepEqual(lines, ["Tea"]);
    const kept = await (await fetch(`http://${chats.cortask.address}/api/sessions/list?workspaceId=${given.workspace}`)).json();
    assert.match(JSON.stringify(kept.messages), /It is written.*Tea/);
  } finally {
    await chats.stop();
  }
});

test("a chat on Cortask's wire answers what it is asked", async () => {
  const daemon = await CortaskDaemon.start(gantry, "  tools_files: {}\n");
  try {
    const choice = { id: "drink", question: "Which?", type: "single", options: [{ value: "tea", label: "Tea" }] };
    const script = `@script tool write_file {"file_path":"made.txt","content":"x"}\n@script tool questionnaire ${JSON.stringify({ questions: [choice] })}\n@script show results`;
    let said = "";
    const given = { WebSocket, address: daemon.address, workspace: await daemon.workspace(), process: { stdout: { write: (text) => { said += text; } } } };
    const code = example("protocols/chat-cortask.md", "cortask", { "What is in my notes?": script });
    const socket = new Function(...Object.keys(given), `${code}; return socket;`)(...Object.values(given));
    await within("the end of the chat", new Promise((resolve) => socket.addEventListener("close", resolve)), LIMIT);
    assert.match(said, /made\.txt written/);
    assert.match(said, /Which\?:\*\* tea/);
  } finally {
    await daemon.stop();
  }
});

test("somebody signs in to the aide chat, attaches a file and confirms a tool", async () => {
  const chats = await Chats.start(gantry);
  try {
    chats.user(["add", "ann"], "correct horse\n");
    const code = example("protocols/chat-aide.md", "aide", { "What does it say?": `${tool("aide.txt")}\n@script image?\n@script show results`, "application/pdf": "image/png" });
    let said = "";
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==", "base64");
    const given = { WebSocket, address: chats.aide.address, pdf: png, process: { stdout: { write: (text) => { said += text; } } } };
    const socket = await new AsyncFunction(...Object.keys(given), `${code}; return socket;`)(...Object.values(given));
    await within("the end of the chat", new Promise((resolve) => socket.addEventListener("close", resolve)), LIMIT);
    assert.match(said, /1 image: image\/png/);
    assert.match(said, /aide\.txt written/);
  } finally {
    await chats.stop();
  }
});
