// SPDX-License-Identifier: Apache-2.0
//
//   chat_load chats PORT cortask|gateway [streams=N] [rounds=N] [name=TEXT] [secrets=FILE]
//             [place=WORKSPACE] [record=FILE]
//   chat_load idle  PORT cortask|gateway [streams=N] [secrets=FILE]
//   chat_load keys  PORT SECRET COUNT
//
// chats  in each round `streams` clients at once connect, ask and wait for the end of the answer;
//        prints one JSON object. `secrets` has a line for each client; `record` gets what the
//        server said after each message of the first client
// idle   connects, prints "ready", and stays until its input ends
// keys   makes API keys of users of their own with the gateway's token, one a line
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "chat_wire.hpp"

namespace gantry::bench {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr int kPatienceMs = 60'000;

struct Options {
  std::uint16_t port = 0;
  const Dialect* speaks = nullptr;
  std::size_t streams = 1;
  std::size_t rounds = 1;
  std::string name = "bench";
  std::string place;
  std::string record;
  std::vector<std::string> secrets;
};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(2);
}

void put(int fd, const std::string& bytes) {
  // What a client says here fits into any socket's buffer.
  if (::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) {
    give_up("a message could not be sent");
  }
}

/// One client from its connection to the end of its answer.
class Stream {
 public:
  Stream(const Options& options, std::string key, std::size_t number, bool asks)
      : options_(options),
        key_(std::move(key)),
        secret_(options.secrets.empty() ? "" : options.secrets[number % options.secrets.size()]),
        asks_(asks),
        began_(Clock::now()),
        fd_(connect_to(options.port)) {
    put(fd_, opening(options.speaks->path));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { ::close(fd_); }

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] double first_ms() const { return first_ms_; }
  [[nodiscard]] const std::vector<json::array>& heard() const { return heard_; }

  /// Reads what has come; true when nothing more is waited for.
  bool read() {
    std::array<char, 16'384> block;
    const ssize_t got = ::recv(fd_, block.data(), block.size(), 0);
    if (got <= 0) give_up("a connection ended early: " + in_);
    in_.append(block.data(), static_cast<std::size_t>(got));
    if (!open_ && !opened()) return false;
    while (const auto text = take_text(in_)) {
      if (!heard_.empty()) heard_.back().emplace_back(*text);
      if (take(*text)) return true;
    }
    return open_ && ready_ && !asks_;
  }

 private:
  bool opened() {
    const std::size_t end = in_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    if (!in_.starts_with("HTTP/1.1 101")) give_up(in_);
    in_.erase(0, end + 4);
    open_ = true;
    if (options_.speaks->logs_in) {
      say(options_.speaks->login(secret_));
    } else {
      log_in();
    }
    return true;
  }

  void log_in() {
    ready_ = true;
    if (asks_) say(options_.speaks->chat(key_, options_.place));
  }

  void say(const std::string& text) {
    heard_.emplace_back();
    put(fd_, client_frame(text));
  }

  bool take(const std::string& text) {
    switch (options_.speaks->meaning(text)) {
      case Meaning::Other: return false;
      case Meaning::LoggedIn: log_in(); return false;
      case Meaning::Token:
        if (first_ms_ == 0) {
          first_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
        }
        return false;
      case Meaning::Done:
        if (first_ms_ == 0) give_up("an answer without a piece: " + text);
        put(fd_, closing_frame());
        return true;
      case Meaning::Failed: give_up(text);
    }
    return false;
  }

  const Options& options_;
  std::string key_;
  std::string secret_;
  bool asks_;
  Clock::time_point began_;
  int fd_;
  bool open_ = false;
  bool ready_ = false;
  double first_ms_ = 0;
  std::string in_;
  std::vector<json::array> heard_;  // after each message
};

using Streams = std::vector<std::unique_ptr<Stream>>;

/// Until each of them has what it waits for.
void run(const Streams& streams) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  for (const auto& stream : streams) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = stream.get();
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, stream->fd(), &event);
  }
  std::array<epoll_event, 256> events;
  for (std::size_t left = streams.size(); left > 0;) {
    const int count =
        ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), kPatienceMs);
    if (count == 0) give_up(fmt::format("{} clients heard nothing for a minute", left));
    for (int i = 0; i < count; ++i) {
      auto* const stream = static_cast<Stream*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (!stream->read()) continue;
      ::epoll_ctl(epoll, EPOLL_CTL_DEL, stream->fd(), nullptr);
      --left;
    }
  }
  ::close(epoll);
}

void record(const Options& options, const Stream& stream) {
  json::array all;
  for (const json::array& frames : stream.heard()) all.emplace_back(frames);
  std::ofstream(options.record) << json::serialize(all);
}

int chats(const Options& options) {
  std::vector<double> first;
  const auto began = Clock::now();
  for (std::size_t round = 0; round < options.rounds; ++round) {
    Streams streams;
    for (std::size_t i = 0; i < options.streams; ++i) {
      streams.push_back(std::make_unique<Stream>(
          options, fmt::format("{}-{}-{}", options.name, round, i), i, true));
    }
    run(streams);
    for (const auto& stream : streams) first.push_back(stream->first_ms());
    if (!options.record.empty() && round == 0) record(options, *streams.front());
  }
  std::sort(first.begin(), first.end());
  const auto at = [&first](double part) {
    return first[static_cast<std::size_t>(part * static_cast<double>(first.size() - 1))];
  };
  const json::object result{
      {"runs", first.size()},
      {"p50", at(0.5)},
      {"p95", at(0.95)},
      {"max", at(1)},
      {"seconds", std::chrono::duration<double>(Clock::now() - began).count()}};
  fmt::print("{}\n", json::serialize(result));
  return 0;
}

int idle(const Options& options) {
  constexpr std::size_t kAtOnce = 100;
  Streams all;
  while (all.size() < options.streams) {
    Streams some;
    for (std::size_t i = 0; i < std::min(kAtOnce, options.streams - all.size()); ++i) {
      some.push_back(std::make_unique<Stream>(options, std::string(), all.size() + i, false));
    }
    run(some);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  fmt::print("ready\n");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

std::string next_text(int fd, std::string& in) {
  for (;;) {
    if (auto text = take_text(in)) return *text;
    pollfd ready{fd, POLLIN, 0};
    std::array<char, 16'384> block;
    if (::poll(&ready, 1, kPatienceMs) != 1) give_up("the gateway says nothing");
    const ssize_t got = ::recv(fd, block.data(), block.size(), 0);
    if (got <= 0) give_up("the gateway has closed the connection");
    in.append(block.data(), static_cast<std::size_t>(got));
    const std::size_t head = in.starts_with("HTTP/") ? in.find("\r\n\r\n") : std::string::npos;
    if (head != std::string::npos) in.erase(0, head + 4);
  }
}

int keys(std::uint16_t port, const std::string& secret, int count) {
  const Dialect& gateway = *dialect("gateway");
  const int fd = connect_to(port);
  std::string in;
  put(fd, opening(gateway.path));
  put(fd, client_frame(gateway.login(secret)));
  for (int made = 0; made < count;) {
    const json::value answer = json::parse(next_text(fd, in));
    if (answer.at("type") != "res") continue;
    if (answer.at("ok") != true) give_up(json::serialize(answer));
    if (answer.at("id") != "1") {
      fmt::print("{}\n", answer.at("payload").at("key").as_string().c_str());
      if (++made == count) break;
    }
    put(fd, client_frame(fmt::format(
                R"({{"type":"req","id":"k","method":"api_keys.create","params":{{"name":"bench",)"
                R"("owner_id":"user-{}","scopes":["operator.read","operator.write"]}}}})",
                made)));
  }
  ::close(fd);
  return 0;
}

bool set(Options& options, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string key = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (key == "streams") {
    options.streams = std::strtoul(value.c_str(), nullptr, 10);
  } else if (key == "rounds") {
    options.rounds = std::strtoul(value.c_str(), nullptr, 10);
  } else if (key == "name") {
    options.name = value;
  } else if (key == "place") {
    options.place = value;
  } else if (key == "record") {
    options.record = value;
  } else if (key == "secrets") {
    std::ifstream file(value);
    for (std::string line; std::getline(file, line);) options.secrets.push_back(line);
  } else {
    return false;
  }
  return true;
}

int act(const std::vector<std::string>& words) {
  const std::string mode = words.empty() ? "" : words[0];
  if (words.size() < 3) give_up("see the top of chat_load.cpp");
  const auto port = static_cast<std::uint16_t>(std::atoi(words[1].c_str()));
  if (mode == "keys" && words.size() == 4) return keys(port, words[2], std::atoi(words[3].c_str()));
  Options options;
  options.port = port;
  options.speaks = dialect(words[2]);
  bool understood = options.speaks != nullptr && (mode == "chats" || mode == "idle");
  for (std::size_t i = 3; i < words.size(); ++i) understood = set(options, words[i]) && understood;
  if (!understood) give_up("see the top of chat_load.cpp");
  return mode == "chats" ? chats(options) : idle(options);
}

}  // namespace
}  // namespace gantry::bench

int main(int argc, char** argv) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return gantry::bench::act({argv + 1, argv + argc});
}
