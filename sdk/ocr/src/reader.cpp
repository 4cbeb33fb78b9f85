// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/reader.hpp>

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "caught.hpp"

namespace gantry::ocr {
namespace {

cv::Rect box_of(const cv::Rect& line, const cv::Range& columns) {
  return {line.x + columns.start, line.y, columns.size(), line.height};
}

Piece piece_of(const Job& job, const cv::Rect& box) {
  return {job.page.ink(box), job.view.pixels(box)};
}

}  // namespace

Reader::Reader(Host& host)
    : host_(host),
      read_(host.counter("lines_read_total", "Lines of text that an engine has read.")),
      reused_(host.counter("lines_reused_total", "Lines whose pixels had been read before.")),
      kept_(host.counter("words_kept_total",
                         "Words of changed lines that stayed as they had been read.")),
      unchanged_(host.counter("pictures_unchanged_total",
                              "Pictures that were answered from the last one like them.")),
      normalised_(host.counter("normalised_pixels_total", "Pixels whose contrast was normalised.")),
      seconds_(host.histogram("read_seconds", "From a request to its answer.",
                              {0.001, 0.005, 0.02, 0.06, 0.15, 0.5, 1, 2.5, 5, 10})) {}

void Reader::configure(const ReaderSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

void Reader::submit(const std::shared_ptr<Job>& job) {
  std::optional<Error> refusal;
  std::size_t hired = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      refusal = failed_precondition("text recognition is being stopped");
    } else if (under_way_ >= static_cast<std::size_t>(settings_.queue)) {
      refusal = Error{Code::ResourceExhausted,
                      fmt::format("{} pictures are being read, as many as `queue` allows; ask "
                                  "again when one is done",
                                  under_way_),
                      {}};
    } else {
      ++under_way_;
      jobs_.push_back(job);
      if (idle_.empty() && workers_ == 0) awaited_ = job;
      hired = hire(awaited_ == job ? 2 : 1);
    }
  }
  start(hired);
  if (refusal) job->reply.fail(*refusal);
}

bool Reader::busy() const {
  const std::lock_guard lock(mutex_);
  return under_way_ > 0 || workers_ > 0;
}

void Reader::release() {
  {
    const std::lock_guard lock(mutex_);
    idle_.clear();
    cache_.clear();
    pictures_.clear();
  }
  malloc_trim(0);
}

void Reader::stop(Deadline deadline) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  const auto left =
      std::min<Duration>(deadline.left(host_.monotonic_ns()), std::chrono::minutes(1));
  ended_.wait_for(lock, left, [&] { return workers_ == 0; });
}

std::size_t Reader::hire(std::size_t wanted) {
  const auto most = static_cast<std::size_t>(settings_.workers);
  const std::size_t hired = workers_ < most ? std::min(wanted, most - workers_) : 0;
  workers_ += hired;
  return hired;
}

void Reader::start(std::size_t workers) {
  for (; workers > 0; --workers) host_.blocking([this] { run(); });
}

void Reader::run() {
  Idle mine;
  std::unique_lock lock(mutex_);
  while (!jobs_.empty() || awaited_ != nullptr) {
    if (jobs_.empty()) {
      make_ahead(lock, mine);
      continue;
    }
    const std::shared_ptr<Job> job = jobs_.front();
    jobs_.pop_front();
    turn(lock, job, mine);
    if (awaited_ == job) awaited_.reset();  // its lines are known, or it has ended
  }
  if (mine.engine != nullptr && !stopping_) idle_.push_back(std::move(mine));
  --workers_;
  ended_.notify_all();
}

void Reader::turn(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job, Idle& mine) {
  if (stopping_ || job->context.cancelled()) job->failed = gone();
  if (job->failed) {
    job->next = job->todo.size();
    if (job->open == 0) end(lock, job);
    return;
  }
  if (job->prepared) {
    read_some(lock, job, mine);
    return;
  }
  lock.unlock();
  std::optional<Error> failed = caught([&] { prepare(*job); });
  lock.lock();
  if (failed) {
    job->failed = std::move(failed);
    job->todo.clear();
  }
  if (job->todo.empty()) {
    end(lock, job);
    return;
  }
  jobs_.push_back(job);
  const std::size_t hired = hire(job->todo.size() - 1);
  lock.unlock();
  start(hired);
  lock.lock();
}

void Reader::make_ahead(std::unique_lock<std::mutex>& lock, Idle& mine) {
  const std::shared_ptr<Job> job = awaited_;
  if (mine.engine != nullptr) idle_.push_back(std::exchange(mine, {}));
  if (stopping_ || std::cmp_greater_equal(idle_.size(), settings_.workers)) {
    awaited_.reset();
    return;
  }
  lock.unlock();
  std::optional<Error> failed;
  const std::optional<Error> thrown = caught([&] { failed = make_engine(*job, mine); });
  lock.lock();
  if ((failed || thrown) && awaited_ == job) awaited_.reset();  // who reads its lines will say why
}

std::optional<Error> Reader::make_engine(const Job& job, Idle& mine) {
  auto made = job.method->make_engine(job.manner);
  if (!made.ok()) return made.error();
  mine = Idle{job.manner.key(), std::move(*made)};
  return std::nullopt;
}

std::optional<Error> Reader::ensure_engine(const Job& job, Idle& mine) {
  const std::string key = job.manner.key();
  if (mine.engine != nullptr && mine.key == key) return std::nullopt;
  mine.engine.reset();
  {
    const std::lock_guard lock(mutex_);
    auto found =
        std::find_if(idle_.begin(), idle_.end(), [&](const Idle& i) { return i.key == key; });
    if (found != idle_.end()) {
      mine = std::move(*found);
      idle_.erase(found);
      return std::nullopt;
    }
    // One for each worker, whatever they read.
    if (idle_.size() + workers_ > static_cast<std::size_t>(settings_.workers)) idle_.pop_back();
  }
  return make_engine(job, mine);
}

Result<std::vector<std::vector<ReadWord>>> Reader::read_lines(const Job& job,
                                                              std::span<Unread> lines, Idle& mine) {
  if (auto failed = ensure_engine(job, mine)) return std::move(*failed);
  std::vector<Piece> pieces;
  for (const Unread& line : lines) {
    const cv::Rect& whole = job.page.lines[line.line];
    pieces.push_back(piece_of(job, box_of(whole, line.renewal.part.columns)));
  }
  GANTRY_ASSIGN(auto read, mine.engine->read(pieces));
  read_.add(static_cast<double>(lines.size()));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    GANTRY_TRY(complete(job, lines[i], read[i], mine));
  }
  return read;
}

Result<void> Reader::complete(const Job& job, Unread& line, std::vector<ReadWord>& words,
                              Idle& mine) {
  Renewal& known = line.renewal;
  if (known.words.empty()) return {};
  if (words.empty()) {  // it says nothing without its line
    const Piece whole = piece_of(job, job.page.lines[line.line]);
    GANTRY_ASSIGN(auto read, mine.engine->read(std::span(&whole, 1)));
    words = std::move(read.front());
    return {};
  }
  kept_.add(static_cast<double>(known.words.size() - (known.part.last - known.part.first)));
  replace(known.words, known.part, std::move(words));
  words = std::move(known.words);
  return {};
}

void Reader::read_some(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job,
                       Idle& mine) {
  // A new engine is only made below; until it is known, lines go one by one.
  const bool known = mine.engine != nullptr && mine.key == job->manner.key();
  const std::size_t count =
      std::min(known ? mine.engine->batch() : 1, job->todo.size() - job->next);
  const std::span lines(job->todo.data() + job->next, count);
  job->next += count;
  job->open += count;
  if (job->next < job->todo.size()) jobs_.push_back(job);
  lock.unlock();
  std::optional<Error> failed;
  std::vector<std::vector<ReadWord>> words;
  std::optional<Error> thrown = caught([&] {
    auto read = read_lines(*job, lines, mine);
    if (read.ok()) {
      words = std::move(*read);
    } else {
      failed = read.error();
    }
  });
  if (thrown) {
    mine = {};  // who knows what state the engine is in
    failed = std::move(thrown);
  }
  lock.lock();
  job->open -= count;
  for (std::size_t i = 0; i < count && !failed; ++i) {
    failed = caught([&] {
      cache_.put(job->keys[lines[i].line], words[i], static_cast<std::size_t>(settings_.cache));
    });
    if (!failed) job->found[lines[i].line] = std::move(words[i]);
  }
  if (failed) job->failed = std::move(failed);
  if (job->next == job->todo.size() && job->open == 0) end(lock, job);
}

void Reader::end(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job) {
  --under_way_;
  lock.unlock();
  answer(*job);
  lock.lock();
}

}  // namespace gantry::ocr
