// SPDX-License-Identifier: Apache-2.0
// What no server can do a durable turn without, and nothing else: one thread reads the query, puts
// it on the disk, asks the model, reads its answer, puts that on the disk, and sends the frames of
// a turn, whose bytes are given. It understands nothing of what it reads.
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include <sqlite3.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "agent_load.hpp"

namespace gantry::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

/// A log on the disk: one table, one row a transaction, synced by each commit.
class Log {
 public:
  explicit Log(const std::string& path) {
    sqlite3* opened = nullptr;
    sqlite3_open_v2(path.c_str(), &opened,
                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = FULL");  // a commit waits until the log is on the disk
    run("CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(opened, "INSERT INTO log (body) VALUES (?1)", -1, &insert, nullptr);
    insert_.reset(insert);
  }

  /// On the disk when it returns.
  void add(std::string_view body) {
    sqlite3_bind_text(insert_.get(), 1, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
    if (sqlite3_step(insert_.get()) != SQLITE_DONE) std::abort();
    sqlite3_reset(insert_.get());
  }

 private:
  void run(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
  }

  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3, Close> database_;
  std::unique_ptr<sqlite3_stmt, Close> insert_;
};

/// WebSocket frames of a server, one behind the other.
std::string framed(const std::vector<std::string>& texts, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t size = texts[i].size();
    out += static_cast<char>(0x81);
    if (size < 126) {
      out += static_cast<char>(size);
    } else {
      out += static_cast<char>(126);
      out += static_cast<char>(size >> 8U);
      out += static_cast<char>(size & 0xFFU);
    }
    out += texts[i];
  }
  return out;
}

struct Turn {
  std::string accepted;  // the first frame, once the query is on the disk
  std::string answered;  // all others, once the answer is
};

asio::awaitable<std::string> ask(tcp::socket& model, const std::string& query) {
  const std::string request =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
      std::to_string(query.size()) + "\r\n\r\n" + query;
  const auto buffer = asio::buffer(request);
  co_await asio::async_write(model, buffer, asio::use_awaitable);
  std::string answer;
  char block[16'384];
  while (!answer.ends_with("\r\n0\r\n\r\n")) {
    const auto room = asio::buffer(block);
    answer.append(block, co_await model.async_read_some(room, asio::use_awaitable));
  }
  co_return answer;
}

asio::awaitable<void> serve(tcp::socket socket, std::uint16_t model_port, Log& log,
                            const Turn& turn) {
  try {
    socket.set_option(tcp::no_delay(true));
    const tcp::endpoint there(asio::ip::address_v4::loopback(), model_port);
    tcp::socket model(socket.get_executor());
    co_await model.async_connect(there, asio::use_awaitable);
    model.set_option(tcp::no_delay(true));
    beast::websocket::stream<tcp::socket> client(std::move(socket));
    co_await client.async_accept(asio::use_awaitable);
    for (;;) {
      beast::flat_buffer in;
      co_await client.async_read(in, asio::use_awaitable);
      const std::string query(static_cast<const char*>(in.data().data()), in.size());
      log.add(query);
      const auto accepted = asio::buffer(turn.accepted);
      co_await asio::async_write(client.next_layer(), accepted, asio::use_awaitable);
      const std::string answer = co_await ask(model, query);
      log.add(answer);
      const auto answered = asio::buffer(turn.answered);
      co_await asio::async_write(client.next_layer(), answered, asio::use_awaitable);
    }
  } catch (const std::exception&) {
    // The client has gone.
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor, std::uint16_t model_port, Log& log,
                             const Turn& turn) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), model_port, log, turn),
                   asio::detached);
  }
}

}  // namespace

void serve_floor(std::uint16_t port, std::uint16_t model_port, const std::string& database,
                 const std::string& frames_file) {
  Log log(database);
  std::vector<std::string> frames;
  std::ifstream file(frames_file);
  for (std::string line; std::getline(file, line);) frames.push_back(line);
  const Turn turn{framed(frames, 0, 1), framed(frames, 1, frames.size())};
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), port});
  asio::co_spawn(context, accept(acceptor, model_port, log, turn), asio::detached);
  context.run();
}

}  // namespace gantry::bench
