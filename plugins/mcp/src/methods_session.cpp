// SPDX-License-Identifier: Apache-2.0
// Beginning, and what belongs to no kind of offer: initialize, server/discover, ping, levels,
// subscriptions.
#include <array>

#include "connection.hpp"
#include "echo.hpp"
#include "instructions.hpp"
#include "methods.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

using CallPtr = std::shared_ptr<Call>;

constexpr const char* kTooManySubscriptions =
    "a client may subscribe to 256 resources at once; unsubscribe from some first";
constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

void initialize(Connection& connection, const CallPtr& call) {
  const auto wanted = text_member(call->params(), "protocolVersion");
  if (!wanted) return call->invalid_params("`protocolVersion` must be a string");
  const json::object* capabilities = object_member(call->params(), "capabilities");
  const json::object* client = object_member(call->params(), "clientInfo");
  const Revision& revision = negotiate(*wanted);
  connection.initialized(
      revision, capabilities == nullptr ? ClientAbilities{} : read_abilities(*capabilities),
      client == nullptr ? "" : text_member(*client, "name").value_or(""));
  const Settings& settings = connection.core().settings;
  ObjectText result;
  result.add("protocolVersion", revision.name);
  result.raw("capabilities", capabilities_json(revision));
  result.raw("serverInfo", implementation_json(settings.server, revision));
  result.add_if("instructions", instructions(settings.server));
  call->answer(std::move(result));
}

void discover(Connection& connection, const CallPtr& call) {
  const Settings& settings = connection.core().settings;
  ObjectText result;
  result.raw("supportedVersions", revision_names_json());
  result.raw("capabilities", capabilities_json(call->revision()));
  result.add_if("instructions", instructions(settings.server));
  result.add("ttlMs", settings.list_ttl);
  result.add("cacheScope", "public");
  call->answer(std::move(result));
}

void ping(Connection&, const CallPtr& call) { call->answer({}); }

void set_level(Connection& connection, const CallPtr& call) {
  const auto name = text_member(call->params(), "level");
  const auto level = name ? read_level(*name) : std::nullopt;
  if (!level) {
    return call->invalid_params(
        "`level` must be debug, info, notice, warning, error, critical, alert or emergency, "
        "found '" +
        echoed(name.value_or("nothing")) + "'");
  }
  connection.set_level(*level);
  call->answer({});
}

void subscribe(Connection& connection, const CallPtr& call) {
  const auto uri = text_member(call->params(), "uri");
  if (!uri) return call->invalid_params("`uri` must be a string");
  if (uri->size() > kLongestEcho) return call->invalid_params(kUriTooLong);
  const std::weak_ptr<Connection> weak = connection.weak_from_this();
  connection.core().catalog.may_watch({{*uri}, call->caller()},
                                      [weak, call, uri = *uri](Result<void> may) {
                                        const auto alive = weak.lock();
                                        if (!alive || call->over()) return;
                                        if (!may.ok()) return call->fail(refusal(may.error(), uri));
                                        if (!alive->subscribe(uri))
                                          return call->invalid_params(kTooManySubscriptions);
                                        call->answer({});
                                      });
}

void unsubscribe(Connection& connection, const CallPtr& call) {
  const auto uri = text_member(call->params(), "uri");
  if (!uri) return call->invalid_params("`uri` must be a string");
  connection.unsubscribe(*uri);
  call->answer({});
}

/// Why what a listener wants is not taken; empty: it is.
std::string problem_of(const json::object& filter) {
  const json::value* uris = member(filter, "resourceSubscriptions");
  if (uris == nullptr || !uris->is_array()) return {};
  if (uris->get_array().size() > kMostSubscriptions) return kTooManySubscriptions;
  for (const json::value& uri : uris->get_array()) {
    if (uri.is_string() && uri.get_string().size() > kLongestEcho) return kUriTooLong;
  }
  return {};
}

/// One subscriptions/listen under way: only what its client asked for goes out.
class Listening final : public Listener {
 public:
  Listening(const CallPtr& call, const json::object& filter)
      : call_(call),
        tools_(wants(filter, "toolsListChanged")),
        prompts_(wants(filter, "promptsListChanged")),
        resources_(wants(filter, "resourcesListChanged")) {
    const json::value* uris = member(filter, "resourceSubscriptions");
    if (uris == nullptr || !uris->is_array()) return;
    for (const json::value& uri : uris->get_array()) {
      if (uri.is_string()) uris_.insert(std::string(uri.get_string()));
    }
  }

  void acknowledge() {
    ObjectText accepted;
    if (tools_) accepted.add("toolsListChanged", true);
    if (prompts_) accepted.add("promptsListChanged", true);
    if (resources_) accepted.add("resourcesListChanged", true);
    if (!uris_.empty()) {
      ArrayText uris;
      for (const std::string& uri : uris_) uris.add(uri);
      accepted.raw("resourceSubscriptions", uris.text());
    }
    tell("notifications/subscriptions/acknowledged",
         ObjectText().raw("notifications", accepted.text()));
  }

  void on_changed(Changed what) override {
    if (what == Changed::Tools && tools_) tell("notifications/tools/list_changed", {});
    if (what == Changed::Prompts && prompts_) tell("notifications/prompts/list_changed", {});
    if (what == Changed::Resources && resources_) tell("notifications/resources/list_changed", {});
  }
  void on_resource(const std::string& uri) override {
    if (uris_.contains(uri)) {
      tell("notifications/resources/updated", ObjectText().add("uri", uri));
    }
  }
  [[nodiscard]] const std::set<std::string>& wanted() const override { return uris_; }

 private:
  static bool wants(const json::object& filter, std::string_view key) {
    const json::value* value = member(filter, key);
    return value != nullptr && value->is_bool() && value->get_bool();
  }
  void tell(std::string_view method, ObjectText params) {
    const auto call = call_.lock();
    if (!call) return;
    params.raw("_meta", ObjectText().raw(kSubscriptionKey, call->facts().id).text());
    call->notify(method, params.text());
  }

  std::weak_ptr<Call> call_;
  bool tools_, prompts_, resources_;
  std::set<std::string> uris_;
};

void begin_listening(Connection& connection, const CallPtr& call,
                     const std::shared_ptr<Listening>& listening) {
  if (!connection.listen(*call, listening->wanted().size())) {
    return call->invalid_params(kTooManySubscriptions);
  }
  listening->acknowledge();
  connection.core().hub.add(listening);
  connection.core().hub.subscribed();
  // The call keeps it alive, and nothing but its end ends it.
  call->on_cancel([listening] {});
}

void listen(Connection& connection, const CallPtr& call) {
  const json::object* filter = object_member(call->params(), "notifications");
  if (filter == nullptr) return call->invalid_params("`notifications` must be an object");
  if (std::string reason = problem_of(*filter); !reason.empty()) {
    return call->invalid_params(std::move(reason));
  }
  // From here on it is given up when its client hangs up, also while the sources are asked.
  call->set_fragile(true);
  auto listening = std::make_shared<Listening>(call, *filter);
  const std::set<std::string>& uris = listening->wanted();
  const std::weak_ptr<Connection> weak = connection.weak_from_this();
  connection.core().catalog.may_watch({{uris.begin(), uris.end()}, call->caller()},
                                      [weak, call, listening](Result<void> may) {
                                        const auto alive = weak.lock();
                                        if (!alive || call->over()) return;
                                        if (!may.ok()) return call->fail(refusal(may.error()));
                                        begin_listening(*alive, call, listening);
                                      });
}

constexpr std::array<Method, 7> kSessionMethods{{
    {"initialize", initialize, true, false, true},
    {"ping", ping, true, false, true},
    {"server/discover", discover, false, true},
    {"logging/setLevel", set_level, true, false},
    {"resources/subscribe", subscribe, true, false},
    {"resources/unsubscribe", unsubscribe, true, false},
    {"subscriptions/listen", listen, false, true},
}};

}  // namespace

std::span<const Method> session_methods() { return kSessionMethods; }

}  // namespace gantry::mcp
