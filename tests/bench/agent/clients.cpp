// SPDX-License-Identifier: Apache-2.0
// Clients of the agent WebSocket: every conversation asks, reads the turn to its end and asks
// again.
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <memory>

#include "agent_load.hpp"

namespace gantry::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace json = boost::json;
using asio::ip::tcp;
using Socket = beast::websocket::stream<beast::tcp_stream>;

constexpr int kTurnsOfConversation = 10;

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

struct Totals {
  std::vector<std::int64_t> first_ns;  // message sent to first byte at the model
  std::vector<std::int64_t> frame_ns;  // piece sent by the model to frame at the client
  // Of these, the first one of each turn, the last one, and those between.
  std::vector<std::int64_t> first_piece_ns, last_piece_ns, other_pieces_ns;
  std::int64_t turns = 0, failed = 0, events = 0;
  std::vector<std::string> recorded;
  std::string problem;  // of the first failure
};

struct Conversation {
  std::string name;
  int turns_left = 0;
  int turns_asked = 0;
  std::int64_t pieces = 0;
  std::string answer;  // the frames with its pieces
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  /// One of `clients`, the `index`-th.
  Client(asio::io_context& context, const LoadOptions& options, Totals& totals, std::string token,
         std::size_t index, std::size_t clients)
      : socket_(context),
        options_(options),
        totals_(totals),
        token_(std::move(token)),
        index_(index),
        clients_(clients),
        frames_(lines_of(options.frames)) {
    for (int i = 0; i < options.per_user; ++i) {
      const std::string name = "c" + std::to_string(i);
      conversations_[name] = {name, options.turns, 0, 0, {}};
    }
    if (options.spread_ms > 0) waiting_ = options.per_user;
  }

  asio::awaitable<void> connect() {
    const tcp::endpoint there(asio::ip::address_v4::loopback(), options_.port);
    auto& tcp_stream = beast::get_lowest_layer(socket_);
    co_await tcp_stream.async_connect(there, asio::use_awaitable);
    tcp_stream.socket().set_option(tcp::no_delay(true));
    tcp_stream.expires_never();
    socket_.set_option(
        beast::websocket::stream_base::decorator([this](beast::websocket::request_type& request) {
          request.set(beast::http::field::authorization, "Bearer " + token_);
        }));
    const std::string host = "127.0.0.1:" + std::to_string(options_.port);
    co_await socket_.async_handshake(host, options_.path, asio::use_awaitable);
    if (options_.echo) co_return;
    const std::string hello = R"({"type":"handshake","user_id":"bench"})";
    const auto buffer = asio::buffer(hello);
    co_await socket_.async_write(buffer, asio::use_awaitable);
    beast::flat_buffer in;
    co_await socket_.async_read(in, asio::use_awaitable);
    in.clear();
    co_await socket_.async_read(in, asio::use_awaitable);
  }

  /// Answers pings, as an idle client does.
  asio::awaitable<void> stay() {
    const auto self = shared_from_this();
    beast::error_code ended;
    while (!ended) {
      beast::flat_buffer in;
      co_await socket_.async_read(in, asio::redirect_error(asio::use_awaitable, ended));
    }
  }

  asio::awaitable<void> work() {
    const auto self = shared_from_this();
    try {
      if (options_.spread_ms > 0) {
        asio::co_spawn(socket_.get_executor(), begin_apart(), asio::detached);
      } else {
        for (auto& [name, conversation] : conversations_) ask(conversation);
      }
      while (open_ > 0 || waiting_ > 0) {
        beast::flat_buffer in;
        co_await socket_.async_read(in, asio::use_awaitable);
        take(std::string_view(static_cast<const char*>(in.data().data()), in.size()));
      }
    } catch (const std::exception& e) {
      for (auto& [name, conversation] : conversations_) {
        totals_.failed += conversation.turns_left;
      }
      if (totals_.problem.empty()) totals_.problem = e.what();
    }
  }

 private:
  /// The first conversation of each client, then the second of each, evenly over the whole time.
  asio::awaitable<void> begin_apart() {
    const auto self = shared_from_this();
    const auto begun = std::chrono::steady_clock::now();
    const auto all = static_cast<std::int64_t>(clients_ * conversations_.size());
    auto place = static_cast<std::int64_t>(index_);
    asio::steady_timer timer(socket_.get_executor());
    for (auto& [name, conversation] : conversations_) {
      timer.expires_at(begun + std::chrono::microseconds(1000 * options_.spread_ms * place / all));
      co_await timer.async_wait(asio::use_awaitable);
      --waiting_;
      ask(conversation);
      place += static_cast<std::int64_t>(clients_);
    }
  }

  void ask(Conversation& conversation) {
    ++open_;
    ++conversation.turns_asked;
    conversation.pieces = 0;
    conversation.answer.clear();
    if (!frames_.empty()) {
      asio::co_spawn(socket_.get_executor(), say_frames(), asio::detached);
      return;
    }
    // A conversation of its own for every ten turns, in every run: what is measured is a turn and
    // not its past.
    const std::string ref = conversation.name + "_" + std::to_string(::getpid()) + "_" +
                            std::to_string(conversation.turns_asked / kTurnsOfConversation);
    json::object payload{{"conversation_ref", ref},
                         {"text", std::string(kChunks) + std::to_string(options_.chunks) + ' ' +
                                      std::string(kGap) + std::to_string(options_.gap_us) + ' ' +
                                      std::string(kSent) + std::to_string(now_ns()) + " ;"}};
    if (options_.definition) payload["agent_definition"] = definition();
    const json::object query{
        {"id", conversation.name + "_" + std::to_string(conversation.turns_asked)},
        {"type", "query"},
        {"payload", std::move(payload)}};
    say(json::serialize(query));
  }

  /// As a turn's frames come: the pieces of the answer so far apart, all others with what is
  /// before.
  asio::awaitable<void> say_frames() {
    const auto self = shared_from_this();
    asio::steady_timer timer(socket_.get_executor());
    for (const std::string& frame : frames_) {
      if (options_.gap_us > 0 && is(frame, "streaming-response")) {
        timer.expires_after(std::chrono::microseconds(options_.gap_us));
        co_await timer.async_wait(asio::use_awaitable);
      }
      say(frame);
    }
  }

  void say(std::string text) {
    outbox_.push_back(std::move(text));
    if (outbox_.size() == 1) {
      asio::co_spawn(socket_.get_executor(), write_all(), asio::detached);
    }
  }

  /// As a client that brings a layer of the system prompt and no tools of its own.
  static json::object definition() {
    return {{"prompt_layers",
             json::array{{{"id", "bench.manner"},
                          {"type", "instructions"},
                          {"content", "Answer with the numbers that you were given."}}}},
            {"runtime", {{"operating_system", "linux"}}}};
  }

  asio::awaitable<void> write_all() {
    const auto self = shared_from_this();
    try {
      while (!outbox_.empty()) {
        const auto buffer = asio::buffer(outbox_.front());
        co_await socket_.async_write(buffer, asio::use_awaitable);
        outbox_.pop_front();
      }
    } catch (const std::exception&) {
      // The reader hears of it.
    }
  }

  /// Whether `text` is a frame of this type. The envelope begins with it.
  static bool is(std::string_view text, std::string_view type) {
    return text.substr(0, 64).find("\"type\":\"" + std::string(type) + '"') != text.npos;
  }

  Conversation& conversation_of(std::string_view text) {
    constexpr std::string_view kMark = "\"conversation_ref\":\"";
    const std::size_t at = text.find(kMark);
    if (at == text.npos) return conversations_.begin()->second;
    const std::size_t begin = at + kMark.size();
    return conversations_.at(std::string(text.substr(begin, text.find('_', begin) - begin)));
  }

  void take(std::string_view text) {
    const std::int64_t now = now_ns();
    ++totals_.events;
    if (options_.turns == 1 && !options_.record.empty()) totals_.recorded.emplace_back(text);
    if (is(text, "streaming-response")) {
      Conversation& conversation = conversation_of(text);
      conversation.answer += text;
      for (const std::int64_t first : numbers_after(text, kFirst)) {
        totals_.first_ns.push_back(first);
      }
      for (const std::int64_t sent : numbers_after(text, kPiece)) {
        ++conversation.pieces;
        if (!options_.echo) count_piece(conversation.pieces, now - sent);
      }
    } else if (is(text, "error")) {
      finish(conversation_of(text), std::string(text));
    } else if (is(text, "trace-event") && text.find("\"path\":\"backend.stream\"") != text.npos &&
               text.find("\"status\":\"started\"") == text.npos) {
      Conversation& conversation = conversation_of(text);
      const bool whole = options_.echo || conversation.pieces == options_.chunks;
      finish(conversation, whole ? std::string()
                                 : "an answer has " + std::to_string(conversation.pieces) +
                                       " pieces: " + conversation.answer);
    }
  }

  /// The `number`-th of its turn.
  void count_piece(std::int64_t number, std::int64_t took_ns) {
    totals_.frame_ns.push_back(took_ns);
    auto& of_kind = number == 1                 ? totals_.first_piece_ns
                    : number == options_.chunks ? totals_.last_piece_ns
                                                : totals_.other_pieces_ns;
    of_kind.push_back(took_ns);
  }

  void finish(Conversation& conversation, const std::string& problem) {
    --open_;
    --conversation.turns_left;
    ++(problem.empty() ? totals_.turns : totals_.failed);
    if (!problem.empty() && totals_.problem.empty()) totals_.problem = problem.substr(0, 4000);
    if (conversation.turns_left > 0) ask(conversation);
  }

  Socket socket_;
  const LoadOptions& options_;
  Totals& totals_;
  std::string token_;
  std::size_t index_;
  std::size_t clients_;
  std::vector<std::string> frames_;  // of an echo's turn
  std::map<std::string, Conversation> conversations_;
  std::deque<std::string> outbox_;
  int open_ = 0;
  int waiting_ = 0;  // conversations whose time to begin has not come
};

json::value percentiles(std::vector<std::int64_t>& ns) {
  if (ns.empty()) return nullptr;
  std::sort(ns.begin(), ns.end());
  const auto at = [&ns](double part) {
    const auto index = static_cast<std::size_t>(part * static_cast<double>(ns.size() - 1));
    return static_cast<double>(ns[index]) / 1000.0;
  };
  return json::object{{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", at(1)}, {"count", ns.size()}};
}

}  // namespace

int run_clients(const LoadOptions& options) {
  asio::io_context context(1);
  Totals totals;
  std::vector<std::shared_ptr<Client>> clients;
  const auto tokens = lines_of(options.token_file);
  for (const std::string& token : tokens) {
    clients.push_back(
        std::make_shared<Client>(context, options, totals, token, clients.size(), tokens.size()));
  }
  std::string refused;
  for (const auto& client : clients) {
    asio::co_spawn(context, client->connect(), [&refused](const std::exception_ptr& failed) {
      if (!failed) return;
      try {
        std::rethrow_exception(failed);
      } catch (const std::exception& e) {
        refused = e.what();
      }
    });
  }
  context.run();  // all are connected before the first one asks
  if (!refused.empty()) {
    std::fprintf(stderr, "a client cannot connect: %s\n", refused.c_str());
    return 2;
  }
  context.restart();
  // Whoever measures the server's CPU time reads it now, and again at the end.
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 2;
  const std::int64_t begun = now_ns();
  for (const auto& client : clients) asio::co_spawn(context, client->work(), asio::detached);
  context.run();
  const double seconds = static_cast<double>(now_ns() - begun) / 1e9;
  if (!options.record.empty()) {
    std::ofstream file(options.record);
    for (const std::string& frame : totals.recorded) file << frame << '\n';
  }
  const auto done = static_cast<double>(std::max<std::int64_t>(totals.turns, 1));
  const json::object result{{"turns", totals.turns},
                            {"failed", totals.failed},
                            {"problem", totals.problem},
                            {"events_per_turn", static_cast<double>(totals.events) / done},
                            {"seconds", seconds},
                            {"first", percentiles(totals.first_ns)},
                            {"frame", percentiles(totals.frame_ns)},
                            {"frame_of_first", percentiles(totals.first_piece_ns)},
                            {"frame_of_last", percentiles(totals.last_piece_ns)},
                            {"frame_of_others", percentiles(totals.other_pieces_ns)}};
  std::puts(json::serialize(result).c_str());
  std::fflush(stdout);
  if (!options.hold) return 0;
  for (const auto& client : clients) asio::co_spawn(context, client->stay(), asio::detached);
  asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
  input.async_wait(input.wait_read, [&context](const beast::error_code&) { context.stop(); });
  context.restart();
  context.run();
  return 0;
}

}  // namespace gantry::bench
