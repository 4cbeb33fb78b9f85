// SPDX-License-Identifier: Apache-2.0
// Folders over HTTP: what the tables in tests/conformance/http cannot say.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "fixture.hpp"
#include "http_conditions.hpp"
#include "peer.hpp"
#include "static_folder.hpp"
#include "static_handler.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

namespace fs = std::filesystem;

/// A folder `public` with a file beside it, gone when the test ends.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "gantry-static-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root_ = pattern;
    fs::create_directories(path() / "sub");
    write("../outside.txt", "outside");
  }
  ~Folder() { fs::remove_all(root_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path path() const { return root_ / "public"; }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path() / name, std::ios::binary) << text;
  }

 private:
  fs::path root_;
};

/// Work in order on a thread of its own, counted.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    post(nullptr);
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    arrived_.notify_one();
  }
  std::atomic<int> done{0};

 private:
  void run() {
    while (true) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !queue_.empty(); });
      const auto work = std::move(queue_.front());
      queue_.erase(queue_.begin());
      lock.unlock();
      if (!work) return;
      work();
      ++done;
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> queue_;
  std::thread thread_;
};

/// Declare it before the server, whose connections use it.
void serve(TestServer& server, Worker& worker, const fs::path& folder, uint64_t max_bytes = 0) {
  StaticOptions options;
  options.listener = "main";
  options.prefix = "/files";
  options.folder = folder.string();
  options.index = "index.html";
  options.max_bytes = max_bytes;
  const auto mounts = make_static_mounts(
      options, [&worker](std::function<void()> work) { worker.post(std::move(work)); });
  REQUIRE_FALSE(server.server->exchange({}, mounts));
}

std::string content_of(std::variant<StaticFile, NoFile> found) {
  auto* file = std::get_if<StaticFile>(&found);
  if (file == nullptr) return "none";
  std::string text(static_cast<size_t>(file->size), '\0');
  CHECK(::pread(file->fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  return text;
}

std::string field_of(const std::string& answer, const std::string& name) {
  const size_t at = answer.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 4;
  return answer.substr(begin, answer.find("\r\n", begin) - begin);
}

}  // namespace

TEST_CASE("a folder gives its own files and no others, with and without openat2") {
  const Folder folder;
  folder.write("a.txt", "a");
  folder.write("sub/b.txt", "b");
  folder.write("index.html", "index");
  folder.write(".hidden", "hidden");
  fs::create_symlink("a.txt", folder.path() / "within.txt");
  fs::create_symlink("../outside.txt", folder.path() / "out.txt");
  fs::create_directory_symlink("..", folder.path() / "up");
  const StaticFolder files(folder.path().string(), "index.html");
  const struct {
    std::string_view path;
    std::string with_links;
    std::string without_links;
  } rows[] = {
      {"a.txt", "a", "a"},
      {"sub/b.txt", "b", "b"},
      {"", "index", "index"},
      {"within.txt", "a", "none"},
      {"out.txt", "none", "none"},
      {"up/outside.txt", "none", "none"},
      {"../outside.txt", "none", "none"},
      {"sub/../../outside.txt", "none", "none"},
      {"/etc/hostname", "none", "none"},
      {".hidden", "none", "none"},
      {"sub//b.txt", "none", "none"},
      {"sub/", "none", "none"},
      {"sub", "none", "none"},
      {std::string_view("a.txt\0.html", 11), "none", "none"},
  };
  for (const auto& row : rows) {
    INFO(row.path);
    CHECK(content_of(files.open(row.path)) == row.with_links);
    CHECK(content_of(files.open_without_links(row.path)) == row.without_links);
  }
  CHECK(std::get<NoFile>(files.open("sub")) == NoFile::kFolder);
  CHECK(std::get<NoFile>(StaticFolder("/nonexistent", "").open("a")) == NoFile::kMissing);
  CHECK(std::get<NoFile>(StaticFolder(folder.path().string(), "").open("")) == NoFile::kMissing);
}

TEST_CASE("the tag of a file is its own until the file changes") {
  const Folder folder;
  folder.write("a.txt", "one");
  Worker worker;
  TestServer server;
  serve(server, worker, folder.path());
  Peer peer(server.port);
  const auto ask = [&](const std::string& fields) {
    peer.send(request("GET /files/a.txt", fields));
    return peer.read_response();
  };
  const std::string first = ask("");
  const std::string tag = field_of(first, "ETag");
  REQUIRE(tag.size() > 2);
  CHECK(tag.front() == '"');
  for (const std::string& list :
       {tag, "W/" + tag, "\"x\", " + tag, "\"x\" ,W/" + tag + " , \"y\""}) {
    INFO(list);
    const std::string answer = ask("If-None-Match: " + list + "\r\n");
    CHECK(has(answer, "304 Not Modified"));
    CHECK(field_of(answer, "ETag") == tag);
  }
  for (const char* list : {"\"x\"", "x", "\"", ""}) {
    CHECK(has(ask(std::string("If-None-Match: ") + list + "\r\n"), "200 OK"));
  }
  CHECK(has(ask("If-Match: " + tag + "\r\n"), "200 OK"));
  CHECK(has(ask("If-Match: W/" + tag + "\r\n"), "412 Precondition Failed"));
  CHECK(has(ask("Range: bytes=1-\r\nIf-Range: " + tag + "\r\n"), "206 Partial Content"));
  CHECK(has(ask("Range: bytes=1-\r\nIf-Range: W/" + tag + "\r\n"), "200 OK"));
  folder.write("a.txt", "two");
  // Also when the file system keeps no finer time than a second.
  fs::last_write_time(folder.path() / "a.txt",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string second = ask("If-None-Match: " + tag + "\r\n");
  CHECK(has(second, "200 OK"));
  CHECK(has(second, "two"));
  CHECK(field_of(second, "ETag") != tag);
}

TEST_CASE("dates are read in all three forms and written in one") {
  CHECK(http_date_of(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    INFO(date);
    CHECK(parse_http_date(date) == 784111777);
  }
  for (const char* date : {"", "yesterday", "Sun, 06 Foo 1994 08:49:37 GMT", "784111777"}) {
    INFO(date);
    CHECK_FALSE(parse_http_date(date));
  }
}

TEST_CASE("a large file is read no faster than its client takes it") {
  constexpr uint64_t kSize = 64u << 20;
  const Folder folder;
  folder.write("large.bin", "");
  fs::resize_file(folder.path() / "large.bin", kSize);
  Worker worker;
  TestServer server;
  serve(server, worker, folder.path());
  Peer peer(server.port);
  peer.send(request("GET /files/large.bin"));
  REQUIRE(has(peer.read_until("\r\n\r\n"), "Content-Length: " + std::to_string(kSize)));
  // The socket's buffers take a few megabytes; then nothing more is read.
  int before = -1;
  for (int now = worker.done; now != before; now = worker.done) {
    before = now;
    ::poll(nullptr, 0, 50);
  }
  CHECK(before * (256 << 10) < static_cast<int>(kSize / 2));
  CHECK(peer.read_bytes(kSize) == std::string(kSize, '\0'));
  peer.send(request("GET /files/large.bin", "Range: bytes=-1\r\n"));
  CHECK(has(peer.read_response(), "206 Partial Content"));
}

TEST_CASE("a file that shrinks on its way ends the connection") {
  constexpr uint64_t kSize = 64u << 20;
  const Folder folder;
  folder.write("large.bin", "");
  fs::resize_file(folder.path() / "large.bin", kSize);
  Worker worker;
  TestServer server;
  serve(server, worker, folder.path());
  Peer peer(server.port);
  peer.send(request("GET /files/large.bin"));
  peer.read_until("\r\n\r\n");
  fs::resize_file(folder.path() / "large.bin", 1000);
  CHECK(peer.read_all().size() < kSize);
  CHECK(peer.closed());
}

TEST_CASE("a client that goes leaves nothing behind") {
  const Folder folder;
  folder.write("large.bin", "");
  fs::resize_file(folder.path() / "large.bin", 64u << 20);
  Worker worker;
  TestServer server;
  serve(server, worker, folder.path());
  Peer peer(server.port);
  peer.send(request("GET /files/large.bin"));
  peer.read_until("\r\n\r\n");
  peer.reset();
  while (server.server->counters().connections_open > 0) std::this_thread::yield();
  Peer other(server.port);
  other.send(request("GET /files/none"));
  CHECK(has(other.read_response(), "404 Not Found"));
}

TEST_CASE("what is larger than allowed is not sent") {
  const Folder folder;
  folder.write("a.txt", "12345");
  folder.write("b.txt", "1234");
  Worker worker;
  TestServer server;
  serve(server, worker, folder.path(), 4);
  Peer peer(server.port);
  peer.send(request("GET /files/a.txt") + request("GET /files/b.txt"));
  const std::string large = peer.read_response();
  CHECK(has(large, "403 Forbidden"));
  CHECK(has(large, "has 5 bytes; max_size of its folder allows 4"));
  CHECK(has(peer.read_response(), "200 OK"));
}

TEST_CASE("media types go by the extension, whatever its case") {
  CHECK(media_type_of("a/INDEX.HTML") == "text/html; charset=utf-8");
  CHECK(media_type_of("x.tar.gz") == "application/gzip");
  CHECK(media_type_of("woff2") == "application/octet-stream");
  CHECK(media_type_of("f.woff2") == "font/woff2");
  CHECK(media_type_of("f.avif") == "image/avif");
  CHECK(media_type_of("f.zip") == "application/zip");
}
