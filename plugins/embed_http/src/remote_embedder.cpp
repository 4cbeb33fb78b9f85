// SPDX-License-Identifier: Apache-2.0
#include "remote_embedder.hpp"

#include <gantry/embedding/failure.hpp>

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include "wire.hpp"

namespace gantry::embed_http {
namespace {

constexpr double kNsInMs = 1e6;
constexpr double kNsInSecond = 1e9;

}  // namespace

/// One request on its way; `done` is empty once it has been answered or nobody wants it.
struct RemoteEmbedder::Job {
  Ref<EmbedRequest> request;
  std::function<void(Result<EmbedResult>)> done;
  Settings settings;  // those it began with
  Context context;
  EmbedResult result;
  std::int64_t begun_ns = 0;
  embedding::Gate::Place place = 0;
  bool begun = false;
  embedding::Breaker::Ticket ticket = 0;
  std::shared_ptr<http::Fetching> fetching;
  Timer limit;
};

RemoteEmbedder::RemoteEmbedder(Host& host, Fetch fetch)
    : host_(host),
      fetch_(std::move(fetch)),
      gate_(host),
      requests_(host.counter("requests_total", "Requests to the server.")),
      failures_(host.counter("failures_total", "Those that failed.")) {}

void RemoteEmbedder::configure(const Settings& settings) {
  if (settings.base_url != settings_.base_url || settings.protocol != settings_.protocol) {
    breaker_ = {};
    last_space_.reset();
  }
  if (settings.model != settings_.model) last_space_.reset();
  settings_ = settings;
  breaker_.configure(
      {settings.circuit_failures, std::chrono::milliseconds(settings.circuit_cooldown)});
  gate_.configure({static_cast<std::size_t>(settings.max_concurrent),
                   static_cast<std::size_t>(settings.max_queue),
                   std::chrono::milliseconds(settings.queue_timeout)});
}

void RemoteEmbedder::stop() { gate_.stop(); }

void RemoteEmbedder::embed(const Ref<EmbedRequest>& request, Reply<Embed> reply) {
  const auto answer = std::make_shared<Reply<Embed>>(std::move(reply));
  const auto job = std::make_shared<Job>();
  job->request = request;
  job->settings = settings_;
  job->context = host_.context();
  job->done = [answer](Result<EmbedResult> result) { (*answer)(std::move(result)); };
  if (const auto fits = embedding::check_request(*request); !fits.ok()) {
    job->done(fits.error());
    return;
  }
  if (const auto fits = check(settings_); !fits.ok()) {
    job->done(fits.error());
    return;
  }
  job->place = gate_.enter({[this, job](Duration waited) { begin(job, waited); },
                            [this, job](embedding::Gate::Refusal why) {
                              if (job->done) std::exchange(job->done, nullptr)(refusal(why));
                            }});
  answer->on_cancel([this, weak = std::weak_ptr<Job>(job)] {
    if (const auto gone = weak.lock()) give_up(gone);
  });
}

void RemoteEmbedder::begin(const std::shared_ptr<Job>& job, Duration waited) {
  job->begun = true;
  job->begun_ns = host_.monotonic_ns();
  job->result.queue_wait_ms = static_cast<double>(waited.count()) / kNsInMs;
  ask(job);
}

void RemoteEmbedder::ask(const std::shared_ptr<Job>& job) {
  const auto ticket = breaker_.enter(host_.monotonic_ns());
  if (!ticket) return finish(job, circuit_open());
  job->ticket = *ticket;
  const std::span<const std::string> left =
      std::span(job->request->texts).subspan(job->result.embeddings.size());
  const std::size_t count = next_batch(job->settings, left);
  requests_.add();
  const ContextScope scope = host_.enter(job->context);
  job->fetching = fetch_(
      embed_request(job->settings, left.first(count)),
      [this, job, count](const Result<http::HttpAnswer>& answer) { take(job, count, answer); });
  const Duration limit = std::chrono::milliseconds(job->settings.request_timeout);
  job->limit = host_.after(limit, [this, weak = std::weak_ptr<Job>(job), count] {
    const auto late = weak.lock();
    if (late == nullptr || late->fetching == nullptr) return;
    late->fetching->cancel();
    take(late, count, Error{Code::DeadlineExceeded, "there was no answer in time", {}});
  });
}

void RemoteEmbedder::take(const std::shared_ptr<Job>& job, std::size_t count,
                          const Result<http::HttpAnswer>& answer) {
  job->fetching.reset();
  job->limit.cancel();
  auto vectors = answer.ok() ? read_vectors(job->settings, *answer, count)
                             : Result<Vectors>(transport_failure(job->settings, answer.error()));
  if (!vectors.ok()) {
    failures_.add();
    if (is_servers_fault(vectors.error())) {
      breaker_.failed(job->ticket, host_.monotonic_ns());
    } else {
      breaker_.succeeded(job->ticket);  // it answers, only not this
    }
    return finish(job, vectors.error());
  }
  breaker_.succeeded(job->ticket);
  EmbedResult& result = job->result;
  const std::string space = vectors->space.embedding_space_version;
  if (!result.embeddings.empty() && space != result.space.embedding_space_version) {
    return finish(
        job, embedding::failure(embedding::Trouble::InvalidResponse, job->settings.provider_id(),
                                job->settings.base_url + " changed its model during a request"));
  }
  result.space = vectors->space;
  std::move(vectors->embeddings.begin(), vectors->embeddings.end(),
            std::back_inserter(result.embeddings));
  if (result.embeddings.size() < job->request->texts.size()) return ask(job);
  last_space_ = result.space;
  result.service_time_ms = static_cast<double>(host_.monotonic_ns() - job->begun_ns) / kNsInMs;
  finish(job, std::move(result));
}

void RemoteEmbedder::finish(const std::shared_ptr<Job>& job, Result<EmbedResult> result) {
  if (job->done) std::exchange(job->done, nullptr)(std::move(result));
  gate_.leave();
}

void RemoteEmbedder::give_up(const std::shared_ptr<Job>& job) {
  if (!job->done) return;
  job->done = nullptr;
  if (!job->begun) return gate_.give_up(job->place);
  if (job->fetching == nullptr) return;
  job->fetching->cancel();
  job->fetching.reset();
  job->limit.cancel();
  breaker_.abandoned(job->ticket);
  gate_.leave();
}

void RemoteEmbedder::tell_health(Reply<EmbeddingHealth> reply) {
  const auto answer = std::make_shared<Reply<EmbeddingHealth>>(std::move(reply));
  if (const auto fits = check(settings_); !fits.ok()) return answer->fail(fits.error());
  if (breaker_.is_open(host_.monotonic_ns())) return answer->fail(circuit_open());
  if (settings_.is_openai() && last_space_) return (*answer)(*last_space_);
  const Settings asked = settings_;
  const std::string word = "test";
  auto request =
      asked.is_openai() ? embed_request(asked, std::span(&word, 1)) : health_request(asked);
  const auto fetching = std::make_shared<std::shared_ptr<http::Fetching>>();
  *fetching = fetch_(std::move(request),
                     [this, asked, answer, fetching](const Result<http::HttpAnswer>& got) {
                       fetching->reset();
                       if (!got.ok()) return answer->fail(transport_failure(asked, got.error()));
                       if (!asked.is_openai()) {
                         auto space = read_health(asked, *got);
                         return space.ok() ? (*answer)(*space) : answer->fail(space.error());
                       }
                       auto vectors = read_vectors(asked, *got, 1);
                       if (!vectors.ok()) return answer->fail(vectors.error());
                       last_space_ = vectors->space;
                       (*answer)(vectors->space);
                     });
}

Error RemoteEmbedder::refusal(embedding::Gate::Refusal why) const {
  if (why == embedding::Gate::Refusal::Stopped) {
    return embedding::failure(embedding::Trouble::Unavailable, settings_.provider_id(),
                              "embeddings are being stopped");
  }
  return embedding::failure(
      embedding::Trouble::Capacity, settings_.provider_id(),
      fmt::format("{} requests for embeddings are under way and {} wait; ask again later",
                  gate_.under_way(), gate_.waiting()));
}

Error RemoteEmbedder::circuit_open() const {
  const double left =
      static_cast<double>(breaker_.left(host_.monotonic_ns()).count()) / kNsInSecond;
  return embedding::failure(
      embedding::Trouble::CircuitOpen, settings_.provider_id(),
      fmt::format("{} has failed {} times in a row; it is asked again in {:.0f} s",
                  settings_.base_url, settings_.circuit_failures, left));
}

}  // namespace gantry::embed_http
