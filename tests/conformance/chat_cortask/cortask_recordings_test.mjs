// SPDX-License-Identifier: Apache-2.0
//
// Replays recorded chats and requests of the reference program, when they are at hand: in
// $GANTRY_SHARED, or in ../shared beside the source tree. They are not part of this repository.
// Usage: node cortask_recordings_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { CortaskClient, CortaskDaemon } from "../../clients/cortask.mjs";

const [, , gantry, source] = process.argv;
const folder = path.join(process.env.GANTRY_SHARED ?? path.join(source, "../shared"), "golden/chat-cortask");
if (!existsSync(folder)) {
  console.log("SKIPPED: no recordings; set GANTRY_SHARED to the folder that holds golden/");
  process.exit(process.env.GANTRY_SHARED ? 1 : 77);
}
const rows = (name) => readFileSync(path.join(folder, name), "utf8").trim().split("\n").map((line) => JSON.parse(line));

/** What the recording's model was told, for the one here. */
function script(message) {
  if (!message.startsWith("FAKE:")) return "@script usage {\"prompt_tokens\":10,\"output_tokens\":5}\n@script reply Hello from fake";
  return JSON.parse(message.slice(5)).turns.map((turn) => {
    const [input, output] = turn.usage ?? [10, 5];
    const lines = [`@script usage {"prompt_tokens":${input},"output_tokens":${output}}`];
    if (turn.text) lines.push(`@script chunks ${JSON.stringify(turn.text)}${turn.delay ? ` every ${turn.delay}ms` : ""}`);
    if (turn.tools) lines.push(`@script batch ${JSON.stringify(turn.tools.map(({ name, args }) => ({ tool: name, args })))}`);
    return lines.join("\n");
  }).join("\n@script next\n").replaceAll(/(@script batch [^\n]*)\n@script next/g, "$1");
}

/** Frames as they are compared: deltas that follow each other are one, and what differs from run to run is left out. */
function plain(frames) {
  const out = [];
  for (const { toolCallId, requestId, isError, ...frame } of frames) {
    if (frame.type === "tool_call_delta" || frame.type === "tool_call_end") continue; // only where they are switched on
    if (frame.type === "permission_request" || frame.type === "questionnaire_request") delete frame.sessionKey;
    const last = out.at(-1);
    if (frame.type.endsWith("_delta") && last?.type === frame.type) last.text += frame.text;
    else out.push({ ...frame, ...(isError ? { isError } : {}) });
  }
  return out;
}

let daemon;
before(async () => { daemon = await CortaskDaemon.start(gantry); });
after(() => daemon.stop());

// Chats whose tools are the same here. The others call tools that have other names and words.
for (const name of ["01-text-basic", "02-thinking-tags", "03-thinking-tag-split", "08-questionnaire", "09-questionnaire-skip", "11-unknown-tool", "23-attachments-filerefs"]) {
  test(`the chat ${name}`, async () => {
    const recorded = rows(`${name}.jsonl`);
    const client = await CortaskClient.connect(daemon);
    const heard = [];
    for (const { dir, frame } of recorded) {
      if (dir !== "c2s") continue;
      if (frame.type === "chat") {
        // Texts of files follow the script and belong to its last line, which is one that shows nothing.
        const message = script(frame.message) + (frame.fileReferences ? "\n@script search files" : "");
        client.say({ ...frame, message, workspaceId: client.workspace });
      }
      if (frame.type === "questionnaire_response") {
        heard.push(...await client.until("questionnaire_request"));
        client.say({ ...frame, requestId: heard.at(-1).requestId });
      }
    }
    heard.push(...await client.until("done"));
    assert.deepEqual(plain(heard), plain(recorded.filter(({ dir }) => dir === "s2c").map(({ frame }) => frame)));
    await client.close();
  });
}

test("a cancel in the middle of words, and the history afterwards", async () => {
  const recorded = rows("21-cancel-midstream.jsonl");
  const chat = recorded.find(({ dir }) => dir === "c2s").frame;
  const client = await CortaskClient.connect(daemon);
  client.say({ ...chat, message: script(chat.message), workspaceId: client.workspace });
  await client.until("text_delta");
  client.say({ type: "cancel", sessionKey: chat.sessionKey });
  const end = (await client.until("done")).at(-1);
  assert.equal(end.cancelled, true); // the recorded server says nothing at all
  client.chat(chat.sessionKey, "@script reply next");
  await client.until("done");
  const session = await daemon.get(`/api/sessions/${chat.sessionKey}?workspaceId=${client.workspace}`);
  const was = recorded.find(({ dir }) => dir === "http").frame.body;
  assert.deepEqual(Object.keys(session), Object.keys(was));
  assert.match(session.messages[1].content[0].text, /^w0 /);
  await client.close();
});

/** Names of members, of lists those of the first row; texts and numbers by their kind. */
function shape(value) {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shape(value[0])];
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
}

/** Everything that `was` has, `now` has too. null stands for anything. */
function covers(now, was, where) {
  if (was === "null" || now === "null") return;
  if (Array.isArray(was)) {
    assert.ok(Array.isArray(now), where);
    if (was.length > 0 && now.length > 0) covers(now[0], was[0], `${where}[0]`);
  } else if (typeof was === "object") {
    for (const key of Object.keys(was)) {
      assert.ok(key in now, `${where}.${key} is missing`);
      covers(now[key], was[key], `${where}.${key}`);
    }
  } else assert.equal(now, was, where);
}

// What is not served, or differs on purpose; docs/protocols/chat-cortask.md says why.
const OTHER = [/^GET \/api\/workspaces\/[^/]+\/memory\/(entries|search)/, /^GET \/(ws|settings)$/, / \/api\/cron\/?[^/]*(\/run)?$/,
  /^GET \/api\/models\/openai/, /^POST \/api\/providers\/openai\/test/, /^GET \/api\/nope/, /^GET \/api\/workspaces\/[^/]+\/(tree|list-files)/];

test("the requests of the recording", async () => {
  const workspace = await daemon.workspace();
  const ids = new Map([["ec9bde57-6c23-4c09-a1ff-3bab432198c3", workspace]]);
  const ours = (text) => [...ids].reduce((all, [was, now]) => all.replaceAll(was, now), text);
  mkdirSync(path.join(daemon.folder, "cortask/projects", workspace), { recursive: true });
  const root = (await daemon.get(`/api/workspaces/${workspace}`)).rootPath;
  writeFileSync(path.join(root, "notes.txt"), "line one\nline two\n");
  let compared = 0;
  for (const { dir, req, res } of rows("40-http-endpoints.jsonl")) {
    if (dir !== "http" || OTHER.some((rule) => rule.test(`${req.method} ${req.path}`))) continue;
    if (req.headers?.origin && res.status === 500) continue; // 403 here
    const where = `${req.method} ${req.path}`;
    const body = req.body && ours(JSON.stringify(req.body)).replace(/"FAKE:.*"/, "\"@script reply 0 9 * * 1\"");
    const answer = await fetch(`http://${daemon.address}${ours(req.path)}`, { method: req.method, body,
      headers: { ...req.headers, ...(body ? { "content-type": "application/json" } : {}) } });
    assert.equal(answer.status, res.status, where);
    const text = await answer.text();
    if (typeof res.body !== "object") assert.equal(text, res.body, where);
    else {
      const now = JSON.parse(text);
      if (res.body.error && res.status >= 400) assert.equal(now.error, res.body.error, where);
      else covers(shape(now), shape(res.body), where);
      if (res.body.id && req.method === "POST") ids.set(res.body.id, now.id);
    }
    compared += 1;
  }
  assert.ok(compared >= 40, `${compared} requests were compared`);
});
