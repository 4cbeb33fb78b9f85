// SPDX-License-Identifier: Apache-2.0
#include "listeners.hpp"

#include <gantry/contracts/kernel.hpp>

#include <utility>

#include "http_bridge.hpp"
#include "ws_bridge.hpp"

namespace gantry::transport {
namespace {

constexpr auto kMetricsPeriod = std::chrono::seconds(5);
constexpr auto kStartPeriod = std::chrono::milliseconds(50);

Error to_error(const ListenFailure& failure) {
  switch (failure.kind) {
    case ListenFailure::Kind::kMalformed: return invalid_argument(failure.message);
    case ListenFailure::Kind::kTaken: return {Code::AlreadyExists, failure.message, {}};
    case ListenFailure::Kind::kForbidden: return {Code::PermissionDenied, failure.message, {}};
    case ListenFailure::Kind::kExposed: return failed_precondition(failure.message);
    case ListenFailure::Kind::kFailed: break;
  }
  return {Code::Unavailable, failure.message, {}};
}

Error to_error(MountFailure failure) {
  switch (failure.kind) {
    case MountFailure::Kind::kMalformed: return invalid_argument(std::move(failure.message));
    case MountFailure::Kind::kNoListener: return not_found(std::move(failure.message));
    case MountFailure::Kind::kExposed: return failed_precondition(std::move(failure.message));
    case MountFailure::Kind::kOverlap: break;
  }
  return {Code::AlreadyExists, std::move(failure.message), {}};
}

std::string describe_mount(const Mount& mount) {
  std::string text;
  if (mount.kind == MountKind::kWebSocket) text = "WebSocket";
  for (const auto& method : mount.methods) text += (text.empty() ? "" : "|") + method;
  if (text.empty()) text = "*";
  return text + " " + mount.host + mount.path + " (" + mount.owner + ")";
}

}  // namespace

Listeners::Listeners(Host& host, const Settings& settings)
    : host_(host),
      settings_(settings),
      server_(
          ServerOptions{settings.loops, nullptr, settings.arriving_bytes, settings.leaving_bytes}),
      folders_(host, server_, settings, [this](const std::string& name) -> Result<void> {
        ListenRequest wanted;
        wanted.listener = name;
        GANTRY_TRY(listen(wanted));
        log_serving(name);
        return {};
      }) {}

void Listeners::start() {
  server_.set_readiness([this](auto done) { ask_kernel(std::move(done)); });
  server_.start();
  const Counters& counters = server_.counters();
  const auto counter = [&](std::string_view name, std::string_view help,
                           const std::atomic<std::uint64_t>& value, std::string_view labels = {}) {
    series_.push_back({host_.counter(name, help, labels), &value, 0, false});
  };
  counter("connections_total", "Connections accepted", counters.connections_accepted);
  counter("connections_refused_total", "Connections over a limit", counters.connections_refused);
  counter("bytes_received_total", "Bytes read from connections", counters.bytes_received);
  counter("websockets_total", "WebSockets accepted", counters.websockets_accepted);
  counter("messages_received_total", "WebSocket messages received", counters.messages_received);
  counter("messages_sent_total", "WebSocket messages sent", counters.messages_sent);
  counter("slow_consumers_total", "Peers closed for reading too slowly", counters.slow_consumers);
  counter("protocol_errors_total", "Malformed requests and frames", counters.protocol_errors);
  for (size_t i = 1; i < counters.responses.size(); ++i) {
    counter("responses_total", "HTTP answers by class", counters.responses[i],
            "class=" + std::to_string(i) + "xx");
  }
  const auto gauge = [&](std::string_view name, std::string_view help,
                         const std::atomic<std::uint64_t>& value) {
    series_.push_back({host_.gauge(name, help), &value, 0, true});
  };
  gauge("connections_open", "Open connections", counters.connections_open);
  gauge("websockets_open", "Open WebSockets", counters.websockets_open);
  timer_ = host_.every(kMetricsPeriod, [this] { publish_counters(); });
  if (!folders_.empty()) await_start();
}

/// The folders of listeners that no plugin opens have their turn when all plugins have started.
void Listeners::await_start() {
  ask_kernel([this](bool ready) {
    host_.post([this, ready] {
      if (ready) {
        folders_.daemon_started();
      } else {
        start_timer_ = host_.after(kStartPeriod, [this] { await_start(); });
      }
    });
  });
}

void Listeners::ask_kernel(std::function<void(bool)> done) {
  CallOptions options;
  options.complete_inline = true;
  auto answer = [this, done = std::move(done)](Result<Ref<HealthReport>> health) {
    // Without a kernel that knows (a test's host) nothing is awaited.
    const bool ready = !health.ok() || (*health)->ready;
    if (ready) server_.set_readiness(nullptr);
    done(ready);
  };
  host_.bus().call<KernelHealth>({}, std::move(answer), options);
}

void Listeners::stop(std::int64_t grace_ms) {
  timer_.cancel();
  start_timer_.cancel();
  server_.stop(grace_ms);
}

void Listeners::publish_counters() {
  for (Series& series : series_) {
    const std::uint64_t now = *series.value;
    if (now == series.published) continue;
    if (series.gauge) {
      series.metric.set(static_cast<double>(now));
    } else {
      series.metric.add(static_cast<double>(now - series.published));
    }
    series.published = now;
  }
}

ListenerInfo Listeners::describe(const BoundListener& listener) const {
  ListenerInfo info;
  info.listener = listener.name;
  info.port = listener.port;
  const size_t colon = listener.address.rfind(':');
  if (listener.address.rfind("unix:", 0) == 0) {
    info.address = listener.address;
  } else {
    info.address = (listener.tls ? "https://" : "http://") + listener.address;
    info.host = listener.address.substr(0, colon);
  }
  for (const auto& mount : server_.mounts()) {
    if (mount->listener == listener.name) info.mounts.push_back(describe_mount(*mount));
  }
  return info;
}

ListenerList Listeners::list() const {
  ListenerList list;
  for (const auto& listener : server_.listeners()) list.listeners.push_back(describe(listener));
  return list;
}

std::string Listeners::address_of(const std::string& name) const {
  for (const auto& open : server_.listeners()) {
    if (open.name == name) return describe(open).address;
  }
  return {};
}

/// Listeners outlive who opened them: a plugin that starts again may have another token, or find
/// that somebody else came first. Asked for without one, a listener keeps what it has.
void Listeners::renew_token(const ListenRequest& wanted) {
  if (wanted.bearer_token.empty()) return;
  const auto own = settings_.listeners.find(wanted.listener);
  if (own != settings_.listeners.end() && !own->second.token.empty()) return;  // which wins
  server_.set_token(wanted.listener, wanted.bearer_token);
}

Result<ListenerInfo> Listeners::listen(const ListenRequest& wanted) {
  if (wanted.listener.empty()) return invalid_argument("a listener needs a name");
  std::unique_lock lock(mutex_);
  for (const auto& open : server_.listeners()) {
    if (open.name != wanted.listener) continue;
    renew_token(wanted);
    return describe(open);
  }
  auto opened = server_.listen(listener_options(settings_, wanted));
  lock.unlock();  // never held while the host is called
  if (const auto* failure = std::get_if<ListenFailure>(&opened)) {
    host_.failed("listener." + wanted.listener, failure->message,
                 "set plugins.transport.config.listeners." + wanted.listener +
                     ".address to another port or address");
    return to_error(*failure);
  }
  host_.healthy("listener." + wanted.listener);
  return describe(std::get<BoundListener>(opened));
}

std::shared_ptr<MountHandler> Listeners::make_handler(const HttpRoute& route,
                                                      const std::string& owner) {
  BridgeOptions options;
  options.target = owner;
  options.route = route.id;
  options.timeout = std::chrono::milliseconds(settings_.request_timeout_ms);
  options.queue_limit = settings_.limits.send_queue_bytes;
  switch (route.kind) {
    case gantry::MountKind::Exchange: return make_exchange_bridge(host_, std::move(options));
    case gantry::MountKind::WebSocket:
      return make_ws_bridge(host_, std::move(options), route.subprotocols);
    case gantry::MountKind::Request: break;
  }
  return make_call_bridge(host_, std::move(options));
}

std::vector<std::shared_ptr<Mount>> Listeners::make_mounts(const MountRequest& wanted,
                                                           const std::string& owner) {
  std::shared_ptr<Authenticator> authenticator;
  if (!wanted.bearer_token.empty()) {
    authenticator = make_bearer_authenticator(wanted.bearer_token, "token");
  }
  std::vector<HttpRoute> routes = wanted.routes;
  if (wanted.not_found_id) {
    HttpRoute rest;
    rest.path = "/*";
    rest.id = *wanted.not_found_id;
    rest.methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    rest.require_json_for_browsers = false;  // the plugin only says that there is nothing
    routes.push_back(std::move(rest));
  }
  std::vector<std::shared_ptr<Mount>> mounts;
  for (const HttpRoute& route : routes) {
    auto mount = std::make_shared<Mount>();
    mount->catch_all = wanted.not_found_id && &route == &routes.back();
    mount->owner = owner;
    mount->listener = wanted.listener;
    mount->host = wanted.host;
    mount->path = wanted.prefix + route.path;
    mount->methods = route.methods;
    const bool socket = route.kind == gantry::MountKind::WebSocket;
    mount->kind = socket ? MountKind::kWebSocket : MountKind::kRequest;
    if (mount->methods.empty() && !socket) mount->methods = {"GET"};
    if (!route.open) mount->authenticator = authenticator;
    mount->open = route.open && authenticator;
    mount->own_authentication = wanted.own_authentication || mount->open;
    mount->json_posts_only = route.require_json_for_browsers;
    mount->body_bytes = static_cast<size_t>(std::max<std::int64_t>(route.max_body, 0));
    mount->message_bytes = static_cast<size_t>(std::max<std::int64_t>(route.max_message, 0));
    mount->close_answer_ms = std::max<std::int64_t>(route.close_answer, 0);
    mount->error_template = wanted.error_template;
    mount->handler = make_handler(route, owner);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

MountRequest Listeners::placed(const MountRequest& asked, const std::string& owner) const {
  MountRequest wanted = asked;
  const auto place = settings_.mounts.find(owner);
  if (place == settings_.mounts.end()) return wanted;
  wanted.prefix = place->second.prefix + asked.prefix;
  if (!place->second.host.empty()) wanted.host = place->second.host;
  return wanted;
}

Result<Done> Listeners::mount(const MountRequest& asked, const std::string& owner) {
  const MountRequest wanted = placed(asked, owner);
  const auto made = make_mounts(wanted, owner);
  const Mounts mounts(made.begin(), made.end());
  const std::string place =
      owner + '\n' + wanted.listener + '\n' + wanted.host + '\n' + wanted.prefix;
  {
    const std::lock_guard lock(mutex_);
    Mounts& current = mounts_[place];
    if (auto failure = server_.exchange(current, mounts)) return to_error(std::move(*failure));
    current = mounts;
  }
  log_serving(wanted.listener);
  folders_.listener_serves(wanted.listener);
  return Done{};
}

void Listeners::log_serving(const std::string& listener) {
  std::string address;
  {
    const std::lock_guard lock(mutex_);
    if (!serving_.insert(listener).second) return;
    address = address_of(listener);
  }
  host_.log().info("listening on " + address);
}

}  // namespace gantry::transport
