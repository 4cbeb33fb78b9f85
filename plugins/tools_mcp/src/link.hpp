// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way to one MCP server. Strand only.

#include <gantry/result.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gantry::tools_mcp {

struct LinkEvents {
  std::function<void(const std::string&)> message;  // one JSON-RPC message, or a batch
  /// A request could not be sent or its answer broke off; the link itself goes on.
  std::function<void(const std::string& id, const Error&)> failed;
  std::function<void(const Error&)>
      closed;  // last, once: why the server cannot be reached any more
};

/// Ends without a word when it goes.
class Link {
 public:
  virtual ~Link() = default;
  virtual void begin(LinkEvents events) = 0;
  /// `id` is that of a request (JSON text), or empty for what has no answer.
  virtual void send(const std::string& id, std::string message) = 0;
  /// Nothing more is expected for this request.
  virtual void forget(const std::string&) {}
  /// The handshake is done and this revision is spoken.
  virtual void agreed(std::string_view /*revision*/) {}
};

}  // namespace gantry::tools_mcp
