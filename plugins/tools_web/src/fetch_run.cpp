// SPDX-License-Identifier: Apache-2.0
#include "fetch_run.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

GANTRY_INSTANTIATE(gantry::web::FetchArguments)

namespace gantry::web {
namespace {

using std::chrono::milliseconds;

bool is_redirect(const http::HttpHead& head) {
  const int status = head.status;
  return (status == 301 || status == 302 || status == 303 || status == 307 || status == 308) &&
         !head.header("location").empty();
}

std::string usual_user_agent() { return "Gantry/0.1 (web_fetch; fetched for an agent's user)"; }

}  // namespace

Result<FetchArguments> read_fetch_arguments(const Json& arguments) {
  GANTRY_ASSIGN(FetchArguments out, from_json<FetchArguments>(arguments.text));
  if (out.url.empty()) return invalid_argument("url must not be empty");
  if (out.offset < 0 || out.max_bytes < 0) {
    return invalid_argument("offset and max_bytes must not be negative");
  }
  return out;
}

void FetchRun::begin(std::function<void()> over) {
  over_ = std::move(over);
  call_->on_cancel([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->end();
  });
  if (!over_) return;  // nobody waits any more
  limit_ = host_.after(milliseconds(settings_.timeout), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->finish(Error{Code::DeadlineExceeded,
                       "fetching " + self->address_.url + " took longer than " +
                           std::to_string(self->settings_.timeout / 1000) + " seconds",
                       {}});
  });
  hop(arguments_.url);
}

void FetchRun::hop(const std::string& url) {
  const UrlRules rules{settings_.schemes, settings_.ports, settings_.deny_hosts};
  auto address = read_web_address(url, rules);
  if (!address.ok()) {
    Error error = address.error();
    if (!redirects_.empty()) {
      error.message =
          redirects_.back() + " leads to an address that is not fetched: " + error.message;
    }
    return finish(error);
  }
  address_ = std::move(*address);
  if (!settings_.proxy.empty() && read_address(address_.host)) {
    // A proxy finds the addresses of names, but what is an address already can be judged here.
    const auto allowed = lookup_(address_.host);
    if (!allowed.ok()) return finish(allowed.error());
  }
  call_->progress("Asking " + address_.host);
  ask();
}

http::HttpRequest FetchRun::request() const {
  http::HttpRequest out;
  out.method = "GET";
  out.url = address_.url;
  out.headers = {
      {"User-Agent", settings_.user_agent.empty() ? usual_user_agent() : settings_.user_agent},
      {"Accept",
       "text/html,application/xhtml+xml,text/plain,application/json,image/*;q=0.8,"
       "*/*;q=0.5"},
      {"Accept-Encoding", "gzip, deflate"}};
  return out;
}

http::HttpOptions FetchRun::options() const {
  http::HttpOptions out;
  out.proxy = settings_.proxy;
  out.direct = settings_.proxy.empty();
  out.ca_file = settings_.ca_file;
  out.resolve = lookup_;
  return out;
}

void FetchRun::ask() {
  http::FetchLimits limits;
  limits.phases = {milliseconds(settings_.connect_timeout),
                   milliseconds(settings_.first_byte_timeout),
                   milliseconds(settings_.idle_timeout)};
  limits.body = static_cast<std::size_t>(settings_.max_bytes);
  fetching_ = http::begin_fetch(host_, options(), request(), limits,
                                [weak = weak_from_this()](Result<http::HttpAnswer> answer) {
                                  const auto self = weak.lock();
                                  if (self && self->over_) self->settle(std::move(answer));
                                });
}

void FetchRun::settle(Result<http::HttpAnswer> answer) {
  if (!answer.ok()) {
    Error error = answer.error();
    if (error.code == Code::DeadlineExceeded) error.message += " from " + address_.url;
    return finish(error);
  }
  if (!is_redirect(answer->head)) return read(std::move(*answer));
  if (static_cast<std::int64_t>(redirects_.size()) >= settings_.max_redirects) {
    return finish(failed_precondition("more than " + std::to_string(settings_.max_redirects) +
                                      " redirects, the last to " + address_.url));
  }
  redirects_.push_back(address_.url);
  hop(resolved(address_, answer->head.header("location")));
}

/// A thread of the blocking pool reads the page: a large one takes a while.
void FetchRun::read(http::HttpAnswer answer) {
  PageAnswer page{address_.url, redirects_, std::move(answer.head), std::move(answer.body),
                  answer.cut};
  PageRequest wanted;
  wanted.offset = static_cast<std::size_t>(arguments_.offset);
  wanted.raw = arguments_.raw;
  wanted.limits = {static_cast<std::size_t>(settings_.max_bytes),
                   static_cast<std::size_t>(settings_.max_picture),
                   static_cast<std::size_t>(settings_.max_text)};
  if (arguments_.max_bytes > 0) {
    wanted.limits.text =
        std::min(wanted.limits.text, static_cast<std::size_t>(arguments_.max_bytes));
  }
  wanted.given_up = [call = call_] { return call->over(); };
  host_.blocking(
      [self = shared_from_this(), page = std::move(page), wanted = std::move(wanted)]() mutable {
        auto result = read_page(std::move(page), wanted);
        self->host_.post([self, result = std::move(result)]() mutable {
          if (self->over_) self->finish(std::move(result));
        });
      });
}

void FetchRun::finish(Result<ToolResult> result) {
  if (!result.ok() && result.error().code == Code::Unavailable) {
    // The other machine is what cannot be had, not this tool.
    result = tools::failed_result(result.error());
  }
  call_->answer(std::move(result));
  end();
}

void FetchRun::end() {
  limit_.cancel();
  if (const auto fetching = std::exchange(fetching_, nullptr)) fetching->cancel();
  if (const auto over = std::exchange(over_, {})) over();
}

}  // namespace gantry::web
