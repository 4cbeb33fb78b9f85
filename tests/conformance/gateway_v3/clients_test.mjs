// SPDX-License-Identifier: Apache-2.0
//
// The gateway over its whole life: roles, restarts, HTTP, the command line, clients that do not
// read, and what the deployed web page was recorded to send. Usage: node clients_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { WebSocket } from "../../clients/chromium.mjs";
import { eventually } from "../../clients/eventually.mjs";
import { GatewayClient, GatewayDaemon, TOKEN } from "../../clients/gateway.mjs";

const [, , gantry, source] = process.argv;
const roles = JSON.parse(readFileSync(new URL("./roles.json", import.meta.url), "utf8"));

let daemon;
before(async () => { daemon = await GatewayDaemon.start(gantry); });
after(() => daemon.stop());

async function withKey(scopes, owner, at = daemon) {
  const admin = await GatewayClient.connect(at);
  const made = await admin.call("api_keys.create", { name: owner, owner_id: owner, scopes });
  await admin.close();
  return GatewayClient.connect(at, { token: made.payload.key });
}

/** A device that was let in: a socket as its user, and its name. */
async function paired(user) {
  const asking = await GatewayClient.open(daemon);
  const { payload } = await asking.call("connect", { user_id: user });
  return { asking, code: payload.pairing_code, sender: payload.sender_id };
}

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

test("pairing by the command line", async () => {
  const { asking, code, sender } = await paired("cleo");
  const listed = await daemon.command("pair", "list");
  assert.equal(listed.code, 0, listed.out);
  assert.match(listed.out, new RegExp(`waiting +${code} +${sender} +browser +cleo`));
  assert.match((await daemon.command("pair", "approve", code)).out, new RegExp(`paired browser ${sender}`));
  assert.equal((await asking.call("browser.pairing.status", { sender_id: sender })).payload.status, "approved");
  const socket = await GatewayClient.connect(daemon, { token: "", user_id: "cleo", sender_id: sender });
  assert.equal(socket.hello.payload.role, "operator");
  assert.match((await daemon.command("pair", "revoke", sender)).out, /revoked browser/);
  assert.equal((await socket.closed).code, 1008);
  const again = await daemon.command("pair", "approve", code);
  assert.equal(again.code, 1);
  assert.match(again.out, /not found or expired/);
  const turned = await paired("cleo");
  assert.match((await daemon.command("pair", "deny", turned.code)).out, /turned away browser/);
  assert.equal((await daemon.command("pair", "what")).code, 64);
  await asking.close();
  await turned.asking.close();
});

test("a device that is being let in is never told that its code has ended", async () => {
  const { asking, code, sender } = await paired("gil");
  const admin = await GatewayClient.connect(daemon);
  const approving = admin.call("device.pair.approve", { code });
  for (let status = ""; status !== "approved";) {
    status = (await asking.call("browser.pairing.status", { sender_id: sender })).payload.status;
    assert.ok(status === "pending" || status === "approved", status);
  }
  assert.equal((await approving).ok, true);
  await asking.close();
  await admin.close();
});

test("sessions, their owners and devices outlive a daemon that is killed", async () => {
  const key = "agent:default:ws:direct:kept";
  const { asking, code, sender } = await paired("dora");
  const admin = await GatewayClient.connect(daemon);
  assert.equal((await admin.call("device.pair.approve", { code })).ok, true);
  const dora = await GatewayClient.connect(daemon, { token: "", user_id: "dora", sender_id: sender });
  assert.equal((await dora.call("chat.send", { sessionKey: key, message: "@script reply kept" })).payload.content, "kept");
  await daemon.kill();
  await Promise.all([asking.closed, admin.closed, dora.closed]);
  await daemon.again();
  const again = await GatewayClient.connect(daemon, { token: "", user_id: "dora", sender_id: sender });
  assert.equal(again.hello.payload.role, "operator");
  assert.deepEqual((await again.call("chat.history", { sessionKey: key })).payload.messages.map((row) => row.content), ["@script reply kept", "kept"]);
  const other = await withKey(["operator.write"], "other");
  assert.equal((await other.call("chat.send", { sessionKey: key, message: "x" })).error.message, "permission denied: session");
  await again.close();
  await other.close();
});

test("codes of devices that wait outlive a daemon that is killed", async () => {
  const { code, sender } = await paired("erin");
  const denied = await paired("fay");
  let admin = await GatewayClient.connect(daemon);
  assert.deepEqual((await admin.call("device.pair.deny", { code: denied.code })).payload, { denied: true });
  await daemon.kill();
  await daemon.again();
  admin = await GatewayClient.connect(daemon);
  const { pending } = (await admin.call("device.pair.list")).payload;
  assert.deepEqual(pending.map((row) => [row.code, row.sender_id, row.user_id]), [[code, sender, "erin"]]);
  assert.equal((await admin.call("device.pair.approve", { code })).ok, true);
  assert.equal((await admin.call("device.pair.approve", { code })).error.code, "NOT_FOUND");
  await daemon.kill();
  await daemon.again();
  admin = await GatewayClient.connect(daemon);
  assert.deepEqual((await admin.call("device.pair.list")).payload.pending, []);
  const device = await GatewayClient.connect(daemon, { token: "", sender_id: sender });
  assert.equal(device.hello.payload.user_id, "erin");
  await device.close();
  await admin.close();
});

test("names of devices cannot be guessed", async () => {
  const guessed = await GatewayDaemon.start(gantry);
  try {
    const stranger = await GatewayClient.open(guessed);
    const codes = new Set();
    const guesses = Array.from({ length: 200 }, (_, i) => stranger.request("connect", { sender_id: `device-${i}` }));
    for (const guess of guesses) {
      const answer = await stranger.answer(guess);
      codes.add(answer.error?.code ?? answer.payload.status);
    }
    assert.deepEqual([...codes], ["pending_pairing", "RESOURCE_EXHAUSTED"]);
    await GatewayClient.connect(guessed);  // who has the token is not held up
  } finally {
    await guessed.stop();
  }
});

test("the gateway's token cannot be guessed from one address", async () => {
  const guessed = await GatewayDaemon.start(gantry);
  try {
    const socket = await GatewayClient.open(guessed);
    const answers = [];
    for (let i = 0; i < 80; ++i) answers.push((await socket.call("connect", { token: `guess-${i}`, user_id: "x" })).error.code);
    assert.equal(answers[0], "UNAUTHORIZED");
    assert.equal(answers.at(-1), "RESOURCE_EXHAUSTED");
    // Not even the right one, so that a guess tells nothing.
    assert.equal((await socket.call("connect", { token: TOKEN, user_id: "x" })).error.code, "RESOURCE_EXHAUSTED");
    await socket.close();
  } finally {
    await guessed.stop();
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
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 60000).unref())]);
  assert.equal(answers, 50000);
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
});

test("the example of the documentation", async () => {
  const page = readFileSync(path.join(source, "docs", "protocols", "gateway-v3.md"), "utf8");
  const code = /<!-- example: gateway -->\n```js\n([\s\S]*?)```/.exec(page)[1].replace('"Hello"', '"@script reply Good day"');
  let said = "";
  const sandbox = { stdout: { write: (text) => { said += text; } } };
  const socket = new Function("WebSocket", "address", "token", "process", `${code}; return socket;`)(WebSocket, daemon.address, TOKEN, sandbox);
  await new Promise((resolve) => socket.addEventListener("close", resolve));
  assert.equal(said, "Good day");
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
