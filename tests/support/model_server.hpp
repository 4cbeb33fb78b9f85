// SPDX-License-Identifier: Apache-2.0
#pragma once
// The doubles of the model providers (model_server.py) as a child process of a test. It ends with
// its standard input, so it cannot outlive the test.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/testkit/net_client.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

extern char** environ;

namespace gantry::testkit {

class ModelServer {
 public:
  /// With a folder for its certificate it speaks TLS, and log() and gone() cannot be asked.
  explicit ModelServer(const std::string& script, const std::string& tls_folder = {})
      : tls_(!tls_folder.empty()) {
    std::array<int, 2> in{}, out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    std::string program = "python3", path = script, folder = tls_folder;
    std::array<char*, 4> arguments{program.data(), path.data(), tls_ ? folder.data() : nullptr,
                                   nullptr};
    const int failed =
        ::posix_spawnp(&process_, "python3", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    stdin_ = in[1];
    std::string line;
    for (char c = 0; failed == 0 && ::read(out[0], &c, 1) == 1 && c != '\n';) line += c;
    ::close(out[0]);
    if (line.empty()) throw std::runtime_error("the model server " + script + " did not start");
    port_ = static_cast<std::uint16_t>(std::stoi(line));
  }
  ~ModelServer() {
    ::close(stdin_);
    ::waitpid(process_, nullptr, 0);
  }
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  [[nodiscard]] std::string url(std::string_view path = "") const {
    return std::string(tls_ ? "https" : "http") + "://127.0.0.1:" + std::to_string(port_) +
           std::string(path);
  }
  /// The requests so far, as JSON.
  [[nodiscard]] std::string log() const { return get("/_log"); }
  /// Forgets what log() and gone() tell.
  void reset() const { (void)get("/_reset"); }
  /// How many clients went away early.
  [[nodiscard]] int gone() const { return std::stoi(get("/_gone")); }

 private:
  [[nodiscard]] std::string get(const std::string& path) const {
    return HttpClient("127.0.0.1", port_).get(path).body;
  }
  bool tls_;
  pid_t process_ = 0;
  int stdin_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace gantry::testkit
