// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <gantry/mcp/json_text.hpp>
#include <gantry/tools/text.hpp>

#include <chrono>
#include <utility>

namespace gantry::tools_mcp {
namespace {

namespace json = boost::json;

std::optional<double> number(const json::object& object, std::string_view key) {
  const json::value* found = mcp::member(object, key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

std::string client_json() {
  mcp::ObjectText info;
  info.add("name", "gantry");
  info.add("title", "Gantry");
  info.add("version", "0.1.0");
  return info.take();
}

}  // namespace

void Session::begin(Duration start_limit, SessionEvents events) {
  events_ = std::move(events);
  const std::weak_ptr<Session> weak = weak_from_this();
  LinkEvents heard;
  heard.message = [weak](const std::string& text) {
    if (const auto self = weak.lock()) self->take(text);
  };
  heard.failed = [weak](const std::string& id, const Error& error) {
    if (const auto self = weak.lock()) self->fail(id, error);
  };
  heard.closed = [weak](const Error& error) {
    if (const auto self = weak.lock()) self->close(error);
  };
  link_->begin(std::move(heard));
  mcp::ObjectText params;
  params.add("protocolVersion", mcp::negotiate("").name);
  params.raw("capabilities", "{}");
  params.raw("clientInfo", client_json());
  RequestEvents asked;
  asked.done = [weak](const Result<Answer>& answer) {
    const auto self = weak.lock();
    if (!self) return;
    if (!answer.ok()) return self->close(answer.error());
    self->agree(*answer);
  };
  (void)request("initialize", params.take(), start_limit, std::move(asked));
}

void Session::agree(const Answer& answer) {
  if (answer.error) {
    return close(unavailable("the MCP server '" + name_ + "' refused the handshake: " +
                             tools::visible_text(answer.error->message.substr(0, 500))));
  }
  const json::object* result = answer.result.if_object();
  const std::string version =
      result == nullptr ? "" : mcp::text_member(*result, "protocolVersion").value_or("");
  const mcp::Revision* revision = mcp::find_revision(version);
  if (revision == nullptr || revision->stateless) {
    return close(unavailable("the MCP server '" + name_ + "' speaks the revision '" +
                                 tools::visible_text(version.substr(0, 40)) +
                                 "', which is not known here",
                             "use a version of the server that speaks 2025-06-18"));
  }
  revision_ = revision;
  link_->agreed(revision->name);
  link_->send({}, mcp::write_notification("notifications/initialized", {}));
  if (events_.ready) events_.ready();
}

std::string Session::request(const std::string& method, const std::string& params, Duration limit,
                             RequestEvents events) {
  std::string id = std::to_string(++last_);
  if (closed_) {
    events.done(unavailable("the MCP server '" + name_ + "' is not running"));
    return id;
  }
  Open& open = open_[id];
  open.events = std::move(events);
  open.limit = host_.after(limit, [weak = weak_from_this(), id, limit] {
    if (const auto self = weak.lock()) self->give_up(id, limit);
  });
  link_->send(id, mcp::write_request(id, method, params));
  return id;
}

void Session::give_up(const std::string& id, Duration limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  const Error late{
      Code::DeadlineExceeded,
      "the MCP server '" + name_ + "' did not answer within " + std::to_string(seconds) + " ms",
      {}};
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const auto done = std::move(found->second.events.done);
  cancel(id, "it took too long");
  done(late);
}

void Session::cancel(const std::string& id, const std::string& reason) {
  if (open_.erase(id) == 0 || closed_) return;
  if (revision_ != nullptr) {  // the handshake must not be cancelled
    mcp::ObjectText params;
    params.raw("requestId", id);
    params.add("reason", reason);
    link_->send({}, mcp::write_notification("notifications/cancelled", params.take()));
  }
  link_->forget(id);
}

void Session::take(const std::string& text) {
  const auto self = shared_from_this();
  for (mcp::Message& message : mcp::parse_messages(text).messages) {
    if (closed_) return;
    take_message(std::move(message));
  }
}

void Session::take_message(mcp::Message message) {
  switch (message.kind) {
    case mcp::Message::Kind::Response: return answer(std::move(message));
    case mcp::Message::Kind::Request: return serve(message);
    case mcp::Message::Kind::Notification: return notice(message);
    case mcp::Message::Kind::Invalid: break;
  }
  // Programs print other things on standard output; the protocol has nothing to answer to that.
  host_.log().debug("an MCP server said something that is no message", {{"server", name_}});
}

void Session::answer(mcp::Message message) {
  const auto found = open_.find(message.id);
  if (found == open_.end()) return;  // it was cancelled, or never asked
  const auto done = std::move(found->second.events.done);
  open_.erase(found);
  link_->forget(message.id);
  Answer out;
  out.error = std::move(message.error);
  if (message.result) out.result = std::move(*message.result);
  done(std::move(out));
}

void Session::serve(const mcp::Message& request) {
  if (request.method == "ping") return link_->send({}, mcp::write_result(request.id, "{}"));
  link_->send(
      {}, mcp::write_error(
              request.id,
              {mcp::kMethodNotFound, "this client does not offer " + request.method, {}}, true));
}

void Session::notice(const mcp::Message& message) {
  if (message.method == "notifications/tools/list_changed") {
    if (events_.tools_changed) events_.tools_changed();
  } else if (message.method == "notifications/progress") {
    const json::value* token = mcp::member(message.params, "progressToken");
    const auto found = token == nullptr ? open_.end() : open_.find(mcp::json_text(*token));
    if (found == open_.end() || !found->second.events.progress) return;
    ToolProgress progress;
    progress.progress = number(message.params, "progress").value_or(0);
    progress.total = number(message.params, "total");
    progress.message = tools::visible_text(
        mcp::text_member(message.params, "message").value_or("").substr(0, 500));
    found->second.events.progress(progress);
  }
}

void Session::fail(const std::string& id, const Error& error) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const auto done = std::move(found->second.events.done);
  open_.erase(found);
  done(error);
}

void Session::close(const Error& error) {
  if (closed_) return;
  const auto self = shared_from_this();
  const auto closed = std::move(events_.closed);
  end(error);
  if (closed) closed(error);
}

void Session::end(const Error& why) {
  if (std::exchange(closed_, true)) return;
  events_ = {};
  link_.reset();
  for (auto& [id, open] : std::exchange(open_, {})) open.events.done(why);
}

}  // namespace gantry::tools_mcp
