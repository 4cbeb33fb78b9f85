// SPDX-License-Identifier: Apache-2.0
#include <gantry/contract.hpp>
#include <gantry/contracts/channel.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/turn_ended.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>
#include <gantry/startup.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "artifact_shelf.hpp"
#include "artifact_tools.hpp"
#include "chats.hpp"
#include "exchange.hpp"
#include "outgoing.hpp"
#include "records.hpp"
#include "routes.hpp"
#include "settings.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::int64_t kMaxMessage = 100LL << 20;
/// Messages of one client on their way to the plugin.
constexpr std::uint32_t kFramesInFlight = 4;

class ChatCortaskPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json(), process_environment()));
    workspaces_ = std::make_unique<Workspaces>(host(), settings_);
    records_ = std::make_unique<Records>(host(), settings_);
    startup_ = std::make_unique<Startup>(host(), [this]() -> Result<void> {
      GANTRY_TRY(records_->load());
      return workspaces_->load();
    });
    chats_ = std::make_unique<Chats>(host(), settings_, *workspaces_, *records_, *startup_);
    services_ = std::make_unique<Services>(
        Services{host(), settings_, *workspaces_, *chats_, *records_, artifacts_});
    tools_.set_callers({"agent_engine"});
    GANTRY_TRY(tools_.serve(artifact_tools(*services_)));
    GANTRY_TRY(host().bus().serve<HttpHandle>([this](const Ref<HttpRequest>& request,
                                                     const CallInfo&, Reply<HttpHandle> reply) {
      auto answer = std::make_shared<Reply<HttpHandle>>(std::move(reply));
      const auto exchange =
          std::make_shared<Exchange>(*services_, request, [request, answer](HttpResponse response) {
            allow_origin(*request, response);
            (*answer)(std::move(response));
          });
      startup_->when_loaded([exchange](const Result<void>& loaded) {
        if (!loaded.ok()) return exchange->fail(loaded.error());
        serve(exchange);
      });
    }));
    GANTRY_ASSIGN(channel_changes_,
                  host().bus().subscribe<ChannelChanged>([this](const ChannelInfo& info) {
                    ChannelStatusFrame frame;
                    frame.channelId = info.id;
                    frame.running = info.running;
                    frame.authenticated = info.running && info.authenticated;
                    chats_->broadcast(to_json(frame));
                  }));
    GANTRY_ASSIGN(channel_answers_, host().bus().subscribe<ChannelAnswered>(
                                        [this](const ChannelAnsweredEvent& event) {
                                          SessionRefreshFrame frame;
                                          frame.workspaceId = event.workspace;
                                          chats_->broadcast(to_json(frame));
                                        }));
    GANTRY_ASSIGN(workspace_changes_, host().bus().subscribe<WorkspaceChanged>(
                                          [this](const WorkspaceChangedEvent& event) {
                                            if (event.principal == kPrincipal) read_workspaces();
                                          }));
    GANTRY_ASSIGN(turn_ends_, host().bus().subscribe<TurnEnded>(
                                  [this](const TurnEndedEvent& turn) { count(turn); }));
    return serve_websockets(host(), kFramesInFlight,
                            [this](const WsOpening&, Stream<WsMessage> down) {
                              return chats_->accept(std::move(down));
                            });
  }

  /// Waits for the listener, so that a daemon that says it is ready is reachable; a failure is the
  /// start's, and the kernel tries again. The store may open later: what needs it waits.
  Result<void> start() override {
    startup_->begin();
    GANTRY_ASSIGN(const auto listener, listen());
    settings_.port = listener->port;  // what clients are told
    GANTRY_TRY(host().bus().call_wait<HttpMount>(mounts()));
    host().healthy("listener");
    tools_.announce();
    host().log().info("Cortask gateway running", {{"address", listener->address}});
    return {};
  }

  void stop(Deadline) override {
    tools_.stop();
    chats_->close();
  }

 private:
  /// Chats, jobs, messages of channels and single prompts: all that its people had made.
  void count(const TurnEndedEvent& turn) {
    if (turn.session.principal != kPrincipal) return;
    startup_->when_loaded([this, turn](const Result<void>& loaded) {
      const auto from = [&turn](std::string_view caller) {
        return turn.caller.starts_with(caller);
      };
      const bool ours = from("chat_cortask") || from("scheduler:") || from("channel_") ||
                        workspaces_->find(turn.session.workspace) != nullptr;
      if (!loaded.ok() || !ours) return;
      records_->count_run(turn.provider, turn.model, turn.input_tokens, turn.output_tokens);
    });
  }

  void read_workspaces() {
    startup_->when_loaded([this](const Result<void>& loaded) {
      if (loaded.ok()) workspaces_->refresh();
    });
  }

  /// The configured port, or the next one that is free: existing shells look for it there.
  Result<Ref<ListenerInfo>> listen() {
    ListenRequest request = listen_request(settings_, settings_.listener, !settings_.token.empty());
    if (!settings_.cors_origin.empty()) request.allowed_origins = {settings_.cors_origin};
    const std::int64_t tries =
        settings_.port == 0 ? 1 : std::max<std::int64_t>(1, settings_.port_search);
    for (std::int64_t i = 0;; ++i) {
      request.port = static_cast<std::int32_t>(settings_.port + i);
      auto listener = host().bus().call_wait<HttpListen>(request);
      if (listener.ok()) return listener;
      const bool taken = listener.error().code == Code::AlreadyExists;
      if (taken && i + 1 < tries && request.port < 65535) continue;
      return listen_failure(listener.error(), host().name());
    }
  }

  [[nodiscard]] MountRequest mounts() const {
    MountRequest mount;
    mount.listener = settings_.listener;
    mount.bearer_token = settings_.token;
    HttpRoute socket;
    socket.kind = MountKind::WebSocket;
    socket.path = "/ws";
    socket.id = "ws";
    socket.max_message = kMaxMessage;
    mount.routes.push_back(std::move(socket));
    HttpRoute api = route_of_every_method("/api/*");
    api.id = "api";
    // A page posts without a body and then names no type; what has a body is judged in serve().
    api.require_json_for_browsers = false;
    mount.routes.push_back(std::move(api));
    mount.error_template = R"({"error":{message}})";
    return mount;
  }

  Settings settings_;
  Subscription channel_changes_;
  Subscription channel_answers_;
  Subscription workspace_changes_;
  Subscription turn_ends_;
  std::unique_ptr<Workspaces> workspaces_;
  std::unique_ptr<Records> records_;
  std::unique_ptr<Startup> startup_;
  std::unique_ptr<Chats> chats_;
  std::unique_ptr<Services> services_;
  ArtifactShelf artifacts_;
  tools::ToolServer tools_{host()};
};

}  // namespace
}  // namespace gantry::chat_cortask

GANTRY_PLUGIN(gantry::chat_cortask::ChatCortaskPlugin, "chat_cortask", "0.1.0")
