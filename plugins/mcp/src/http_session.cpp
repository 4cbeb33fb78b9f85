// SPDX-License-Identifier: Apache-2.0
#include "http_session.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMostStreams = 32;

}  // namespace

void HttpSession::give_way(std::size_t most) {
  std::size_t finished_bytes = 0;
  for (const auto& [number, stream] : streams) {
    if (stream->finished()) finished_bytes += stream->kept_bytes();
  }
  for (auto it = streams.begin(); it != streams.end();) {
    if (streams.size() < most && finished_bytes <= limits.bytes) break;
    if (it->second->finished()) {
      finished_bytes -= it->second->kept_bytes();
      it = streams.erase(it);
    } else {
      ++it;
    }
  }
}

std::shared_ptr<EventStream> HttpSession::open_stream() {
  give_way(kMostStreams);
  auto stream = std::make_shared<EventStream>(++last_stream, limits);
  streams.emplace(stream->number(), stream);
  return stream;
}

}  // namespace gantry::mcp
