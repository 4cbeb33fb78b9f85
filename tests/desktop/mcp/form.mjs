// SPDX-License-Identifier: Apache-2.0
//
// Fills the login form with the official MCP client. Usage:
//   node form.mjs FOLDER COMMAND ARGUMENT…
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, command, ...args] = process.argv;
const require = createRequire(path.join(process.env.GANTRY_NODE_MODULES, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const client = new Client({ name: "form", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
const call = async (name, args = {}) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result;
};
try {
  await client.listTools(); // from here on the client checks results against their schemas
  await call("wait_for", { any_of: [{ type: "window_appears", title_regex: "Acme Login" }], timeout_ms: 20000 });
  const { windows } = (await call("list_windows")).structuredContent;
  const { window_uid } = windows.find(({ title }) => title === "Acme Login");
  const on = (name, selector, more = {}) => call(name, { selector, window_uid, ...more });
  await on("set_value", '//Edit[name="Username"]', { value: "alice Ω" });
  await on("set_value", '//*[name="Password"]', { value: process.env.SECRET });
  await on("click_element", '//CheckBox[name="Remember me"]');
  await on("set_value", '//Slider[name="Volume"]', { value: 40 });
  await on("click_element", '//Button[name="Log in"]');
  await call("wait_for", { any_of: [{ type: "text_visible", regex: "Welcome alice" }], window_uid });
  const picture = await call("get_screenshot", { window_uid });
  const image = picture.content.find(({ type }) => type === "image");
  writeFileSync(path.join(folder, `logged-in.${image.mimeType.split("/")[1]}`),
    Buffer.from(image.data, "base64"));
} finally {
  await client.close();
}
