// SPDX-License-Identifier: Apache-2.0
// The daemon's log: structured records, filtered by plugin, limited by place, written by one
// thread, so that a full disk or a blocked pipe never holds up a strand.
//
// Thread rules: everything may be called from any thread. close() must come before destruction of
// whatever the health callback refers to.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace gantry::observe {

/// The numbers of gantry_log_level.
enum class LogLevel : int { kTrace = 0, kDebug = 1, kInfo = 2, kWarn = 3, kError = 4 };

std::string_view level_name(LogLevel level);
/// The level of that name; kInfo for an unknown word.
LogLevel parse_level(std::string_view name);

enum class LogFormat { kConsole, kJson };

struct LogField {
  std::string_view key;
  std::string_view value;
  bool secret = false;  ///< printed as ***
};

/// One record, borrowed for the call.
struct LogRecord {
  std::int64_t wall_ns = 0;
  LogLevel level = LogLevel::kInfo;
  std::string_view plugin;
  std::string_view message;
  std::span<const LogField> fields;
  std::uint64_t trace_hi = 0;  ///< both 0: no trace
  std::uint64_t trace_lo = 0;
  std::uint64_t suppressed = 0;  ///< records of the same place that the limit left out before
};

/// A record that can be asked for later.
struct KeptRecord {
  std::uint64_t sequence = 0;  ///< from 1
  std::int64_t wall_ns = 0;
  LogLevel level = LogLevel::kInfo;
  std::string plugin;
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields;  ///< secrets as ***
};

/// One line without its line break. Control characters are escaped: a record is one line.
std::string format_record(const LogRecord& record, LogFormat format);

/// Where lines go. Used by the writer thread only.
class LogOutput {
 public:
  virtual ~LogOutput() = default;
  /// False when the line could not be written; `reason` says why.
  virtual bool write(const std::string& line, std::string& reason) = 0;
};

/// Standard error, through Poco::StreamChannel.
std::unique_ptr<LogOutput> make_console_output();
/// A file with rotation by size, through Poco::FileChannel.
std::unique_ptr<LogOutput> make_file_output(const std::string& path, std::int64_t rotate_bytes,
                                            int keep);

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  std::map<std::string, LogLevel> levels;
  LogFormat format = LogFormat::kConsole;
  unsigned rate_limit = 50;  ///< records a second from one place; 0: no limit
};

/// A plugin's own threshold, read without a lock.
class LogSource {
 public:
  LogSource(std::string plugin, LogLevel level) : plugin_(std::move(plugin)), level_(level) {}
  const std::string& plugin() const { return plugin_; }
  bool enabled(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }
  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }

 private:
  std::string plugin_;
  std::atomic<LogLevel> level_;
};

class Logger {
 public:
  using Now = std::function<std::int64_t()>;  ///< wall clock, ns
  /// Called by the writer thread when writing begins to fail (reason) and when it works again ("").
  using OnTrouble = std::function<void(const std::string& reason, std::uint64_t lost)>;

  Logger(LogSettings settings, std::unique_ptr<LogOutput> output, Now now,
         OnTrouble on_trouble = {});
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  /// The source of that plugin; lives as long as the logger.
  LogSource& source(const std::string& plugin);
  /// New levels, format and limit, from now on.
  void apply(const LogSettings& settings);

  /// Filters, limits and queues. `site` identifies the place (0: the message does). Takes time and
  /// counts from the logger; the record's wall_ns and suppressed are ignored.
  void write(const LogSource& source, std::uint64_t site, LogRecord record);
  void write(const LogSource& source, LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields = {});

  /// The first `limit` of the last few hundred records that came after this one and are at least of
  /// that level; `last` becomes the sequence of the newest that was looked at.
  std::vector<KeptRecord> recent(std::uint64_t after, std::size_t limit, LogLevel least,
                                 std::uint64_t& last) const;

  /// Waits until what was queued before is written, at most so long.
  bool flush(std::chrono::milliseconds timeout);
  /// Flushes and ends the writer thread; when the output hangs the thread is left behind.
  void close(std::chrono::milliseconds timeout);

  std::uint64_t written() const { return shared_->written.load(std::memory_order_relaxed); }
  /// Lines lost to a full queue or a failing output.
  std::uint64_t lost() const { return shared_->lost.load(std::memory_order_relaxed); }
  std::uint64_t suppressed() const { return suppressed_.load(std::memory_order_relaxed); }

 private:
  // What the writer thread uses; it may outlive the logger when the output hangs.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> queue;
    bool closing = false;
    bool idle = true;
    std::unique_ptr<LogOutput> output;
    OnTrouble on_trouble;
    std::atomic<std::uint64_t> written{0};
    std::atomic<std::uint64_t> lost{0};
  };
  struct Bucket {
    std::int64_t second = 0;
    unsigned count = 0;
    std::uint64_t suppressed = 0;
  };

  static void run(const std::shared_ptr<Shared>& shared);
  // Answers false when the place has used up its second; else the number left out before.
  bool admit(std::uint64_t place, std::int64_t now_ns, std::uint64_t& suppressed_before);
  LogLevel level_of(const std::string& plugin) const;
  void keep(const LogRecord& record);

  Now now_;
  mutable std::mutex mutex_;
  LogSettings settings_;
  std::map<std::string, std::unique_ptr<LogSource>> sources_;
  std::map<std::uint64_t, Bucket> buckets_;
  std::deque<KeptRecord> recent_;
  std::uint64_t sequence_ = 0;
  std::atomic<std::uint64_t> suppressed_{0};
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace gantry::observe
