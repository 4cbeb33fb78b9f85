// SPDX-License-Identifier: Apache-2.0
// The published profiles on a machine without a display, the control socket, and a full disk.
#include <signal.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "daemon_process.hpp"
#include "test_files.hpp"

namespace gantry::test {
namespace {

// Every daemon of these tests has a folder of its own for sockets and no desktop in reach.
class Place {
 public:
  Place() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
                             "XDG_RUNTIME_DIR", "GANTRY_CONFIG", "GANTRY_PROFILE"}) {
      unsetenv(name);
    }
    setenv("GANTRY_RUNTIME_DIR", (dir_.path() / "run").c_str(), 1);
    setenv("GANTRY_STATE_DIR", (dir_.path() / "state").c_str(), 1);
    // Port 0: whatever else runs on this machine keeps its ports.
    setenv("GANTRY_AGENT_WS_PORT", "0", 1);
    setenv("GANTRY_AGENT_HTTP_PORT", "0", 1);
    setenv("GANTRY_GATEWAY_V3_PORT", "0", 1);
    setenv("GANTRY_CHAT_CORTASK_PORT", "0", 1);
    setenv("GANTRY_CHAT_AIDE_PORT", "0", 1);
  }
  std::filesystem::path socket() const { return dir_.path() / "run/control.sock"; }
  std::vector<std::string> arguments(std::vector<std::string> words,
                                     const std::string& profile) const {
    const auto file = (source_dir() / "config/gantry.yaml").string();
    words.insert(words.end(), {"--config", file, "--profile", profile});
    if (profile != "minimal") words.insert(words.end(), {"--set", "rest_observer.port=0"});
    return words;
  }

 private:
  TempDir dir_;
};

std::string maps_of(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/maps");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The ports that a daemon bound below the range of those that the system hands out: a plugin whose
// port these tests do not set would fail wherever that port is taken.
std::vector<int> fixed_ports(const std::string& log) {
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 0;
  range >> first;
  std::vector<int> fixed;
  const std::regex address("listening on http://127\\.0\\.0\\.1:([0-9]+)");
  for (std::sregex_iterator at(log.begin(), log.end(), address), end; at != end; ++at) {
    const int port = std::stoi((*at)[1].str());
    if (port < first) fixed.push_back(port);
  }
  return fixed;
}

TEST_CASE("server and minimal start without a display and map no desktop library") {
  const Place place;
  const std::string profile = GENERATE(as<std::string>(), "minimal", "server");
  INFO(profile);
  DaemonProcess daemon(place.arguments({"run"}, profile));
  const bool ready = daemon.wait_for("ready version=");
  INFO(daemon.log());
  REQUIRE(ready);
  CHECK(daemon.log().find("plugin failed") == std::string::npos);
  CHECK(daemon.log().find("plugin not opened") == std::string::npos);
  CHECK(fixed_ports(daemon.log()).empty());
  const std::string maps = maps_of(daemon.pid());
  REQUIRE(maps.find("transport.so") != std::string::npos);  // the list is that of this daemon
  for (const char* library :
       {"libX", "libxcb", "libxkb", "libwayland", "libdbus", "libsystemd", "libgio", "libglib",
        "libgtk", "libgdk", "libQt", "libatspi", "libopencv", "libtesseract"}) {
    INFO(library);
    CHECK(maps.find(library) == std::string::npos);
  }
  daemon.send(SIGTERM);
  const Exit exit = daemon.wait();
  CHECK(exit.code == 0);
  CHECK(exit.seconds < 5);
}

TEST_CASE("every profile passes gantry check") {
  const Place place;
  const std::string profile =
      GENERATE(as<std::string>(), "minimal", "server", "server,observer-deployed");
  std::string output;
  CHECK(run_gantry(place.arguments({"check"}, profile), output) == 0);
  INFO(output);
  CHECK(output.find("check: all good") != std::string::npos);
}

TEST_CASE("the command line reaches a running daemon through a socket of its user alone") {
  const Place place;
  DaemonProcess daemon(place.arguments({"run", "--set", "plugins.mock=true"}, "minimal"));
  REQUIRE(daemon.wait_for("ready version="));
  struct stat info {};
  REQUIRE(stat(place.socket().c_str(), &info) == 0);
  CHECK(S_ISSOCK(info.st_mode));
  CHECK((info.st_mode & 0777) == 0600);

  const auto ask = [&](std::vector<std::string> words, int code) {
    std::string output;
    const int status = run_gantry(place.arguments(std::move(words), "minimal"), output);
    CHECK(status == code);
    return output;
  };
  CHECK(ask({"plugins", "--json"}, 0).find("\"name\":\"control\"") != std::string::npos);
  CHECK(ask({"call", "gantry.window.list/1"}, 0).find("\"is_mock\":true") != std::string::npos);
  CHECK(ask({"call", "gantry.window.list/1", "[]"}, 1).empty());
  CHECK(ask({"call", "gantry.window.lst/1"}, 69).empty());
  CHECK(ask({"trace"}, 0).find("gantry.window.list/1") != std::string::npos);
  CHECK(ask({"contracts"}, 0).find("gantry.http.mount/1") != std::string::npos);
  CHECK(ask({"doctor"}, 0).find("asked: the daemon at ") == 0);
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
  CHECK(!std::filesystem::exists(place.socket()));
}

TEST_CASE("a full disk for the log is reported and nothing else") {
  const Place place;
  DaemonProcess daemon(place.arguments({"run", "--set", "log.file=/dev/full"}, "minimal"));
  std::string health;
  for (int i = 0; i < 200 && health.find("\"component\":\"log\"") == std::string::npos; ++i) {
    health.clear();
    run_gantry(place.arguments({"call", "gantry.kernel.health/1"}, "minimal"), health);
  }
  INFO(health);
  CHECK(health.find("\"ready\":true") != std::string::npos);
  CHECK(health.find("\"component\":\"log\",\"state\":\"degraded\"") != std::string::npos);
  CHECK(health.find(" lost") != std::string::npos);
  CHECK(std::filesystem::is_character_file("/dev/full"));  // not rotated away
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
}

}  // namespace
}  // namespace gantry::test
