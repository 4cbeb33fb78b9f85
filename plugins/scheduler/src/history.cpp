// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/store.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "record.hpp"

namespace gantry::scheduler {
namespace {

/// One reading; keeps itself alive by its calls.
class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(Host& host, std::vector<RunRange> ranges, std::int32_t limit, std::int64_t offset,
          Reply<ScheduleRuns> reply)
      : host_(host),
        ranges_(std::move(ranges)),
        limit_(limit),
        offset_(offset),
        reply_(std::move(reply)) {
    for (const RunRange& range : ranges_) out_.total += range.last - range.first + 1;
  }

  void next(const std::string& after = {}) {
    if (at_ == ranges_.size()) return answer();
    StoreListRequest request;
    request.collection = kRuns;
    request.prefix = ranges_[at_].job + "/";
    request.after = after;
    request.descending = true;
    request.limit = static_cast<std::int32_t>(std::min<std::int64_t>(wanted() - read_, 1000));
    host_.bus().call<StoreList>(
        std::move(request),
        [self = shared_from_this()](const Result<Ref<StoreDocuments>>& page) { self->take(page); });
  }

 private:
  /// Of each job so many at most are in the page.
  [[nodiscard]] std::int64_t wanted() const { return offset_ + limit_; }

  void take(const Result<Ref<StoreDocuments>>& page) {
    if (!page.ok()) return reply_.fail(page.error());
    std::string last;
    for (const StoredDocument& document : (*page)->documents) {
      Result<ScheduledRun> run = from_json<ScheduledRun>(document.body.text);
      if (!run.ok()) return reply_.fail(run.error());
      found_.push_back(std::move(*run));
      ++read_;
      last = document.key;
    }
    if ((*page)->more && read_ < wanted()) return next(last);
    read_ = 0;
    ++at_;
    next();
  }

  void answer() {
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return a.started_ms > b.started_ms;  // of one job they come in the order of their numbers
    });
    const auto first = static_cast<std::size_t>(std::min(offset_, std::ssize(found_)));
    const auto count = std::min(found_.size() - first, static_cast<std::size_t>(limit_));
    out_.runs.assign(
        std::make_move_iterator(found_.begin() + static_cast<std::ptrdiff_t>(first)),
        std::make_move_iterator(found_.begin() + static_cast<std::ptrdiff_t>(first + count)));
    reply_(std::move(out_));
  }

  Host& host_;
  std::vector<RunRange> ranges_;
  std::int32_t limit_;
  std::int64_t offset_;
  Reply<ScheduleRuns> reply_;
  std::size_t at_ = 0;
  std::int64_t read_ = 0;  // of this job
  std::vector<ScheduledRun> found_;
  ScheduledRunList out_;
};

}  // namespace

void read_history(Host& host, std::vector<RunRange> ranges, std::int32_t limit, std::int64_t offset,
                  Reply<ScheduleRuns> reply) {
  std::make_shared<Reading>(host, std::move(ranges), limit, offset, std::move(reply))->next();
}

}  // namespace gantry::scheduler
