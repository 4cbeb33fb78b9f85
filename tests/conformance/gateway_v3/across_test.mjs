// SPDX-License-Identifier: Apache-2.0
//
// One session over four protocols: begun with the agent's WebSocket, its approval answered from
// Cortask's chat, watched over the gateway, continued in the aide chat. Names are joined by
// identity.links, and nothing joins itself. And sockets that are cut at every event of a run.
// Usage: node across_test.mjs GANTRY
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";

import { AgentClient, isLast } from "../../clients/agent.mjs";
import { AideClient, Chats } from "../../clients/chats.mjs";
import { CortaskClient } from "../../clients/cortask.mjs";
import { GatewayClient } from "../../clients/gateway.mjs";

const [, , gantry] = process.argv;

let chats;
before(async () => { chats = await Chats.start(gantry); });
after(() => chats?.stop());

test("begun in one, approved in another, watched in a third, continued in a fourth", async () => {
  const file = path.join(chats.folder, "work", "made.txt");
  const watcher = await GatewayClient.connect(chats.gateway, { user_id: "ann" });
  const bobs = await watcher.call("api_keys.create", { name: "bob", owner_id: "bob", scopes: ["operator.read", "operator.write", "operator.approvals"] });
  const stranger = await GatewayClient.connect(chats.gateway, { token: bobs.payload.key, user_id: "bob" });
  const cortask = await CortaskClient.connect(chats.cortask);
  const agent = await AgentClient.connect(chats.agent);
  const key = "agent:default:ws:direct:~agent~conv-1";

  agent.query("q1", '@script reply begun', "conv-1");
  await agent.until(isLast);
  const listed = (await watcher.call("sessions.list", { limit: 100 })).payload.sessions.map((row) => row.key);
  assert.ok(listed.includes(key), JSON.stringify(listed));
  assert.equal((await watcher.call("chat.history", { sessionKey: key })).ok, true);  // and from now on it watches

  agent.query("q2", `@script tool write_file ${JSON.stringify({ file_path: file, content: "made" })}\n@script reply written`, "conv-1");
  const asked = await watcher.take((frame) => frame.event === "exec.approval.requested");
  assert.equal(asked.payload.sessionKey, key);
  cortask.say({ type: "permission_response", requestId: asked.payload.id, approved: true });
  assert.equal((await watcher.take((frame) => frame.event === "exec.approval.resolved")).payload.decision, "allow-once");
  await watcher.take((frame) => frame.event === "agent" && frame.payload.sessionKey === key && frame.payload.type === "tool.result");
  const completed = await watcher.take((frame) => frame.event === "agent" && frame.payload.type === "run.completed" && frame.payload.payload.content === "written");
  assert.equal(completed.payload.sessionKey, key);

  const chat = await AideClient.connect(chats, await chats.aideCookie("ann"), "across");
  assert.equal((await chat.ask("@script reply continued", "from:agent:conv-1")).text, "continued");
  assert.equal((await chat.ask("@script reply x", "from:agent:none")).type, "error");
  const contents = (await watcher.call("chat.history", { sessionKey: key })).payload.messages.map((row) => row.content);
  assert.equal(contents.at(-1), "continued");
  assert.equal(contents[0], "@script reply begun");

  assert.equal((await stranger.call("chat.history", { sessionKey: key })).error.code, "NOT_FOUND");
  assert.deepEqual(stranger.frames.filter((frame) => frame.payload?.sessionKey === key), []);
  const other = await AideClient.connect(chats, await chats.aideCookie("bob"), "across");
  assert.equal((await other.ask("@script reply x", "from:agent:conv-1")).type, "error");
  assert.equal(cortask.frames.filter((frame) => frame.sessionKey === "conv-1").length, 0);
  for (const socket of [watcher, stranger, cortask, agent]) await socket.close?.();
  await chat.drop();
  await other.drop();
});

test("what a workspace forbids is forbidden wherever its sessions go on", async () => {
  const api = `http://${chats.cortask.address}/api/workspaces`;
  const write = (name) => `@script tool write_file ${JSON.stringify({ file_path: name, content: "x" })}\n@script reply over`;
  const body = JSON.stringify({ name: "Strict", approvals: { act: "deny" } });
  const strict = await (await fetch(api, { method: "POST", headers: { "content-type": "application/json" }, body })).json();
  const cortask = await CortaskClient.connect(chats.cortask);
  cortask.say({ type: "chat", sessionKey: "strict", workspaceId: strict.id, message: "@script reply begun" });
  await cortask.until("done");

  const watcher = await GatewayClient.connect(chats.gateway, { user_id: "ann" });
  const sessionKey = `agent:default:ws:direct:~${strict.id}~strict`;
  const asking = watcher.call("chat.send", { message: write("gateway.txt"), sessionKey });
  const result = await watcher.take((frame) => frame.event === "agent" && frame.payload.type === "tool.result");
  assert.equal(result.payload.payload.is_error, true, JSON.stringify(result));
  assert.equal((await asking).ok, true);
  assert.deepEqual(watcher.frames.filter((frame) => frame.event === "exec.approval.requested"), []);

  const chat = await AideClient.connect(chats, await chats.aideCookie("ann"), "strict");
  chat.say(write("aide.txt"), { session_id: `from:${strict.id}:strict` });
  const frames = await chat.rest();
  assert.equal(frames.find((frame) => frame.type === "tool_done")?.success, false, JSON.stringify(frames));
  assert.equal(frames.some((frame) => frame.type === "confirmation_required"), false);
  for (const socket of [cortask, watcher]) await socket.close?.();
  await chat.drop();
});

test("a session's own workspace counts besides the one of the agent that goes on with it", async () => {
  const api = `http://${chats.cortask.address}/api/workspaces`;
  const send = async (method, at, body) => (await fetch(at, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json();
  const own = await send("POST", api, { name: "Own", approvals: { act: "deny" } });
  const loose = await send("POST", api, { name: "Loose" });
  for (const [workspace, name] of [[own, "own.txt"], [loose, "loose.txt"]]) await send("PUT", `${api}/${workspace.id}/files/${name}`, { content: "x" });
  const cortask = await CortaskClient.connect(chats.cortask);
  cortask.say({ type: "chat", sessionKey: "own", workspaceId: own.id, message: "@script reply begun" });
  await cortask.until("done");

  const watcher = await GatewayClient.connect(chats.gateway, { user_id: "ann" });
  const sessionKey = `agent:default:ws:direct:~${own.id}~own`;
  const result = async (agentId, tool, args) => {
    const asking = watcher.call("chat.send", { agentId, sessionKey, message: `@script tool ${tool} ${JSON.stringify(args)}\n@script reply over` });
    const seen = await watcher.take((frame) => frame.event === "agent" && frame.payload.type === "tool.result" && frame.payload.sessionKey === sessionKey);
    assert.equal((await asking).ok, true);
    return seen.payload.payload;
  };
  for (const [agent, workspace] of [["named", "Loose"], ["placed", path.join(chats.folder, "work")]]) {
    const made = await watcher.call("agents.create", { key: agent, name: agent, workspace });
    assert.equal(made.ok, true, JSON.stringify(made));
    const denied = await result(agent, "write_file", { file_path: "x.txt", content: "x" });
    assert.equal(denied.is_error, true, JSON.stringify(denied));
    const listed = await result(agent, "list_directory", { path: "." });
    assert.match(listed.result, /own\.txt/, agent);
  }
  assert.deepEqual(watcher.frames.filter((frame) => frame.event === "exec.approval.requested"), []);
  for (const socket of [cortask, watcher]) await socket.close?.();
});

const LONG = "@script chunks [\"a\", \"b\", \"c\", \"d\"] every 20ms\n@script tool list_directory {\"path\": \".\"}\n@script chunks [\"e\", \"f\"] every 20ms";
const CUTS = 10;

test("the gateway: cut at every event and gone on with, nothing is missing and nothing comes twice", async () => {
  const whole = await GatewayClient.connect(chats.gateway, { user_id: "cut" });
  for (let cut = 0; cut < CUTS; cut += 1) {
    const sessionKey = `agent:default:ws:direct:cut${cut}`;
    const first = await GatewayClient.connect(chats.gateway, { user_id: "cut" });
    first.request("chat.send", { sessionKey, message: LONG });
    const events = [];
    const take = async (socket) => {
      events.push(await socket.take((frame) => frame.event === "agent" && frame.payload.sessionKey === sessionKey));
      return events.at(-1).payload.type;
    };
    let over = false;
    for (let i = 0; i <= cut && !over; i += 1) over = (await take(first)) === "run.completed";
    first.socket.terminate();
    await first.closed;
    if (over) break;
    const again = await GatewayClient.connect(chats.gateway, { user_id: "cut", resume: [{ sessionKey, lastSeq: events.at(-1).seq }] });
    assert.equal(again.hello.payload.resumed[0].ok, true);
    while (!over) over = (await take(again)) === "run.completed";
    const seqs = events.map((event) => event.seq);
    assert.deepEqual(seqs, [...new Set(seqs)].sort((a, b) => a - b), `cut at ${cut}`);
    const text = events.filter((event) => event.payload.type === "chunk").map((event) => event.payload.payload.content).join("");
    assert.equal(text, "abcdef", `cut at ${cut}: ${JSON.stringify(events.map((event) => event.payload.type))}`);
    await again.close();
  }
  assert.equal((await whole.call("health")).ok, true);
  await whole.close();
});

test("aide: cut at every frame and come back to, nothing is missing and nothing comes twice", async () => {
  const cookie = await chats.aideCookie("cut");
  for (let cut = 0; cut < CUTS; cut += 1) {
    const first = await AideClient.connect(chats, cookie, `cut${cut}`);
    first.say(LONG);
    const frames = [];
    const take = async (socket) => {
      const frame = await socket.next();
      if (frame.type !== "models") frames.push(frame);
      return frame.type === "done";
    };
    let over = false;
    while (frames.length <= cut && !over) over = await take(first);
    await first.close();
    while (first.frames.length > 0) over = await take(first);
    if (over) break;
    const again = await AideClient.connect(chats, cookie, `cut${cut}`);
    while (!over) over = await take(again);
    const text = frames.filter((frame) => frame.type === "text").map((frame) => frame.content).join("");
    assert.equal(text, "abcdef", `cut at ${cut}`);
    assert.equal(frames.filter((frame) => frame.type === "done").length, 1);
    assert.deepEqual([frames.at(-1).text, frames.at(-1).tool_calls_made], ["ef", 1]);
    await again.drop();
  }
});

test("Cortask: cut at every frame, the session goes on with the next message", async () => {
  for (let cut = 0; cut < CUTS; cut += 1) {
    const key = `cut-${cut}`;
    const first = await CortaskClient.connect(chats.cortask);
    first.chat(key, LONG);
    let over = false;
    for (let i = 0; i <= cut && !over; i += 1) over = (await first.next()).type === "done";
    first.socket.terminate();
    await first.closed;
    const again = await CortaskClient.connect(chats.cortask);
    again.chat(key, "@script reply still here");
    const text = (await again.until("done")).filter((frame) => frame.type === "text_delta").map((frame) => frame.text).join("");
    assert.equal(text, "still here", `cut at ${cut}`);
    await again.close();
  }
});

test("sockets that have gone leave no files open", async () => {
  const { readdirSync } = await import("node:fs");
  const files = () => readdirSync(`/proc/${chats.process.pid}/fd`).length;
  const wave = async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => GatewayClient.connect(chats.gateway, { user_id: "wave" })));
    await Promise.all(sockets.map((socket) => socket.close()));
    const asker = await GatewayClient.connect(chats.gateway, { user_id: "wave" });
    // The daemon has heard of all of them.
    while ((await asker.call("health")).payload.clients.filter((client) => client.userId === "wave").length > 1);
    await asker.close();
  };
  await wave();
  const before = files();
  for (let i = 0; i < 3; i += 1) await wave();
  assert.ok(files() <= before + 3, `${before} files became ${files()}`);
});
