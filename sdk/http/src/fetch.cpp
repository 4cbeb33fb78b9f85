// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/fetch.hpp>

#include <algorithm>
#include <utility>

namespace gantry::http {
namespace {

class Running final : public Fetching, public std::enable_shared_from_this<Running> {
 public:
  Running(Host& host, const HttpOptions& options, const FetchLimits& limits,
          std::function<void(Result<HttpAnswer>)> done)
      : host_(host),
        limits_(limits),
        exchange_(std::make_shared<HttpExchange>(options)),
        watch_(std::make_shared<PhaseWatch>(host, exchange_, limits.phases)),
        done_(std::move(done)) {}

  void begin(HttpRequest request) {
    host_.blocking([self = shared_from_this(), request = std::move(request)] {
      auto answer = self->talk(request);
      self->host_.post(
          [self, answer = std::move(answer)]() mutable { self->settle(std::move(answer)); });
    });
    watch_->begin();
  }

  /// One limit for everything instead of one for each phase.
  void limit(Duration all) {
    timer_ = host_.after(all, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->late_ = true;
      self->exchange_->abort();
    });
  }

  void cancel() override {
    done_ = {};
    timer_.cancel();
    watch_->end();
    exchange_->abort();
  }

 private:
  /// On a thread of the blocking pool.
  Result<HttpAnswer> talk(const HttpRequest& request) {
    HttpAnswer answer;
    GANTRY_ASSIGN(answer.head, exchange_->send(request));
    watch_->touch();
    char piece[16 * 1024];
    while (true) {
      GANTRY_ASSIGN(const std::size_t count, exchange_->read(piece, sizeof piece));
      watch_->touch();
      if (count == 0) break;
      answer.cut = answer.body.size() + count > limits_.body;
      answer.body.append(piece, std::min(count, limits_.body - answer.body.size()));
      if (answer.cut) break;
    }
    return answer;
  }

  void settle(Result<HttpAnswer> answer) {
    timer_.cancel();
    watch_->end();
    const auto done = std::exchange(done_, {});
    if (!done) return;
    if (!watch_->late().empty()) {
      answer = Error{Code::DeadlineExceeded, words_of(watch_->late()), {}};
    } else if (late_) {
      answer = Error{Code::DeadlineExceeded, "there was no answer in time", {}};
    }
    done(std::move(answer));
  }

  static std::string words_of(const std::string& phase) {
    if (phase == "connect") return "there was no connection in time";
    if (phase == "first_byte") return "the answer did not begin in time";
    return "the answer paused for too long";
  }

  Host& host_;
  FetchLimits limits_;
  std::shared_ptr<HttpExchange> exchange_;
  std::shared_ptr<PhaseWatch> watch_;
  std::function<void(Result<HttpAnswer>)> done_;
  Timer timer_;
  bool late_ = false;
};

}  // namespace

std::shared_ptr<Fetching> begin_fetch(Host& host, const HttpOptions& options, HttpRequest request,
                                      const FetchLimits& limits,
                                      std::function<void(Result<HttpAnswer>)> done) {
  auto running = std::make_shared<Running>(host, options, limits, std::move(done));
  running->begin(std::move(request));
  return running;
}

void fetch(Host& host, const HttpOptions& options, HttpRequest request, Duration limit,
           std::function<void(Result<HttpAnswer>)> done) {
  FetchLimits limits;
  limits.phases = {limit, limit, limit};
  const auto running = std::make_shared<Running>(host, options, limits, std::move(done));
  running->limit(limit);
  running->begin(std::move(request));
}

}  // namespace gantry::http
