// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <gantry/counted.hpp>
#include <gantry/cure.hpp>
#include <gantry/mcp/json_text.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gantry::tools_mcp {
namespace {

using std::chrono::milliseconds;

constexpr int kMostPages = 64;
constexpr std::int64_t kFirstWait = 500;
constexpr std::int64_t kLongestWait = 60'000;
constexpr std::int64_t kSteadyNs = 30'000'000'000;  // up for so long, it counts as well again

milliseconds wait_after(int failures) {
  return milliseconds(std::min(kLongestWait, kFirstWait << std::min(failures - 1, 10)));
}

}  // namespace

void Server::begin(ServerEvents events) {
  events_ = std::move(events);
  connect();
}

void Server::connect() {
  if (stopped_) return;
  session_ = std::make_shared<Session>(host_, name_, make_link_());
  const std::weak_ptr<Server> weak = weak_from_this();
  SessionEvents heard;
  heard.ready = [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->up_since_ns_ = self->host_.monotonic_ns();
    self->list();
  };
  heard.tools_changed = [weak] {
    if (const auto self = weak.lock()) self->list();
  };
  heard.closed = [weak](const Error& why) {
    if (const auto self = weak.lock()) self->lost(why);
  };
  session_->begin(milliseconds(settings_.start_timeout), std::move(heard));
}

/// Tells once what became of it, and tries again after a while that grows.
void Server::lost(const Error& why) {
  session_.reset();
  listing_ = list_again_ = false;
  if (stopped_) return;
  if (up_since_ns_ != 0 && host_.monotonic_ns() - up_since_ns_ > kSteadyNs) failures_ = 0;
  up_since_ns_ = 0;
  ++failures_;
  reason_ = why.message;
  const auto [reason, cure] = split_cure(why.message);
  host_.degraded("server." + name_, reason, cure);
  const milliseconds wait = wait_after(failures_);
  host_.log().warn(
      "an MCP server is gone",
      {{"server", name_}, {"reason", reason}, {"cure", cure}, {"again_in_ms", wait.count()}});
  again_ = host_.after(wait, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->connect();
  });
  if (events_.changed) events_.changed();
  settle();
}

void Server::settle() {
  if (const auto settled = std::exchange(events_.settled, {})) settled();
}

void Server::list() {
  if (std::exchange(listing_, true)) {
    list_again_ = true;
    return;
  }
  list_page({}, {}, 1);
}

void Server::list_page(const std::string& cursor, Offer so_far, int page) {
  mcp::ObjectText params;
  if (!cursor.empty()) params.add("cursor", cursor);
  RequestEvents asked;
  asked.done = [weak = weak_from_this(), so_far = std::move(so_far),
                page](Result<Answer> answer) mutable {
    const auto self = weak.lock();
    if (!self || !self->session_) return;
    if (!answer.ok() || answer->error) {
      self->host_.log().warn(
          "the tools of an MCP server are not known",
          {{"server", self->name_},
           {"reason", answer.ok() ? read_failure(*answer->error, self->name_).message
                                  : answer.error().message}});
      return self->adopt(std::move(so_far));
    }
    Offer more = read_offer(answer->result, self->name_, self->settings_, self->limits_);
    for (RemoteTool& tool : more.tools) so_far.tools.push_back(std::move(tool));
    for (std::string& what : more.left_out) so_far.left_out.push_back(std::move(what));
    const bool enough = so_far.tools.size() >= static_cast<std::size_t>(self->limits_.tools);
    if (more.next.empty() || enough || page >= kMostPages) return self->adopt(std::move(so_far));
    self->list_page(more.next, std::move(so_far), page + 1);
  };
  (void)session_->request("tools/list", params.take(), milliseconds(settings_.start_timeout),
                          std::move(asked));
}

void Server::adopt(Offer offer) {
  listing_ = false;
  const auto most = static_cast<std::size_t>(limits_.tools);
  if (offer.tools.size() > most) {
    offer.left_out.push_back(counted(offer.tools.size() - most, "tool") +
                             ", for it has more than " + std::to_string(most));
    offer.tools.resize(most);
  }
  for (const std::string& what : offer.left_out) {
    host_.log().warn("a tool of an MCP server is left out", {{"server", name_}, {"what", what}});
  }
  tools_ = std::move(offer.tools);
  reason_.clear();
  host_.healthy("server." + name_);
  host_.log().info("an MCP server is there", {{"server", name_}, {"tools", tools_.size()}});
  if (events_.changed) events_.changed();
  settle();
  if (std::exchange(list_again_, false)) list();
}

void Server::call(const std::string& tool, const tools::CallPtr& call) {
  if (!session_ || !reason_.empty()) {
    return call->fail(Error{Code::Unavailable, reason_, {}});
  }
  mcp::ObjectText params;
  params.add("name", tool);
  params.raw("arguments", call->request().arguments.text);
  const std::string token = session_->next_id();
  if (call->request().progress) params.raw("_meta", R"({"progressToken":)" + token + "}");
  RequestEvents asked;
  asked.done = [call, name = name_, limits = limits_](const Result<Answer>& answer) {
    if (!answer.ok()) return call->fail(answer.error());
    if (answer->error) return call->fail(read_failure(*answer->error, name));
    call->finish(read_result(answer->result, limits));
  };
  asked.progress = [call](const ToolProgress& progress) { call->progress(progress.message); };
  const std::string id = session_->request("tools/call", params.take(),
                                           milliseconds(settings_.timeout), std::move(asked));
  call->on_cancel([weak = std::weak_ptr<Session>(session_), id] {
    if (const auto session = weak.lock()) session->cancel(id, "the caller gave up");
  });
}

void Server::stop() {
  stopped_ = true;
  again_.cancel();
  events_ = {};
  if (const auto session = std::exchange(session_, nullptr)) {
    session->end(unavailable("the MCP server '" + name_ + "' is being stopped"));
  }
}

}  // namespace gantry::tools_mcp
