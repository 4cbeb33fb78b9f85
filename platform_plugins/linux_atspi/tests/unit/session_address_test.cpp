// SPDX-License-Identifier: Apache-2.0
// Finding the session bus, in a made-up /run/user and /proc.
#include "session_address.hpp"

#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

using namespace gantry;
using namespace gantry::atspi;

namespace {

class World {
 public:
  World() {
    char name[] = "/tmp/gantry-atspi-XXXXXX";
    root_ = mkdtemp(name);
    std::filesystem::create_directories(root_ + "/proc");
    environment.getenv = [this](const char* key) { return variables[key]; };
    environment.uid = getuid();
    environment.run_user = root_ + "/run";
    environment.proc = root_ + "/proc";
  }
  ~World() { std::filesystem::remove_all(root_); }

  std::string socket(const std::string& name) const {
    std::string path = root_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    close(fd);
    return path;
  }
  void process(const std::string& pid, const std::string& program,
               const std::string& environ_block) const {
    const std::string folder = root_ + "/proc/" + pid;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/comm") << program << "\n";
    std::ofstream(folder + "/environ", std::ios::binary) << environ_block;
  }

  std::map<std::string, std::string> variables;
  SessionEnvironment environment;

 private:
  std::string root_;
};

std::string block(std::initializer_list<std::string> entries) {
  std::string out;
  for (const std::string& entry : entries) out += entry + '\0';
  return out;
}

}  // namespace

TEST_CASE("named addresses win, the accessibility bus's own first") {
  World world;
  world.variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/a";
  CHECK(find_bus(world.environment)->address == "unix:path=/a");
  CHECK_FALSE(find_bus(world.environment)->accessibility);
  world.variables["AT_SPI_BUS_ADDRESS"] = "unix:path=/b";
  CHECK(find_bus(world.environment)->address == "unix:path=/b");
  CHECK(find_bus(world.environment)->accessibility);
}

TEST_CASE("without variables the user's runtime directory is looked at") {
  World world;
  const std::string path = world.socket("run/" + std::to_string(getuid()) + "/bus");
  CHECK(find_bus(world.environment)->address == "unix:path=" + path);
}

TEST_CASE("then a desktop process of the same user, the same display first") {
  World world;
  const std::string one = "unix:path=" + world.socket("one");
  const std::string two = "unix:path=" + world.socket("two");
  world.process("11", "sh", block({"DBUS_SESSION_BUS_ADDRESS=" + one}));  // no display: no desktop
  CHECK_FALSE(find_bus(world.environment));
  world.process("12", "openbox", block({"DISPLAY=:1", "DBUS_SESSION_BUS_ADDRESS=" + one}));
  CHECK(find_bus(world.environment)->address == one);
  world.process("13", "openbox", block({"X=1", "DISPLAY=:2", "DBUS_SESSION_BUS_ADDRESS=" + two}));
  world.variables["DISPLAY"] = ":2";
  CHECK(find_bus(world.environment)->address == two);
}

TEST_CASE("an address whose socket is gone is passed over") {
  World world;
  world.process("12", "openbox", block({"DISPLAY=:1", "DBUS_SESSION_BUS_ADDRESS=unix:path=/gone"}));
  const auto found = find_bus(world.environment);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::Unavailable);
  CHECK(found.error().message.find("cure") != std::string::npos);
}

TEST_CASE("another user's desktop is refused by name") {
  World world;
  const std::string address = "unix:path=" + world.socket("theirs");
  world.process("12", "openbox", block({"DISPLAY=:1", "DBUS_SESSION_BUS_ADDRESS=" + address}));
  world.environment.uid = getuid() + 1;  // the process is ours, so "we" are somebody else
  const auto found = find_bus(world.environment);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::PermissionDenied);
  CHECK(found.error().message.find("openbox") != std::string::npos);
}
