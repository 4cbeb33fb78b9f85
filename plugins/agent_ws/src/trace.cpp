// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include <gantry/codec.hpp>

namespace gantry::agent_ws {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

void add(std::string& out, std::string_view key, std::string_view text) {
  out += key;
  codec::write_string(out, text);
}

/// A word of ours, which needs no escapes.
void add_word(std::string& out, std::string_view key, std::string_view word) {
  out += key;
  out += '"';
  out += word;
  out += '"';
}

}  // namespace

void write_trace(std::string& out, const Trace& trace) {
  const std::size_t slash = trace.path.find('/');
  out += R"({"schemaVersion":)";
  codec::write_integer(out, kSchemaVersion);
  add_word(out, R"(,"path":)", trace.path.substr(0, slash));
  add_word(out, R"(,"stage":)", trace.path.substr(slash + 1));
  add_word(out, R"(,"status":)", trace.status);
  add_word(out, R"(,"runtime":)", trace.runtime);
  add(out, R"(,"traceId":)", trace.id);
  add(out, R"(,"requestId":)", trace.id);
  add_word(out, trace.status == "started" ? R"(,"startedAt":)" : R"(,"endedAt":)", trace.time);
  if (trace.duration_ms) {
    out += R"(,"durationMs":)";
    codec::write_integer(out, *trace.duration_ms);
  }
  if (!trace.data.empty()) {
    out += R"(,"data":)";
    out += trace.data;
  }
  if (trace.error) {
    add(out, R"(,"error":{"code":)", trace.error->code);
    add(out, R"(,"message":)", trace.error->message);
    out += '}';
  }
  out += '}';
}

}  // namespace gantry::agent_ws
