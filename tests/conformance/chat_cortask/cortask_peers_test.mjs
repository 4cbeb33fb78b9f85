// SPDX-License-Identifier: Apache-2.0
//
// Cortask's chat with npm ws, a client that nobody here wrote; large frames, a daemon that ends, and
// the example of the documentation. Usage: node cortask_peers_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { WebSocket, opened } from "../../clients/chromium.mjs";
import { CortaskClient, CortaskDaemon } from "../../clients/cortask.mjs";

const [, , gantry, source] = process.argv;
const texts = (frames) => frames.filter((frame) => frame.type === "text_delta").map((frame) => frame.text).join("");

let daemon;
before(async () => { daemon = await CortaskDaemon.start(gantry); });
after(() => daemon.stop());

for (const perMessageDeflate of [false, true]) {
  test(`npm ws chats, compression ${perMessageDeflate}`, async () => {
    const client = await CortaskClient.connect(daemon, { perMessageDeflate });
    client.chat(`plain-${perMessageDeflate}`, "@script thinking Hm\n@script reply Hello there");
    const frames = await client.until("done");
    assert.equal(frames[0].type, "thinking_delta");
    assert.equal(texts(frames), "Hello there");
    assert.equal(await client.close(), 1005);
  });
}

test("a questionnaire survives a reconnect", async () => {
  const first = await CortaskClient.connect(daemon);
  first.chat("asks", '@script tool questionnaire {"questions":[{"id":"f","question":"Which?","type":"text"}]}\n@script reply thanks');
  const asked = (await first.until("questionnaire_request")).at(-1);
  first.socket.terminate();
  await first.closed;
  const second = await CortaskClient.connect(daemon);
  second.say({ type: "questionnaire_response", requestId: asked.requestId, responses: { f: "tea" } });
  const frames = await second.until("done");
  assert.equal(frames[0].content, "**Which?:** tea");
  assert.equal(texts(frames), "thanks");
  await second.close();
});

test("an attachment of 20 MiB that is none of ours is refused in words, and the socket stays", async () => {
  const client = await CortaskClient.connect(daemon);
  client.chat("large", "x", { attachments: [{ mimeType: "application/zip", name: "big.zip", base64: Buffer.alloc(20 << 20).toString("base64") }] });
  assert.match((await client.until("error")).at(-1).error, /big\.zip/);
  client.chat("large", "@script reply ok");
  assert.equal(texts(await client.until("done")), "ok");
  await client.close();
});

test("of one session only so many messages wait", async () => {
  const client = await CortaskClient.connect(daemon);
  client.chat("crowd", "@script hang");
  for (let i = 0; i < 64; i++) client.chat("crowd", "@script reply x");
  assert.equal((await client.until("error")).at(-1).error, "Too many messages wait in this session");
  client.say({ type: "cancel", sessionKey: "crowd" });
  await client.until("done");
  await client.close();
});

test("fifty sockets chat at once", async () => {
  const clients = await Promise.all(Array.from({ length: 50 }, () => CortaskClient.connect(daemon)));
  for (const [i, client] of clients.entries()) {
    if (i % 10 === 0) client.chat(`many-${i}`, `@script reply number ${i}`);
  }
  for (const [i, client] of clients.entries()) {
    if (i % 10 !== 0) continue;
    const end = (await client.until("done")).at(-1);
    assert.equal(end.sessionKey, `many-${i}`);
  }
  await Promise.all(clients.map((client) => client.close()));
});

test("a daemon that ends says so, and what was said is there again", async () => {
  const client = await CortaskClient.connect(daemon);
  client.chat("kept", "@script reply one");
  await client.until("done");
  client.chat("kept", "@script chunks [\"half\"]\n@script hang");
  await client.until("text_delta");
  await daemon.end("SIGTERM");
  assert.equal(await client.closed, 1001);
  await daemon.again();
  const workspace = await daemon.workspace();
  const session = await daemon.get(`/api/sessions/kept?workspaceId=${workspace}`);
  assert.deepEqual(session.messages.slice(0, 3).map((message) => message.role), ["user", "assistant", "user"]);
  const next = await CortaskClient.connect(daemon);
  next.chat("kept", "@script reply three");
  assert.equal(texts(await next.until("done")), "three");
  await next.close();
});

test("the example of the documentation", async () => {
  const page = readFileSync(`${source}/docs/protocols/chat-cortask.md`, "utf8");
  const code = /<!-- example: cortask -->\n```js\n([\s\S]*?)```/.exec(page)[1]
    .replace("What is in my notes?", "@script reply Tea at five");
  let said = "";
  const sandbox = { stdout: { write: (text) => { said += text; } } };
  const socket = new Function("WebSocket", "address", "workspace", "process", `${code}; return socket;`)(
    WebSocket, daemon.address, await daemon.workspace(), sandbox);
  await new Promise((resolve) => { socket.addEventListener("close", resolve); });
  assert.equal(said, "Tea at five");
});

test("foreign pages may not connect", async () => {
  const refused = new WebSocket(`ws://${daemon.address}/ws`, { origin: "https://evil.example" });
  await assert.rejects(opened(refused), /403/);
});
