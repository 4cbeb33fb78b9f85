// SPDX-License-Identifier: Apache-2.0
#include "embed_plugin.hpp"

#include <gantry/embedding/failure.hpp>
#include <gantry/suitability.hpp>

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace gantry::embed_local {
namespace {

constexpr int kLsaFits = 50;
constexpr int kSentenceFits = 70;
constexpr double kNsInMs = 1e6;

const char* provider_of(const Settings& settings) {
  return settings.names_sentence_model() ? kSentenceProvider : kLsaProvider;
}

}  // namespace

struct EmbedPlugin::Job {
  Job(Ref<EmbedRequest> asked, Reply<Embed> answer)
      : request(std::move(asked)), reply(std::move(answer)) {}

  Ref<EmbedRequest> request;
  Reply<Embed> reply;
  Context context;
  Duration waited{};
  std::int64_t until_ns = 0;
};

Result<void> EmbedPlugin::init() {
  texts_ = host().counter("texts_total", "Texts that have become vectors.");
  seconds_ = host().histogram("embed_seconds", "Of one request, without its wait in line.",
                              {0.001, 0.005, 0.02, 0.1, 0.5, 2, 10});
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve<EmbeddingHealth>(
      [this](const Ref<Nothing>&, const CallInfo&, Reply<EmbeddingHealth> reply) {
        tell_health(std::move(reply));
      }));
  return host().bus().serve<Embed>(
      [this](const Ref<EmbedRequest>& request, const CallInfo&, Reply<Embed> reply) {
        embed(request, std::move(reply));
      });
}

Result<void> EmbedPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  gate_.configure({static_cast<std::size_t>(settings_.max_concurrent),
                   static_cast<std::size_t>(settings_.max_queue),
                   std::chrono::milliseconds(settings_.queue_timeout)});
  {
    const std::lock_guard lock(mutex_);
    engine_settings_ = settings_;
    engine_.reset();
  }
  probe();
  return {};
}

void EmbedPlugin::stop(Deadline) {
  idling_.cancel();
  gate_.stop();
}

void EmbedPlugin::probe() {
  tell_found(host(), "model", probe_engine(settings_),
             settings_.names_sentence_model() ? kSentenceFits : kLsaFits, provider_of(settings_));
}

void EmbedPlugin::embed(const Ref<EmbedRequest>& request, Reply<Embed> reply) {
  if (const auto fits = embedding::check_request(*request); !fits.ok()) {
    reply.fail(fits.error());
    return;
  }
  touch();
  const auto job = std::make_shared<Job>(request, std::move(reply));
  job->context = host().context();
  const auto place =
      gate_.enter({[this, job](Duration waited) { begin(job, waited); },
                   [this, job](embedding::Gate::Refusal why) { refuse(*job, why); }});
  job->reply.on_cancel([this, place] { gate_.give_up(place); });
}

void EmbedPlugin::refuse(Job& job, embedding::Gate::Refusal why) {
  if (why == embedding::Gate::Refusal::Stopped) {
    job.reply.fail(embedding::failure(embedding::Trouble::Unavailable, provider_of(settings_),
                                      "embeddings are being stopped"));
    return;
  }
  job.reply.fail(embedding::failure(
      embedding::Trouble::Capacity, provider_of(settings_),
      fmt::format("{} requests for embeddings are under way and {} wait; ask again later",
                  gate_.under_way(), gate_.waiting())));
}

void EmbedPlugin::begin(const std::shared_ptr<Job>& job, Duration waited) {
  job->waited = waited;
  job->until_ns = host().monotonic_ns() +
                  Duration(std::chrono::milliseconds(settings_.request_timeout)).count();
  const ContextScope scope = host().enter(job->context);
  host().blocking([this, job] {
    work(*job);
    host().post([this] {
      touch();
      gate_.leave();
    });
  });
}

void EmbedPlugin::work(Job& job) {
  const std::int64_t begun_ns = host().monotonic_ns();
  try {
    const auto made = engine();
    if (!made.ok()) return job.reply.fail(made.error());
    auto vectors = (*made)->embed(job.request->texts, [&] {
      return job.context.cancelled() || host().monotonic_ns() > job.until_ns;
    });
    if (!vectors.ok()) {
      const bool late = vectors.error().code == Code::Cancelled && !job.context.cancelled();
      const auto trouble = late ? embedding::Trouble::Timeout : embedding::Trouble::InvalidResponse;
      return job.reply.fail(
          embedding::failure(trouble, (*made)->space().provider_id,
                             late ? "the texts took longer than embed_local.request_timeout"
                                  : vectors.error().message));
    }
    const auto took = static_cast<double>(host().monotonic_ns() - begun_ns);
    texts_.add(static_cast<double>(vectors->size()));
    seconds_.add(took / 1e9);
    EmbedResult result;
    result.embeddings = std::move(*vectors);
    result.space = (*made)->space();
    result.queue_wait_ms = static_cast<double>(job.waited.count()) / kNsInMs;
    result.service_time_ms = took / kNsInMs;
    job.reply(std::move(result));
  } catch (const std::exception& failure) {
    job.reply.fail(internal_error(std::string("making embeddings failed: ") + failure.what()));
  }
}

void EmbedPlugin::tell_health(Reply<EmbeddingHealth> reply) {
  touch();
  const auto answer = std::make_shared<Reply<EmbeddingHealth>>(std::move(reply));
  host().blocking([this, answer] {
    const auto made = engine();
    if (!made.ok()) return answer->fail(made.error());
    (*answer)((*made)->space());
  });
}

Result<std::shared_ptr<const Engine>> EmbedPlugin::engine() {
  const std::lock_guard lock(mutex_);
  if (engine_ == nullptr) {
    GANTRY_ASSIGN(engine_, open_engine(engine_settings_));
  }
  return engine_;
}

void EmbedPlugin::release() {
  {
    const std::lock_guard lock(mutex_);
    engine_.reset();
  }
  malloc_trim(0);
}

void EmbedPlugin::touch() {
  last_ns_ = host().monotonic_ns();
  if (!awaits_idling_) wait_for_idling(std::chrono::milliseconds(settings_.idle_release));
}

void EmbedPlugin::wait_for_idling(Duration delay) {
  awaits_idling_ = true;
  idling_ = host().after(delay, [this] {
    const Duration limit = std::chrono::milliseconds(settings_.idle_release);
    const Duration idle(host().monotonic_ns() - last_ns_);
    if (gate_.under_way() > 0) return wait_for_idling(limit);
    if (idle < limit) return wait_for_idling(limit - idle);
    awaits_idling_ = false;
    host().blocking([this] { release(); });
  });
}

}  // namespace gantry::embed_local
