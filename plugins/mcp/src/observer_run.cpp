// SPDX-License-Identifier: Apache-2.0
#include "observer_run.hpp"

#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/json_text.hpp>

#include <boost/json/parse.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "observer_answer.hpp"
#include "observer_arguments.hpp"
#include "observer_tools.hpp"
#include "result_budget.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr auto kRunTick = std::chrono::seconds(1);
constexpr const char* kConfirm = "confirm";
constexpr std::int64_t kNanosecondsPerMs = 1'000'000;

class ObserverRun final : public Run, public std::enable_shared_from_this<ObserverRun> {
 public:
  ObserverRun(std::shared_ptr<ObserverSource> source, ToolCallRequest request, ToolEvents events)
      : source_(std::move(source)), request_(std::move(request)), events_(std::move(events)) {}

  void begin() {
    began_ns_ = source_->environment().now_ns();
    if (request_.progress && takes_long(request_.name)) tick();
    call(arguments_to_begin_with(),
         [](ObserverRun& self, const ObserverToolResult& result) { self.first_answer(result); });
  }

  void answer(AskAnswer answer) override {
    if (answer.id != kConfirm || token_.empty()) return;
    boost::system::error_code problem;
    const json::value value = json::parse(answer.result.text, problem);
    const json::object* object = problem ? nullptr : value.if_object();
    const bool accepted = object != nullptr && answer.error.empty() &&
                          text_member(*object, "action") == "accept" && allows(*object);
    if (!accepted) return decline(answer.error);
    call(with_argument(arguments_to_begin_with(), "confirm_token", quoted(token_)),
         [](ObserverRun& self, const ObserverToolResult& result) { self.finish(result); });
  }

  void cancel() override {
    events_ = {};
    ticking_.reset();
    handle_.cancel();
  }

 private:
  using Then = void (*)(ObserverRun&, const ObserverToolResult&);

  /// With the limits that the client did not set.
  [[nodiscard]] std::string arguments_to_begin_with() const {
    const std::string& given = request_.arguments.text;
    // An act is not repeated when its answer is too long, so it is told the limit beforehand.
    if (request_.name.ends_with("_and_observe") && source_->takes(request_.name, "max_bytes")) {
      return with_default(given, "max_bytes", std::to_string(text_budget(source_->settings())));
    }
    if (source_->takes(request_.name, "max_edge")) {
      return with_picture_size(given, source_->settings().pictures, "auto");
    }
    return given;
  }

  void call(std::string arguments, Then then) { call(request_.name, std::move(arguments), then); }

  void call(const std::string& tool, std::string arguments, Then then) {
    ObserverToolRequest request;
    request.tool = tool;
    request.arguments = Json(std::move(arguments));
    request.caller = request_.caller;
    handle_ = source_->ask(std::move(request),
                           [self = shared_from_this(), then](Result<ObserverToolResult> result) {
                             if (!self->events_.update) return;  // cancelled meanwhile
                             if (result.ok()) {
                               then(*self, *result);
                             } else {
                               self->end(result.error());
                             }
                           });
  }

  void first_answer(const ObserverToolResult& result) {
    if (result.error_code == "ConfirmationRequired" && request_.client.elicit_form) {
      ObjectText arguments;
      arguments.add("action", request_.name);
      arguments.raw("args", request_.arguments.text);
      return call(
          "propose_action", arguments.take(),
          [](ObserverRun& self, const ObserverToolResult& proposal) { self.ask_user(proposal); });
    }
    const bool long_tree =
        result.ok && result.result.text.size() > text_budget(source_->settings()) &&
        source_->takes(request_.name, "format") && !request_.name.ends_with("_and_observe") &&
        !has_argument(request_.arguments.text, "format") &&
        (request_.name == "get_window_structure" || request_.name == "observe_window");
    if (!long_tree) return finish(result);
    // The same as short lines, in pages.
    const std::string lines = with_argument(request_.arguments.text, "format", R"("lines")");
    const std::size_t page = text_budget(source_->settings()) * 9 / 10;
    call(with_argument(lines, "max_bytes", std::to_string(page)),
         [](ObserverRun& self, const ObserverToolResult& answer) { self.finish(answer); });
  }

  /// The user decides, and has to know about what: a selector of the client's own, such as
  /// `Button`, does not tell, the whole way to the element does.
  void ask_user(const ObserverToolResult& proposal) {
    boost::system::error_code problem;
    const json::value value = json::parse(proposal.result.text, problem);
    const json::object* object = problem ? nullptr : value.if_object();
    const auto token = object == nullptr ? std::nullopt : text_member(*object, "confirm_token");
    if (!proposal.ok || !token) return finish(proposal);
    token_ = *token;
    const json::object* target = object_member(*object, "would_target");
    if (target == nullptr) return put_question({}, false);
    const auto path = text_member(*target, "path");
    const json::value* secret = member(*target, "secret");
    put_question(path ? *path : text_member(*target, "selector").value_or(""),
                 secret != nullptr && secret->is_bool() && secret->get_bool());
  }

  /// What the screen says about the target is shown as what it is: a quotation.
  void put_question(const std::string& target, bool secret) {
    Ask ask;
    ask.id = kConfirm;
    ask.kind = AskKind::ElicitForm;
    ask.message = confirmation_question(request_.name, request_.arguments.text, target, secret);
    ask.params =
        Json(R"({"requestedSchema":{"type":"object","properties":{"allow":{"type":)"
             R"("boolean","title":"Allow it once","default":false}},"required":["allow"]}})");
    ToolUpdate update;
    update.asks.push_back(std::move(ask));
    const auto tell = events_.update;
    tell(update);
  }

  static bool allows(const json::object& answer) {
    const json::object* content = object_member(answer, "content");
    const json::value* allow = content == nullptr ? nullptr : member(*content, "allow");
    return allow != nullptr && allow->is_bool() && allow->get_bool();
  }

  void decline(const std::string& why) {
    ObjectText error;
    error.add("code", "ConfirmationDeclined");
    error.add("message", why.empty()
                             ? "the user did not allow it; nothing was done"
                             : "the user could not be asked (" + why + "); nothing was done");
    error.add("recoverable", false);
    error.raw("suggested_next_tool", "null");
    error.raw("context", "{}");
    ObserverToolResult result;
    result.ok = false;
    result.error_code = "ConfirmationDeclined";
    result.result =
        Json(ObjectText().raw("error", error.text()).add("ok", false).add("success", false).text());
    finish(result);
  }

  void tick() {
    ToolUpdate update;
    const double seconds = static_cast<double>(source_->environment().now_ns() - began_ns_) / 1e9;
    update.progress = ToolProgress{seconds, std::nullopt, request_.name + " is under way"};
    if (const auto tell = events_.update) tell(update);
    if (!events_.update) return;
    ticking_ = source_->environment().after(kRunTick, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->tick();
    });
  }

  void finish(const ObserverToolResult& result) {
    ticking_.reset();
    ToolUpdate update;
    update.notice = notice(result);
    update.result = observer_answer(result, request_, source_->taker(), source_.get());
    if (const auto tell = std::exchange(events_, {}).update) tell(update);
  }

  /// For who reads along at the level of debugging: what a call cost and how it ended.
  [[nodiscard]] std::optional<ToolNotice> notice(const ObserverToolResult& result) const {
    if (!request_.notices || *request_.notices > NoticeLevel::Debug) return std::nullopt;
    ToolNotice notice;
    notice.level = NoticeLevel::Debug;
    notice.logger = "observer";
    ObjectText data;
    data.add("tool", request_.name);
    data.add("ms", (source_->environment().now_ns() - began_ns_) / kNanosecondsPerMs);
    data.add("ok", result.ok);
    data.add_if("code", result.error_code);
    notice.data = Json(data.text());
    return notice;
  }

  void end(const Error& error) {
    ticking_.reset();
    if (const auto tell = std::exchange(events_, {}).end) tell(error);
  }

  std::shared_ptr<ObserverSource> source_;
  ToolCallRequest request_;
  ToolEvents events_;
  CallHandle handle_;
  std::string token_;
  std::int64_t began_ns_ = 0;
  std::shared_ptr<void> ticking_;
};

}  // namespace

std::shared_ptr<Run> start_observer_run(std::shared_ptr<ObserverSource> source,
                                        ToolCallRequest request, ToolEvents events) {
  auto run =
      std::make_shared<ObserverRun>(std::move(source), std::move(request), std::move(events));
  run->begin();
  return run;
}

}  // namespace gantry::mcp
