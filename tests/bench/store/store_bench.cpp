// SPDX-License-Identifier: Apache-2.0
//
// How many events a second the store takes, over the bus of a real kernel, beside the same inserts
// made one after the other by the database alone in the same run: without a transaction around
// several, each waiting for its commit. An event has 200 bytes.
#include <gantry/contracts/store.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/Session.h>
#include <Poco/Data/Statement.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace gantry;
using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco
using Clock = std::chrono::steady_clock;

const std::string kBody = "{\"text\":\"" + std::string(189, 'x') + "\"}";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void print(const char* name, int count, double seconds, std::vector<double> latencies_ms) {
  std::sort(latencies_ms.begin(), latencies_ms.end());
  const auto at = [&latencies_ms](double q) {
    return latencies_ms[static_cast<std::size_t>(q * static_cast<double>(latencies_ms.size() - 1))];
  };
  std::printf("%-58s %9.0f events/s   p50 %6.2f ms   p99 %6.2f ms\n", name, count / seconds,
              at(0.5), at(0.99));
}

/// `count` events to 200 logs, `window` of them on the way at a time.
void over_the_bus(Host& host, const char* name, int count, int window, bool sync) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int open = 0;
    std::vector<double> latencies_ms;
  } state;
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    {
      std::unique_lock lock(state.mutex);
      state.changed.wait(lock, [&] { return state.open < window; });
      ++state.open;
    }
    StoreAppendRequest request;
    request.log = "session-" + std::to_string(i % 200);
    request.entries.push_back({"streaming-response", Json(kBody)});
    request.sync = sync;
    CallOptions options;
    options.complete_inline = true;
    host.bus().call<StoreAppend>(
        std::move(request),
        [&state, sent = Clock::now()](const Result<Ref<StoreAppended>>& done) {
          if (!done.ok()) {
            std::fprintf(stderr, "%s\n", done.error().message.c_str());
            std::exit(1);
          }
          const std::lock_guard lock(state.mutex);
          state.latencies_ms.push_back(seconds_since(sent) * 1e3);
          --state.open;
          state.changed.notify_all();
        },
        options);
  }
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.open == 0; });
  print(name, count, seconds_since(begin), state.latencies_ms);
}

void database_alone(const std::string& file, const char* name, int count, const char* pragma) {
  Poco::Data::SQLite::Connector::registerConnector();
  Poco::Data::Session session("SQLite", file);
  std::string mode;
  session << "PRAGMA journal_mode = WAL", into(mode), now;
  session << pragma, now;
  session << "CREATE TABLE IF NOT EXISTS entries (log BIGINT, sequence BIGINT, body TEXT, PRIMARY "
             "KEY (log, sequence))",
      now;
  Poco::Int64 log = 0;
  Poco::Int64 sequence = 0;
  std::string body = kBody;
  Poco::Int64 offset = 0;
  session << "SELECT COUNT(*) FROM entries", into(offset), now;
  Poco::Data::Statement insert(session);
  insert << "INSERT INTO entries VALUES ($1, $2, $3)", use(log), use(sequence), use(body);
  std::vector<double> latencies_ms;
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    log = i % 200;
    sequence = offset + i;
    const auto sent = Clock::now();
    insert.execute();
    latencies_ms.push_back(seconds_since(sent) * 1e3);
  }
  print(name, count, seconds_since(begin), latencies_ms);
}

}  // namespace

int main() {
  const testkit::TempDir folder;
  const std::string path = folder.path().string();
  database_alone(path + "/alone.db", "the database alone, each commit handed to the system", 20000,
                 "PRAGMA synchronous = NORMAL");
  database_alone(path + "/alone.db", "the database alone, each commit on the disk", 200,
                 "PRAGMA synchronous = FULL");

  testkit::InProcessKernel kernel(
      {.config = "plugins: {store: {config: {path: " + path + "/store.db}}}"});
  if (const auto started = kernel.start(); !started.ok()) {
    std::fprintf(stderr, "%s\n", started.error().message.c_str());
    return 1;
  }
  Host& host = kernel.host();
  over_the_bus(host, "the store, one event on the way", 5000, 1, false);
  over_the_bus(host, "the store, 200 on the way", 100000, 200, false);
  over_the_bus(host, "the store, one on the way, each on the disk", 200, 1, true);
  over_the_bus(host, "the store, 200 on the way, each on the disk", 20000, 200, true);
  return kernel.stop() ? 0 : 1;
}
