// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/user.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "server.hpp"
#include "settings.hpp"

namespace gantry::chat_aide {
namespace {

constexpr std::int64_t kMaxFrame = 32 << 20;  // beyond it the transport closes with 1009
constexpr std::int64_t kLastFrames = 5'000;   // ms for them after the client's close
constexpr std::uint32_t kFramesInFlight = 8;
constexpr std::int64_t kWeekMs = 604'800'000;
constexpr std::int64_t kNsPerMs = 1'000'000;

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

HttpRoute route_of(std::string id, std::string path, std::vector<std::string> methods) {
  HttpRoute route;
  route.id = std::move(id);
  route.path = std::move(path);
  route.methods = std::move(methods);
  route.require_json_for_browsers = false;  // forms; the cookie is SameSite=Strict
  return route;
}

class ChatAidePlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
    if (settings.auth == "none" && !is_loopback(settings.host)) {
      return invalid_argument(
          "auth: none lets everybody in; it needs a loopback address as host, "
          "or set auth: password");
    }
    server_ = std::make_unique<Server>(host(), std::move(settings));
    GANTRY_TRY(serve_websockets(host(), kFramesInFlight,
                                [this](const WsOpening& opening, Stream<WsMessage> down) {
                                  return server_->accept(opening, std::move(down));
                                }));
    GANTRY_TRY(host().bus().serve<HttpHandle>(
        [this](const Ref<HttpRequest>& request, const CallInfo&, Reply<HttpHandle> reply) {
          server_->handle(*request, std::move(reply));
        }));
    return serve_users();
  }

  Result<void> start() override {
    const Settings& settings = server_->settings();
    GANTRY_ASSIGN(
        const auto listener,
        open_listener(host(), listen_request(settings, settings.listener, settings.auth != "none"),
                      mounts()));
    address_ = listener->address;
    GANTRY_TRY(server_->begin());
    server_->users().load_key();
    tell_reachable(host(), "aide chat", address_);
    return {};
  }

  void stop(Deadline) override { server_->close(); }

 private:
  [[nodiscard]] MountRequest mounts() const {
    MountRequest mount;
    mount.listener = server_->settings().listener;
    mount.own_authentication = server_->settings().auth != "none";
    mount.routes = {route_of("page", "/", {"GET"}), route_of("login", "/login", {"GET", "POST"}),
                    route_of("logout", "/logout", {"POST"}),
                    route_of("link", "/link/{token}", {"GET"})};
    HttpRoute socket = route_of("ws", "/ws/{session_id}", {});
    socket.kind = MountKind::WebSocket;
    socket.max_message = kMaxFrame;
    socket.close_answer = kLastFrames;
    mount.routes.push_back(std::move(socket));
    return mount;
  }

  /// `work(request, then)`.
  template <class C, class F>
  Result<void> serve(F work) {
    return host().bus().serve<C>(
        [work](const Ref<typename C::Request>& request, const CallInfo&, Reply<C> reply) {
          auto answer = std::make_shared<Reply<C>>(std::move(reply));
          work(*request,
               [answer](Result<typename C::Response> result) { (*answer)(std::move(result)); });
        });
  }

  Result<void> serve_users() {
    GANTRY_TRY(serve<UserAdd>([this](const UserAddRequest& request, auto then) {
      server_->users().add(request, [this, request, then](const Result<Done>& added) {
        if (added.ok() && request.replace) server_->sign_out(request.name);
        then(added);
      });
    }));
    GANTRY_TRY(serve<UserRemove>([this](const UserRemoveRequest& request, auto then) {
      server_->users().remove(request.name, [this, request, then](const Result<Done>& removed) {
        if (removed.ok()) server_->sign_out(request.name);
        then(removed);
      });
    }));
    GANTRY_TRY(serve<UserList>(
        [this](const Nothing&, auto then) { server_->users().list(std::move(then)); }));
    return serve<UserLink>([this](const UserLinkRequest& request, auto then) {
      if (request.lifetime_ms < 1 || request.lifetime_ms > kWeekMs) {
        return then(invalid_argument("a link works for up to a week"));
      }
      const std::int64_t expires = host().wall_ns() / kNsPerMs + request.lifetime_ms;
      server_->users().link(request.name, expires,
                            [this, expires, then](const Result<std::string>& token) {
                              if (!token.ok()) return then(token.error());
                              const std::string& url = server_->settings().public_url;
                              const std::string base = url.empty() ? address_ : url;
                              then(UserLinked{base + "/link/" + *token, expires});
                            });
    });
  }

  std::unique_ptr<Server> server_;
  std::string address_;
};

}  // namespace
}  // namespace gantry::chat_aide

GANTRY_PLUGIN(gantry::chat_aide::ChatAidePlugin, "chat_aide", "0.1.0")
