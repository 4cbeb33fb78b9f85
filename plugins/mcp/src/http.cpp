// SPDX-License-Identifier: Apache-2.0
#include "http.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "echo.hpp"
#include "http_outlet.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kSessionHeader = "mcp-session-id";
constexpr const char* kAllowed = "GET, POST, DELETE";
constexpr auto kHttpTick = std::chrono::seconds(5);

using WriterPtr = std::shared_ptr<PartWriter>;

std::string principal_of(const HttpRequest& request) {
  const auto credentials = find_header(request.headers, "authorization");
  return credentials ? sha256(*credentials) : "local";
}

bool accepts(const HttpRequest& request, std::string_view type) {
  const auto accept = find_header(request.headers, "accept");
  return !accept || accept->find(type) != std::string_view::npos ||
         accept->find("*/*") != std::string_view::npos;
}

/// A refusal of the transport's own, in JSON-RPC's form without an id.
void refuse(const WriterPtr& writer, int status, RpcError error,
            std::vector<HttpHeader> headers = {}) {
  HttpResponse response;
  response.status = status;
  response.headers = std::move(headers);
  response.content_type = "application/json";
  response.body = Buffer::of(write_error({}, error, false));
  writer->head(std::move(response));
  writer->end();
}

bool is_json(const HttpRequest& request) {
  const auto given = find_header(request.headers, "content-type");
  if (!given) return false;
  std::string type(std::string_view(*given).substr(0, given->find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return type == "application/json";
}

/// A revision that nobody knows is refused with the ones that are; false then.
bool knows_version(const HttpRequest& request, const WriterPtr& writer,
                   const std::string& id = {}) {
  const auto version = find_header(request.headers, kVersionHeader);
  if (!version || find_revision(*version) != nullptr) return true;
  const RpcError error{kUnsupportedVersion, "Unsupported protocol version",
                       ObjectText()
                           .raw("supported", revision_names_json())
                           .add("requested", echoed(*version))
                           .text()};
  HttpResponse response;
  response.status = 400;
  response.content_type = "application/json";
  response.body = Buffer::of(write_error(id, error, false));
  writer->head(std::move(response));
  writer->end();
  return false;
}

OutletOptions outlet_options(const HttpRequest& request, const Message& message,
                             const Revision* revision) {
  OutletOptions options;
  const bool events = accepts(request, "text/event-stream");
  const bool listens = message.method == "subscriptions/listen";
  options.may_stream = events || listens;
  options.must_stream = listens || (events && !accepts(request, "application/json"));
  options.priming = revision != nullptr && revision->priming;
  return options;
}

}  // namespace

HttpFace::HttpFace(Core& core) : core_(core), alive_(life_) { tick(); }

HttpFace::~HttpFace() { close(); }

void HttpFace::close() {
  const auto all = std::exchange(sessions_, {});
  for (const auto& [id, session] : all) {
    session->connection->close();
    for (const auto& [number, stream] : session->streams) stream->finish();
  }
}

/// Keeps quiet streams alive, and forgets sessions that nobody uses.
void HttpFace::tick() {
  const std::int64_t now = core_.environment.now_ns();
  const std::int64_t idle = core_.settings.sessions.idle * 1'000'000;
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    HttpSession& session = *it->second;
    if (session.exchanges == 0 && now - session.used_ns > idle) {
      session.connection->close();
      it = sessions_.erase(it);
      continue;
    }
    session.aside->comment();
    ++it;
  }
  ticking_ = core_.environment.after(kHttpTick, [this] { tick(); });
}

StreamHandlers<Nothing> HttpFace::accept(const HttpRequest& request, Stream<HttpPart> down) {
  auto writer = std::make_shared<PartWriter>(std::move(down));
  Gone gone;
  if (request.method == "POST") {
    gone = post(request, writer);
  } else if (request.method == "GET") {
    gone = get(request, writer);
  } else if (request.method == "DELETE") {
    remove(request, writer);
  } else {
    refuse(writer, 405, {kInvalidRequest, request.method + " is not served here", {}},
           {{"Allow", kAllowed}});
  }
  StreamHandlers<Nothing> handlers;
  handlers.on_writable = [writer] { writer->on_writable(); };
  handlers.on_end = [writer](const Error&) { writer->gone(); };
  writer->on_over([gone = std::move(gone), life = alive_] {
    if (gone && !life.expired()) gone();
  });
  return handlers;
}

SessionPtr HttpFace::session_of(const HttpRequest& request, const WriterPtr& writer) {
  const auto id = find_header(request.headers, kSessionHeader);
  if (!id) {
    refuse(writer, 400,
           {kInvalidRequest,
            "the header Mcp-Session-Id is missing: a session begins with initialize; a request "
            "without a session says its revision in `_meta`",
            {}});
    return nullptr;
  }
  const auto found = sessions_.find(std::string(*id));
  if (found == sessions_.end() || found->second->principal != principal_of(request)) {
    refuse(writer, 404,
           {kInvalidRequest, "there is no such session; begin one with initialize", {}});
    return nullptr;
  }
  found->second->used_ns = core_.environment.now_ns();
  return found->second;
}

SessionPtr HttpFace::begin_session(const HttpRequest& request) {
  const auto most = static_cast<std::size_t>(core_.settings.sessions.max);
  if (sessions_.size() >= most) {
    auto oldest = sessions_.end();
    for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
      if (it->second->exchanges > 0) continue;
      if (oldest == sessions_.end() || it->second->used_ns < oldest->second->used_ns) oldest = it;
    }
    if (oldest == sessions_.end()) return nullptr;
    oldest->second->connection->close();
    sessions_.erase(oldest);
  }
  const ReplayLimits limits{static_cast<std::size_t>(core_.settings.sessions.replay_events),
                            static_cast<std::size_t>(core_.settings.sessions.replay_bytes)};
  auto session = std::make_shared<HttpSession>(random_id(), principal_of(request), limits);
  Peer peer;
  peer.principal = session->principal;
  peer.session = "http-" + sha256(session->id).substr(0, 8);
  peer.http = true;
  session->connection = std::make_shared<Connection>(core_, std::move(peer),
                                                     std::make_shared<AsideOutlet>(session->aside));
  core_.hub.add(session->connection);
  session->used_ns = core_.environment.now_ns();
  sessions_.emplace(session->id, session);
  return session;
}

HttpFace::Gone HttpFace::post(const HttpRequest& request, const WriterPtr& writer) {
  if (!is_json(request)) {
    refuse(writer, 415, {kInvalidRequest, "the body must be application/json", {}});
    return {};
  }
  Parsed parsed = parse_messages(request.body.text(), kMostValues);
  if (parsed.batch) return post_batch(request, std::move(parsed), writer);
  return post_one(request, std::move(parsed.messages.front()), writer);
}

HttpFace::Gone HttpFace::post_one(const HttpRequest& request, Message message,
                                  const WriterPtr& writer) {
  if (message.kind == Message::Kind::Invalid) {
    refuse(writer, 400, *message.error);
    return {};
  }
  const bool modern = is_modern(message, request.headers);
  if (!modern && !knows_version(request, writer, message.id)) return {};
  if (modern) {
    Peer peer;
    peer.principal = principal_of(request);
    peer.session = peer.principal == "local" ? "local" : "http-" + peer.principal.substr(0, 8);
    peer.http = true;
    auto connection = std::make_shared<Connection>(core_, std::move(peer), nullptr);
    return hand_over(connection, nullptr, request, std::move(message), writer);
  }
  const bool begins = message.kind == Message::Kind::Request && message.method == "initialize" &&
                      !find_header(request.headers, kSessionHeader);
  SessionPtr session = begins ? begin_session(request) : session_of(request, writer);
  if (!session) {
    if (begins) {
      refuse(writer, 503, {kInternalError, "too many sessions are in use (sessions.max)", {}});
    }
    return {};
  }
  const auto connection = session->connection;
  return hand_over(connection, session, request, std::move(message), writer);
}

HttpFace::Gone HttpFace::hand_over(const std::shared_ptr<Connection>& connection,
                                   const SessionPtr& session, const HttpRequest& request,
                                   Message message, const WriterPtr& writer) {
  OutletOptions options = outlet_options(request, message, connection->revision());
  const bool begins = message.method == "initialize" && session;
  if (begins) options.headers.push_back({"Mcp-Session-Id", session->id});
  const std::string id = message.kind == Message::Kind::Request ? message.id : std::string();
  auto outlet = std::make_shared<HttpOutlet>(writer, session, std::move(options));
  if (session) ++session->exchanges;
  const auto fate = connection->handle(std::move(message), outlet, request.headers);
  if (fate == Connection::Fate::Accepted) outlet->accept();
  if (begins && connection->revision() == nullptr) sessions_.erase(session->id);

  // Says now and then that a long request is being worked on.
  auto patience = std::make_shared<std::shared_ptr<void>>();
  const std::weak_ptr<std::shared_ptr<void>> weak_patience = patience;
  auto again = std::make_shared<std::function<void()>>();
  Core& core = core_;
  *again = [outlet, weak_patience, weak_again = std::weak_ptr(again), &core] {
    const auto keep = weak_patience.lock();
    const auto next = weak_again.lock();
    if (outlet->done() || !keep || !next) return;
    outlet->keep_alive();
    *keep = core.environment.after(kHttpTick, *next);
  };
  if (!outlet->done()) *patience = core_.environment.after(kHttpTick, *again);

  return [this, connection, session, outlet, id, patience, again] {
    patience->reset();
    if (session) {
      --session->exchanges;
      session->used_ns = core_.environment.now_ns();
    }
    if (outlet->done()) return;
    const bool may_return = outlet->hung_up();
    if (!may_return || connection->fragile(id)) connection->hung_up(id);
  };
}

HttpFace::Gone HttpFace::post_batch(const HttpRequest& request, Parsed parsed,
                                    const WriterPtr& writer) {
  if (!knows_version(request, writer)) return {};
  SessionPtr session = session_of(request, writer);
  if (!session) return {};
  const Revision* revision = session->connection->revision();
  if (revision == nullptr || !revision->batches) {
    refuse(
        writer, 400,
        {kInvalidRequest, "this revision of MCP has no batches; send one message at a time", {}});
    return {};
  }
  OutletOptions whole;
  whole.may_stream = false;
  auto outlet = std::make_shared<HttpOutlet>(writer, nullptr, whole);
  auto answers = std::make_shared<BatchAnswers>(outlet);
  const std::vector<std::string> ids =
      hand_over_batch(*session->connection, std::move(parsed.messages), answers, request.headers);
  if (answers->seal()) outlet->accept();
  ++session->exchanges;
  return [session, outlet, ids] {
    --session->exchanges;
    if (outlet->done()) return;
    for (const std::string& id : ids) session->connection->hung_up(id);
  };
}

HttpFace::Gone HttpFace::get(const HttpRequest& request, const WriterPtr& writer) {
  if (!knows_version(request, writer)) return {};
  const auto version = find_header(request.headers, kVersionHeader);
  const Revision* revision = version ? find_revision(*version) : nullptr;
  if (revision != nullptr && revision->stateless) {
    refuse(writer, 405,
           {kInvalidRequest, "this revision has no GET; send subscriptions/listen", {}},
           {{"Allow", "POST"}});
    return {};
  }
  if (!accepts(request, "text/event-stream")) {
    refuse(writer, 406, {kInvalidRequest, "GET answers with text/event-stream only", {}});
    return {};
  }
  const SessionPtr session = session_of(request, writer);
  if (!session) return {};
  auto stream = session->aside;
  std::uint64_t after = 0;
  if (const auto last = find_header(request.headers, "last-event-id")) {
    const auto place = read_event_id(*last);
    const auto found = place ? session->streams.find(place->stream) : session->streams.end();
    if (found == session->streams.end()) {
      refuse(writer, 400, {kInvalidParams, "Last-Event-ID names no stream of this session", {}});
      return {};
    }
    stream = found->second;
    after = place->event;
  }
  writer->head(event_stream_head({}));
  stream->attach(writer, after);
  if (session->connection->revision() != nullptr && session->connection->revision()->priming) {
    stream->prime();
  }
  ++session->exchanges;
  return [session, stream, writer] {
    --session->exchanges;
    stream->detach(writer.get());
  };
}

void HttpFace::remove(const HttpRequest& request, const WriterPtr& writer) {
  if (!knows_version(request, writer)) return;
  const SessionPtr session = session_of(request, writer);
  if (!session) return;
  session->connection->close();
  for (const auto& [number, stream] : session->streams) stream->finish();
  sessions_.erase(session->id);
  HttpResponse response;
  response.status = 204;
  writer->head(std::move(response));
  writer->end();
}

}  // namespace gantry::mcp
