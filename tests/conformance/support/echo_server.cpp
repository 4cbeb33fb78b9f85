// SPDX-License-Identifier: Apache-2.0
#include "echo_server.hpp"

#include "static_handler.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace gantry::conformance {

namespace {

using namespace transport;

Response answer(std::string content_type, Bytes body) {
  Response response;
  response.head.content_type = std::move(content_type);
  response.body = std::move(body);
  return response;
}

class Answering final : public MountHandler {
 public:
  explicit Answering(std::function<Response(const Request&)> function)
      : function_(std::move(function)) {}
  void on_request(ExchangePtr exchange) override {
    exchange->respond(function_(*exchange->request()));
  }
  void on_websocket(WsSocketPtr) override {}

 private:
  std::function<Response(const Request&)> function_;
};

class EchoSink final : public WsSink {
 public:
  explicit EchoSink(const WsSocketPtr& socket) : socket_(socket) {}
  void on_message(WsMessage message) override {
    const auto socket = socket_;
    if (!socket) return;
    const std::size_t size = message.data.size();
    socket->send(message.text, Bytes(std::move(message.data)));
    socket->consumed(1, size);
  }
  void on_closed(std::uint16_t, std::string_view, bool) override { socket_.reset(); }

 private:
  WsSocketPtr socket_;  // until on_closed: a socket without references is closed as going away
};

class EchoSocket final : public MountHandler {
 public:
  void on_request(ExchangePtr) override {}
  void on_websocket(WsSocketPtr socket) override {
    WsAccept accept;
    for (const std::string wanted : {"v2", "v1"}) {
      for (const auto& offered : socket->offered_subprotocols()) {
        if (accept.subprotocol.empty() && offered == wanted) accept.subprotocol = wanted;
      }
    }
    accept.sink = std::make_shared<EchoSink>(socket);
    socket->accept(std::move(accept));
  }
};

std::string long_json() {
  std::string text = "[";
  for (int i = 0; i < 500; ++i) {
    text += (i == 0 ? "" : ",");
    text += R"({"name":"item )" + std::to_string(i) + R"(","value":true})";
  }
  return text + "]";
}

namespace fs = std::filesystem;

constexpr std::time_t kFileTime = 1704164645;  // Tue, 02 Jan 2024 03:04:05 GMT

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
  const timespec times[2] = {{kFileTime, 0}, {kFileTime, 0}};
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) {
    throw std::runtime_error("cannot set the time of " + path.string());
  }
}

/// Files of every kind that the tables ask for.
fs::path make_folder() {
  std::string pattern = (fs::temp_directory_path() / "gantry-files-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder " + pattern);
  const fs::path outside(pattern);
  fs::path folder = outside / "public";
  fs::create_directories(folder / "sub");
  fs::create_directories(folder / "empty");
  fs::create_directories(folder / ".hidden");
  write_file(outside / "secret.txt", "secret");
  write_file(folder / "letters.txt", "abcdefghijklmnopqrstuvwxyz");
  write_file(folder / "empty.json", "");
  write_file(folder / "data.unheard-of", "?");
  write_file(folder / "with space.html", "<p>space</p>");
  write_file(folder / ".env", "secret");
  write_file(folder / ".hidden" / "x.txt", "secret");
  write_file(folder / "sub" / "index.html", "<p>index</p>");
  fs::create_symlink("letters.txt", folder / "link-within.txt");
  fs::create_symlink("../secret.txt", folder / "link-out.txt");
  fs::create_symlink(outside / "secret.txt", folder / "link-absolute.txt");
  fs::create_symlink("..", folder / "link-up");
  fs::create_symlink("loop", folder / "loop");
  if (::mkfifo((folder / "pipe").c_str(), 0600) != 0) throw std::runtime_error("no pipe");
  return folder;
}

}  // namespace

Limits table_limits() {
  Limits limits;
  limits.body_bytes = 64 * 1024;
  limits.message_bytes = 128 * 1024;
  return limits;
}

EchoServer::EchoServer(const EchoOptions& options)
    : server_(ServerOptions{options.loops, nullptr}) {
  ListenerOptions listener;
  listener.address = options.address;
  listener.limits = options.limits;
  server_.start();
  auto bound = server_.listen(std::move(listener));
  if (const auto* error = std::get_if<ListenFailure>(&bound)) {
    throw std::runtime_error(error->message);
  }
  const auto route = [&](const char* method, const char* path,
                         std::function<Response(const Request&)> function) {
    mount(MountKind::kRequest, {method}, path, std::make_shared<Answering>(std::move(function)));
  };
  route("GET", "/hello",
        [](const Request&) { return answer("text/plain", Bytes::literal("hello")); });
  route("POST", "/echo",
        [](const Request& r) { return answer("application/octet-stream", Bytes::copy(r.body)); });
  route("GET", "/json",
        [json = Bytes(long_json())](const Request&) { return answer("application/json", json); });
  route("GET", "/item/{id}",
        [](const Request& r) { return answer("text/plain", Bytes::copy(r.param("id"))); });
  route("GET", "/page", [](const Request&) {
    return answer("text/html", Bytes::literal("<!doctype html><title>peer</title>"));
  });
  mount(MountKind::kWebSocket, {}, "/ws", std::make_shared<EchoSocket>());
  mount_folder();
}

EchoServer::~EchoServer() {
  server_.stop(0);
  fs::remove_all(folder_.parent_path());
}

void EchoServer::mount_folder() {
  folder_ = make_folder();
  StaticOptions files;
  files.listener = "main";
  files.prefix = "/files/";
  files.folder = folder_.string();
  files.index = "index.html";
  // The files are small: the loop reads them itself.
  const auto mounts = make_static_mounts(files, [](std::function<void()> work) { work(); });
  if (const auto failure = server_.exchange({}, mounts)) throw std::runtime_error(failure->message);
}

std::uint16_t EchoServer::port() const { return server_.listeners().front().port; }

void EchoServer::mount(MountKind kind, const std::vector<std::string>& methods,
                       const std::string& path, std::shared_ptr<MountHandler> handler) {
  auto mount = std::make_shared<Mount>();
  mount->owner = "echo";
  mount->listener = "main";
  mount->kind = kind;
  mount->methods = methods;
  mount->path = path;
  mount->handler = std::move(handler);
  if (const auto failure = server_.mount(std::move(mount))) {
    throw std::runtime_error(failure->message);
  }
}

}  // namespace gantry::conformance
