// SPDX-License-Identifier: Apache-2.0
//
// What a WebSocket costs the server: CPU time per echo and resident memory per idle socket.
//
//   ws_bench                     the transport alone, with a handler on another thread
//   ws_bench PORT PID [PATH]     a running daemon that echoes at ws://127.0.0.1:PORT/PATH
//
// Prints one line for each number, "name value unit (limit)", and fails when a limit is missed.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "handler.hpp"
#include "load.hpp"
#include "server.hpp"

namespace {

using namespace gantry::transport;

constexpr double kSeconds = 3.0;
constexpr int kIdleSockets = 10'000;

/// A thread that works off closures, as a plugin's strand does.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    post(nullptr);
    thread_.join();
  }
  void post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    arrived_.notify_one();
  }

 private:
  void run() {
    std::vector<std::function<void()>> batch;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !queue_.empty(); });
        batch.swap(queue_);
      }
      for (auto& work : batch) {
        if (!work) return;
        work();
      }
      batch.clear();
    }
  }
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> queue_;
  std::thread thread_;
};

class EchoHandler final : public MountHandler {
 public:
  explicit EchoHandler(Worker& worker) : worker_(worker) {}
  void on_websocket(WsSocketPtr socket) override {
    auto sink = std::make_shared<Sink>(worker_, socket);
    socket->accept({.subprotocol = {}, .headers = {}, .sink = std::move(sink)});
  }

 private:
  class Sink final : public WsSink {
   public:
    Sink(Worker& worker, WsSocketPtr socket) : worker_(worker), socket_(std::move(socket)) {}
    void on_message(WsMessage message) override {
      worker_.post([socket = socket_, message = std::move(message)]() mutable {
        const size_t size = message.data.size();
        socket->send(message.text, Bytes(std::move(message.data)));
        socket->consumed(1, size);
      });
    }
    void on_closed(uint16_t, std::string_view, bool) override { socket_.reset(); }

   private:
    Worker& worker_;
    WsSocketPtr socket_;
  };
  Worker& worker_;
};

struct Usage {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  int threads = 0;
};

Usage usage_of(pid_t pid) {
  Usage usage;
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream stat(folder + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  text.erase(0, text.rfind(')') + 2);
  long user = 0;
  long system = 0;
  std::sscanf(text.c_str(),
              "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %*d %*d %*d %*d %d", &user,
              &system, &usage.threads);
  usage.cpu_seconds =
      static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::ifstream statm(folder + "/statm");
  long pages = 0;
  long resident = 0;
  statm >> pages >> resident;
  usage.resident_bytes =
      static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return usage;
}

/// Runs `work` in a child and hands back the number that it writes.
template <class Work>
std::uint64_t in_child(Work work) {
  int pipes[2];
  if (::pipe(pipes) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t value = work();
    if (::write(pipes[1], &value, sizeof value) != sizeof value) std::_Exit(2);
    std::_Exit(0);
  }
  std::uint64_t value = 0;
  ::close(pipes[1]);
  if (::read(pipes[0], &value, sizeof value) != sizeof value) value = 0;
  ::close(pipes[0]);
  ::waitpid(child, nullptr, 0);
  return value;
}

bool report(const char* name, double value, const char* unit, double limit) {
  std::printf("%-40s %10.2f %s (limit %.0f)\n", name, value, unit, limit);
  return value <= limit;
}

bool measure_echo(std::uint16_t port, pid_t pid, const char* path, int sockets, double limit) {
  const Usage before = usage_of(pid);
  const std::uint64_t echoes = in_child([&] {
    return gantry::bench::echo_for(gantry::bench::open_websockets(port, sockets, path), kSeconds);
  });
  const double cpu = usage_of(pid).cpu_seconds - before.cpu_seconds;
  const std::string name = "cpu per echo at " + std::to_string(sockets) + " sockets";
  std::printf("%-40s %10.0f /s\n", ("echoes at " + std::to_string(sockets)).c_str(),
              static_cast<double>(echoes) / kSeconds);
  return echoes > 0 && report(name.c_str(), cpu * 1e6 / static_cast<double>(echoes), "us", limit);
}

bool measure_idle(std::uint16_t port, pid_t pid, const char* path) {
  int ready[2];
  int done[2];
  if (::pipe(ready) != 0 || ::pipe(done) != 0) std::abort();
  const Usage before = usage_of(pid);
  const pid_t child = ::fork();
  char byte = 0;
  if (child == 0) {
    ::close(done[1]);
    gantry::bench::open_websockets(port, kIdleSockets, path);
    if (::write(ready[1], &byte, 1) != 1) std::_Exit(2);
    if (::read(done[0], &byte, 1) < 0) std::_Exit(2);
    std::_Exit(0);
  }
  ::close(ready[1]);
  const bool opened = ::read(ready[0], &byte, 1) == 1;
  const Usage after = usage_of(pid);
  ::close(done[1]);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(done[0]);
  const double each = (after.resident_bytes - before.resident_bytes) / kIdleSockets;
  bool ok = opened;
  ok &= report("memory per idle socket of 10000", each, "bytes", 2048);
  ok &= report("threads", after.threads, "", 8);
  return ok;
}

bool measure_all(std::uint16_t port, pid_t pid, const char* path) {
  bool ok = measure_idle(port, pid, path);
  ok &= measure_echo(port, pid, path, 16, 12);
  ok &= measure_echo(port, pid, path, 1000, 16);
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3) {
    const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
    return measure_all(port, std::atoi(argv[2]), argc > 3 ? argv[3] : "/ws") ? 0 : 1;
  }
  // The server in a child too: the measuring process then has no part in its memory.
  int ports[2];
  if (::pipe(ports) != 0) return 2;
  const pid_t server_process = ::fork();
  if (server_process == 0) {
    Worker worker;
    Server server{ServerOptions{}};
    server.start();
    auto bound = server.listen(ListenerOptions{});
    auto mount = std::make_shared<Mount>();
    mount->owner = "bench";
    mount->listener = "main";
    mount->path = "/ws";
    mount->kind = MountKind::kWebSocket;
    mount->handler = std::make_shared<EchoHandler>(worker);
    if (server.mount(mount)) std::_Exit(2);
    const std::uint16_t port = std::get<BoundListener>(bound).port;
    if (::write(ports[1], &port, sizeof port) != sizeof port) std::_Exit(2);
    ::pause();
    std::_Exit(0);
  }
  std::uint16_t port = 0;
  if (::read(ports[0], &port, sizeof port) != sizeof port) return 2;
  const bool ok = measure_all(port, server_process, "/ws");
  ::kill(server_process, SIGKILL);
  ::waitpid(server_process, nullptr, 0);
  return ok ? 0 : 1;
}
