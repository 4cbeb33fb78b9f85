// SPDX-License-Identifier: Apache-2.0
#pragma once
// One conversation with an MCP server: the handshake, requests with their answers, time limits,
// cancelling, progress. Strand only. Source: MCP 2024-11-05 to 2025-11-25, "Lifecycle",
// "Cancellation", "Progress".

#include <gantry/contracts/tool.hpp>
#include <gantry/host.hpp>
#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/revision.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "link.hpp"

namespace gantry::tools_mcp {

struct SessionEvents {
  std::function<void()> ready;          // the handshake is done
  std::function<void()> tools_changed;  // the server says so
  std::function<void(const Error&)> closed;
};

/// An answer of the server: a result, or its error in words of the protocol.
struct Answer {
  boost::json::value result;
  std::optional<mcp::RpcError> error;
};

struct RequestEvents {
  std::function<void(Result<Answer>)> done;  // once
  std::function<void(const ToolProgress&)> progress;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Host& host, std::string name, std::unique_ptr<Link> link)
      : host_(host), name_(std::move(name)), link_(std::move(link)) {}

  void begin(Duration start_limit, SessionEvents events);
  /// The id that the next request will have.
  [[nodiscard]] std::string next_id() const { return std::to_string(last_ + 1); }
  /// Returns the request's id. Errors for `done`: deadline_exceeded, unavailable (the server is
  /// gone).
  std::string request(const std::string& method, const std::string& params, Duration limit,
                      RequestEvents events);
  /// `done` is not called any more; the server is told to stop.
  void cancel(const std::string& id, const std::string& reason);
  /// Fails what is open, without telling `closed`.
  void end(const Error& why);
  [[nodiscard]] const mcp::Revision& revision() const { return *revision_; }

 private:
  struct Open {
    RequestEvents events;
    Timer limit;
  };

  void take(const std::string& text);
  void take_message(mcp::Message message);
  void answer(mcp::Message message);
  void fail(const std::string& id, const Error& error);
  void close(const Error& error);
  void agree(const Answer& answer);
  void serve(const mcp::Message& request);
  void notice(const mcp::Message& message);
  void give_up(const std::string& id, Duration limit);

  Host& host_;
  std::string name_;
  std::unique_ptr<Link> link_;
  SessionEvents events_;
  std::map<std::string, Open> open_;
  const mcp::Revision* revision_ = nullptr;
  std::uint64_t last_ = 0;
  bool closed_ = false;
};

}  // namespace gantry::tools_mcp
