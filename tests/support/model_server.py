# SPDX-License-Identifier: Apache-2.0
"""Doubles of the model providers: OpenAI (Chat Completions, Responses), Anthropic (Messages) and Gemini
(generateContent), each in its provider's own stream format, errors included. The vendors' npm SDKs
prove them (tests/llm/sdk_proof.mjs) before anything of ours is tested against them.

The name of the model says what happens: `say`, `think`, `tools`, … (see SCENES); a scene may be bent by
what follows a dash:
    say-bytes     the body leaves byte by byte
    say-cr        lines end with CR LF
    say-alive     comments and pings between the events
    say-cut       the connection ends in the middle
    say-hang      nothing more after the first words, until the client goes
    say-fail      an error of the provider in the middle of the stream
    say-late      nothing at all until the client goes
    say-once503   the first request is refused with 503, the next ones are not (429, 529 likewise)
    say-wait429   refused with 429 and Retry-After: 1, once
    say-empty1    the first answer is empty
    say-status401 always refused with this status
GET /_log answers the requests so far as JSON, GET /_gone how many clients went away early, GET /_reset
forgets both.

    python3 model_server.py [FOLDER]        prints its port
With a folder it speaks TLS, with a certificate for 127.0.0.1 that it makes and leaves there as cert.pem.
"""
import base64
import http.server
import json
import os
import select
import ssl
import struct
import subprocess
import sys
import threading
import zlib

WORDS = ["Hello", ", ", "wörld", "! \U0001f44b"]
KEY = "test-key-123456"


def png():
    """One white pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\xff")) + chunk(b"IEND", b""))


PNG = base64.b64encode(png()).decode()
TWO_CALLS = [("look", {"place": "Köln", "deep": {"a": [1, 2]}}), ("wait", {})]


class Scene:
    """What a model answers, before any provider's form: thoughts, words, calls, a picture."""

    def __init__(self, thoughts=(), words=(), calls=(), image=False, stop="stop", search=False):
        self.thoughts, self.words, self.calls = thoughts, words, calls
        self.image, self.stop, self.search = image, stop, search


SCENES = {
    "say": Scene(words=WORDS),
    "think": Scene(thoughts=["I ", "wonder."], words=WORDS),
    "tools": Scene(words=["Looking."], calls=TWO_CALLS, stop="tools"),
    "thinktools": Scene(thoughts=["Hm."], calls=TWO_CALLS, stop="tools"),
    "badjson": Scene(calls=[("look", '{"place": "half'), ("look", "{'place': 'x',}")], stop="tools"),
    "long": Scene(words=["cut"], stop="length"),
    "longcall": Scene(calls=[("look", '{"place": ["a"')], stop="length"),
    "filtered": Scene(words=["Well"], stop="filter"),
    "draw": Scene(words=["Here."], image=True),
    "search": Scene(words=["Found."], search=True),
    "nothing": Scene(),
}


def text_of(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def halves(text):
    middle = len(text) // 2
    return [text[:middle], text[middle:]]


# ---- the providers' forms: lists of (event name or None, data) ------------------------------------


def openai_chat(scene, model):
    def chunk(delta, reason=None, **more):
        return None, {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
                      "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}
    yield chunk({"role": "assistant", "content": ""})
    for thought in scene.thoughts:
        yield chunk({"reasoning_content": thought})
    for word in scene.words:
        yield chunk({"content": word})
    for index, (name, arguments) in enumerate(scene.calls):
        head = {"index": index, "id": f"call_{index}", "type": "function",
                "function": {"name": name, "arguments": ""}}
        yield chunk({"tool_calls": [head]})
    # The pieces of several calls come between each other.
    for part in range(2):
        for index, (_, arguments) in enumerate(scene.calls):
            piece = {"index": index, "function": {"arguments": halves(text_of(arguments))[part]}}
            yield chunk({"tool_calls": [piece]})
    reason = {"stop": "stop", "tools": "tool_calls", "length": "length", "filter": "content_filter"}
    yield chunk({}, reason[scene.stop])
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18,
             "prompt_tokens_details": {"cached_tokens": 3},
             "completion_tokens_details": {"reasoning_tokens": 2}}
    yield None, {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
                 "choices": [], "usage": usage}
    yield None, "[DONE]"


class Responses:
    """Typed events with a number each."""

    def __init__(self, scene, model):
        self.scene, self.model, self.number, self.output = scene, model, 0, []

    def event(self, kind, **more):
        data = {"type": kind, "sequence_number": self.number, **more}
        self.number += 1
        return kind, data

    def response(self, status, **more):
        return {"id": "resp_1", "object": "response", "created_at": 1, "status": status,
                "model": self.model, "output": list(self.output), "parallel_tool_calls": True,
                "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
                "instructions": None, "metadata": {}, "temperature": 1, "top_p": 1, **more}

    def item(self, item, events=()):
        index = len(self.output)
        yield self.event("response.output_item.added", output_index=index,
                         item={**item, "status": "in_progress"})
        for kind, more in events:
            yield self.event(kind, output_index=index, item_id=item["id"], **more)
        self.output.append({**item, "status": "completed"})
        yield self.event("response.output_item.done", output_index=index, item=self.output[-1])

    def reasoning(self):
        text = "".join(self.scene.thoughts)
        part = {"type": "summary_text", "text": text}
        events = [("response.reasoning_summary_part.added",
                   {"summary_index": 0, "part": {"type": "summary_text", "text": ""}})]
        events += [("response.reasoning_summary_text.delta", {"summary_index": 0, "delta": t})
                   for t in self.scene.thoughts]
        events += [("response.reasoning_summary_text.done", {"summary_index": 0, "text": text}),
                   ("response.reasoning_summary_part.done", {"summary_index": 0, "part": part})]
        return self.item({"id": "rs_1", "type": "reasoning", "summary": [part],
                          "encrypted_content": "sealed-thought"}, events)

    def message(self):
        text = "".join(self.scene.words)
        part = {"type": "output_text", "text": text, "annotations": []}
        events = [("response.content_part.added",
                   {"content_index": 0, "part": {"type": "output_text", "text": "", "annotations": []}})]
        events += [("response.output_text.delta", {"content_index": 0, "delta": w, "logprobs": []})
                   for w in self.scene.words]
        events += [("response.output_text.done", {"content_index": 0, "text": text, "logprobs": []}),
                   ("response.content_part.done", {"content_index": 0, "part": part})]
        return self.item({"id": "msg_1", "type": "message", "role": "assistant", "content": [part]},
                         events)

    def call(self, index, name, arguments):
        text = text_of(arguments)
        events = [("response.function_call_arguments.delta", {"delta": piece}) for piece in halves(text)]
        if self.scene.stop == "length":
            item = {"id": f"fc_{index}", "type": "function_call", "call_id": f"call_{index}",
                    "name": name, "arguments": ""}
            yield self.event("response.output_item.added", output_index=0, item=item)
            for kind, more in events:
                yield self.event(kind, output_index=0, item_id=item["id"], **more)
            return
        events.append(("response.function_call_arguments.done", {"arguments": text}))
        yield from self.item({"id": f"fc_{index}", "type": "function_call", "call_id": f"call_{index}",
                              "name": name, "arguments": text}, events)

    def events(self):
        yield self.event("response.created", response=self.response("in_progress"))
        yield self.event("response.in_progress", response=self.response("in_progress"))
        if self.scene.thoughts:
            yield from self.reasoning()
        if self.scene.search:
            steps = [("response.web_search_call.in_progress", {}),
                     ("response.web_search_call.searching", {}),
                     ("response.web_search_call.completed", {})]
            action = {"type": "search", "query": "gantry",
                      "sources": [{"type": "url", "url": "https://example.org/"}]}
            yield from self.item({"id": "ws_1", "type": "web_search_call", "action": action}, steps)
        if self.scene.words:
            yield from self.message()
        for index, (name, arguments) in enumerate(self.scene.calls):
            yield from self.call(index, name, arguments)
        if self.scene.image:
            yield from self.item({"id": "ig_1", "type": "image_generation_call", "result": PNG,
                                  "output_format": "png"},
                                 [("response.image_generation_call.in_progress", {}),
                                  ("response.image_generation_call.generating", {})])
        usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18,
                 "input_tokens_details": {"cached_tokens": 3},
                 "output_tokens_details": {"reasoning_tokens": 2}}
        reasons = {"length": "max_output_tokens", "filter": "content_filter"}
        if self.scene.stop in reasons:
            yield self.event("response.incomplete", response=self.response(
                "incomplete", usage=usage, incomplete_details={"reason": reasons[self.scene.stop]}))
        else:
            yield self.event("response.completed", response=self.response("completed", usage=usage))


def openai_responses(scene, model):
    return Responses(scene, model).events()


def anthropic(scene, model):
    def event(kind, **more):
        return kind, {"type": kind, **more}
    usage = {"input_tokens": 8, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 0,
             "output_tokens": 1}
    yield event("message_start", message={
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage})
    yield event("ping")
    blocks = []
    if scene.thoughts:
        deltas = [{"type": "thinking_delta", "thinking": t} for t in scene.thoughts]
        deltas.append({"type": "signature_delta", "signature": "sealed-thought"})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if scene.search:
        blocks.append(({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
                       [{"type": "input_json_delta", "partial_json": '{"query": "gantry"}'}]))
        hit = {"type": "web_search_result", "url": "https://example.org/", "title": "Example",
               "encrypted_content": "x", "page_age": None}
        blocks.append(({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
                        "content": [hit]}, []))
    if scene.words:
        blocks.append(({"type": "text", "text": ""},
                       [{"type": "text_delta", "text": w} for w in scene.words]))
    for index, (name, arguments) in enumerate(scene.calls):
        pieces = halves(text_of(arguments)) if arguments else [""]
        blocks.append(({"type": "tool_use", "id": f"call_{index}", "name": name, "input": {}},
                       [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]))
    for index, (block, deltas) in enumerate(blocks):
        yield event("content_block_start", index=index, content_block=block)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    reason = {"stop": "end_turn", "tools": "tool_use", "length": "max_tokens", "filter": "refusal"}
    yield event("message_delta", delta={"stop_reason": reason[scene.stop], "stop_sequence": None},
                usage={"output_tokens": 7})
    yield event("message_stop")


def gemini(scene, model):
    def chunk(parts, reason=None, **more):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 5, "thoughtsTokenCount": 2,
                 "cachedContentTokenCount": 3, "totalTokenCount": 18}
        return None, {"candidates": [{**candidate, **more}], "usageMetadata": usage,
                      "modelVersion": model, "responseId": "resp-1"}
    for thought in scene.thoughts:
        yield chunk([{"text": thought, "thought": True}])
    for word in scene.words:
        yield chunk([{"text": word}])
    calls = [(n, a if isinstance(a, dict) else None) for n, a in scene.calls]
    if any(a is None for _, a in calls):
        yield chunk([], "MALFORMED_FUNCTION_CALL")
        return
    parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    if parts:
        parts[0]["thoughtSignature"] = "c2VhbGVk"
        yield chunk(parts)
    if scene.image:
        yield chunk([{"inlineData": {"mimeType": "image/png", "data": PNG}}])
    grounding = {"groundingMetadata": {
        "webSearchQueries": ["gantry"],
        "groundingChunks": [{"web": {"uri": "https://example.org/", "title": "Example"}}]}}
    reason = {"stop": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}
    yield chunk([{"text": ""}], reason[scene.stop], **(grounding if scene.search else {}))


# ---- errors ---------------------------------------------------------------------------------------

OPENAI_TYPES = {400: ("invalid_request_error", None), 401: ("invalid_request_error", "invalid_api_key"),
                404: ("invalid_request_error", "model_not_found"),
                413: ("invalid_request_error", "context_length_exceeded"),
                429: ("requests", "rate_limit_exceeded"), 402: ("insufficient_quota", "insufficient_quota")}
ANTHROPIC_TYPES = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
                   404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
                   529: "overloaded_error", 402: "billing_error"}
GOOGLE_TYPES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
                404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def error_of(form, status):
    words = f"refused as the test wants it ({status}); your key was {KEY}"
    if form == "anthropic":
        return {"type": "error", "error": {"type": ANTHROPIC_TYPES.get(status, "api_error"),
                                           "message": words}, "request_id": "req_1"}
    if form == "gemini":
        details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}]
        kind = GOOGLE_TYPES.get(status, "INTERNAL" if status >= 500 else "FAILED_PRECONDITION")
        return {"error": {"code": status, "message": words, "status": kind,
                          "details": details if status == 429 else []}}
    usual = ("server_error" if status >= 500 else "invalid_request_error", None)
    kind, code = OPENAI_TYPES.get(status, usual)
    return {"error": {"message": words, "type": kind, "param": None, "code": code}}


def failure_in_stream(form):
    if form == "anthropic":
        return "error", error_of(form, 529)
    if form == "responses":
        return "error", {"type": "error", "sequence_number": 9, "code": "server_error",
                         "message": "the model broke down", "param": None}
    return None, error_of(form, 503)


# ---- HTTP -----------------------------------------------------------------------------------------

FORMS = {"chat": openai_chat, "responses": openai_responses, "anthropic": anthropic, "gemini": gemini}


class State:
    def __init__(self):
        self.lock, self.log, self.gone, self.seen = threading.Lock(), [], 0, {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def state(self):
        return self.server.state

    def page(self):
        """What stands at an address that has lost the path of its interface."""
        body = b"<!doctype html><html><body>Welcome</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        models = {"say": "Say", "tools": "Tools"}
        if self.path.startswith("/page"):
            return self.page()
        if self.path.startswith("/late"):  # which does not know its models at first
            with self.state.lock:
                self.state.seen["/late"] = self.state.seen.get("/late", 0) + 1
                if self.state.seen["/late"] == 1:
                    return self.document(503, error_of("chat", 503))
        if self.path == "/_log":
            return self.document(200, self.state.log)
        if self.path == "/_reset":
            self.server.state = State()
            return self.document(200, True)
        if self.path == "/_gone":
            return self.document(200, self.state.gone)
        if "x-goog-api-key" in self.headers:
            entries = [{"name": f"models/{m}", "displayName": n, "inputTokenLimit": 1000,
                        "outputTokenLimit": 100, "supportedGenerationMethods": ["generateContent"]}
                       for m, n in models.items()]
            entries.append({"name": "models/embed", "supportedGenerationMethods": ["embedContent"]})
            return self.document(200, {"models": entries})
        entries = [{"id": m, "object": "model", "type": "model", "display_name": n, "created": 1,
                    "created_at": "2026-01-01T00:00:00Z", "owned_by": "test", "max_model_len": 1000}
                   for m, n in models.items()]
        return self.document(200, {"object": "list", "data": entries, "has_more": False,
                                   "first_id": "say", "last_id": "tools"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith("/page"):
            return self.page()
        form, model, streams = self.form_of(body)
        with self.state.lock:
            self.state.log.append({"path": self.path, "body": body,
                                   "headers": {k.lower(): v for k, v in self.headers.items()}})
            self.state.seen[model] = self.state.seen.get(model, 0) + 1
            count = self.state.seen[model]
        if self.path.endswith("/count_tokens"):
            return self.document(200, {"input_tokens": 42})
        if ":countTokens" in self.path:
            return self.document(200, {"totalTokens": 42})
        if KEY not in (self.headers.get("Authorization", "") + self.headers.get("x-api-key", "")
                       + self.headers.get("x-goog-api-key", "")):
            return self.document(401, error_of(form, 401))
        name, _, bend = model.partition("-")
        status = self.refusal(bend, count)
        if status:
            return self.document(status, error_of(form, status),
                                 {"Retry-After": "1"} if bend == "wait429" else {})
        scene = SCENES[name] if name in SCENES else None
        if scene is None:
            return self.document(404, error_of(form, 404))
        if bend == "empty1" and count == 1:
            scene = SCENES["nothing"]
        if not streams:
            return self.document(501, error_of(form, 501))
        if bend == "late":
            return self.wait_for_the_client()
        self.stream(FORMS[form](scene, model), bend, form)

    def form_of(self, body):
        if "/models/" in self.path:
            return "gemini", self.path.split("/models/")[1].split(":")[0], "stream" in self.path
        form = "chat" if "/chat/" in self.path else "responses" if "/responses" in self.path else "anthropic"
        return form, body["model"], body.get("stream", False)

    @staticmethod
    def refusal(bend, count):
        if bend.startswith("status"):
            return int(bend[6:])
        if bend.startswith("once") and count == 1:
            return int(bend[4:])
        return 429 if bend == "wait429" and count == 1 else 0

    def document(self, status, value, headers=None):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def wait_for_the_client(self):
        """Until it hangs up: there is something to read, and it is the end."""
        self.close_connection = True
        select.select([self.connection], [], [], 30)
        with self.state.lock:
            self.state.gone += 1

    def stream(self, events, bend, form):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        line = "\r\n" if bend == "cr" else "\n"
        middle = 5 if form == "responses" else 4  # after the first words of `say`
        try:
            for number, (name, data) in enumerate(events):
                if number == middle and bend in ("cut", "hang", "fail"):
                    if bend == "hang":
                        return self.wait_for_the_client()
                    if bend == "cut":
                        self.close_connection = True
                        return
                    name, data = failure_in_stream(form)
                text = f"event: {name}{line}" if name else ""
                text += f"data: {data if data == '[DONE]' else json.dumps(data, ensure_ascii=False)}"
                text += line + line
                if bend == "alive":
                    text = f": keep-alive{line}{line}" + text
                self.send_pieces(text.encode(), bend)
                if bend == "fail" and number == middle:
                    break
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            with self.state.lock:
                self.state.gone += 1

    def send_pieces(self, data, bend):
        size = 1 if bend == "bytes" else len(data)
        for begin in range(0, len(data), size):
            piece = data[begin:begin + size]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.state = State()


def speak_tls(server, folder):
    cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-days", "1", "-subj", "/CN=model double", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                   check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)


if __name__ == "__main__":
    server = Server()
    if len(sys.argv) > 1:
        speak_tls(server, sys.argv[1])
    print(server.server_address[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever(poll_interval=0.05)
