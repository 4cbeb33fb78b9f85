// SPDX-License-Identifier: Apache-2.0
//
// The baseline of chats_bench.py: the WebSocket server of the deployed chats (npm ws), which does nothing
// but answer each message of a connection with the frames that Gantry answered it with.
// Usage: node echo_server.mjs PORT FRAMES
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const { WebSocketServer } = createRequire(path.join(process.env.GANTRY_NODE_MODULES, "package.json"))("ws");
const [, , port, frames] = process.argv;
const answers = JSON.parse(readFileSync(frames, "utf8"));

new WebSocketServer({ host: "127.0.0.1", port: Number(port), perMessageDeflate: false, backlog: 1024 })
  .on("connection", (socket) => {
    let message = 0;
    socket.on("message", () => {
      for (const frame of answers[message] ?? []) socket.send(frame);
      message += 1;
    });
  });
