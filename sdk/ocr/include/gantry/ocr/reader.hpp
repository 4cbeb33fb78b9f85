// SPDX-License-Identifier: Apache-2.0
//
// The work: requests wait here, and a few workers read their lines in turn.
#pragma once

#include <gantry/contracts/ocr.hpp>
#include <gantry/host.hpp>
#include <gantry/reply.hpp>

#include <boost/describe/class.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gantry/ocr/line_cache.hpp>
#include <gantry/ocr/method.hpp>
#include <gantry/ocr/pictures.hpp>
#include <gantry/ocr/words.hpp>

namespace gantry::ocr {

struct ReaderSettings {
  std::vector<std::string> languages{"eng"};
  std::string data_folder;
  std::int32_t workers = 2;
  std::int32_t queue = 16;  // requests
  std::int64_t max_pixels = 40'000'000;
  std::int64_t cache = 8LL * 1024 * 1024;  // bytes
  std::int32_t pictures = 3;
  std::int64_t idle_release = 45'000;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(ReaderSettings, (),
                      (languages, data_folder, workers, queue, max_pixels, cache, pictures,
                       idle_release))

/// A line that is to be read, or the part of it that is new.
struct Unread {
  std::size_t line = 0;
  Renewal renewal;
};

/// One request on its way. Belongs to whoever works on it; the reader's lock guards what several
/// workers touch: next, open, found and failed.
struct Job {
  Job(Ref<OcrRequest> asked, Reply<OcrRead> answer)
      : request(std::move(asked)), reply(std::move(answer)) {}

  Ref<OcrRequest> request;
  Reply<OcrRead> reply;
  Context context;
  View view;
  Manner manner;
  std::shared_ptr<Method> method;
  std::int64_t begun_ns = 0;

  bool prepared = false;
  Inked inked;
  Page page;
  std::vector<std::string> keys;             // of the lines, in the cache
  std::vector<std::vector<ReadWord>> found;  // of the lines
  std::vector<Unread> todo;                  // what nobody has read before
  std::size_t next = 0;                      // in `todo`
  std::size_t open = 0;                      // of `todo`, which workers read now
  std::optional<Error> failed;
};

/// Thread-safe. Lines of all requests are read in turn, so that a small request does not wait for
/// a large one. A request whose caller has gone, or whose deadline has passed, ends after the lines
/// that are being read.
class Reader {
 public:
  explicit Reader(Host& host);

  void configure(const ReaderSettings& settings);
  /// Takes the job on and answers it later. Errors: resource_exhausted (too many requests are under
  /// way), failed_precondition (stopping).
  void submit(const std::shared_ptr<Job>& job);
  /// Whether a request waits or a worker is at work.
  [[nodiscard]] bool busy() const;
  /// Gives engines, lines and pictures up, and their memory back to the system.
  void release();
  /// Refuses what comes, ends what waits, and waits for the workers until `deadline`.
  void stop(Deadline deadline);

 private:
  struct Idle {
    std::string key;
    std::unique_ptr<LineEngine> engine;
  };

  /// How many of the wanted workers there is room for; they count from now. With the lock held.
  std::size_t hire(std::size_t wanted);
  void start(std::size_t workers);  // without it
  void run();
  void turn(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job, Idle& mine);
  void prepare(Job& job);
  /// Makes an engine for a request whose lines another worker is looking for.
  void make_ahead(std::unique_lock<std::mutex>& lock, Idle& mine);
  [[nodiscard]] static std::optional<Error> make_engine(const Job& job, Idle& mine);
  [[nodiscard]] std::optional<Error> ensure_engine(const Job& job, Idle& mine);
  void read_some(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job, Idle& mine);
  [[nodiscard]] Result<std::vector<std::vector<ReadWord>>> read_lines(const Job& job,
                                                                      std::span<Unread> lines,
                                                                      Idle& mine);
  /// Makes of what was read of a line all of its words.
  [[nodiscard]] Result<void> complete(const Job& job, Unread& line, std::vector<ReadWord>& words,
                                      Idle& mine);
  void end(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job);
  void answer(Job& job);
  [[nodiscard]] OcrResult result_of(Job& job);
  void keep(Job& job, const std::vector<OcrWord>& words);

  Host& host_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  ReaderSettings settings_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::size_t under_way_ = 0;
  std::size_t workers_ = 0;
  bool stopping_ = false;
  std::vector<Idle> idle_;
  std::shared_ptr<Job> awaited_;  // the request whose lines are looked for while no engine is there
  LineCache cache_;
  Pictures pictures_;

  Metric read_;
  Metric reused_;
  Metric kept_;
  Metric unchanged_;
  Metric normalised_;
  Metric seconds_;
};

}  // namespace gantry::ocr
