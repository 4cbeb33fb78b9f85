// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/reader.hpp>

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

namespace gantry::ocr {
namespace {

/// Larger pictures are read and forgotten: keeping one would take more than a desktop is worth.
constexpr std::size_t kMostKept = 16'000'000;

Error gone() {
  return {Code::Cancelled, "the caller gave up, or its deadline passed, before all was read", {}};
}

/// Runs it; what it throws is an error. A worker must live on: it counts, and others wait for it.
template <class Work>
std::optional<Error> caught(Work&& work) {
  const auto no_memory = [] {
    return Error{Code::ResourceExhausted, "there is not enough memory to read this picture", {}};
  };
  try {
    work();
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const cv::Exception& failure) {
    if (failure.code == cv::Error::StsNoMem) return no_memory();
    return Error{Code::Internal, "reading this picture failed: " + failure.err, {}};
  } catch (const std::exception& failure) {
    return Error{
        Code::Internal, fmt::format("reading this picture failed: {}", failure.what()), {}};
  }
}

/// Whether the answer is that of a picture that has been read.
bool is_known(const Job& job) {
  return job.inked.unchanged && job.inked.base->manner == job.manner.key();
}

std::vector<OcrWord> words_of(const Job& job) {
  std::vector<OcrWord> out;
  std::int32_t number = 0;
  for (std::size_t i = 0; i < job.page.lines.size(); ++i) {
    const cv::Point corner = job.page.lines[i].tl();
    for (const ReadWord& word : job.found[i]) {
      const Rect box{word.box.x + corner.x, word.box.y + corner.y, word.box.width, word.box.height};
      out.push_back({word.text, word.confidence, box, number});
    }
    if (!job.found[i].empty()) ++number;
  }
  return out;
}

cv::Rect box_of(const cv::Rect& line, const cv::Range& columns) {
  return {line.x + columns.start, line.y, columns.size(), line.height};
}

Piece piece_of(const Job& job, const cv::Rect& box) {
  return {job.page.ink(box), job.view.pixels(box)};
}

/// What is to be read of a line that is not in the cache.
Renewal unread_of(const Job& job, std::size_t line) {
  const cv::Rect& now = job.page.lines[line];
  const Known* before = job.inked.base.get();
  if (before != nullptr && before->manner == job.manner.key()) {
    for (std::size_t i = 0; i < before->lines.size(); ++i) {
      auto renewal =
          renewal_of(before->found[i], {before->turned, before->lines[i]}, {job.page.ink, now});
      if (renewal) return std::move(*renewal);
    }
  }
  return {{}, {0, 0, {0, now.width}}};
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
      hired = hire(1);
    }
  }
  start(hired);
  if (refusal) job->reply.fail(*refusal);
}

std::size_t Reader::under_way() const {
  const std::lock_guard lock(mutex_);
  return under_way_;
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
  while (!jobs_.empty()) {
    const std::shared_ptr<Job> job = jobs_.front();
    jobs_.pop_front();
    turn(lock, job, mine);
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

void Reader::prepare(Job& job) {
  std::vector<std::shared_ptr<const Known>> known;
  {
    const std::lock_guard lock(mutex_);
    known = pictures_.like(job.view.pixels);
  }
  job.inked = ink_with(job.view.pixels, known);
  job.prepared = true;
  if (job.context.cancelled()) {
    job.failed = gone();
    return;
  }
  if (is_known(job)) return;
  const std::string manner = job.manner.key();
  auto page = job.method->find(job.view.pixels, job.inked);
  if (!page.ok()) {
    job.failed = page.error();
    return;
  }
  job.page = std::move(*page);
  job.found.resize(job.page.lines.size());
  for (const cv::Rect& line : job.page.lines) {
    job.keys.push_back(LineCache::key_of(manner, job.page.ink(line)));
  }
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < job.page.lines.size(); ++i) {
      if (auto words = cache_.find(job.keys[i])) {
        job.found[i] = std::move(*words);
        reused_.add();
      } else {
        job.todo.push_back({i, {}});
      }
    }
  }
  for (Unread& line : job.todo) line.renewal = unread_of(job, line.line);
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
  auto made = job.method->make_engine(job.manner);
  if (!made.ok()) return made.error();
  mine = Idle{key, std::move(*made)};
  return std::nullopt;
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

void Reader::answer(Job& job) {
  normalised_.add(static_cast<double>(job.inked.made));
  seconds_.add(static_cast<double>(host_.monotonic_ns() - job.begun_ns) / 1e9);
  OcrResult result;
  if (!job.failed) job.failed = caught([&] { result = result_of(job); });
  if (job.failed) {
    job.reply.fail(*job.failed);
    return;
  }
  job.reply(std::move(result));
}

OcrResult Reader::result_of(Job& job) {
  const bool known = is_known(job);
  OcrResult result;
  if (known) {
    unchanged_.add();
    result.words = job.inked.base->words;
  } else {
    result.words = words_of(job);
    keep(job, result.words);
  }
  std::erase_if(result.words,
                [&](const OcrWord& word) { return word.confidence < job.request->min_confidence; });
  for (OcrWord& word : result.words) {
    word.bbox.x += job.view.corner.x;
    word.bbox.y += job.view.corner.y;
  }
  result.route = job.method->route(job.manner);
  return result;
}

void Reader::keep(Job& job, const std::vector<OcrWord>& words) {
  if (job.view.pixels.total() > kMostKept) return;
  auto picture = std::make_shared<Known>();
  picture->pixels = job.inked.unchanged ? job.inked.base->pixels : job.view.pixels.clone();
  picture->ink = job.inked.ink;
  picture->turned = job.page.ink;
  picture->words = words;
  picture->lines = job.page.lines;
  picture->found = std::move(job.found);
  picture->manner = job.manner.key();
  const std::lock_guard lock(mutex_);
  pictures_.put(std::move(picture), job.inked.base, static_cast<std::size_t>(settings_.pictures));
}

}  // namespace gantry::ocr
