# SPDX-License-Identifier: Apache-2.0
"""A double of servers with chat completions that take pictures. The name of the model says what it
answers; an answer is only given to a request that has a whole PNG in it.

    point      {"x": half, "y": half} of the picture that came, in its pixels
    size       the picture's size, in words
    none       {"found": false}
    words      no place at all
    echo       which pass it is, and how long the prompt
    status-N   N without anything
    hang       nothing until the client goes
    not-json   what its name says
    parts      the content as a list of parts
Only /v1/chat/completions is there, so that /api/v1/… is a 404. GET /_log answers what came.
    python3 vision_server.py        prints its port, and ends with its standard input
"""
import base64
import http.server
import json
import select
import struct
import sys
import threading

LOG = []


def picture_of(body):
    parts = body["messages"][0]["content"]
    url = next(p["image_url"]["url"] for p in parts if p["type"] == "image_url")
    assert url.startswith("data:image/png;base64,")
    data = base64.b64decode(url.split(",", 1)[1], validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND"
    return struct.unpack(">II", data[16:24])


def answer(model, width, height, prompt):
    return {
        "point": "```json\n" + json.dumps({"x": width // 2, "y": height // 2, "confidence": 0.9}) + "\n```",
        "size": f"{width}x{height}",
        "none": '{"found": false}',
        "words": "I cannot say.",
        "echo": f"[{len(LOG)}]",
    }.get(model, model)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, data):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/_reset":
            LOG.clear()
        self.reply(200, json.dumps(LOG).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][0]["content"][0]["text"]
        LOG.append({"path": self.path, "key": self.headers.get("Authorization", ""), "model": body["model"],
                    "prompt": prompt, "max_tokens": body["max_tokens"]})
        if self.path != "/v1/chat/completions":
            return self.reply(404, b"{}")
        model = body["model"]
        if model.startswith("status-"):
            return self.reply(int(model[7:]), b"secret words of the server")
        if model == "hang":
            select.select([self.connection], [], [], 60)
            return None
        if model == "not-json":
            return self.reply(200, b"<html>")
        width, height = picture_of(body)
        content = answer("point" if model == "parts" else model, width, height, prompt)
        if model == "parts":
            content = [{"type": "text", "text": content}]
        return self.reply(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}],
                                           "usage": {"total_tokens": 100}}).encode())


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
