// SPDX-License-Identifier: Apache-2.0
// The two ends of a request: what there is to read in its picture, and its answer.
#include <gantry/ocr/reader.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "caught.hpp"

namespace gantry::ocr {
namespace {

/// Larger pictures are read and forgotten: keeping one would take more than a desktop is worth.
constexpr std::size_t kMostKept = 16'000'000;

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

/// Columns that an engine sees of a line, for all of which it makes lines equally high.
double columns_to_read(const Job& job, const Unread& line) {
  const int rows = job.page.lines[line.line].height;
  return static_cast<double>(line.renewal.part.columns.size()) / rows;
}

}  // namespace

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
  // What takes longest comes first, so that workers end at about the same time.
  std::stable_sort(job.todo.begin(), job.todo.end(), [&](const Unread& a, const Unread& b) {
    return columns_to_read(job, a) > columns_to_read(job, b);
  });
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
