// SPDX-License-Identifier: Apache-2.0
#include "http_link.hpp"

#include <gantry/cure.hpp>
#include <gantry/http/sse.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gantry::tools_mcp {
namespace {

using std::chrono::milliseconds;

constexpr auto kConnect = std::chrono::seconds(10);
constexpr auto kLong = std::chrono::hours(24);  // calls have time limits of their own
constexpr int kMostResumed = 5;
constexpr std::int64_t kLongestRetry = 60'000;

bool is_stream(const http::HttpHead& head) {
  return head.header("content-type").starts_with("text/event-stream");
}

}  // namespace

void HttpLink::begin(LinkEvents events) { events_ = std::move(events); }

HttpLink::~HttpLink() {
  life_.reset();
  backlog_->close();
  for (auto& [number, talk] : talks_) {
    if (talk.watch) talk.watch->end();
    if (talk.exchange) talk.exchange->abort();
  }
}

http::HttpRequest HttpLink::request_for(const std::string& method) const {
  http::HttpRequest out;
  out.method = method;
  out.url = plan_.url;
  out.headers = plan_.headers;
  out.headers.emplace_back("User-Agent", "Gantry/0.1 (tools_mcp)");
  if (!session_.empty()) out.headers.emplace_back("Mcp-Session-Id", session_);
  if (!revision_.empty()) out.headers.emplace_back("MCP-Protocol-Version", revision_);
  return out;
}

void HttpLink::send(const std::string& id, std::string message) {
  http::HttpRequest request = request_for("POST");
  request.headers.emplace_back("Accept", "application/json, text/event-stream");
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(message);
  const std::uint64_t number = ++last_;
  talks_[number].request = id;
  talk(number, std::move(request));
}

void HttpLink::forget(const std::string& id) {
  for (auto& [number, talk] : talks_) {
    if (talk.request != id) continue;
    talk.request.clear();  // its end is of no interest any more
    if (talk.exchange) talk.exchange->abort();
    return;
  }
}

void HttpLink::agreed(std::string_view revision) {
  revision_ = revision;
  listen({});
}

/// The stream of what the server says by itself; servers may not have one.
void HttpLink::listen(const std::string& after) {
  http::HttpRequest request = request_for("GET");
  request.headers.emplace_back("Accept", "text/event-stream");
  if (!after.empty()) request.headers.emplace_back("Last-Event-ID", after);
  const std::uint64_t number = ++last_;
  talks_[number].request = "listen";
  talk(number, std::move(request));
}

void HttpLink::talk(std::uint64_t number, http::HttpRequest request) {
  Talk& talk = talks_[number];
  http::HttpOptions options;
  options.ca_file = plan_.ca_file;
  talk.exchange = std::make_shared<http::HttpExchange>(options);
  talk.watch = std::make_shared<http::PhaseWatch>(host_, talk.exchange,
                                                  http::PhaseLimits{kConnect, kLong, kLong});
  Host* const host = &host_;
  const std::weak_ptr<Life> life = life_;
  host_.blocking([host, life, number, backlog = backlog_, exchange = talk.exchange,
                  watch = talk.watch, request = std::move(request),
                  longest = plan_.longest_message] {
    const auto tell = [host, life](auto work) {
      host->post([life, work = std::move(work)] {
        if (const auto alive = life.lock()) work(*alive->link);
      });
    };
    Heard heard = converse(
        *exchange, *watch, request, longest,
        [&](const Heard& first) { tell([first](HttpLink& link) { link.head(first); }); },
        [&](std::string text) {
          if (!backlog->put(text.size())) return;
          host->post([life, backlog, text = std::move(text)] {
            backlog->took(text.size());
            const auto alive = life.lock();
            const auto hear = alive ? alive->link->events_.message : nullptr;
            if (hear) hear(text);  // what it does may end the link
          });
        });
    tell([number, heard = std::move(heard)](HttpLink& link) { link.over(number, heard); });
  });
  talk.watch->begin();
}

/// On a thread of the blocking pool.
HttpLink::Heard HttpLink::converse(http::HttpExchange& exchange, http::PhaseWatch& watch,
                                   const http::HttpRequest& request, std::size_t longest,
                                   const std::function<void(const Heard&)>& tell_head,
                                   const std::function<void(std::string)>& message) {
  Heard out;
  const auto head = exchange.send(request);
  watch.touch();
  if (!head.ok()) {
    out.error = head.error();
    return out;
  }
  out.status = head->status;
  out.session = head->header("mcp-session-id");
  out.stream = is_stream(*head);
  tell_head(out);
  if (out.status < 200 || out.status > 299) return out;
  if (!out.stream) {
    auto body = exchange.read_all(longest);
    if (!body.ok()) {
      out.error = body.error();
    } else if (!body->empty()) {
      message(std::move(*body));
    }
    return out;
  }
  http::SseReader reader(longest);
  const http::SseReader::Use use = [&](const http::SseEvent& event) {
    if (!event.data.empty()) message(event.data);
  };
  char piece[16 * 1024];
  while (true) {
    const auto count = exchange.read(piece, sizeof piece);
    watch.touch();
    if (!count.ok() || *count == 0) {
      if (!count.ok()) out.error = count.error();
      break;
    }
    if (!reader.feed({piece, *count}, use)) {
      out.error = Error{Code::ResourceExhausted, "a message of the server is too long", {}};
      return out;
    }
  }
  reader.end(use);
  out.last_event = reader.last_id();
  out.retry_ms = reader.retry_ms().value_or(out.retry_ms);
  return out;
}

void HttpLink::head(const Heard& heard) {
  if (!heard.session.empty() && heard.session.size() <= 1024) session_ = heard.session;
}

void HttpLink::over(std::uint64_t number, const Heard& heard) {
  const auto found = talks_.find(number);
  if (found == talks_.end()) return;
  found->second.watch->end();
  const bool listening = found->second.request == "listen";
  if (found->second.request.empty() || (listening && heard.status >= 400)) {
    talks_.erase(found);
    return;
  }
  const std::string who = "the MCP server '" + name_ + "'";
  const std::string place = "tools_mcp.servers." + name_;
  if (heard.error.code == Code::Unavailable && heard.status == 0) {
    const std::string why = split_cure(heard.error.message).first;  // ours knows the key
    return close(unavailable(who + " cannot be reached: " + why,
                             "check " + place + ".url and whether the server runs"));
  }
  if (heard.status == 404 && !session_.empty()) {
    session_.clear();
    return close(unavailable(who + " has ended the session"));
  }
  if (heard.status == 401 || heard.status == 403) {
    return fail(number, {Code::Unavailable,
                         who + " answered " + std::to_string(heard.status) + " (cure: check " +
                             place + ".headers)",
                         {}});
  }
  if (heard.status < 200 || heard.status > 299) {
    return fail(number, unavailable(who + " answered " + std::to_string(heard.status),
                                    "check " + place + ".url"));
  }
  ended_well(number, heard);
}

/// The end of a stream is no failure of its own: what is still waited for may come by another.
void HttpLink::ended_well(std::uint64_t number, const Heard& heard) {
  if (heard.stream && heard.error.code != Code::ResourceExhausted) return resume(number, heard);
  const bool broke = heard.error.code != Code::Ok;
  fail(number, broke ? heard.error
                     : Error{Code::DataLoss, "the MCP server '" + name_ + "' gave no answer", {}});
}

void HttpLink::resume(std::uint64_t number, const Heard& heard) {
  Talk& talk = talks_[number];
  const bool listening = talk.request == "listen";
  if (!listening && (heard.last_event.empty() || ++talk.resumed > kMostResumed)) {
    return fail(number, {Code::DataLoss,
                         "the stream of the MCP server '" + name_ + "' broke off before its answer",
                         {}});
  }
  const milliseconds wait(std::min(std::max<std::int64_t>(heard.retry_ms, 10), kLongestRetry));
  talk.exchange.reset();
  talk.again = host_.after(wait, [this, number, after = heard.last_event] {
    http::HttpRequest request = request_for("GET");
    request.headers.emplace_back("Accept", "text/event-stream");
    if (!after.empty()) request.headers.emplace_back("Last-Event-ID", after);
    this->talk(number, std::move(request));
  });
}

void HttpLink::fail(std::uint64_t number, const Error& error) {
  const std::string request = std::exchange(talks_[number].request, {});
  talks_.erase(number);
  const auto failed = events_.failed;  // what it does may end this
  if (!request.empty() && request != "listen" && failed) failed(request, error);
}

void HttpLink::close(const Error& error) {
  if (const auto closed = std::exchange(events_, {}).closed) closed(error);  // this may be gone
}

}  // namespace gantry::tools_mcp
