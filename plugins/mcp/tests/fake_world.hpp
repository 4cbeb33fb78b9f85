// SPDX-License-Identifier: Apache-2.0
#pragma once
// A client, a source and a clock in memory, for tests of the protocol without a host.

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "core.hpp"

namespace gantry::mcp {

class FakeEnvironment final : public Environment {
 public:
  [[nodiscard]] std::int64_t now_ns() const override { return now; }
  [[nodiscard]] std::shared_ptr<void> after(Duration, std::function<void()>) override {
    return nullptr;
  }
  void warn(std::string_view message, std::string_view) override { warnings.emplace_back(message); }

  std::int64_t now = 1;
  std::vector<std::string> warnings;
};

/// Keeps what is sent to the client.
class Recorder final : public Outlet {
 public:
  [[nodiscard]] bool streams() const override { return true; }
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void respond(std::string message, int code) override {
    response = std::move(message);
    status = code;
  }
  void come_back(std::int64_t) override {}

  [[nodiscard]] boost::json::value answer() const {
    return response.empty() ? boost::json::value() : boost::json::parse(response);
  }

  std::vector<std::string> sent;
  std::string response;
  int status = 0;
};

/// The run of a fake tool; the test plays the plugin.
struct FakeRun final : Run {
  void answer(AskAnswer one) override { answers.push_back(std::move(one)); }
  void cancel() override { cancelled = true; }

  ToolCallRequest request;
  ToolEvents events;
  std::vector<AskAnswer> answers;
  bool cancelled = false;
};

class FakeSource : public Source {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  void list_tools(Done<std::vector<ToolDescription>> done) override { done(tools); }
  void list_resources(Done<std::vector<ResourceDescription>> done) override {
    ResourceDescription one;
    one.uri = "fake://one";
    one.name = "one";
    done(std::vector{one});
  }
  void list_templates(Done<std::vector<ResourceTemplate>> done) override {
    done(std::vector<ResourceTemplate>());
  }
  void list_prompts(Done<std::vector<PromptDescription>> done) override {
    PromptDescription greet;
    greet.name = "greet";
    greet.parameters.push_back({"who", "", "", true});
    done(std::vector{greet});
  }
  std::shared_ptr<Run> run_tool(ToolCallRequest request, ToolEvents events) override {
    auto run = std::make_shared<FakeRun>();
    run->request = std::move(request);
    run->events = std::move(events);
    runs.push_back(run);
    return run;
  }
  std::shared_ptr<Run> get_prompt(PromptRequest request, PromptEvents events) override {
    PromptUpdate update;
    update.prompt.emplace();
    PromptMessage message;
    message.content.text = "Hello, " + request.arguments["who"];
    update.prompt->messages.push_back(std::move(message));
    events.update(update);
    return std::make_shared<FakeRun>();
  }
  void read_resource(ResourceReadRequest request, Done<ResourceContents> done) override {
    if (request.uri != "fake://one") return done(not_found({}));
    ContentBlock block;
    block.kind = ContentKind::Resource;
    block.uri = request.uri;
    block.text = "contents";
    ResourceContents contents;
    contents.contents.push_back(std::move(block));
    done(std::move(contents));
  }
  void complete(CompletionRequest request, Done<Completions> done) override {
    if (request.prompt != "greet") return done(not_found("nothing"));
    done(Completions{{"Ann", "Bob"}, 2, false});
  }

  std::vector<ToolDescription> tools;
  std::vector<std::shared_ptr<FakeRun>> runs;

 private:
  std::string name_ = "fake";
};

/// A server with one tool, `echo`, and a client.
class World {
 public:
  World() {
    ToolDescription echo;
    echo.name = "echo";
    echo.input_schema = Json(
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})");
    echo.output_schema = Json(R"({"type":"object"})");
    source->tools.push_back(std::move(echo));
    Peer peer;
    peer.principal = "local";
    peer.session = "test";
    connect(peer);
  }

  void connect(const Peer& peer) {
    connection = std::make_shared<Connection>(core, peer, aside);
    core.hub.add(connection);
  }

  /// Sends one message; what came back is in the recorder.
  std::shared_ptr<Recorder> send(const std::string& text, const Headers& headers = {}) {
    auto outlet = std::make_shared<Recorder>();
    Parsed parsed = parse_messages(text, kMostValues);
    for (Message& message : parsed.messages) {
      (void)connection->handle(std::move(message), outlet, headers);
    }
    return outlet;
  }

  void initialize(const std::string& revision, const std::string& capabilities = "{}") {
    send(R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":")" +
         revision + R"(","capabilities":)" + capabilities +
         R"(,"clientInfo":{"name":"test","version":"1"}}})");
  }

  FakeEnvironment environment;
  std::shared_ptr<FakeSource> source = std::make_shared<FakeSource>();
  Sources others;  ///< Asked after `source`.
  Core core{environment, Settings{}, [this](std::function<void(Sources)> done) {
              Sources all{source};
              all.insert(all.end(), others.begin(), others.end());
              done(std::move(all));
            }};
  std::shared_ptr<Recorder> aside = std::make_shared<Recorder>();
  std::shared_ptr<Connection> connection;
};

}  // namespace gantry::mcp
