// SPDX-License-Identifier: Apache-2.0
// What a command in the sandbox can and cannot do.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sandbox_support.hpp"

using namespace gantry;
using namespace gantry::shell;
using namespace gantry::shell::testing;
namespace fs = std::filesystem;

namespace {

/// A home with a workspace in it, as a person would have.
struct World {
  testkit::TempDir folder;
  fs::path home;
  Settings settings;
  CommandRequest request;

  World() {
    home = fs::canonical(folder.path()) / "home";
    fs::create_directories(home / "work");
    fs::create_directories(home / ".ssh");
    std::ofstream(home / ".ssh/id") << "private";
    std::ofstream(home / "diary") << "private";
    ::setenv("HOME", home.c_str(), 1);
    settings.hidden = {"~/.ssh"};
    request.workspace = (home / "work").string();
  }
  Result<Ran> run(const std::string& command) {
    request.command = command;
    return try_run(settings, request);
  }
  std::string text(const std::string& command) {
    const auto ran = run(command);
    INFO(command);
    if (!ran.ok()) return ran.error().message;
    return ran->text;
  }
};

/// A listener on loopback, of the machine outside.
struct Listener {
  UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port = 0;
  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    REQUIRE(::bind(socket.get(), raw, size) == 0);
    REQUIRE(::listen(socket.get(), 4) == 0);
    REQUIRE(::getsockname(socket.get(), raw, &size) == 0);
    port = ntohs(address.sin_port);
  }
  [[nodiscard]] std::string connect_command() const {
    return "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port) + " && echo connected";
  }
};

}  // namespace

TEST_CASE("the workspace is writable and where it is outside") {
  World world;
  CHECK(world.text("pwd; echo hello > file; mkdir deep; touch deep/x") ==
        (world.home / "work").string() + "\n");
  std::ifstream file(world.home / "work/file");
  std::string line;
  std::getline(file, line);
  CHECK(line == "hello");
  CHECK(fs::exists(world.home / "work/deep/x"));
}

TEST_CASE("the system can be read and not written") {
  World world;
  CHECK(world.text("ls /usr/bin/env") == "/usr/bin/env\n");
  for (const char* place : {"/usr/x", "/x", "/etc/x", "/bin/x", "/var/x", "/run/x", "/dev/x"}) {
    INFO(place);
    CHECK(world.run("touch " + std::string(place) + " 2>/dev/null")->code != 0);
  }
}

TEST_CASE("home and the rest of the machine are hidden") {
  World world;
  const std::string home = world.home.string();
  CHECK(world.run("cat " + home + "/diary")->code != 0);
  CHECK(world.text("ls -A " + home) == "work\n");
  CHECK(world.run("cat /etc/shadow")->code != 0);
  CHECK(world.run("ls /root/.. >/dev/null; ls -A /root")->code != 0);
  CHECK(world.text("echo $HOME; ls -A $HOME") == "/tmp/home\n");
  CHECK(world.text("ls -d /boot /home /mnt /opt /srv /sys 2>/dev/null").empty());
}

TEST_CASE("the temporary folder is private and does not outlive its command") {
  World world;
  const fs::path outside = fs::temp_directory_path() / "gantry_sandbox_probe";
  std::ofstream(outside) << "x";
  CHECK(world
            .text("ls -A /tmp | grep -v home | grep -v gantry-test; echo x > /tmp/mine; cat "
                  "/tmp/mine /var/tmp/mine")
            .ends_with("x\nx\n"));
  CHECK(world.run("cat " + outside.string())->code != 0);
  CHECK(world.run("cat /tmp/mine")->code != 0);
  fs::remove(outside);
}

TEST_CASE("the temporary folder has an end") {
  World world;
  world.settings.limits.temporary = 1 << 20;
  CHECK(world.run("head -c 3000000 /dev/zero > /tmp/big")->code != 0);
  CHECK(world.run("head -c 3000000 /dev/zero > /dev/shm/big")->code != 0);
}

TEST_CASE("no secret of the daemon is in the sandbox") {
  World world;
  ::setenv("GANTRY_GATEWAY_TOKEN", "hush-gateway", 1);
  ::setenv("OPENAI_API_KEY", "hush-openai", 1);
  const std::string text =
      world.text("env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline | tr '\\0' ' '");
  ::unsetenv("GANTRY_GATEWAY_TOKEN");
  ::unsetenv("OPENAI_API_KEY");
  INFO(text);
  CHECK(text.find("PATH=/usr/local/bin") != std::string::npos);
  CHECK(text.find("hush") == std::string::npos);
  CHECK(text.find("GANTRY_") == std::string::npos);
}

TEST_CASE("there is no network, not even this machine's, unless it is allowed") {
  World world;
  const Listener listener;
  CHECK(world.run(listener.connect_command())->code != 0);
  world.settings.network = true;
  CHECK(world.text(listener.connect_command()) == "connected\n");
}

TEST_CASE("a command has no descriptor of a folder outside, whose parent would lead out") {
  World world;
  fs::create_directories(world.home / "data");
  for (int i = 0; i < 12; ++i) {
    const std::string name = "data/" + std::to_string(i);
    fs::create_directories(world.home / name);
    world.settings.read_only.push_back("~/" + name);
  }
  CHECK(world.text("ls /proc/self/fd").starts_with("0\n1\n2\n3\n"));
  CHECK(world.text("for fd in /proc/self/fd/* /proc/1/fd/*; do cat $fd/../diary; done 2>/dev/null")
            .empty());
  CHECK(world.text("ls /proc/self/fd | wc -l") == "4\n");  // three, and that of ls
}

TEST_CASE("the kernel's settings cannot be changed, by a daemon of root either") {
  World world;
  // The old value again: where the rule is broken, this machine stays as it is.
  const std::string setting = "/proc/sys/kernel/core_pattern";
  CHECK(world.run("old=$(cat " + setting + ") && echo \"$old\" > " + setting)->code != 0);
  CHECK(world.text("echo > /proc/self/comm").find("Read-only file system") != std::string::npos);
  CHECK(world.text("echo x > /dev/stdout") == "x\n");
}

TEST_CASE("processes outside are not there") {
  World world;
  CHECK(world.run("kill -0 " + std::to_string(::getpid()))->code != 0);
  CHECK(std::stoi(world.text("ls -d /proc/[0-9]* | wc -l")) < 6);
  CHECK(world.text("hostname") == "sandbox\n");
  CHECK(world.run("unshare -U true")->code != 0);  // no further namespaces
}

TEST_CASE("nothing of a command is left when it has ended, whatever it did to get away") {
  World world;
  const auto ran = world.run("setsid -f sleep 314159; (setsid sleep 314159 &) ; echo off");
  REQUIRE(ran.ok());
  CHECK(ran->text == "off\n");
  CHECK(processes_with("sleep 314159") == 0);
}

TEST_CASE("ending asks the command, and then ends all of it") {
  World world;
  world.request.command =
      "trap 'echo bye; exit 7' TERM; setsid -f sh -c 'trap \"\" TERM; sleep 271828; sleep 271828'; "
      "echo ready; while :; do sleep 0.01; done";
  ProcessLoop loop;
  Started command(loop, std::move(*plan_command(world.settings, world.request)));
  REQUIRE(eventually([&] { return command.text() == "ready\n"; }));
  loop.signal(command.id, SIGTERM);
  CHECK(command.end()->code == 7);
  CHECK(command.text().ends_with("bye\n"));
  CHECK(processes_with("sleep 271828") == 0);
}

TEST_CASE("who does not listen is killed, also while the sandbox is being made") {
  World world;
  world.request.command = "trap '' TERM; sleep 161803; sleep 161803";
  ProcessLoop loop;
  Started command(loop, std::move(*plan_command(world.settings, world.request)));
  loop.signal(command.id, SIGTERM);
  loop.signal(command.id, SIGKILL);
  CHECK(command.end().ok());
  CHECK(processes_with("161803") == 0);
}

TEST_CASE("stopping ends sandboxes") {
  World world;
  world.request.command = "trap '' TERM; echo ready; sleep 141421; sleep 141421";
  ProcessLoop loop;
  Started command(loop, std::move(*plan_command(world.settings, world.request)));
  REQUIRE(eventually([&] { return command.text() == "ready\n"; }));
  loop.stop(std::chrono::milliseconds(10));
  CHECK(processes_with("141421") == 0);
}

TEST_CASE("further folders are what the configuration makes them") {
  World world;
  for (const char* name : {"data", "out", "data/secret"}) fs::create_directories(world.home / name);
  std::ofstream(world.home / "data/file") << "d";
  std::ofstream(world.home / "data/secret/file") << "s";
  world.settings.read_only = {"~/data"};
  world.settings.writable = {"~/out"};
  world.settings.hidden = {"~/data/secret", "~/data/file2"};
  CHECK(world.text("cat ~/data/file 2>/dev/null; cat " + world.home.string() + "/data/file") ==
        "d");
  CHECK(world.run("touch " + world.home.string() + "/data/new")->code != 0);
  CHECK(world.run("touch " + world.home.string() + "/out/new")->code == 0);
  CHECK(world.text("ls -A " + world.home.string() + "/data/secret").empty());
}

TEST_CASE("what is hidden stays hidden in a workspace around it") {
  World world;
  world.request.workspace = world.home.string();
  CHECK(world.text("cat diary; ls -A .ssh") == "private");
  world.settings.hidden = {"~/.ssh/id"};
  CHECK(world.text("ls .ssh; cat .ssh/id 2>/dev/null") == "id\n");
}

TEST_CASE("a folder around what is hidden cannot be renamed to show it the next time") {
  World world;
  fs::create_directories(world.home / ".config/deep/keys");
  std::ofstream(world.home / ".config/deep/keys/id") << "private";
  world.settings.hidden = {"~/.config/deep/keys", "~/.ssh"};
  world.request.workspace = world.home.string();
  for (const std::string folder : {".config", ".config/deep", ".config/deep/keys", ".ssh"}) {
    INFO(folder);
    CHECK(world.run("mv " + folder + " moved")->code != 0);
    CHECK(world.text("grep -rs private moved .config .ssh").empty());
  }
  CHECK(world.run("touch .config/new .config/deep/new && mv .config/new .")->code == 0);
}

TEST_CASE("a workspace inside of what is hidden can be used") {
  World world;
  world.settings.writable = {"~"};
  world.settings.hidden = {"~"};
  world.request.workspace = (world.home / "work").string();
  CHECK(world.text("touch x; ls -A ..") == "work\n");
}

TEST_CASE("a command starts in the workspace and not outside") {
  World world;
  fs::create_directories(world.home / "work/sub");
  fs::create_directories(world.home / "workspace");
  fs::create_symlink(world.home / ".ssh", world.home / "work/link");
  world.request.folder = "sub";
  CHECK(world.text("pwd") == (world.home / "work/sub").string() + "\n");
  for (const std::string folder : {"..", "../workspace", "link", "/", "/etc"}) {
    INFO(folder);
    world.request.folder = folder;
    CHECK(world.run("true").error().code == Code::PermissionDenied);
  }
  world.request.folder = "none";
  CHECK(world.run("true").error().code == Code::NotFound);
}

TEST_CASE("a workspace that became a link to elsewhere does not lead there") {
  World world;
  fs::rename(world.home / "work", world.home / "moved");
  fs::create_symlink(world.home / ".ssh", world.home / "work");
  const auto ran = world.run("cat id");
  CHECK((!ran.ok() || ran->text.find("private") == std::string::npos));
}
