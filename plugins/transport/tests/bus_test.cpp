// SPDX-License-Identifier: Apache-2.0
// The plugin on the real kernel: the test is the mounting plugin, a raw peer is the client.
#include <catch2/catch.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/testkit/kernel.hpp>

#include <thread>

#include "fixture.hpp"
#include "peer.hpp"

using namespace gantry;
using namespace gantry::transport::test;

namespace {

HttpRoute route(gantry::MountKind kind, std::string path, std::string id,
                std::vector<std::string> methods = {}) {
  HttpRoute made;
  made.kind = kind;
  made.path = std::move(path);
  made.id = std::move(id);
  made.methods = std::move(methods);
  return made;
}

/// A kernel with the transport, a listener "test" and room for the test's own routes. Declare it
/// after what the test's handlers refer to: its end is told to them.
struct World {
  explicit World(const std::string& more = {})
      : kernel({.config =
                    "plugins: {transport: {config: {loops: 2, send_queue: 64KiB" + more + "}}}"}) {
    REQUIRE(kernel.start().ok());
    INFO(kernel.plugin_state("transport"));
    ListenRequest wanted;
    wanted.listener = "test";
    auto info = kernel.host().bus().call_wait<HttpListen>(wanted);
    REQUIRE(info.ok());
    port = static_cast<uint16_t>((*info)->port);
    address = (*info)->address;
  }
  Result<Ref<Done>> mount(std::vector<HttpRoute> routes, std::string prefix = {}) {
    MountRequest wanted;
    wanted.listener = "test";
    wanted.prefix = std::move(prefix);
    wanted.routes = std::move(routes);
    return kernel.host().bus().call_wait<HttpMount>(wanted);
  }
  testkit::InProcessKernel kernel;
  uint16_t port = 0;
  std::string address;
};

std::string get(const std::string& target, const std::string& more = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
}

}  // namespace

TEST_CASE("a request goes to the plugin that mounted its route, and errors become statuses") {
  World world;
  CHECK(world.address == "http://127.0.0.1:" + std::to_string(world.port));
  REQUIRE(world.kernel.host()
              .bus()
              .serve<HttpHandle>([](const HttpRequest& request) -> Result<HttpResponse> {
                if (request.route == "missing") return not_found("no such tool: naïve");
                if (request.route == "absent") return unavailable("no display", "start one");
                HttpResponse response;
                response.status = 201;
                response.content_type = "text/plain";
                response.headers = {{"X-Route", request.route}};
                std::string text = request.method + " " + request.path;
                for (const auto& p : request.path_parameters) text += " " + p.name + "=" + p.value;
                for (const auto& q : request.query) text += " " + q.name + "=" + q.value;
                for (const auto& h : request.headers) {
                  if (h.name == "x-mixed") text += " " + h.value;
                }
                response.body = Buffer::copy(text + " " + std::string(request.body.text()));
                return response;
              })
              .ok());
  REQUIRE(world
              .mount({route(gantry::MountKind::Request, "/tool/{name}", "tool", {"GET", "POST"}),
                      route(gantry::MountKind::Request, "/missing", "missing"),
                      route(gantry::MountKind::Request, "/absent", "absent")},
                     "/api")
              .ok());
  Peer peer(world.port);
  peer.send(get("/api/tool/a%20b?x=1&y=%C3%A4+z&flag", "X-Mixed: Value\r\n"));
  const std::string answer = peer.read_response();
  CHECK(has(answer, "201 Created"));
  CHECK(has(answer, "X-Route: tool"));
  CHECK(has(answer, "GET /api/tool/a b name=a b x=1 y=\xc3\xa4 z flag= Value "));
  peer.send("POST /api/tool/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody");
  CHECK(has(peer.read_response(), "name=t body"));
  peer.send(get("/api/missing"));
  const std::string missing = peer.read_response();
  CHECK(has(missing, "404 Not Found"));
  CHECK(has(missing, "{\"error\":\"no such tool: naïve\"}"));
  peer.send(get("/api/absent"));
  CHECK(has(peer.read_response(), "503 Service Unavailable"));
  peer.send(get("/tool/t"));
  CHECK(has(peer.read_response(), "404 Not Found"));
}

TEST_CASE("a listener's token is asked for wherever a mount has none of its own") {
  World world;
  Bus& bus = world.kernel.host().bus();
  REQUIRE(bus.serve<HttpHandle>(
                 [](const HttpRequest&) -> Result<HttpResponse> { return HttpResponse{}; })
              .ok());
  ListenRequest wanted;
  wanted.listener = "locked";
  wanted.bearer_token = "outer";
  const auto info = bus.call_wait<HttpListen>(wanted);
  REQUIRE(info.ok());
  MountRequest plain;
  plain.listener = "locked";
  plain.routes = {route(gantry::MountKind::Request, "/plain", "plain")};
  REQUIRE(bus.call_wait<HttpMount>(plain).ok());
  MountRequest own = plain;
  own.prefix = "/own";
  own.bearer_token = "inner";
  own.routes.push_back(route(gantry::MountKind::Request, "/page", "page"));
  own.routes.back().open = true;
  REQUIRE(bus.call_wait<HttpMount>(own).ok());
  const auto status = [&](const std::string& path, const std::string& token) {
    Peer peer(static_cast<uint16_t>((*info)->port));
    peer.send(get(path, token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"));
    return peer.read_response().substr(9, 3);
  };
  CHECK(status("/plain", "") == "401");
  CHECK(status("/plain", "inner") == "401");
  CHECK(status("/plain", "outer") == "200");
  CHECK(status("/own/plain", "outer") == "401");
  CHECK(status("/own/plain", "inner") == "200");
  CHECK(status("/own/page", "") == "200");
}

TEST_CASE("an open listener takes the token that it is asked for with, unless it has its own") {
  World world{", listeners: {kept: {token: configured}}"};
  Bus& bus = world.kernel.host().bus();
  REQUIRE(bus.serve<HttpHandle>(
                 [](const HttpRequest&) -> Result<HttpResponse> { return HttpResponse{}; })
              .ok());
  const auto listen = [&](const std::string& name, const std::string& token) {
    ListenRequest wanted;
    wanted.listener = name;
    wanted.bearer_token = token;
    const auto info = bus.call_wait<HttpListen>(wanted);
    REQUIRE(info.ok());
    return static_cast<uint16_t>((*info)->port);
  };
  const auto mount = [&](const std::string& name) {
    MountRequest plain;
    plain.listener = name;
    plain.routes = {route(gantry::MountKind::Request, "/plain", "plain")};
    REQUIRE(bus.call_wait<HttpMount>(plain).ok());
  };
  const auto status = [](uint16_t port, const std::string& token) {
    Peer peer(port);
    peer.send(get("/plain", token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"));
    return peer.read_response().substr(9, 3);
  };
  const uint16_t port = listen("late", "");
  mount("late");
  Peer before(port);  // asked on a connection that was there before
  before.send(get("/plain"));
  CHECK(before.read_response().substr(9, 3) == "200");
  CHECK(listen("late", "first") == port);
  before.send(get("/plain"));
  CHECK(before.read_response().substr(9, 3) == "401");
  CHECK(status(port, "") == "401");
  CHECK(status(port, "first") == "200");
  CHECK(listen("late", "second") == port);
  CHECK(status(port, "first") == "401");
  CHECK(status(port, "second") == "200");
  CHECK(listen("late", "") == port);  // no request opens what was closed
  CHECK(status(port, "") == "401");
  CHECK(status(port, "second") == "200");
  const uint16_t kept = listen("kept", "");
  mount("kept");
  CHECK(listen("kept", "other") == kept);
  CHECK(status(kept, "other") == "401");
  CHECK(status(kept, "configured") == "200");
}

TEST_CASE("mounting again replaces, another's place is refused, a missing listener named") {
  World world;
  CHECK(world.mount({route(gantry::MountKind::Request, "/a", "1")}).ok());
  CHECK(world.mount({route(gantry::MountKind::Request, "/a", "2")}).ok());
  const auto overlap = world.mount(
      {route(gantry::MountKind::Request, "/b", "b"), route(gantry::MountKind::Request, "/b", "b")},
      "");
  REQUIRE_FALSE(overlap.ok());
  CHECK(overlap.error().code == Code::AlreadyExists);
  const auto list = world.kernel.host().bus().call_wait<HttpListeners>({});
  REQUIRE(list.ok());
  REQUIRE((*list)->listeners.size() == 1);
  const auto& mounts = (*list)->listeners[0].mounts;
  REQUIRE(mounts.size() == 1);  // the refused request left nothing, and the older one stayed
  CHECK(has(mounts[0], "GET /a ("));
  MountRequest elsewhere;
  elsewhere.listener = "elsewhere";
  elsewhere.routes = {route(gantry::MountKind::Request, "/a", "a")};
  const auto nowhere = world.kernel.host().bus().call_wait<HttpMount>(elsewhere);
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().code == Code::NotFound);
  CHECK(has(nowhere.error().message, "'elsewhere', which does not exist; there are: test"));
  const auto malformed = world.mount({route(gantry::MountKind::Request, "/a{", "a")});
  REQUIRE_FALSE(malformed.ok());
  CHECK(malformed.error().code == Code::InvalidArgument);
  ListenRequest open;
  open.listener = "open";
  open.host = "0.0.0.0";
  const auto exposed = world.kernel.host().bus().call_wait<HttpListen>(open);
  REQUIRE_FALSE(exposed.ok());
  CHECK(exposed.error().code == Code::FailedPrecondition);
  ListenRequest taken;
  taken.listener = "taken";
  taken.port = world.port;
  const auto busy = world.kernel.host().bus().call_wait<HttpListen>(taken);
  REQUIRE_FALSE(busy.ok());
  CHECK(busy.error().code == Code::AlreadyExists);
}

TEST_CASE("without its plugin a route answers 503 and says what is missing") {
  World world;
  REQUIRE(world
              .mount({route(gantry::MountKind::Request, "/x", "x"),
                      route(gantry::MountKind::Exchange, "/y", "y"),
                      route(gantry::MountKind::WebSocket, "/ws", "ws")})
              .ok());
  for (const std::string& request : {get("/x"), get("/y"), handshake("/ws")}) {
    Peer peer(world.port);
    peer.send(request);
    const std::string answer = peer.read_response();
    CHECK(has(answer, "503 Service Unavailable"));
    CHECK(has(answer, "gantry."));
  }
}

TEST_CASE("a streamed answer: head, data, end, and its reader's going away") {
  Promised<std::string> ended;
  Promised<bool> opened;
  Stream<HttpPart> down;
  World world;
  REQUIRE(world.kernel.host()
              .bus()
              .serve_stream<HttpExchange>(
                  [&](const Ref<HttpRequest>& request, const CallInfo&,
                      Stream<HttpPart> stream) -> Result<StreamHandlers<Nothing>> {
                    if (request->route == "no") {
                      return Error{Code::PermissionDenied, "not you", {}};
                    }
                    HttpPart head;
                    head.head.emplace();
                    head.head->content_type = "text/event-stream";
                    (void)stream.send(std::move(head));
                    (void)stream.send(HttpPart{{}, Buffer::copy("data: 1\n\n")});
                    if (request->route == "short") {
                      stream.close();
                    } else {
                      down = stream;
                    }
                    StreamHandlers<Nothing> handlers;
                    handlers.on_end = [&](const Error& end) {
                      ended.set(std::string(code_name(end.code)));
                    };
                    opened.set(true);
                    return handlers;
                  })
              .ok());
  REQUIRE(world
              .mount({route(gantry::MountKind::Exchange, "/short", "short"),
                      route(gantry::MountKind::Exchange, "/long", "long"),
                      route(gantry::MountKind::Exchange, "/no", "no")})
              .ok());
  Peer peer(world.port);
  peer.send(get("/short"));
  const std::string answer = peer.read_response();
  CHECK(has(answer, "text/event-stream"));
  CHECK(has(answer, "9\r\ndata: 1\n\n\r\n0\r\n\r\n"));
  peer.send(get("/no"));
  CHECK(has(peer.read_response(), "403 Forbidden"));
  peer.send(get("/long"));
  peer.read_until("data: 1\n\n\r\n");
  peer.close();
  CHECK(ended.get() == "cancelled");
  down = {};
}

TEST_CASE("a plugin that streams faster than its reader reads is held by credit") {
  std::atomic<int> sent{0};
  std::function<void()> push;  // of the handler's strand
  World world;
  REQUIRE(world.kernel.host()
              .bus()
              .serve_stream<HttpExchange>(
                  [&](const Ref<HttpRequest>&, const CallInfo&,
                      Stream<HttpPart> stream) -> Result<StreamHandlers<Nothing>> {
                    HttpPart head;
                    head.head.emplace();
                    (void)stream.send(std::move(head));
                    push = [&sent, stream]() mutable {
                      while (sent < 2000) {
                        HttpPart part{{}, Buffer::of(std::string(10'000, 'x'))};
                        if (!stream.send(std::move(part)).ok()) return;
                        ++sent;
                      }
                      stream.close();
                    };
                    push();
                    StreamHandlers<Nothing> handlers;
                    handlers.on_writable = [&] { push(); };
                    handlers.on_end = [&](const Error&) { push = nullptr; };
                    return handlers;
                  })
              .ok());
  REQUIRE(world.mount({route(gantry::MountKind::Exchange, "/fast", "fast")}).ok());
  Peer peer(world.port);
  peer.send(get("/fast"));
  peer.read_until("\r\n\r\n");
  // The socket's buffers take a few megabytes; then nothing more leaves the plugin.
  int before = -1;
  for (int now = sent; now != before; now = sent) {
    before = now;
    (void)peer.silent(0);
    ::poll(nullptr, 0, 50);
  }
  CHECK(before < 2000);
  std::string body = peer.read_until("\r\n0\r\n\r\n");
  CHECK(sent == 2000);
  CHECK(body.size() > 2000u * 10'000u);
}

TEST_CASE("a WebSocket is a stream: accept, subprotocol, messages, both ways of closing") {
  Promised<std::string> ended;
  World world;
  REQUIRE(
      world.kernel.host()
          .bus()
          .serve_stream<WsConnect>(
              [&](const Ref<WsOpening>& opening, const CallInfo&,
                  Stream<WsMessage> stream) -> Result<StreamHandlers<WsMessage>> {
                if (opening->request.route == "no") {
                  return Error{Code::Unauthenticated, "who are you", {}};
                }
                (void)stream.send({WsOpcode::Accept, {}});
                (void)stream.send({WsOpcode::Text, Buffer::copy("hello " + opening->subprotocol)});
                StreamHandlers<WsMessage> handlers;
                handlers.on_chunk = [stream](const Ref<WsMessage>& message) mutable {
                  if (message->data.text() == "end") {
                    stream.close(Error{Code::Aborted, "as asked",
                                       R"({"close_code":4001,"reason":"as asked"})"});
                  } else {
                    (void)stream.send(message);
                  }
                };
                handlers.on_end = [&](const Error& end) { ended.set(end.detail); };
                return handlers;
              })
          .ok());
  auto ws = route(gantry::MountKind::WebSocket, "/ws", "ws");
  ws.subprotocols = {"v2", "v1"};
  REQUIRE(world.mount({ws, route(gantry::MountKind::WebSocket, "/no", "no")}).ok());
  {
    Peer peer(world.port);
    peer.send(handshake("/ws", "Sec-WebSocket-Protocol: v1, v2\r\n"));
    CHECK(has(peer.read_until("\r\n\r\n"), "Sec-WebSocket-Protocol: v2"));
    CHECK(read_frame(peer).payload == "hello v2");
    // Eight at a time: this echo answers without asking for credit, of which it has sixteen.
    for (int i = 0; i < 96; ++i) {
      if (i % 8 == 0) {
        for (int j = i; j < i + 8; ++j) peer.send(client_frame(0x82, std::to_string(j)));
      }
      const auto frame = read_frame(peer);
      CHECK(frame.first == 0x82);
      CHECK(frame.payload == std::to_string(i));
    }
    peer.send(client_frame(0x88,
                           "\x0f\xa2"
                           "bye"));
    CHECK(read_frame(peer).close_code() == 4002);
    CHECK(has(ended.get(), "\"close_code\":4002"));
    CHECK(has(ended.get(), "\"reason\":\"bye\""));
  }
  {
    Peer peer(world.port);
    peer.send(handshake("/ws"));
    peer.read_until("\r\n\r\n");
    CHECK(read_frame(peer).payload == "hello ");
    peer.send(client_frame(0x81, "end"));
    const auto close = read_frame(peer);
    CHECK(close.close_code() == 4001);
    CHECK(close.payload.substr(2) == "as asked");
  }
  Peer refused(world.port);
  refused.send(handshake("/no"));
  const std::string answer = refused.read_response();
  CHECK(has(answer, "401 Unauthorized"));
  CHECK(has(answer, "who are you"));
}

TEST_CASE("a plugin that takes no messages makes the client wait, and loses none") {
  Promised<bool> go;
  Stream<WsMessage> held;
  std::atomic<int> received{0};
  World world;
  StreamOptions options;
  options.receive_credit = 4;
  options.manual_credit = true;
  REQUIRE(world.kernel.host()
              .bus()
              .serve_stream<WsConnect>(
                  [&](const Ref<WsOpening>&, const CallInfo&,
                      Stream<WsMessage> stream) -> Result<StreamHandlers<WsMessage>> {
                    (void)stream.send({WsOpcode::Accept, {}});
                    held = stream;
                    StreamHandlers<WsMessage> handlers;
                    handlers.on_chunk = [&](const Ref<WsMessage>& message) {
                      CHECK(message->data.text() == std::to_string(received.load()));
                      ++received;
                    };
                    handlers.on_end = [&](const Error&) { go.set(true); };
                    return handlers;
                  },
                  options)
              .ok());
  REQUIRE(world.mount({route(gantry::MountKind::WebSocket, "/ws", "ws")}).ok());
  Peer peer(world.port);
  peer.send(handshake("/ws"));
  peer.read_until("\r\n\r\n");
  std::string frames;
  for (int i = 0; i < 200; ++i) frames += client_frame(0x81, std::to_string(i));
  peer.send(frames + client_frame(0x89, "p"));
  CHECK(peer.silent(100));
  CHECK(received < 200);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (received < 200 && std::chrono::steady_clock::now() < until) {
    held.grant(1);
    std::this_thread::yield();
  }
  CHECK(received == 200);
  CHECK(read_frame(peer).first == 0x8a);
  peer.close();
  CHECK(go.get());
  held = {};
}
