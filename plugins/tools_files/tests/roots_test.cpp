// SPDX-License-Identifier: Apache-2.0
// Nothing outside of the roots is opened, whatever the path says.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

#include "support.hpp"

using namespace gantry;
using namespace gantry::files;
using namespace gantry::files::testing;

namespace {

/// Each case with the kernel's resolver and without.
template <class F>
void both_ways(F check) {
  for (const Resolver resolver : {Resolver::Kernel, Resolver::Steps}) {
    Place place;
    place.resolver = resolver;
    INFO((resolver == Resolver::Kernel ? "by openat2" : "step by step"));
    check(place);
  }
}

}  // namespace

TEST_CASE("what lies inside is found by every name that it has") {
  both_ways([](Place& place) {
    put(place.work / "deep/er/file", "deep\n");
    fs::create_symlink("deep/er", place.work / "link");
    fs::create_symlink("../file", place.work / "deep/up");
    fs::create_symlink("link/file", place.work / "twice");
    for (const std::string& path : std::vector<std::string>{
             std::string("file"), std::string("./file"), std::string("deep/../file"),
             std::string("deep/er/../../file"), std::string("deep/up"),
             place.work.string() + "/file", place.work.string() + "//./file",
             place.work.string() + "/deep/../file"}) {
      INFO(path);
      CHECK(text_of(place.read(path)) == "inside\n");
    }
    for (const char* path : {"link/file", "twice", "deep/er/file"}) {
      INFO(path);
      CHECK(text_of(place.read(path)) == "deep\n");
    }
  });
}

TEST_CASE("what lies outside is refused, by dots, links, prefixes and absolute paths") {
  both_ways([](Place& place) {
    const std::string top = place.top.string();
    fs::create_symlink("../secret", place.work / "relative");
    fs::create_symlink(top + "/secret", place.work / "absolute");
    fs::create_symlink("../secret/key", place.work / "file_link");
    fs::create_symlink("/proc/self/root", place.work / "magic");
    fs::create_symlink("chain2", place.work / "chain1");
    fs::create_symlink("relative/key", place.work / "chain2");
    fs::create_symlink(place.work / "file", place.work / "absolute_inside");
    for (const std::string& path : std::vector<std::string>{
             "../secret/key", "deep/../../secret/key", top + "/secret/key", top + "/workspace/key",
             place.work.string() + "/../secret/key", "relative/key", "absolute/key", "file_link",
             "magic/etc/passwd", "chain1", "absolute_inside", "/etc/passwd", "/proc/self/environ",
             "/proc/self/cwd", "..", top}) {
      INFO(path);
      const auto found = place.roots().find(path);
      REQUIRE_FALSE(found.ok());
      CHECK((found.error().code == Code::PermissionDenied ||
             (path.find("deep/..") == 0 && found.error().code == Code::NotFound)));
      CHECK_FALSE(text_of(place.write(path, "x")).empty());
    }
    CHECK(content_of(place.top / "secret/key") == "private\n");
    CHECK(content_of(place.top / "workspace/key") == "private\n");
    CHECK_FALSE(fs::exists(place.top / "secret/new"));
  });
}

TEST_CASE("nothing is made outside, with folders that are missing or through links") {
  both_ways([](Place& place) {
    fs::create_symlink("../secret", place.work / "out");
    fs::create_symlink("../secret/fresh", place.work / "dangling");
    for (const char* path : {"out/new", "out/a/b", "../secret/new", "missing/../../secret/new",
                             "../new", "dangling"}) {
      INFO(path);
      CHECK_FALSE(place.write(path, "x").ok());
      CHECK_FALSE(
          place.patch("--- /dev/null\n+++ b/" + std::string(path) + "\n@@ -0,0 +1 @@\n+x\n").ok());
    }
    CHECK(fs::directory_iterator(place.top / "secret")->path().filename() == "key");
    CHECK_FALSE(fs::exists(place.top / "secret/new"));
    CHECK_FALSE(fs::exists(place.top / "new"));
  });
}

TEST_CASE("nobody learns what there is outside") {
  Place place;
  const auto there = place.roots().find("../secret/key").error();
  const auto missing = place.roots().find("../secret/none").error();
  CHECK(there.code == missing.code);
  CHECK(place.roots().find("/etc/passwd").error().code ==
        place.roots().find("/etc/none").error().code);
}

TEST_CASE("further roots count, and the longest that fits") {
  both_ways([](Place& place) {
    place.more_roots = {(place.top / "secret").string()};
    CHECK(text_of(place.read((place.top / "secret/key").string())) == "private\n");
    CHECK_FALSE(place.read((place.top / "workspace/key").string()).ok());
    CHECK_FALSE(place.read("../secret/key").ok());  // relative paths stay in the workspace
  });
}

TEST_CASE("what is hidden is as if outside, but for a root in it") {
  Place place;
  put(place.work / "state/db", "d");
  put(place.work / "state/own/file", "o");
  fs::create_symlink("state/db", place.work / "way");
  place.hidden = {(place.work / "state").string()};
  for (const char* path : {"state/db", "state", "way", "state/own/file", "state/new"}) {
    INFO(path);
    CHECK_FALSE(place.roots().find(path).ok());
    CHECK_FALSE(place.write(path, "x").ok());
  }
  CHECK(content_of(place.work / "state/db") == "d");
  place.more_roots = {(place.work / "state/own").string()};
  CHECK(text_of(place.read((place.work / "state/own/file").string())) == "o");
}

TEST_CASE("only regular files are read and written") {
  Place place;
  REQUIRE(::mkfifo((place.work / "pipe").c_str(), 0600) == 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (place.work / "socket").string();
  REQUIRE(name.size() < sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  fs::create_directory(place.work / "folder");
  for (const char* path : {"pipe", "socket", "folder"}) {
    INFO(path);
    CHECK(place.read(path).error().code == Code::FailedPrecondition);  // and does not wait
    CHECK(place.write(path, "x").error().code == Code::FailedPrecondition);
  }
  place.more_roots = {"/dev"};
  CHECK(place.read("/dev/zero").error().code == Code::FailedPrecondition);
  CHECK(place.write("/dev/null", "x").error().code == Code::FailedPrecondition);
}

TEST_CASE("paths that are none are told") {
  both_ways([](Place& place) {
    CHECK(place.roots().find("").error().code == Code::InvalidArgument);
    CHECK(place.roots().find(std::string("a\0b", 3)).error().code == Code::InvalidArgument);
    CHECK(place.roots().find(std::string(5000, 'x')).error().code == Code::InvalidArgument);
    CHECK(place.roots().find("none").error().code == Code::NotFound);
    CHECK(place.roots().find("file/below").error().code == Code::NotFound);
    CHECK(place.write("folder/", "x").error().code == Code::FailedPrecondition);
    fs::create_symlink("loop", place.work / "loop");
    CHECK(place.roots().find("loop").error().code == Code::PermissionDenied);
  });
}

TEST_CASE("a root that became a link is not followed") {
  Place place;
  const Roots roots = place.roots();
  fs::rename(place.work, place.top / "moved");
  fs::create_symlink("secret", place.work);
  CHECK_FALSE(roots.find("key").ok());
  CHECK_FALSE(roots.spot("new", true).ok());
}

TEST_CASE("a folder that is swapped for a link again and again never leads out") {
  both_ways([](Place& place) {
    put(place.work / "real/key", "inside\n");
    put(place.work / "real/deep/x", "inside\n");
    fs::create_symlink("../secret", place.work / "evil");
    std::atomic<bool> done{false};
    std::thread swapper([&] {
      const std::string real = (place.work / "real").string();
      const std::string evil = (place.work / "evil").string();
      while (!done) ::renameat2(AT_FDCWD, real.c_str(), AT_FDCWD, evil.c_str(), RENAME_EXCHANGE);
    });
    int reads = 0;
    bool leaked = false;
    for (int i = 0; i < 400; ++i) {
      const auto read = place.read("real/key");
      leaked = leaked || text_of(read).find("private") != std::string::npos;
      reads += read.ok() ? 1 : 0;
      (void)place.write("real/new", "x");
      (void)place.write("real/a/b", "x");
      (void)place.patch("--- a/real/key\n+++ b/real/key\n@@ -1 +1 @@\n-private\n+gone\n");
    }
    done = true;
    swapper.join();
    CHECK_FALSE(leaked);
    CHECK(reads > 0);
    CHECK(content_of(place.top / "secret/key") == "private\n");
    CHECK_FALSE(fs::exists(place.top / "secret/new"));
    CHECK_FALSE(fs::exists(place.top / "secret/a"));
  });
}
