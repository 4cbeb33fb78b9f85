// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/fetch.hpp>

#include <memory>
#include <utility>

namespace gantry::llm {
namespace {

constexpr std::size_t kLargestBody = std::size_t{32} << 20U;

Result<HttpAnswer> talk(HttpExchange& exchange, const HttpRequest& request) {
  GANTRY_ASSIGN(HttpHead head, exchange.send(request));
  GANTRY_ASSIGN(std::string body, exchange.read_all(kLargestBody));
  return HttpAnswer{std::move(head), std::move(body)};
}

}  // namespace

void fetch(Host& host, const HttpOptions& options, HttpRequest request, Duration limit,
           std::function<void(Result<HttpAnswer>)> done) {
  struct Fetching {
    explicit Fetching(const HttpOptions& options) : exchange(options) {}
    HttpExchange exchange;
    Timer timer;
  };
  auto fetching = std::make_shared<Fetching>(options);
  fetching->timer = host.after(limit, [weak = std::weak_ptr(fetching)] {
    if (const auto late = weak.lock()) late->exchange.abort();
  });
  host.blocking([&host, fetching, request = std::move(request), done = std::move(done)]() mutable {
    auto answer = talk(fetching->exchange, request);
    host.post([fetching = std::move(fetching), answer = std::move(answer),
               done = std::move(done)]() mutable {
      fetching->timer.cancel();
      if (!answer.ok() && answer.error().code == Code::Cancelled) {
        answer = Error{Code::DeadlineExceeded, "there was no answer in time", {}};
      }
      done(std::move(answer));
    });
  });
}

}  // namespace gantry::llm
