// SPDX-License-Identifier: Apache-2.0
//
// The gateway over its whole life: roles, restarts, HTTP, the command line, clients that do not
// read, and what the deployed web page was recorded to send. Usage: node clients_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { WebSocket } from "../../clients/chromium.mjs";
import { eventually, within } from "../../clients/eventually.mjs";
import { GatewayClient, GatewayDaemon, TOKEN } from "../../clients/gateway.mjs";

const [, , gantry, source] = process.argv;
const roles = JSON.parse(readFileSync(new URL("./roles.json", import.meta.url), "utf8"));

let daemon;
before(async () => { daemon = await GatewayDaemon.start(gantry); });
after(() => daemon.stop());

const withKey = (scopes, owner, at = daemon) => GatewayClient.withKey(at, scopes, owner);

test("every method for every role", async () => {
  const order = ["viewer", "operator", "admin", "owner"];
  const sockets = {
    viewer: await withKey(["operator.read"], "reader"),
    operator: await withKey(["operator.read", "operator.write", "operator.approvals", "operator.pairing"], "worker"),
    admin: await GatewayClient.connect(daemon),
    owner: await GatewayClient.connect(daemon, { user_id: "system" }),
  };
  for (const [least, methods] of Object.entries(roles)) {
    for (const method of methods) {
      for (const [role, socket] of Object.entries(sockets)) {
        const answer = await socket.call(method, {});
        const denied = `permission denied: ${method} requires ${least} role`;
        const may = order.indexOf(role) >= order.indexOf(least);
        if (may) assert.doesNotMatch(answer.error?.message ?? "", /requires .* role|unknown method/, `${role} ${method}`);
        else assert.deepEqual(answer.error, { code: "UNAUTHORIZED", message: denied }, `${role} ${method}`);
      }
    }
  }
  for (const socket of Object.values(sockets)) await socket.close();
});

// Methods about one session or job, and what they need besides its name.
const OWNED = {
  "chat.history": {}, "chat.session.status": {}, "chat.resume": {}, "sessions.preview": {}, "cron.runs": {},
  "chat.send": { message: "@script reply y" }, "chat.inject": { message: "x" }, "chat.abort": {}, "sessions.patch": { label: "x" },
  "sessions.label": { label: "x" }, "sessions.compact": {}, "sessions.reset": {}, "sessions.delete": {},
  "cron.update": { patch: { message: "y" } }, "cron.toggle": { enabled: false }, "cron.run": {}, "cron.delete": {},
};

test("what belongs to somebody: every method for every role, its owner or not", async () => {
  const order = ["viewer", "operator", "admin", "owner"];
  const least = (method) => order.find((role) => roles[role]?.includes(method));
  const scheduling = await GatewayDaemon.start(gantry, { plugins: { scheduler: {} } });
  try {
    const writes = ["operator.read", "operator.write", "operator.approvals"];
    const owner = await withKey(writes, "bea", scheduling);
    const others = {
      viewer: await withKey(["operator.read"], "reader", scheduling),
      operator: await withKey(writes, "worker", scheduling),
      admin: await GatewayClient.connect(scheduling, { user_id: "boss" }),
      owner: await GatewayClient.connect(scheduling, { user_id: "system" }),
    };
    let number = 0;
    /** The parameters of a call about a session or job that bea has made for it. */
    const made = async (method) => {
      number += 1;
      if (method.startsWith("cron.")) {
        const job = await owner.call("cron.create", { name: `job-${number}`, schedule: { kind: "every", everyMs: 3600000 }, message: "x" });
        return { jobId: job.payload.job.id, ...OWNED[method] };
      }
      const sessionKey = `agent:default:ws:direct:owned${number}`;
      assert.equal((await owner.call("chat.send", { message: "@script reply x", sessionKey })).ok, true);
      return { sessionKey, key: sessionKey, ...OWNED[method] };
    };
    const refused = ({ error, payload }) => ["UNAUTHORIZED", "NOT_FOUND"].includes(error?.code) || error?.message === "job not found" || payload?.unauthorized === true;
    for (const method of Object.keys(OWNED)) {
      const own = await owner.call(method, await made(method));
      assert.equal(refused(own), false, `bea's own, ${method}: ${JSON.stringify(own)}`);
      for (const [role, socket] of Object.entries(others)) {
        if (order.indexOf(role) < order.indexOf(least(method))) continue;
        const answer = await socket.call(method, await made(method));
        assert.equal(refused(answer), role === "viewer" || role === "operator", `${role}, ${method}: ${JSON.stringify(answer)}`);
      }
    }
    for (const socket of [owner, ...Object.values(others)]) await socket.close();
  } finally {
    await scheduling.stop();
  }
});

test("written settings are lines of the audit log, refused ones too, and no values", async () => {
  const guarded = await GatewayDaemon.start(gantry, { plugins: { guard: { audit: { enabled: true } } } });
  try {
    const admin = await GatewayClient.connect(guarded);
    const { payload: { hash } } = await admin.call("config.get");
    const key = "gateway_v3.token";
    assert.equal((await admin.call("config.set", { key, value: "a-written-secret" })).ok, true);
    assert.equal((await admin.call("config.set", { key, value: "a-late-secret", baseHash: hash })).ok, false);
    assert.equal((await admin.call("config.patch", { raw: { kernel: { plugin_dirs: ["/a/refused/place"] } } })).ok, false);
    const lines = await eventually("three lines", () => {
      const file = path.join(guarded.folder, "audit.log");
      const found = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter((line) => line.includes("tool=config.")) : [];
      return found.length === 3 && found;
    });
    assert.match(lines[0], /caller="?gateway_v3:ann"? tool=config\.set ok=true changed=true .*plugins\.gateway_v3\.config\.token/);
    assert.match(lines[1], /tool=config\.set ok=false error="?aborted"? changed=false/);
    assert.match(lines[2], /tool=config\.patch ok=false error="?invalid_argument"? changed=false/);
    assert.doesNotMatch(lines.join(), /secret|refused\/place/);
    await admin.close();
  } finally {
    await guarded.stop();
  }
});

test("agents that were made and their files outlive a daemon that is killed", async () => {
  let admin = await GatewayClient.connect(daemon);
  assert.equal((await admin.call("agents.create", { name: "Keeper" })).ok, true);
  assert.equal((await admin.call("agents.files.set", { agentId: "keeper", name: "USER.md", content: "Ann" })).ok, true);
  await daemon.kill();
  await daemon.again();
  admin = await GatewayClient.connect(daemon);
  assert.ok((await admin.call("agents.list")).payload.agents.some((row) => row.id === "keeper"));
  assert.equal((await admin.call("agents.files.get", { agentId: "keeper", name: "USER.md" })).payload.file.content, "Ann");
  assert.equal((await admin.call("agents.delete", { agentId: "keeper" })).ok, true);
  await admin.close();
});

test("an administrator reads the daemon's log along", async () => {
  const admin = await GatewayClient.connect(daemon);
  assert.equal((await admin.call("logs.tail", { level: "debug" })).payload.status, "tailing");
  const other = await GatewayClient.connect(daemon, { user_id: "bob" });
  daemon.process.kill("SIGHUP");  // of which the daemon says something
  const { timestamp } = (await admin.take((frame) => frame.event === "log")).payload;
  assert.ok(Math.abs(timestamp - Date.now()) < 60_000);
  assert.deepEqual(other.frames.filter((frame) => frame.event === "log"), []);
  assert.equal((await admin.call("logs.tail", { action: "stop" })).payload.status, "stopped");
  await admin.close();
  await other.close();
});

test("a client that does not read is closed with 1013 and goes on where it was", async () => {
  const key = "agent:default:ws:direct:slow";
  const own = await GatewayDaemon.start(gantry, { gateway: { queue_bytes: 2097152 } });
  const slow = await GatewayClient.connect(own, {}, { perMessageDeflate: false });
  const fast = await GatewayClient.connect(own);
  const me = (await slow.call("health")).payload.currentId;
  assert.equal((await fast.call("chat.send", { sessionKey: key, message: "@script reply first" })).ok, true);
  slow.socket.pause();
  let turns = 1;
  for (let connected = true; connected && turns < 500; ++turns) {
    const answer = await fast.call("chat.send", { sessionKey: key, message: `@script chunks ["${"漢".repeat(30000)}"]` });
    assert.equal(answer.ok, true, JSON.stringify(answer.error));
    await fast.call("sessions.reset", { key });
    connected = (await fast.call("health")).payload.clients.some((client) => client.id === me);
    fast.frames = [];
  }
  slow.socket.resume();
  assert.equal((await slow.closed).code, 1013);
  const seen = slow.frames.filter((frame) => frame.event === "agent");
  const completed = (frames) => frames.filter((frame) => frame.payload.type === "run.completed").length;
  assert.ok(completed(seen) < turns);
  const last = seen.at(-1).seq;
  const again = await GatewayClient.connect(own);
  const resumed = await again.call("chat.resume", { sessionKey: key, lastSeq: last });
  assert.equal(resumed.ok, true, JSON.stringify(resumed.error));
  const missed = again.frames.filter((frame) => frame.event === "agent");
  assert.equal(missed.length, resumed.payload.replayed);
  assert.ok(missed.every((frame, i) => frame.seq > (i === 0 ? last : missed[i - 1].seq)));
  assert.equal(completed(seen) + completed(missed), turns);
  await own.stop();
});

test("of a flood of requests every one is answered", async () => {
  const client = await GatewayClient.open(daemon);
  let answers = 0;
  client.socket.removeAllListeners("message");
  const all = new Promise((resolve) => client.socket.on("message", () => { if (++answers === 50000) resolve(); }));
  for (let i = 0; i < 50000; i++) client.socket.send("{}");
  await within("50,000 answers", all, 60000);
  client.socket.terminate();
});

test("a session that was begun elsewhere is listed, read, watched and continued by its owner alone", async () => {
  const session = { principal: "gateway:xena", workspace: "some place", key: "k:1" };
  const opened = await daemon.command("call", "gantry.session.open/1", JSON.stringify({ session, title: "Elsewhere" }));
  assert.equal(opened.code, 0, opened.out);
  const xena = await withKey(["operator.read", "operator.write"], "xena");
  const key = "agent:default:ws:direct:~some%20place~k:1";
  assert.deepEqual((await xena.call("sessions.list", { channel: "ws" })).payload.sessions.map((row) => [row.key, row.label]), [[key, "Elsewhere"]]);
  assert.deepEqual((await xena.call("chat.history", { sessionKey: key })).payload.messages, []);
  const turn = await daemon.command("call", "gantry.turn.start/1", JSON.stringify({ session, turn: "t1", text: "@script reply from there", caller: "test" }));
  assert.equal(turn.code, 0, turn.out);
  const heard = await xena.take((frame) => frame.event === "agent" && frame.payload.type === "run.completed");
  assert.deepEqual([heard.payload.sessionKey, heard.payload.payload.content], [key, "from there"]);
  assert.equal((await xena.call("chat.send", { sessionKey: key, message: "@script reply from here" })).payload.content, "from here");
  const other = await withKey(["operator.read", "operator.write"], "yves");
  assert.equal((await other.call("sessions.list")).payload.total, 0);
  assert.equal((await other.call("chat.history", { sessionKey: key })).error.code, "NOT_FOUND");
  assert.equal((await other.call("chat.send", { sessionKey: key, message: "x" })).error.code, "NOT_FOUND");
  await xena.close();
  await other.close();
});

async function http(target, headers = {}) {
  const response = await fetch(`http://${daemon.address}${target}`, { headers });
  return { status: response.status, body: await response.json() };
}

test("HTTP", async () => {
  const bearer = { authorization: `Bearer ${TOKEN}`, "x-goclaw-user-id": "system" };
  assert.deepEqual(await http("/health"), { status: 200, body: { status: "ok", protocol: 3 } });
  assert.equal((await http("/v1/edition")).body.name, "standard");
  assert.equal((await fetch(`http://${daemon.address}/health`, { method: "HEAD" })).status, 200);
  assert.equal((await http("/v1/agents")).status, 401);
  assert.equal((await http("/v1/agents", { authorization: "Bearer wrong" })).body.error.code, "UNAUTHORIZED");
  const agents = await http("/v1/agents", bearer);
  assert.equal(agents.status, 200);
  assert.deepEqual(agents.body.agents.map((row) => [row.agent_key, row.status, row.is_default]), [["default", "active", true]]);
  const providers = await http("/v1/providers", bearer);
  assert.deepEqual(providers.body.providers.map((row) => [row.name, row.enabled, row.api_key]), [["scripted", true, "***"]]);
  const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGIAAQAABQABDQottAAAAABJRU5ErkJggg==", "base64");
  const upload = async (content, headers) => {
    const form = new FormData();
    form.set("file", new Blob([content], { type: "image/png" }), "pixel.png");
    const response = await fetch(`http://${daemon.address}/v1/media/upload`, { method: "POST", headers, body: form });
    return { status: response.status, body: await response.json() };
  };
  const kept = await upload(pixel, { ...bearer, "x-goclaw-user-id": "ann" });
  assert.equal(kept.status, 200, JSON.stringify(kept.body));
  assert.match(kept.body.path, /^[0-9a-f]{32}\.png$/);
  assert.deepEqual([kept.body.mime_type, kept.body.filename], ["image/png", "pixel.png"]);
  assert.equal((await upload("no picture", { ...bearer, "x-goclaw-user-id": "ann" })).status, 415);
  assert.equal((await upload(pixel, {})).status, 401);
  const ann = await GatewayClient.connect(daemon);
  const shown = await ann.call("chat.send", { message: "@script image?", media: [kept.body.path] });
  assert.match(shown.payload.content, /image\/png/);
  const bob = await GatewayClient.connect(daemon, { user_id: "bob" });
  assert.equal((await bob.call("chat.send", { message: "@script image?", media: [{ path: kept.body.path }] })).ok, false);
  const key = "agent:default:ws:direct:rest";
  const one = `/v1/sessions/${encodeURIComponent(key)}`;
  const asAnn = { authorization: `Bearer ${TOKEN}`, "x-goclaw-user-id": "ann" };
  const change = async (method, body) => {
    const response = await fetch(`http://${daemon.address}${one}`, { method, headers: { ...asAnn, "content-type": "application/json" }, body: body && JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  assert.equal((await ann.call("chat.send", { message: "@script reply x", sessionKey: key })).ok, true);
  assert.equal((await http("/v1/sessions")).status, 401);
  assert.equal((await http("/v1/sessions?limit=1", asAnn)).body.limit, 1);
  assert.deepEqual((await http(one, asAnn)).body.messages.map((row) => row.role), ["user", "assistant"]);
  assert.deepEqual((await change("PATCH", { label: "Rest" })).body, { ok: true, key });
  assert.equal((await http("/v1/sessions", asAnn)).body.sessions.find((row) => row.key === key).label, "Rest");
  assert.equal((await change("DELETE")).body.ok, true);
  assert.equal((await http(one, asAnn)).status, 404);
  await ann.close();
  await bob.close();
  const nothing = await http("/v1/traces?limit=8", bearer);
  assert.equal(nothing.status, 404);
  assert.equal(nothing.body.error.code, "NOT_FOUND");
  const bytes = await (await fetch(`http://${daemon.address}/v1/%ff%fe`)).arrayBuffer();
  const told = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  assert.equal(told.error.message, "there is no GET /v1/\ufffd\ufffd");
});

const page = readFileSync(path.join(source, "docs", "protocols", "gateway-v3.md"), "utf8");
const example = (name) => new RegExp(`<!-- example: ${name} -->\n\`\`\`js\n([\\s\\S]*?)\`\`\``).exec(page)[1];

test("the example of the documentation", async () => {
  const code = example("gateway").replace('"Hello"', '"@script reply Good day"');
  let said = "";
  const sandbox = { stdout: { write: (text) => { said += text; } } };
  const socket = new Function("WebSocket", "address", "token", "process", `${code}; return socket;`)(WebSocket, daemon.address, TOKEN, sandbox);
  await new Promise((resolve) => socket.addEventListener("close", resolve));
  assert.equal(said, "Good day");
});

test("the example of a device that is paired in the terminal and approves what it is asked about", async () => {
  const own = await GatewayDaemon.start(gantry, { plugins: { tools_files: {} } });
  try {
    const script = `@script tool write_file ${JSON.stringify({ file_path: "note.txt", content: "tea" })}\n@script reply It is noted`;
    const code = example("device").replace('"Make a note of it"', JSON.stringify(script));
    const lines = [];
    const device = new Function("WebSocket", "address", "console", `${code}; return device;`)(WebSocket, own.address, { log: (line) => lines.push(line) });
    const closed = new Promise((resolve) => device.addEventListener("close", resolve));
    await eventually("the code", () => lines[0]);
    const paired = await own.command(...lines[0].split(" ").slice(1));
    assert.match(paired.out, /^paired browser /);
    await within("the end of the chat", closed, 60000);
    assert.deepEqual(lines.slice(1), ["It is noted"]);
    assert.match((await own.command("pair", "list")).out, /paired .* phone /);
  } finally {
    await own.stop();
  }
});

const shared = process.env.GANTRY_SHARED ?? "";
const recordings = path.join(shared, "golden", "gateway-v3");

for (const name of ["webui-log-token", "webui-log-pair"]) {
  test(`what the web page was recorded to send: ${name}`, { skip: !shared || !existsSync(recordings) }, async () => {
    const own = await GatewayDaemon.start(gantry, { gateway: { agents: [{ key: "fox" }] } });
    try {
      const lines = readFileSync(path.join(recordings, `${name}.jsonl`), "utf8").trim().split("\n").map((line) => JSON.parse(line));
      const sockets = new Map();
      const names = new Map([["secret-token", TOKEN]]);
      const real = (value) => JSON.parse([...names].reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value ?? {})));
      const admin = await GatewayClient.connect(own);
      let answers = 0;
      for (const line of lines) {
        if (line.k === "ws-open") sockets.set(line.conn, await GatewayClient.open(own));
        if (line.k === "http") {
          const response = await fetch(`http://${own.address}${line.path}`, { headers: real(line.h) });
          assert.equal(response.status, line.status, line.path);
        }
        if (line.k !== "req") continue;
        const socket = sockets.get(line.conn);
        const pairs = line.params.sender_id && line.params.token === "" ? line.params.sender_id : undefined;
        if (pairs && admin.code_to_approve) {
          await admin.call("device.pair.approve", { code: admin.code_to_approve });
          admin.code_to_approve = undefined;
        }
        socket.send({ type: "req", id: line.id, method: line.method, ...(line.keys.includes("params") && { params: real(line.params) }) });
        if (line.method === "chat.send") continue;
        const answer = await socket.answer(line.id);
        ++answers;
        if (answer.payload?.status === "pending_pairing") {
          const next = lines.find((one) => one.method === "browser.pairing.status");
          names.set(next.params.sender_id, answer.payload.sender_id);
          admin.code_to_approve = answer.payload.pairing_code;
          continue;
        }
        const tolerated = answer.ok || ["UNAUTHORIZED", "UNAVAILABLE"].includes(answer.error.code);
        assert.ok(tolerated, `${line.method}: ${JSON.stringify(answer)}`);
        if (["connect", "tenants.mine", "agents.list", "health", "status", "quota.usage", "channels.status", "sessions.list", "chat.history", "chat.session.status"].includes(line.method)) assert.equal(answer.ok, true, line.method);
      }
      assert.ok(answers > 10);
      for (const socket of sockets.values()) socket.socket.terminate();
      await admin.close();
    } finally {
      await own.stop();
    }
  });
}
