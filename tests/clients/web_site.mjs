// SPDX-License-Identifier: Apache-2.0
//
// A page on a free port of this machine, before a server to which everything else is forwarded,
// WebSockets too: as a proxy serves an application's page and its API at one address.
import { createServer, request } from "node:http";
import { connect } from "node:net";

export class WebSite {
  /** `html`: the page, at every path but those of `api`; `target`: host:port of the server. */
  static async start(html, target, api) {
    const site = new WebSite();
    const [host, port] = target.split(":");
    const forwarded = (url) => api.some((prefix) => url.startsWith(prefix));
    site.sockets = new Set();
    site.server = createServer((asked, answer) => {
      if (!forwarded(asked.url)) return answer.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
      const { url: path, method, headers } = asked;
      const sent = request({ host, port, path, method, headers }, (got) => {
        answer.writeHead(got.statusCode, got.headers);
        got.pipe(answer);
      });
      sent.on("error", () => answer.destroy());
      asked.pipe(sent);
    });
    site.server.on("connection", (socket) => {
      site.sockets.add(socket);
      socket.once("close", () => site.sockets.delete(socket));
    });
    site.server.on("upgrade", (asked, socket, head) => {
      const lines = [];
      for (let i = 0; i < asked.rawHeaders.length; i += 2) lines.push(`${asked.rawHeaders[i]}: ${asked.rawHeaders[i + 1]}`);
      const behind = connect(port, host, () => {
        behind.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
        behind.write(head);
        behind.pipe(socket).pipe(behind);
      });
      for (const [one, other] of [[socket, behind], [behind, socket]]) one.on("error", () => other.destroy());
    });
    await new Promise((resolve) => site.server.listen(0, "127.0.0.1", resolve));
    site.address = `http://127.0.0.1:${site.server.address().port}`;
    return site;
  }

  stop() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
