// SPDX-License-Identifier: Apache-2.0
#pragma once
// One request under way. Held by its connection until it is answered or cancelled, and by whoever
// works on it. Strand only.

#include <gantry/contracts/tool.hpp>
#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/json_text.hpp>
#include <gantry/mcp/revision.hpp>

#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "environment.hpp"
#include "header_check.hpp"

namespace gantry::mcp {

/// Who asks, and how the request is to be served.
struct CallFacts {
  const Revision* revision = nullptr;
  std::string id;  ///< JSON text
  std::string method;
  boost::json::object params;
  ClientAbilities client;
  std::string client_name;
  std::string principal;  ///< Whose credentials came with it; for what is bound to them.
  std::string session;    ///< Whose calls belong together.
  std::optional<NoticeLevel> notices;  ///< Least severity that is wanted; none: none.
  Headers headers;                     ///< Of HTTP, for revisions that check them; else empty.
  std::string server_json;             ///< Says who answers, for results that carry it.
  std::size_t weight = 0;              ///< Message::weight
  std::shared_ptr<void> share;         ///< Of Load, as long as this is kept.
};

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(CallFacts facts, std::shared_ptr<Outlet> outlet, std::function<void(const Call&)> over);

  [[nodiscard]] const CallFacts& facts() const { return facts_; }
  [[nodiscard]] const Revision& revision() const { return *facts_.revision; }
  [[nodiscard]] const boost::json::object& params() const { return facts_.params; }
  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
  [[nodiscard]] bool over() const { return over_ == nullptr; }
  [[nodiscard]] bool wants_progress() const { return !progress_token_.empty(); }
  /// For the audit, and for what is bound to one session: "mcp:inspector@http-0a1b2c3d".
  [[nodiscard]] std::string caller() const;

  /// The result, with what its revision adds to every one.
  void answer(ObjectText result, std::string_view result_type = "complete");
  void fail(RpcError error, int status = 200);
  void invalid_params(std::string message) { fail({kInvalidParams, std::move(message), {}}); }
  void notify(std::string_view method, std::string_view params_json);
  void progress(const ToolProgress& progress);
  void notice(const ToolNotice& notice);

  /// Runs when the client gives the request up; replaces what was set before.
  void on_cancel(std::function<void()> work) { cancel_ = std::move(work); }
  /// Ends it without an answer.
  void cancel();
  /// Marks that it should be given up when its client hangs up.
  void set_fragile(bool fragile) { fragile_ = fragile; }
  [[nodiscard]] bool fragile() const { return fragile_; }

 private:
  void respond(std::string message, int status);
  void end();

  CallFacts facts_;
  std::shared_ptr<Outlet> outlet_;
  std::function<void(const Call&)> over_;
  std::function<void()> cancel_;
  std::string progress_token_;  // JSON text
  double last_progress_ = -1;
  bool fragile_ = false;
};

}  // namespace gantry::mcp
