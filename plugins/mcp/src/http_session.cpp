// SPDX-License-Identifier: Apache-2.0
#include "http_session.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMostStreams = 32;

}  // namespace

std::shared_ptr<EventStream> HttpSession::open_stream() {
  if (streams.size() >= kMostStreams) {
    for (auto it = streams.begin(); it != streams.end(); ++it) {
      if (!it->second->finished()) continue;
      streams.erase(it);
      break;
    }
  }
  auto stream = std::make_shared<EventStream>(++last_stream, limits);
  streams.emplace(stream->number(), stream);
  return stream;
}

}  // namespace gantry::mcp
