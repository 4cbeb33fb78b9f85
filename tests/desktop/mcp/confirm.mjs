// SPDX-License-Identifier: Apache-2.0
//
// The official MCP client presses a button that the guard wants confirmed, with a user who is asked
// and with a client that cannot ask. Usage:
//   node confirm.mjs STATE_FILE COMMAND ARGUMENT…
// STATE_FILE is what the form writes when its button is pressed.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , stateFile, command, ...args] = process.argv;
const require = createRequire(path.join(process.env.GANTRY_NODE_MODULES, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const { ElicitRequestSchema } = await load("@modelcontextprotocol/sdk/types.js");

const LOG_IN = { selector: '//Button[name="Log in"]' };
const presses = () => (existsSync(stateFile) ? JSON.parse(readFileSync(stateFile)).presses : 0);

async function connected(capabilities, run) {
  const client = new Client({ name: "confirm", version: "1" }, { capabilities });
  await client.connect(new StdioClientTransport({ command, args, env: process.env,
                                                  stderr: "inherit" }));
  const call = (name, input = {}) => client.callTool({ name, arguments: input });
  try {
    await client.listTools(); // from here on the client checks results against their schemas
    await call("wait_for", { timeout_ms: 20000,
                             any_of: [{ type: "window_appears", title_regex: "Acme Login" }] });
    await run(client, call);
  } finally {
    await client.close();
  }
}

/// A receipt says what was seen at once; the form's own word comes when it has been read back.
async function pressed(call, times) {
  await call("wait_idle", { quiet_ms: 100, timeout_ms: 5000 });
  assert.equal(presses(), times, "presses that reached the form");
}

async function asked() {
  await connected({ elicitation: {} }, async (client, call) => {
    const questions = [];
    let answer;
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params);
      return answer;
    });
    for (answer of [{ action: "decline" }, { action: "cancel" },
                    { action: "accept", content: { allow: false } }]) {
      const refused = await call("click_element", LOG_IN);
      assert.equal(refused.isError, true);
      assert.equal(refused.structuredContent.error.code, "ConfirmationDeclined");
      await pressed(call, 0);
    }
    answer = { action: "accept", content: { allow: true } };
    const receipt = await call("click_element", LOG_IN);
    assert.ok(!receipt.isError, JSON.stringify(receipt.content));
    await pressed(call, 1);
    assert.equal(questions.length, 4);
    assert.match(questions[0].message, /click_element.*Log in/s);
    assert.deepEqual(Object.keys(questions[0].requestedSchema.properties), ["allow"]);
    const unasked = await call("click_element", { selector: '//CheckBox[name="Remember me"]' });
    assert.ok(!unasked.isError && questions.length === 4, "what needs no confirmation was asked for");
  });
}

async function proposed() {
  await connected({}, async (_, call) => {
    const refused = await call("click_element", LOG_IN);
    assert.equal(refused.isError, true);
    assert.equal(refused.structuredContent.error.code, "ConfirmationRequired");
    await pressed(call, 1);
    const { tool, arguments: proposal } = refused.structuredContent.next_call;
    assert.equal(tool, "propose_action");
    const promise = await call(tool, proposal);
    assert.ok(!promise.isError, JSON.stringify(promise.content));
    const { confirm_token, would_target: target } = promise.structuredContent;
    assert.match(target.selector, /Log in/);
    assert.ok(promise.content.some(({ type }) => type === "image"), "no picture of the target");
    const receipt = await call("click_element", { ...LOG_IN, confirm_token });
    assert.ok(!receipt.isError, JSON.stringify(receipt.content));
    await pressed(call, 2);
    const again = await call("click_element", { ...LOG_IN, confirm_token });
    assert.equal(again.isError, true, "a token was good twice");
    await pressed(call, 2);
  });
}

await asked();
await proposed();
