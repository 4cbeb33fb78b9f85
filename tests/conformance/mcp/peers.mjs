// SPDX-License-Identifier: Apache-2.0
//
// The official MCP SDK clients against the made-up desktop. Usage:
//   node peers.mjs sdk|sdk_stateless http URL
//   node peers.mjs sdk|sdk_stateless stdio COMMAND ARGUMENT…
// sdk is the client of the revisions with sessions, sdk_stateless that of the revision without. The
// daemon asks for a confirmation before anything called "Help" is acted on.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , peer, transportName, ...target] = process.argv;
const require = createRequire(path.join(process.env.GANTRY_NODE_MODULES, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const CAPABILITIES = { elicitation: { form: {} } };

const KINDS = {
  sdk: async () => {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const http = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const stdio = await load("@modelcontextprotocol/sdk/client/stdio.js");
    const types = await load("@modelcontextprotocol/sdk/types.js");
    return {
      client: new Client({ name: "peer", version: "1" }, { capabilities: CAPABILITIES }),
      StreamableHTTPClientTransport: http.StreamableHTTPClientTransport,
      StdioClientTransport: stdio.StdioClientTransport,
      elicitation: types.ElicitRequestSchema,
    };
  },
  sdk_stateless: async () => {
    const main = await load("@modelcontextprotocol/client");
    const stdio = await load("@modelcontextprotocol/client/stdio");
    return {
      client: new main.Client({ name: "peer", version: "1" }, {
        capabilities: CAPABILITIES,
        versionNegotiation: { mode: { pin: "2026-07-28" } },
      }),
      StreamableHTTPClientTransport: main.StreamableHTTPClientTransport,
      StdioClientTransport: stdio.StdioClientTransport,
      elicitation: "elicitation/create",
    };
  },
};

const { client, ...kind } = await KINDS[peer]();
const transport = transportName === "http"
  ? new kind.StreamableHTTPClientTransport(new URL(target[0]))
  : new kind.StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env,
                                    cwd: process.env.HOME, stderr: "inherit" });
// What the user is asked, and what he answers.
const asked = [];
let userSays = { action: "accept", content: { allow: true } };
client.setRequestHandler(kind.elicitation, (request) => {
  asked.push(request.params);
  return userSays;
});

const call = (name, args = {}, options = undefined) =>
  peer === "sdk" ? client.callTool({ name, arguments: args }, undefined, options)
    : client.callTool({ name, arguments: args }, options);
const textOf = (result) => result.content.find((block) => block.type === "text")?.text;

async function greeting() {
  assert.equal(client.getServerVersion().name, "gantry");
  assert.ok(client.getServerCapabilities().tools.listChanged);
  assert.ok(client.getInstructions().length < 2000);
}

async function tools() {
  const { tools: list } = await client.listTools();
  const names = list.map((tool) => tool.name);
  for (const name of ["list_windows", "click_element", "get_screenshot", "wait_for"]) {
    assert.ok(names.includes(name), name);
  }
  assert.equal(new Set(names).size, names.length);
  for (const tool of list) {
    assert.match(tool.name, /^[A-Za-z0-9_.-]{1,128}$/);
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(typeof tool.annotations.readOnlyHint, "boolean", tool.name);
  }
  const hints = (name) => list.find((tool) => tool.name === name).annotations;
  assert.equal(hints("list_windows").readOnlyHint, true);
  assert.equal(hints("click_element").readOnlyHint, false);
}

/// The client checks structured content against the tool's output schema by itself.
async function reading() {
  const windows = await call("list_windows");
  assert.equal(windows.structuredContent.windows.length, 3);
  assert.deepEqual(JSON.parse(textOf(windows)), windows.structuredContent);
  const picture = await call("get_screenshot");
  const block = picture.content.find((one) => one.type === "image");
  assert.match(block.mimeType, /^image\//);
  const bytes = Buffer.from(block.data, "base64");
  if (block.mimeType === "image/png") assert.deepEqual(bytes.subarray(0, 8), PNG);
  assert.ok(!textOf(picture)?.includes(block.data.slice(0, 40)), "the picture is in the text too");
}

async function errors() {
  const missing = await call("find_element", { selector: 'MenuItem[name="Edti"]' });
  assert.equal(missing.isError, true);
  assert.match(textOf(missing), /ElementNotFound/);
  await assert.rejects(call("list_windws"), (error) => error.code === -32602
    && /list_windows/.test(JSON.stringify([error.message, error.data])));
}

async function progressAndCancel() {
  const never = { any_of: [{ type: "text_visible", regex: "never there" }] };
  const seen = [];
  await call("wait_for", { ...never, timeout_ms: 1500 }, { onprogress: (p) => seen.push(p) });
  assert.ok(seen.length > 0, "no progress was told");
  const stop = new AbortController();
  const waiting = call("wait_for", { ...never, timeout_ms: 60000 },
    { signal: stop.signal, onprogress: () => stop.abort("enough") });
  await assert.rejects(waiting);
  assert.equal((await call("list_windows")).structuredContent.windows.length, 3);
}

async function elicitation() {
  const help = { selector: 'MenuItem[name="Help"]' };
  const done = await call("click_element", help);
  assert.equal(done.isError ?? false, false, textOf(done));
  assert.equal(asked.length, 1);
  assert.match(asked[0].message, /Help/);
  userSays = { action: "decline" };
  const refused = await call("click_element", help);
  assert.equal(refused.isError, true);
  assert.equal(asked.length, 2);
  await call("click_element", { selector: 'MenuItem[name="Edit"]' });
  assert.equal(asked.length, 2, "what needs no confirmation was asked for");
}

async function resources() {
  const { resources: list } = await client.listResources();
  assert.ok(list.length > 0);
  const { contents } = await client.readResource({ uri: list[0].uri });
  assert.equal(contents[0].uri, list[0].uri);
  assert.ok(contents[0].text || contents[0].blob);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.length > 0);
  await assert.rejects(client.readResource({ uri: "gantry://nothing/here" }));
  if (peer === "sdk") {
    await client.subscribeResource({ uri: list[0].uri });
    await client.unsubscribeResource({ uri: list[0].uri });
  } else {
    const watching = await client.listen({ resourceSubscriptions: [list[0].uri] });
    await watching.close();
  }
}

async function prompts() {
  const { prompts: list } = await client.listPrompts();
  assert.ok(list.length > 0);
  for (const prompt of list) {
    const needed = (prompt.arguments ?? []).map(({ name }) => [name, "list_windows"]);
    const { messages } = await client.getPrompt({ name: prompt.name,
                                                  arguments: Object.fromEntries(needed) });
    assert.ok(messages.length > 0, prompt.name);
    for (const [name] of needed) {
      const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: prompt.name }, argument: { name, value: "" } });
      assert.ok(Array.isArray(completion.values));
    }
  }
}

async function levels() {
  if (peer === "sdk") await client.setLoggingLevel("warning");
}

await client.connect(transport);
try {
  for (const check of [greeting, tools, reading, errors, progressAndCancel, elicitation, resources,
                       prompts, levels]) {
    await check();
    console.log(`ok  ${peer} over ${transportName}: ${check.name}`);
  }
} finally {
  await client.close();
}
