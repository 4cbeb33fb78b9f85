// SPDX-License-Identifier: Apache-2.0
//
// Asks the agent one thing over its WebSocket, with npm ws. Prints the calls of tools, each with its
// result, and the answer, as one JSON object. Usage: node ask.mjs ADDRESS WORDS
import assert from "node:assert/strict";

import { AgentClient, isLast } from "../../clients/agent.mjs";

const [, , address, words] = process.argv;
const client = await AgentClient.connect({ address });
client.query("q", words, "desktop");
const turn = await client.until(isLast);
await client.close();
const payloads = (type) => turn.filter((frame) => frame.type === type).map((frame) => frame.payload);
const calls = payloads("tool-call");
assert.ok(calls.every((call) => call.metadata.skip_local_execution), "a tool of the daemon was left to the client");
console.log(JSON.stringify({
  tools: calls.map((call) => call.tool_name),
  outputs: payloads("tool-output"),
  answer: payloads("streaming-complete").at(-1)?.final_response,
}));
