// SPDX-License-Identifier: Apache-2.0
#include "logs.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "call.hpp"
#include "connection.hpp"
#include "server.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr auto kLogPause = std::chrono::milliseconds(250);
constexpr std::array<std::string_view, 5> kLevels{"trace", "debug", "info", "warn", "error"};

std::size_t rank_of(std::string_view level) {
  const auto found = std::find(kLevels.begin(), kLevels.end(), level);
  return found == kLevels.end() ? 2 : static_cast<std::size_t>(found - kLevels.begin());
}

json::object event_of(const LogLine& line) {
  json::object payload{{"timestamp", line.at_ms},
                       {"level", line.level},
                       {"message", line.message},
                       {"source", line.plugin}};
  if (!line.fields.empty()) {
    json::object attrs;
    for (const auto& [name, value] : line.fields) attrs[name] = value;
    payload["attrs"] = std::move(attrs);
  }
  return payload;
}

}  // namespace

void LogTails::start(std::uint64_t connection, std::string level, std::uint64_t last) {
  const bool first = readers_.empty();
  readers_.insert_or_assign(connection, std::move(level));
  if (!first) return;
  last_ = last;
  timer_ = server_.host().every(kLogPause, [this] { ask(); });
}

void LogTails::stop(std::uint64_t connection) {
  readers_.erase(connection);
  if (readers_.empty()) timer_ = {};
}

void LogTails::ask() {
  if (std::exchange(asking_, true)) return;
  LogTailRequest request;
  request.after = last_;
  request.level = "trace";
  server_.host().bus().call<KernelLog>(std::move(request),
                                       [this](const Result<Ref<LogLines>>& lines) {
                                         asking_ = false;
                                         if (lines.ok()) take(**lines);
                                       });
}

void LogTails::take(const LogLines& lines) {
  last_ = lines.last;
  const auto readers = readers_;
  for (const LogLine& line : lines.lines) {
    const json::value payload = event_of(line);
    for (const auto& [number, level] : readers) {
      const auto connection = server_.connections().find(number);
      if (connection == server_.connections().end()) continue;
      if (rank_of(line.level) >= rank_of(level)) connection->second->event("log", payload);
    }
  }
}

Task<Answer> logs_tail(CallPtr call) {
  std::string action = text(call->params(), "action");
  if (action.empty()) action = "start";
  const std::uint64_t number = call->connection->number();
  if (action == "stop") {
    call->server.logs().stop(number);
    co_return fine(json::object{{"status", "stopped"}});
  }
  if (action != "start") {
    co_return refused(wire::kInvalidRequest, "action must be 'start' or 'stop'");
  }
  LogTailRequest now;
  now.limit = 0;
  const auto lines = co_await ask<KernelLog>(call->host(), std::move(now));
  if (!lines.ok()) co_return failed(lines.error());
  if (call->connection->is_closed()) co_return failed({Code::Cancelled, "the client has gone", {}});
  std::string level = text(call->params(), "level");
  call->server.logs().start(number, level.empty() ? "info" : std::move(level), (*lines)->last);
  co_return fine(json::object{{"status", "tailing"}});
}

}  // namespace gantry::gateway
