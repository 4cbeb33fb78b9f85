// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <utility>

#include "echo.hpp"
#include "methods.hpp"
#include "near_names.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kLevelKey = "io.modelcontextprotocol/logLevel";
constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;
constexpr int kTooMany = 429;

RpcError unsupported(std::string_view version) {
  return {kUnsupportedVersion, "Unsupported protocol version",
          ObjectText()
              .raw("supported", revision_names_json())
              .add("requested", echoed(version))
              .text()};
}

}  // namespace

bool is_modern(const Message& message, const Headers& headers) {
  const json::object* meta = object_member(message.params, "_meta");
  if (meta != nullptr && member(*meta, kVersionKey) != nullptr) return true;
  if (message.method == "server/discover" || message.method == "subscriptions/listen") return true;
  const auto header = find_header(headers, kVersionHeader);
  const Revision* revision = header ? find_revision(*header) : nullptr;
  return revision != nullptr && revision->stateless;
}

Connection::Connection(Core& core, Peer peer, std::shared_ptr<Outlet> aside)
    : core_(core), peer_(std::move(peer)), aside_(std::move(aside)), load_(core.load) {}

Connection::~Connection() { close(); }

Connection::Fate Connection::handle(Message message, const std::shared_ptr<Outlet>& outlet,
                                    const Headers& headers) {
  switch (message.kind) {
    case Message::Kind::Invalid: {
      const bool null_id = revision_ == nullptr || !revision_->id_optional;
      outlet->respond(write_error(message.id, *message.error, null_id && !peer_.http), kBadRequest);
      return Fate::Answers;
    }
    case Message::Kind::Response: response(message); return Fate::Accepted;
    case Message::Kind::Notification: notification(message); return Fate::Accepted;
    case Message::Kind::Request: break;
  }
  request(std::move(message), outlet, headers);
  return Fate::Answers;
}

void Connection::request(Message message, const std::shared_ptr<Outlet>& outlet,
                         const Headers& headers) {
  CallFacts facts;
  facts.id = message.id;
  facts.method = message.method;
  facts.weight = message.weight;
  facts.principal = peer_.principal;
  facts.session = peer_.session;
  if (is_modern(message, headers)) {
    if (!read_modern(message, headers, *outlet, facts)) return;
  } else {
    read_session(facts, outlet->streams());
  }
  facts.params = std::move(message.params);
  start(std::move(facts), outlet);
}

bool Connection::read_modern(Message& message, const Headers& headers, Outlet& outlet,
                             CallFacts& facts) {
  const auto refuse = [&](RpcError error) {
    outlet.respond(write_error(message.id, error, false), kBadRequest);
    return false;
  };
  const auto missing = [&](std::string_view key) {
    return refuse({kInvalidParams, "`_meta` needs \"" + std::string(key) + "\"", {}});
  };
  const json::object* meta = object_member(message.params, "_meta");
  const auto version = meta == nullptr ? std::nullopt : text_member(*meta, kVersionKey);
  if (!version) return missing(kVersionKey);
  if (peer_.http) {
    const auto header = find_header(headers, kVersionHeader);
    if (!header) return refuse({kHeaderMismatch, "the header MCP-Protocol-Version is missing", {}});
    if (*header != *version) {
      return refuse({kHeaderMismatch,
                     "the header MCP-Protocol-Version says '" + echoed(*header) +
                         "', the body says '" + echoed(*version) + "'",
                     {}});
    }
  }
  const Revision* revision = find_revision(*version);
  if (revision == nullptr || !revision->stateless) return refuse(unsupported(*version));
  const json::object* capabilities = object_member(*meta, kCapabilitiesKey);
  if (capabilities == nullptr) return missing(kCapabilitiesKey);
  if (peer_.http) {
    std::string problem = check_method_headers(headers, message.method, message.params);
    if (!problem.empty()) return refuse({kHeaderMismatch, "Header mismatch: " + problem, {}});
  }
  facts.revision = revision;
  facts.client = read_abilities(*capabilities);
  if (const json::object* client = object_member(*meta, kClientKey)) {
    facts.client_name = text_member(*client, "name").value_or("");
  }
  if (const auto level = text_member(*meta, kLevelKey)) {
    facts.notices = read_level(*level);
    if (!facts.notices) {
      return refuse({kInvalidParams, "there is no log level '" + echoed(*level) + "'", {}});
    }
  }
  if (peer_.http) facts.headers = headers;
  facts.server_json = implementation_json(core_.settings.server, *revision);
  return true;
}

void Connection::read_session(CallFacts& facts, bool streams) const {
  facts.revision = revision_ != nullptr ? revision_ : &revisions().front();
  // Questions travel on the request's own way back.
  if (streams) facts.client = client_;
  facts.client_name = client_name_;
  facts.notices = level_;
}

bool Connection::has_room(CallFacts& facts, Outlet& outlet) {
  const auto refuse = [&](const std::string& what, ObjectText data) {
    const RpcError busy{kBusy, what + "; send this one again when one of them is answered",
                        data.add("retry", true).text()};
    outlet.respond(write_error(facts.id, busy, false), kTooMany);
    return false;
  };
  if (running_.size() >= kMostUnderWay) {
    const std::string most = std::to_string(kMostUnderWay);
    return refuse(most +
                      " requests of this client are under way already, which is all that it may "
                      "have",
                  ObjectText().raw("limit", most));
  }
  facts.share = load_.take(facts.weight);
  if (facts.share) return true;
  return refuse(
      "the requests of all clients that are under way have come with too much, and this "
      "client's with its part of it",
      ObjectText()
          .add("code", code_name(Code::ResourceExhausted))
          .raw("limit", std::to_string(Load::kMost)));
}

void Connection::start(CallFacts facts, const std::shared_ptr<Outlet>& outlet) {
  const Method* method = find_method(facts.method);
  const bool stateless = facts.revision->stateless;
  const bool served = method != nullptr && (stateless ? method->modern : method->session);
  if (!served) {
    const std::string shown = echoed(facts.method);
    const RpcError unknown{kMethodNotFound, "Method not found: " + shown,
                           near_matches_json(near_methods(shown, !stateless))};
    outlet->respond(write_error(facts.id, unknown, false), stateless ? kNotFound : 200);
    return;
  }
  if (revision_ == nullptr && !stateless && !method->before_initialize) {
    outlet->respond(
        write_error(facts.id, {kInvalidRequest, "the session begins with initialize", {}}, false),
        kBadRequest);
    return;
  }
  if (running_.contains(facts.id)) {
    outlet->respond(
        write_error(facts.id, {kInvalidRequest, "a request with this id is under way already", {}},
                    false),
        kBadRequest);
    return;
  }
  if (!has_room(facts, *outlet)) return;
  const std::weak_ptr<Connection> self = weak_from_this();
  auto call = std::make_shared<Call>(std::move(facts), outlet, [self](const Call& over) {
    if (const auto alive = self.lock()) alive->forget(over);
  });
  running_.emplace(call->facts().id, call);
  method->run(*this, call);
}

void Connection::forget(const Call& call) {
  std::erase_if(asked_, [&](const auto& entry) { return entry.second.call == &call; });
  listening_.erase(&call);
  const auto found = running_.find(call.facts().id);
  if (found != running_.end() && found->second.get() == &call) running_.erase(found);
}

void Connection::notification(const Message& message) {
  if (message.method != "notifications/cancelled") return;  // nothing to be done for the others
  const json::value* id = member(message.params, "requestId");
  if (id == nullptr) return;
  const auto found = running_.find(json_text(*id));
  if (found == running_.end()) return;  // it has been answered meanwhile
  const auto call = found->second;
  if (call->facts().method != "initialize") call->cancel();
}

void Connection::hung_up(const std::string& id) {
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  const auto call = found->second;
  call->cancel();
}

bool Connection::fragile(const std::string& id) const {
  const auto found = running_.find(id);
  return found == running_.end() || found->second->fragile();
}

void Connection::response(const Message& message) {
  const auto found = asked_.find(message.id);
  if (found == asked_.end()) return;
  const auto done = std::move(found->second.done);
  asked_.erase(found);
  done(message);
}

void Connection::ask(Call& call, const AskWire& wire, std::function<void(const Message&)> done) {
  const std::string id = quoted("gantry-" + std::to_string(++last_ask_));
  asked_.emplace(id, Pending{&call, std::move(done)});
  call.outlet()->send(write_request(id, wire.method, wire.params));
}

void Connection::close() {
  asked_.clear();
  const auto running = std::exchange(running_, {});
  for (const auto& [id, call] : running) call->cancel();
}

void Connection::close_fragile() {
  closing_ = true;
  const auto running = running_;
  for (const auto& [id, call] : running) {
    if (call->fragile()) call->cancel();
  }
}

void Connection::initialized(const Revision& revision, ClientAbilities client,
                             std::string client_name) {
  revision_ = &revision;
  client_ = client;
  client_name_ = std::move(client_name);
  level_ = NoticeLevel::Info;
  subscribed_.clear();
}

void Connection::aside(std::string_view method, std::string_view params_json) {
  if (aside_ && revision_ != nullptr) aside_->send(write_notification(method, params_json));
}

void Connection::on_changed(Changed what) {
  switch (what) {
    case Changed::Tools: return aside("notifications/tools/list_changed", {});
    case Changed::Prompts: return aside("notifications/prompts/list_changed", {});
    case Changed::Resources: return aside("notifications/resources/list_changed", {});
  }
}

void Connection::on_resource(const std::string& uri) {
  if (!subscribed_.contains(uri)) return;
  aside("notifications/resources/updated", ObjectText().add("uri", uri).text());
}

}  // namespace gantry::mcp
