// SPDX-License-Identifier: Apache-2.0
// Proves the doubles of tests/support/model_server.py: each vendor's own npm SDK reads their streams and
// errors and finds in them what the scenes say.   node sdk_proof.mjs PORT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const modules = process.env.GANTRY_NODE_MODULES;
const require = createRequire(path.join(modules, "x.js"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const OpenAI = (await load("openai")).default ?? (await load("openai")).OpenAI;
const Anthropic = (await load("@anthropic-ai/sdk")).default;
const { GoogleGenAI, ApiError } = await load("@google/genai");

const base = `http://127.0.0.1:${process.argv[2]}`;
const apiKey = "test-key-123456";
const SAID = "Hello, wörld! \u{1f44b}";
const CALLS = [
  ["look", { place: "Köln", deep: { a: [1, 2] } }],
  ["wait", {}],
];
let checks = 0;
const same = (found, wanted, what) => {
  assert.deepEqual(found, wanted, what);
  ++checks;
};
const bends = ["", "-bytes", "-cr", "-alive"];

async function refused(promise, status, what) {
  try {
    await promise;
  } catch (error) {
    same(error.status, status, `${what}: ${error}`);
    return error;
  }
  assert.fail(`${what} was not refused`);
}

async function openaiChat() {
  const client = new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 });
  const ask = (model) =>
    client.chat.completions.stream({ model, messages: [{ role: "user", content: "hi" }] }).finalChatCompletion();
  for (const bend of bends) {
    const answer = await ask(`say${bend}`);
    same(answer.choices[0].message.content, SAID, `chat say${bend}`);
    same(answer.choices[0].finish_reason, "stop", "chat reason");
  }
  const tools = await ask("tools");
  const calls = tools.choices[0].message.tool_calls.map((c) => [c.function.name, JSON.parse(c.function.arguments)]);
  same(calls, CALLS, "chat calls");
  const pieces = await client.chat.completions.create({
    model: "think", messages: [{ role: "user", content: "hi" }], stream: true,
    stream_options: { include_usage: true } });
  let usage, thought = "";
  for await (const chunk of pieces) {
    usage = chunk.usage ?? usage;
    thought += chunk.choices[0]?.delta.reasoning_content ?? "";
  }
  same([usage.prompt_tokens, usage.completion_tokens, thought], [11, 7, "I wonder."], "chat usage");
  for (const status of [400, 401, 404, 429, 503]) await refused(ask(`say-status${status}`), status, "chat");
  await assert.rejects(ask("say-fail"));
  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  same(models, ["say", "tools"], "chat models");
}

async function openaiResponses() {
  const client = new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 });
  const ask = (model) => client.responses.stream({ model, input: "hi" }).finalResponse();
  const words = (answer) => answer.output.find((item) => item.type === "message").content[0].text;
  for (const bend of bends) same(words(await ask(`say${bend}`)), SAID, `responses say${bend}`);
  const tools = (await ask("tools")).output.filter((item) => item.type === "function_call");
  same(tools.map((c) => [c.name, JSON.parse(c.arguments)]), CALLS, "responses calls");
  const think = await ask("think");
  same(think.output[0].summary[0].text, "I wonder.", "responses thoughts");
  same(think.output[0].encrypted_content, "sealed-thought", "responses seal");
  same([think.usage.input_tokens, think.usage.output_tokens], [11, 7], "responses usage");
  const drawn = (await ask("draw")).output.find((item) => item.type === "image_generation_call");
  same(Buffer.from(drawn.result, "base64").subarray(1, 4).toString(), "PNG", "responses image");
  const events = [];
  for await (const event of await client.responses.create({ model: "search", input: "hi", stream: true })) {
    events.push(event.type);
  }
  assert.ok(events.includes("response.web_search_call.searching"));
  const long = [];
  for await (const event of await client.responses.create({ model: "long", input: "hi", stream: true })) {
    if (event.type === "response.incomplete") long.push(event.response.incomplete_details.reason);
  }
  same(long, ["max_output_tokens"], "responses cut");
  for (const status of [401, 429, 500]) await refused(ask(`say-status${status}`), status, "responses");
  await assert.rejects(ask("say-fail"));
}

async function anthropic() {
  const client = new Anthropic({ apiKey, baseURL: base, maxRetries: 0 });
  const question = { max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
  const ask = (model) => client.messages.stream({ model, ...question }).finalMessage();
  for (const bend of bends) {
    const answer = await ask(`say${bend}`);
    same(answer.content, [{ type: "text", text: SAID }], `anthropic say${bend}`);
    same(answer.stop_reason, "end_turn", "anthropic reason");
  }
  const tools = (await ask("tools")).content.filter((block) => block.type === "tool_use");
  same(tools.map((c) => [c.name, c.input]), CALLS, "anthropic calls");
  const think = await ask("think");
  same([think.content[0].thinking, think.content[0].signature], ["I wonder.", "sealed-thought"], "anthropic thoughts");
  same([think.usage.output_tokens, think.usage.cache_read_input_tokens], [7, 3], "anthropic usage");
  const search = (await ask("search")).content.map((block) => block.type);
  same(search, ["server_tool_use", "web_search_tool_result", "text"], "anthropic search");
  same((await ask("long")).stop_reason, "max_tokens", "anthropic cut");
  for (const status of [400, 401, 429, 529]) await refused(ask(`say-status${status}`), status, "anthropic");
  await assert.rejects(ask("say-fail"), /overloaded|refused/);
  same((await client.messages.countTokens({ model: "say", messages: question.messages })).input_tokens, 42, "count");
  same((await client.models.list()).data.map((m) => m.id), ["say", "tools"], "anthropic models");
}

async function gemini() {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } });
  const ask = async (model) => {
    const parts = [];
    let last;
    for await (const chunk of await client.models.generateContentStream({ model, contents: "hi" })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      last = chunk;
    }
    return { parts, last };
  };
  const words = (parts) => parts.filter((p) => p.text && !p.thought).map((p) => p.text).join("");
  for (const bend of bends) same(words((await ask(`say${bend}`)).parts), SAID, `gemini say${bend}`);
  const calls = (await ask("tools")).parts.filter((p) => p.functionCall);
  same(calls.map((p) => [p.functionCall.name, p.functionCall.args ?? {}]), CALLS, "gemini calls");
  same(calls[0].thoughtSignature, "c2VhbGVk", "gemini seal");
  const think = await ask("think");
  same(think.parts.filter((p) => p.thought).map((p) => p.text).join(""), "I wonder.", "gemini thoughts");
  same(think.last.usageMetadata.promptTokenCount, 11, "gemini usage");
  const drawn = (await ask("draw")).parts.find((p) => p.inlineData);
  same(Buffer.from(drawn.inlineData.data, "base64").subarray(1, 4).toString(), "PNG", "gemini image");
  same((await ask("long")).last.candidates[0].finishReason, "MAX_TOKENS", "gemini cut");
  for (const status of [400, 429, 503]) {
    const error = await refused(ask(`say-status${status}`), status, "gemini");
    assert.ok(error instanceof ApiError);
  }
  const models = [];
  for await (const model of await client.models.list()) models.push(model.name);
  same(models, ["models/say", "models/tools", "models/embed"], "gemini models");
  same((await client.models.countTokens({ model: "say", contents: "hi" })).totalTokens, 42, "gemini count");
}

await openaiChat();
await openaiResponses();
await anthropic();
await gemini();
console.log(`${checks} checks passed`);
