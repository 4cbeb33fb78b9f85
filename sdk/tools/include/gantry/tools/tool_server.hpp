// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serves gantry.tool.list/1 and gantry.tool.run/1 from a table of tools: who may call, arguments
// that no tool knows, answers once, cancelling. What plugins with tools have in common; linked into
// each of them.
//
// Thread rules: everything on the plugin's strand, except where a member says otherwise.

#include <gantry/contracts/tool.hpp>
#include <gantry/host.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::tools {

/// The way back of a call. Progress may use up the credit of whoever reads slowly; the last update
/// then waits for more, also when the call itself is gone. Any thread.
class Delivery {
 public:
  explicit Delivery(Stream<ToolUpdate> down) : down_(std::move(down)) {}
  Result<void> send(ToolUpdate update) { return down_.send(std::move(update)); }
  /// The result: sent now or when there is credit, and the stream closed behind it.
  void send_last(ToolUpdate update);
  void close(const Error& error) { down_.close(error); }
  void on_writable() { flush(); }
  /// Nobody waits for it any more.
  void drop();

 private:
  void flush();

  Stream<ToolUpdate> down_;
  std::mutex mutex_;
  Ref<ToolUpdate> last_;
  bool sending_ = false;
  bool again_ = false;  ///< There was credit while somebody was sending.
};

/// One call that waits for its answer. Dropped without one it fails as `internal`.
class Call {
 public:
  Call(Ref<ToolCallRequest> request, std::shared_ptr<Delivery> down)
      : request_(std::move(request)), down_(std::move(down)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  [[nodiscard]] const ToolCallRequest& request() const { return *request_; }
  /// Whose call it is, for what outlives it: principal and session. Empty when the call belongs to
  /// no session. Two principals never have the same.
  [[nodiscard]] std::string owner() const;

  /// The result, whatever thread it comes from; the first counts.
  void finish(ToolResult result);
  /// A failure. `unavailable` and `cancelled` end the run as errors; all others are results that
  /// the model can read and do better.
  void fail(const Error& error);
  void answer(Result<ToolResult> result);
  /// Any thread: nobody waits any more, or it is answered.
  [[nodiscard]] bool over() const { return over_.load(std::memory_order_acquire); }
  /// Runs on the strand when the caller gives up before the answer; at once when it already has.
  void on_cancel(std::function<void()> handler);
  /// What is under way, for whoever looks at it; whoever reads slowly misses some.
  void progress(std::string message);
  /// Puts a question to the caller's user. `then` runs on the strand, once, with an `error` when
  /// the caller gave up. One question is open at a time; a caller whose ClientAbilities lack its
  /// kind must not be asked.
  void ask(Ask ask, std::function<void(const AskAnswer&)> then);

 private:
  friend class ToolServer;
  void cancel();
  void answered(const AskAnswer& answer);

  Ref<ToolCallRequest> request_;
  std::shared_ptr<Delivery> down_;
  std::atomic<bool> over_{false};
  bool cancelled_ = false;
  std::function<void()> cancel_handler_;
  std::function<void(const AskAnswer&)> asking_;
  std::string asked_;  ///< Id of the open question.
  double steps_ = 0;   ///< ToolProgress::progress, which has to grow.
};
using CallPtr = std::shared_ptr<Call>;

struct Tool {
  ToolDescription description;
  std::function<void(const CallPtr&)> run;
  bool open_arguments = false;  // members that the schema does not name are the tool's own matter
  /// Why it does not work just now, with what would help; empty: it works. Asked whenever tools are
  /// listed or this one is called. Not set: the description says it.
  std::function<std::string()> why_not{};
};

class ToolServer {
 public:
  explicit ToolServer(Host& host) : host_(host) {}

  /// In init(). The schemas must be objects with `properties`.
  Result<void> serve(std::vector<Tool> tools);
  /// Names of the plugins that see the tools and may run them; "*" stands for all. Others find no
  /// tools here. Whoever asks its user for consent before a tool runs does so on that side.
  void set_callers(std::vector<std::string> plugins) { callers_ = std::move(plugins); }
  /// Other tools than before; tells everybody. Calls that run go on.
  void replace(std::vector<Tool> tools) {
    tools_ = std::move(tools);
    announce();
  }
  /// Whoever asks for the tools waits until release_lists(): for tools that have to be found first.
  void hold_lists() { held_ = true; }
  void release_lists();
  /// Tells everybody that the tools are there, or others than before.
  void announce() { host_.bus().publish<ToolsChanged>({host_.name()}); }
  /// Ends what is open: each call fails as `unavailable`, its on_cancel has run before. What was on
  /// its way meanwhile is refused in the same words.
  void stop();
  /// Calls whose stream has not ended yet.
  [[nodiscard]] std::size_t open() const { return open_->size(); }

 private:
  using OpenCalls = std::map<std::uint64_t, std::weak_ptr<Call>>;

  [[nodiscard]] Error being_stopped() const;
  [[nodiscard]] static std::string why_not(const Tool& tool);
  [[nodiscard]] bool may_call(std::string_view plugin) const;
  [[nodiscard]] ToolDescriptions list_for(std::string_view plugin) const;
  Result<StreamHandlers<AskAnswer>> accept(const Ref<ToolCallRequest>& request,
                                           std::string_view sender, Stream<ToolUpdate> down);

  Host& host_;
  std::vector<Tool> tools_;
  std::vector<std::string> callers_;
  bool held_ = false;
  bool stopped_ = false;
  std::vector<std::function<void()>> waiting_lists_;
  std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
  std::uint64_t last_ = 0;
};

/// InvalidArgument that names members which the schema's `properties` do not have, or says that
/// `arguments` is no object.
[[nodiscard]] Result<void> check_members(const Json& schema, const Json& arguments);

/// A tool that changes nothing, and reaches nothing that this daemon does not control.
[[nodiscard]] ToolDescription reading_tool(std::string name, std::string title,
                                           std::string description, std::string schema);

/// A result of one text.
[[nodiscard]] ToolResult text_result(std::string text);
/// A failed result: the text says "code: message", and structured {"error": {"code", "message"}}.
[[nodiscard]] ToolResult failed_result(const Error& error);

}  // namespace gantry::tools
