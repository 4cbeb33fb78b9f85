// SPDX-License-Identifier: Apache-2.0
#include "observe/log.hpp"

#include <array>
#include <utility>

namespace gantry::observe {
namespace {

constexpr std::array<std::string_view, 5> kLevels{"trace", "debug", "info", "warn", "error"};
constexpr std::size_t kQueueLimit = 8192;
constexpr std::size_t kPlaceLimit = 4096;
constexpr std::int64_t kSecond = 1'000'000'000;

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
