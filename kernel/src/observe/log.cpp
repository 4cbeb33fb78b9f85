// SPDX-License-Identifier: Apache-2.0
#include "observe/log.hpp"

#include <gantry/utf8.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::observe {
namespace {

constexpr std::array<std::string_view, 5> kLevels{"trace", "debug", "info", "warn", "error"};
constexpr std::size_t kQueueLimit = 8192;
constexpr std::size_t kPlaceLimit = 4096;
constexpr std::size_t kKeptRecords = 500;
constexpr std::size_t kKeptBytes = 2'048;  // of a message or a field
constexpr std::int64_t kSecond = 1'000'000'000;

/// The beginning of a text, as valid UTF-8.
std::string kept_text(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < kKeptBytes) {
    const std::size_t length = codec::utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace

std::string_view level_name(LogLevel level) {
  const auto index = static_cast<std::size_t>(level);
  return index < kLevels.size() ? kLevels[index] : kLevels.back();
}

LogLevel parse_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == name) return static_cast<LogLevel>(i);
  }
  return LogLevel::kInfo;
}

Logger::Logger(LogSettings settings, std::unique_ptr<LogOutput> output, Now now,
               OnTrouble on_trouble)
    : now_(std::move(now)), settings_(std::move(settings)), shared_(std::make_shared<Shared>()) {
  shared_->output = std::move(output);
  shared_->on_trouble = std::move(on_trouble);
  thread_ = std::thread([shared = shared_] { run(shared); });
}

Logger::~Logger() { close(std::chrono::milliseconds(500)); }

LogLevel Logger::level_of(const std::string& plugin) const {
  const auto own = settings_.levels.find(plugin);
  return own == settings_.levels.end() ? settings_.level : own->second;
}

LogSource& Logger::source(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  auto& slot = sources_[plugin];
  if (!slot) slot = std::make_unique<LogSource>(plugin, level_of(plugin));
  return *slot;
}

void Logger::apply(const LogSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  for (auto& [plugin, source] : sources_) source->set_level(level_of(plugin));
}

bool Logger::admit(std::uint64_t place, std::int64_t now_ns, std::uint64_t& suppressed_before) {
  if (settings_.rate_limit == 0) return true;
  // Places are few; a plugin that invents them without end only loses the memory of old ones.
  if (buckets_.size() >= kPlaceLimit && buckets_.find(place) == buckets_.end()) buckets_.clear();
  Bucket& bucket = buckets_[place];
  const std::int64_t second = now_ns / kSecond;
  if (bucket.second != second) {
    bucket.second = second;
    bucket.count = 0;
  }
  if (++bucket.count > settings_.rate_limit) {
    ++bucket.suppressed;
    suppressed_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  suppressed_before = std::exchange(bucket.suppressed, 0);
  return true;
}

void Logger::write(const LogSource& source, std::uint64_t site, LogRecord record) {
  if (!source.enabled(record.level)) return;
  record.plugin = source.plugin();
  record.wall_ns = now_();
  LogFormat format = LogFormat::kConsole;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t place = (site != 0 ? site : std::hash<std::string_view>{}(record.message)) ^
                                std::hash<std::string_view>{}(record.plugin);
    if (!admit(place, record.wall_ns, record.suppressed)) return;
    format = settings_.format;
    keep(record);
  }
  std::string line = format_record(record, format);
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->closing || shared_->queue.size() >= kQueueLimit) {
      shared_->lost.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    shared_->queue.push_back(std::move(line));
    // Under the lock: whoever has seen the line written may destroy the logger.
    shared_->changed.notify_one();
  }
}

void Logger::keep(const LogRecord& record) {
  KeptRecord kept{++sequence_,
                  record.wall_ns,
                  record.level,
                  std::string(record.plugin),
                  kept_text(record.message),
                  {}};
  for (const LogField& field : record.fields) {
    kept.fields.emplace_back(kept_text(field.key), field.secret ? "***" : kept_text(field.value));
  }
  recent_.push_back(std::move(kept));
  if (recent_.size() > kKeptRecords) recent_.pop_front();
}

std::vector<KeptRecord> Logger::recent(std::uint64_t after, std::size_t limit, LogLevel least,
                                       std::uint64_t& last) const {
  const std::lock_guard lock(mutex_);
  std::vector<KeptRecord> out;
  last = sequence_;
  for (const KeptRecord& record : recent_) {
    if (record.sequence <= after || record.level < least) continue;
    if (out.size() >= limit) {
      if (limit > 0) last = out.back().sequence;
      break;
    }
    out.push_back(record);
  }
  return out;
}

void Logger::write(const LogSource& source, LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) {
  LogRecord record;
  record.level = level;
  record.message = message;
  record.fields = {fields.begin(), fields.size()};
  write(source, 0, record);
}

void Logger::run(const std::shared_ptr<Shared>& shared) {
  bool in_trouble = false;
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->closing || !shared->queue.empty(); });
    if (shared->queue.empty()) break;  // closing, and all is written
    const std::string line = std::move(shared->queue.front());
    shared->queue.pop_front();
    shared->idle = false;
    lock.unlock();
    std::string reason;
    const bool written = shared->output->write(line, reason);
    (written ? shared->written : shared->lost).fetch_add(1, std::memory_order_relaxed);
    if (written == in_trouble && shared->on_trouble) {
      shared->on_trouble(written ? std::string{} : reason, shared->lost.load());
    }
    in_trouble = !written;
    lock.lock();
    shared->idle = true;
    if (shared->queue.empty()) shared->changed.notify_all();
  }
  shared->changed.notify_all();
}

bool Logger::flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, timeout,
                                   [&] { return shared_->queue.empty() && shared_->idle; });
}

void Logger::close(std::chrono::milliseconds timeout) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closing = true;
  }
  shared_->changed.notify_all();
  if (flush(timeout)) {
    thread_.join();
  } else {
    // The output hangs (a blocked pipe). The thread owns all it uses through Shared.
    thread_.detach();
  }
}

}  // namespace gantry::observe
