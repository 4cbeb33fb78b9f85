// SPDX-License-Identifier: Apache-2.0
//
// Foreign peers against the echo server: npm ws, and a page in headless Chromium. Usage:
//   node peers.mjs ws|chromium ECHO_SERVER
// Needs the folder of npm packages in GANTRY_NODE_MODULES; exit code 77 skips (never under CI=true).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

import { Browser, WebSocket, opened } from "../../clients/chromium.mjs";

const [, , peer, echoServer] = process.argv;

async function withServer(body) {
  const server = spawn(echoServer, [], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const port = await new Promise((resolve, reject) => {
      server.stdout.once("data", (data) => resolve(Number(String(data).trim())));
      server.once("exit", (code) => reject(new Error(`the echo server ended with ${code}`)));
    });
    await body(port);
  } finally {
    server.stdin.end();
  }
}

const echoed = (socket, message) =>
  new Promise((resolve) => {
    socket.once("message", (data, binary) => resolve({ data, binary }));
    socket.send(message);
  });

async function npmWs(port) {
  for (const perMessageDeflate of [false, true, { clientNoContextTakeover: true }]) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["v1", "v2"], { perMessageDeflate });
    await opened(socket);
    assert.equal(socket.protocol, "v2");
    assert.equal(socket.extensions !== "", perMessageDeflate !== false);
    for (const text of ["", "Hello", "äß €→ 😀", "x".repeat(70000), "abc".repeat(300000)]) {
      const answer = await echoed(socket, text);
      assert.equal(answer.binary, false);
      assert.equal(String(answer.data), text);
    }
    const bytes = Buffer.from(Array.from({ length: 66000 }, (_, i) => (i * 7919) & 255));
    const answer = await echoed(socket, bytes);
    assert.equal(answer.binary, true);
    assert.deepEqual(Buffer.from(answer.data), bytes);

    const pong = new Promise((resolve) => socket.once("pong", resolve));
    socket.ping("are you there");
    assert.equal(String(await pong), "are you there");

    const many = 500;
    let next = 0;
    const ordered = new Promise((resolve) => {
      socket.on("message", (data) => {
        assert.equal(String(data), `message ${next}`);
        if (++next === many) resolve();
      });
    });
    for (let i = 0; i < many; ++i) socket.send(`message ${i}`);
    await ordered;

    const closed = new Promise((resolve) => socket.once("close", (code) => resolve(code)));
    socket.close(4321, "done");
    assert.equal(await closed, 4321);
  }
  const refused = new WebSocket(`ws://127.0.0.1:${port}/ws`, { origin: "https://evil.example" });
  await assert.rejects(opened(refused), /403/);
}

// What the page does; runs inside Chromium.
const page = `(async () => {
  const socket = new WebSocket("ws://" + location.host + "/ws", ["v2"]);
  socket.binaryType = "arraybuffer";
  await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = () => reject("refused"); });
  const echo = (m) => new Promise((resolve) => { socket.onmessage = (e) => resolve(e.data); socket.send(m); });
  const results = { protocol: socket.protocol, extensions: socket.extensions };
  results.text = await echo("Grüße 😀");
  results.long = (await echo("y".repeat(200000))).length;
  results.binary = new Uint8Array(await echo(new Uint8Array([0, 255, 128]))).join();
  results.hello = await (await fetch("/hello")).text();
  results.json = (await (await fetch("/json")).json()).length;
  results.posted = await (await fetch("/echo", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } })).text();
  results.form = (await fetch("/echo", { method: "POST", body: "a=b" })).status;
  const closed = new Promise((resolve) => { socket.onclose = (e) => resolve([e.code, e.wasClean]); });
  socket.close(3001, "bye");
  results.closed = await closed;
  return results;
})()`;

async function chromium(port) {
  const browser = await Browser.launch();
  try {
    const tab = await browser.page();
    await tab.goto(`http://127.0.0.1:${port}/page`);
    const { extensions, ...results } = await tab.evaluate(page);
    assert.match(extensions, /permessage-deflate/);
    assert.deepEqual(results, {
      protocol: "v2", text: "Grüße 😀", long: 200000, binary: "0,255,128", hello: "hello",
      json: 500, posted: "{}", form: 415, closed: [3001, true],
    });
  } finally {
    await browser.close();
  }
}

await withServer(peer === "ws" ? npmWs : chromium);
console.log(`${peer}: every check passed`);
