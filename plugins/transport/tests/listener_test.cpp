// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <catch2/catch.hpp>

#include <cstdio>
#include <filesystem>

#include "fixture.hpp"
#include "peer.hpp"
#include "timer_wheel.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

std::string error_of(ListenerOptions options) {
  const auto error = check_listener(options);
  return error ? error->message : std::string();
}

ListenerOptions at(std::string address) {
  ListenerOptions options;
  options.address = std::move(address);
  return options;
}

struct TemporaryFolder {
  TemporaryFolder() {
    char name[] = "/tmp/gantry-transport-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

/// A self-signed certificate for localhost, valid for an hour.
TlsFiles make_certificate(const std::string& folder) {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* const name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  TlsFiles files{folder + "/cert.pem", folder + "/key.pem"};
  std::FILE* out = std::fopen(files.certificate.c_str(), "w");
  PEM_write_X509(out, certificate);
  std::fclose(out);
  out = std::fopen(files.key.c_str(), "w");
  PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(out);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return files;
}

struct TlsClient {
  explicit TlsClient(int fd, int max_version = TLS1_3_VERSION) {
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, max_version);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_security_level(context, 0);
    ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    connected = SSL_connect(ssl) == 1;
    ERR_clear_error();
  }
  ~TlsClient() {
    SSL_free(ssl);
    SSL_CTX_free(context);
  }
  /// In one piece with the word that nothing more comes.
  void send_last(std::string_view text) {
    const int on = 1, off = 0;
    ::setsockopt(SSL_get_fd(ssl), IPPROTO_TCP, TCP_CORK, &on, sizeof on);
    send(text);
    SSL_shutdown(ssl);
    ::setsockopt(SSL_get_fd(ssl), IPPROTO_TCP, TCP_CORK, &off, sizeof off);
  }
  void send(std::string_view text) { SSL_write(ssl, text.data(), static_cast<int>(text.size())); }
  std::string read_all() {
    std::string out;
    char block[16384];
    int got = 0;
    while ((got = SSL_read(ssl, block, sizeof block)) > 0)
      out.append(block, static_cast<size_t>(got));
    clean_end = SSL_get_error(ssl, got) == SSL_ERROR_ZERO_RETURN;
    ERR_clear_error();
    return out;
  }
  SSL_CTX* context;
  SSL* ssl;
  bool connected = false;
  bool clean_end = false;
};

}  // namespace

TEST_CASE("addresses and exposure") {
  CHECK(error_of(at("127.0.0.1:0")).empty());
  CHECK(error_of(at("localhost:0")).empty());
  CHECK(error_of(at("[::1]:0")).empty());
  CHECK(error_of(at("unix:/tmp/x")).empty());
  for (const char* bad : {"", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "example.org:80",
                          "unix:", "127.0.0.1:80:"}) {
    INFO(bad);
    CHECK_FALSE(error_of(at(bad)).empty());
  }
  CHECK(error_of(at("unix:/" + std::string(106, 'x'))).empty());
  CHECK(has(error_of(at("unix:/" + std::string(107, 'x'))), "has 107 bytes at most, this one 108"));
  CHECK(has(error_of(at("0.0.0.0:0")), "no authentication"));
  CHECK(has(error_of(at("[::]:0")), "no authentication"));
  CHECK(has(error_of(at("192.0.2.1:80")), "no authentication"));
  auto guarded = at("0.0.0.0:0");
  guarded.token = "secret";
  CHECK(error_of(guarded).empty());
}

TEST_CASE("a taken port is an error that says so") {
  TestServer first;
  REQUIRE(first.failure.empty());
  TestServer second(at("127.0.0.1:" + std::to_string(first.port)));
  CHECK(has(second.failure, "in use"));
  CHECK(has(second.failure, std::to_string(first.port)));
}

TEST_CASE("a listener's token guards every mount without its own") {
  ListenerOptions options = at("0.0.0.0:0");
  options.token = "secret";
  TestServer server(options);
  server.mount("/x", {}, echo);
  REQUIRE(server.failure.empty());
  Peer peer(server.port);
  peer.send("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(has(peer.read_response(), "401"));
  peer.send("GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer secret\r\n\r\n");
  CHECK(has(peer.read_response(), "200"));
}

TEST_CASE("Unix socket: mode 0600, stale replaced, live refused, peer known") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/g.sock";
  {
    TestServer server(at("unix:" + path));
    REQUIRE(server.failure.empty());
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    server.mount("/x", {}, [](const ExchangePtr& exchange) {
      exchange->respond(text_response(exchange->request()->peer->address + " " +
                                      std::to_string(exchange->request()->peer->unix_uid)));
    });
    Peer peer(path);
    peer.send("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(has(peer.read_response(), "unix " + std::to_string(::getuid())));
    TestServer second(at("unix:" + path));
    CHECK(has(second.failure, "already"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
  std::fclose(std::fopen(path.c_str(), "w"));
  TestServer blocked(at("unix:" + path));
  CHECK(has(blocked.failure, "no socket"));
  TestServer nowhere(at("unix:" + folder.path + "/none/g.sock"));
  CHECK(has(nowhere.failure, "the folder of " + folder.path + "/none/g.sock is not there"));
}

TEST_CASE("TLS 1.2 and 1.3 are spoken, older ones and plain text not") {
  const TemporaryFolder folder;
  ListenerOptions options;
  options.tls = make_certificate(folder.path);
  TestServer server(options);
  REQUIRE(server.failure.empty());
  const std::string large(300'000, 'x');
  server.mount("/large", {}, [&](const ExchangePtr& exchange) {
    CHECK(exchange->request()->peer->tls);
    exchange->respond(text_response(large));
  });
  server.mount_ws("/ws", [](WsSocketPtr socket) { EchoSink::open(std::move(socket)); });
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Peer peer(server.port);
    TlsClient client(peer.fd(), version);
    REQUIRE(client.connected);
    client.send("GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_all();
    CHECK(has(answer, "200 OK"));
    CHECK(answer.size() > large.size());
    CHECK(client.clean_end);
  }
  {
    Peer peer(server.port);
    TlsClient client(peer.fd(), TLS1_1_VERSION);
    CHECK_FALSE(client.connected);
  }
  {
    Peer peer(server.port);
    TlsClient client(peer.fd());
    client.send(handshake() + client_frame(0x81, "over TLS") + client_frame(0x88, "\x03\xe8"));
    const std::string all = client.read_all();
    CHECK(has(all, "101 Switching"));
    CHECK(has(all,
              "\x81\x08"
              "over TLS\x88\x02\x03\xe8"));
  }
  Peer plain(server.port);
  plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_FALSE(has(plain.read_all(), "HTTP/1.1"));
}

TEST_CASE("what came with the end of TLS is heard as far as there is room for it in time") {
  struct Sink : WsSink {
    void on_message(WsMessage) override { ++received; }
    void on_closed(uint16_t code, std::string_view, bool) override { end.set(std::move(code)); }
    std::atomic<int> received{0};
    Promised<uint16_t> end;
  };
  const auto sink = std::make_shared<Sink>();
  Promised<WsSocketPtr> socket;
  const TemporaryFolder folder;
  ListenerOptions options;
  options.tls = make_certificate(folder.path);
  options.limits.receive_credit = 4;
  TestServer server(options);
  server.mount_ws("/ws", [&](const WsSocketPtr& opened) {
    opened->accept({.subprotocol = {}, .headers = {}, .sink = sink});
    socket.set(opened);
  });
  Peer peer(server.port);
  TlsClient client(peer.fd());
  REQUIRE(client.connected);
  client.send(handshake());
  REQUIRE(socket.get());
  std::string frames;
  for (int i = 0; i < 10; ++i) frames += client_frame(0x81, "m");
  client.send_last(frames);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int taken = 0; !sink->end.is_set() && std::chrono::steady_clock::now() < until;) {
    if (taken == sink->received) continue;
    ++taken;
    socket.get()->consumed(1, 1);
  }
  CHECK(sink->received == 10);
  CHECK(sink->end.get() == 1006);
  socket.set(nullptr);
}

TEST_CASE("a connection whose client ended TLS with its request ends behind the answer") {
  const TemporaryFolder folder;
  ListenerOptions options;
  options.tls = make_certificate(folder.path);
  options.limits.idle_timeout_ms = 3'600'000;
  TestServer server(options);
  REQUIRE(server.failure.empty());
  const std::string large(32 << 20, 'x');  // more than all buffers on the way
  server.mount("/large", {},
               [&](const ExchangePtr& exchange) { exchange->respond(text_response(large)); });
  Peer peer(server.port);
  TlsClient client(peer.fd());
  REQUIRE(client.connected);
  const timeval limit{20, 0};  // so that a failure ends
  ::setsockopt(peer.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  client.send_last("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string answer = client.read_all();
  CHECK(answer.size() > large.size());
  char byte = 0;
  CHECK(::recv(peer.fd(), &byte, 1, MSG_DONTWAIT) == 0);
}

TEST_CASE("an unusable certificate is refused at start") {
  const TemporaryFolder folder;
  ListenerOptions options;
  options.tls = TlsFiles{folder.path + "/none.pem", folder.path + "/none.key"};
  CHECK(has(TestServer(options).failure, "cannot be used"));
  options.tls = make_certificate(folder.path);
  const TemporaryFolder other;
  options.tls->key = make_certificate(other.path).key;
  CHECK_FALSE(TestServer(options).failure.empty());
}

TEST_CASE("mounts need their listener and do not overlap") {
  TestServer server;
  server.mount("/a", {}, echo);
  CHECK(server.failure.empty());
  server.mount("/a", {"GET"}, echo);
  CHECK(has(server.failure, "overlaps"));
  auto mount = std::make_shared<Mount>();
  mount->owner = "test";
  mount->listener = "elsewhere";
  mount->path = "/b";
  const auto refused = server.server->mount(mount);
  REQUIRE(refused);
  CHECK(refused->kind == MountFailure::Kind::kNoListener);
  CHECK(has(refused->message, "there are: main"));
}

TEST_CASE("the limit of open files is raised to the hard one") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(256, before.rlim_max);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  CHECK(raise_file_limit() == before.rlim_max);
}

TEST_CASE("timers fire in their time, however far") {
  struct Entry : WheelEntry {};
  TimerWheel wheel(1000);
  Entry near;
  Entry far;
  Entry cancelled;
  CHECK(wheel.wait_ms(1000) == -1);
  wheel.schedule(near, 1100);
  wheel.schedule(far, 1000 + 200'000);
  wheel.schedule(cancelled, 1100);
  wheel.cancel(cancelled);
  CHECK(wheel.wait_ms(1000) >= 100);
  CHECK(wheel.advance(1099).empty());
  const auto due = wheel.advance(1100 + 2 * TimerWheel::kTickMs);
  REQUIRE(due.size() == 1);
  CHECK(due[0] == &near);
  int64_t now = 1200;
  while (true) {
    const int64_t wait = wheel.wait_ms(now);
    REQUIRE(wait >= 0);
    now += std::max<int64_t>(wait, 1);
    if (!wheel.advance(now).empty()) break;
  }
  CHECK(now >= 201'000);
  CHECK(now <= 201'000 + 3 * TimerWheel::kTickMs);
  wheel.schedule(near, 5);  // long past: with the next tick
  CHECK(wheel.advance(now + 2 * TimerWheel::kTickMs).size() == 1);
}
