// SPDX-License-Identifier: Apache-2.0
//
// The work: requests wait here, and a few workers read their lines in turn.
#pragma once

#include <gantry/contracts/ocr.hpp>
#include <gantry/host.hpp>
#include <gantry/reply.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "line_cache.hpp"
#include "line_finder.hpp"
#include "pictures.hpp"
#include "settings.hpp"
#include "tesseract_engine.hpp"

namespace gantry::ocr_tesseract {

/// One request on its way. Belongs to whoever works on it; the reader's lock guards what several
/// workers touch: next, open, found and failed.
struct Job {
  Job(Ref<OcrRequest> asked, Reply<OcrRead> answer)
      : request(std::move(asked)), reply(std::move(answer)) {}

  Ref<OcrRequest> request;
  Reply<OcrRead> reply;
  Context context;
  View view;
  std::string languages;  // as language_code() gives them
  std::filesystem::path folder;
  std::int64_t begun_ns = 0;

  bool prepared = false;
  Inked inked;
  Page page;
  std::vector<std::string> keys;             // of the lines, in the cache
  std::vector<std::vector<ReadWord>> found;  // of the lines
  std::vector<std::size_t> todo;             // lines that nobody has read before
  std::size_t next = 0;                      // in `todo`
  std::size_t open = 0;                      // lines that workers read now
  std::optional<Error> failed;
};

/// Thread-safe. Lines of all requests are read in turn, so that a small request does not wait for
/// a large one. A request whose caller has gone, or whose deadline has passed, ends after the lines
/// that are being read.
class Reader {
 public:
  explicit Reader(Host& host);

  void configure(const Settings& settings);
  /// Takes the job on and answers it later. Errors: resource_exhausted (too many requests are under
  /// way), failed_precondition (stopping).
  void submit(const std::shared_ptr<Job>& job);
  [[nodiscard]] std::size_t under_way() const;
  /// Gives engines, lines and pictures up, and their memory back to the system.
  void release();
  /// Refuses what comes, ends what waits, and waits for the workers until `deadline`.
  void stop(Deadline deadline);

 private:
  struct Idle {
    std::string key;
    std::unique_ptr<TesseractEngine> engine;
  };

  /// How many of the wanted workers there is room for; they count from now. With the lock held.
  std::size_t hire(std::size_t wanted);
  void start(std::size_t workers);  // without it
  void run();
  void turn(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job, Idle& mine);
  void prepare(Job& job);
  [[nodiscard]] std::optional<Error> ensure_engine(const Job& job, Idle& mine);
  void read_one(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job, Idle& mine);
  void end(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job);
  void answer(Job& job);
  [[nodiscard]] OcrResult result_of(Job& job);
  void keep(Job& job, const std::vector<OcrWord>& words);

  Host& host_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  Settings settings_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::size_t under_way_ = 0;
  std::size_t workers_ = 0;
  bool stopping_ = false;
  std::vector<Idle> idle_;
  LineCache cache_;
  Pictures pictures_;

  Metric read_;
  Metric reused_;
  Metric unchanged_;
  Metric normalised_;
  Metric seconds_;
};

}  // namespace gantry::ocr_tesseract
