// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <utility>

#include "wire.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kLongestClientName = 64;

}  // namespace

Call::Call(CallFacts facts, std::shared_ptr<Outlet> outlet, std::function<void(const Call&)> over)
    : facts_(std::move(facts)), outlet_(std::move(outlet)), over_(std::move(over)) {
  const boost::json::object* meta = object_member(facts_.params, "_meta");
  if (meta == nullptr) return;
  const boost::json::value* token = member(*meta, "progressToken");
  if (token != nullptr && (token->is_string() || token->is_number())) {
    progress_token_ = json_text(*token);
  }
}

std::string Call::caller() const {
  // A name is only what the client says of itself: confirmations and audits need the session.
  std::string_view name = facts_.client_name;
  if (name.size() > kLongestClientName) {
    std::size_t end = kLongestClientName;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
    name = name.substr(0, end);
  }
  return "mcp:" + std::string(name) + (name.empty() ? "" : "@") + facts_.session;
}

void Call::end() {
  cancel_ = nullptr;
  if (auto over = std::exchange(over_, nullptr)) over(*this);
}

void Call::answer(ObjectText result, std::string_view result_type) {
  if (revision().stateless) {
    result.add("resultType", result_type);
    const std::string meta =
        ObjectText().raw("io.modelcontextprotocol/serverInfo", facts_.server_json).text();
    result.raw("_meta", meta);
  }
  respond(write_result(facts_.id, result.take()), 200);
}

void Call::fail(RpcError error, int status) {
  respond(write_error(facts_.id, error, !revision().id_optional), status);
}

void Call::respond(std::string message, int status) {
  if (over()) return;
  const auto self = shared_from_this();
  // The transport may let go of the connection, which cancels what is under way: this is not.
  end();
  outlet_->respond(std::move(message), status);
}

void Call::notify(std::string_view method, std::string_view params_json) {
  if (!over()) outlet_->send(write_notification(method, params_json));
}

void Call::progress(const ToolProgress& progress) {
  // It must grow with every notification.
  if (progress_token_.empty() || progress.progress <= last_progress_) return;
  last_progress_ = progress.progress;
  ObjectText params;
  params.raw("progressToken", progress_token_);
  params.add("progress", progress.progress);
  if (progress.total) params.add("total", *progress.total);
  if (revision().annotations) params.add_if("message", progress.message);
  notify("notifications/progress", params.text());
}

void Call::notice(const ToolNotice& notice) {
  if (!facts_.notices || notice.level < *facts_.notices) return;
  ObjectText params;
  params.add("level", level_name(notice.level));
  params.add_if("logger", notice.logger);
  params.raw("data", notice.data.text);
  notify("notifications/message", params.text());
}

void Call::cancel() {
  if (over()) return;
  auto work = std::exchange(cancel_, nullptr);
  const auto self = shared_from_this();
  end();
  outlet_->unanswered();
  if (work) work();
}

}  // namespace gantry::mcp
