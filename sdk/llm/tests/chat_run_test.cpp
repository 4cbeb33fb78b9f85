// SPDX-License-Identifier: Apache-2.0
// One chat after the other with a provider of the test's own.
#include <catch2/catch.hpp>
#include <gantry/http/pool.hpp>
#include <gantry/llm/chat_run.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/loopback.hpp>
#include <gantry/testkit/probe.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

using namespace gantry;

namespace {

/// Answers every request with all but the last chunk of its transfer coding, or says the same for
/// ever.
class Server {
 public:
  explicit Server(std::string endless = {}) : endless_(std::move(endless)) {}
  ~Server() {
    listener_.stop();
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return listener_.url(); }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int requests() const { return requests_; }
  /// Ends the answer. Called while the client has the rest of it.
  void send_last_chunk() { send(client_, "0\r\n\r\n"); }

 private:
  void serve() {
    for (int client = -1; (client = listener_.accept()) >= 0;) {
      ++connections_;
      client_ = client;
      while (read_request(client)) {
        ++requests_;
        if (!endless_.empty()) {
          say_for_ever(client);
          break;
        }
        send(client,
             "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
             "\r\n17\r\ndata: a\n\ndata: [DONE]\n\n\r\n");
      }
      ::close(client);
    }
  }
  static bool send(int client, std::string_view bytes) {
    return ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0;
  }
  void say_for_ever(int client) const {
    send(client, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    while (send(client, endless_)) {
    }
  }
  static bool read_request(int client) {
    std::string text;
    char bytes[4096];
    while (!text.ends_with("\r\n\r\n{}")) {
      const auto count = ::recv(client, bytes, sizeof bytes, 0);
      if (count <= 0) return false;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
  }

  const std::string endless_;
  testkit::LoopbackListener listener_;
  std::atomic<int> client_{-1};
  std::atomic<int> connections_{0};
  std::atomic<int> requests_{0};
  std::thread thread_{[this] { serve(); }};  // last: all else is there when it begins
};

class WordsReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;
  void event(const llm::SseEvent& event) override {
    if (event.data == "[DONE]") return finish(LlmFinishReason::Stop);
    answer_.text(event.data);
  }
};

class WordsDialect final : public llm::Dialect {
 public:
  [[nodiscard]] Result<llm::HttpRequest> chat_request(const LlmChatRequest&,
                                                      const llm::Endpoint& endpoint,
                                                      const LlmModel&) const override {
    return llm::HttpRequest{"POST", endpoint.base_url, {}, "{}"};
  }
  [[nodiscard]] std::unique_ptr<llm::ChatReader> reader(const LlmChatRequest&,
                                                        const llm::Endpoint& endpoint,
                                                        llm::Answer& answer) const override {
    return std::make_unique<WordsReader>(answer, endpoint);
  }
  void describe(LlmModel&, const llm::Endpoint&) const override {}
  [[nodiscard]] std::vector<std::string> well_known(const llm::Endpoint&) const override {
    return {};
  }
  [[nodiscard]] llm::HttpRequest models_request(const llm::Endpoint&,
                                                const std::string&) const override {
    return {};
  }
  [[nodiscard]] std::vector<LlmModel> read_models(std::string_view, const llm::Endpoint&,
                                                  std::string&) const override {
    return {};
  }
};

/// Asks once; `finishing` runs on the thread that reads, when all of the answer is known and before
/// its end is told.
struct Chats {
  testkit::FakeHost kit;
  WordsDialect dialect;
  llm::Endpoint endpoint;
  llm::Limits limits;
  std::shared_ptr<llm::ChatRun> run;

  explicit Chats(const std::string& url) {
    endpoint.name = "words";
    endpoint.base_url = url;
    endpoint.http.direct = true;
    endpoint.http.pool = std::make_shared<http::HttpPool>([] { return std::int64_t{0}; },
                                                          std::chrono::seconds(60), 4);
  }
  struct Told {
    Error end;
    std::string text;
  };
  Told ask(const std::string& name, std::function<void()> finishing) {
    auto& bus = kit.host(name).bus();
    REQUIRE(
        bus.serve_stream<LlmChat>([&](const Ref<LlmChatRequest>& request, const CallInfo&,
                                      Stream<LlmChunk> down) -> Result<StreamHandlers<Nothing>> {
             const auto answer =
                 std::make_shared<llm::Answer>(std::move(down), name, "m", [finishing] {
                   finishing();
                   return std::int64_t{1};
                 });
             run = std::make_shared<llm::ChatRun>(
                 kit.host(name), dialect, llm::ChatRun::Question{request, endpoint, LlmModel{}},
                 limits, answer, [] {});
             run->start();
             StreamHandlers<Nothing> handlers;
             handlers.on_writable = [answer] { answer->writable(); };
             return handlers;
           })
            .ok());
    testkit::StreamProbe<LlmChat> probe(kit.host(), {});
    kit.pump();
    kit.advance(limits.max_retry_wait);
    REQUIRE(probe.ends().size() == 1);
    Told told{probe.ends()[0], {}};
    for (const LlmChunk& chunk : probe.all()) {
      if (chunk.kind == LlmChunkKind::Text) told.text += chunk.text;
    }
    kit.unload(name);
    return told;
  }
};

}  // namespace

TEST_CASE("whoever leaves after the answer does not take its connection along") {
  Server server;
  Chats chats(server.url());
  const auto leave = [&] {
    chats.run->leave();
    server.send_last_chunk();
  };
  CHECK(chats.ask("first", leave).text == "a");
  CHECK(chats.ask("second", leave).text == "a");
  CHECK(server.requests() == 2);
  CHECK(server.connections() == 1);
}

TEST_CASE("an answer without an end is given up when it is larger than answers are") {
  const auto end_of = [](const std::string& event, const llm::Limits& limits) {
    Server server(event);
    Chats chats(server.url());
    chats.limits = limits;
    return chats.ask("words", [] {}).end;
  };
  const std::string words(10'000, 'x');
  llm::Limits limits;
  limits.answer = 1'000'000;
  CHECK(end_of(": " + words + "\n\n", limits).message ==
        "words: the answer is larger than anybody takes");
  limits = {};
  limits.words = 1'000'000;
  CHECK(end_of("data: " + words + "\n\n", limits).message ==
        "words: the answer is larger than anybody takes");
}
