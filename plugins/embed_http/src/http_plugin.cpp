// SPDX-License-Identifier: Apache-2.0
#include "http_plugin.hpp"

#include <gantry/cure.hpp>

#include <chrono>
#include <cstdlib>
#include <utility>

namespace gantry::embed_http {
namespace {

constexpr int kConfigured = 90;
constexpr Duration kKeptFor = std::chrono::seconds(60);
constexpr std::size_t kMostKept = 8;
constexpr std::size_t kMostBody = std::size_t{64} << 20U;

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

EmbedHttpPlugin::EmbedHttpPlugin(Host& host)
    : Plugin(host),
      pool_(std::make_shared<http::HttpPool>([&host] { return host.monotonic_ns(); }, kKeptFor,
                                             kMostKept)),
      embedder_(host, [this](http::HttpRequest request, RemoteEmbedder::Done done) {
        return fetch(std::move(request), std::move(done));
      }) {}

Result<void> EmbedHttpPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve<EmbeddingHealth>(
      [this](const Ref<Nothing>&, const CallInfo&, Reply<EmbeddingHealth> reply) {
        embedder_.tell_health(std::move(reply));
      }));
  return host().bus().serve<Embed>(
      [this](const Ref<EmbedRequest>& request, const CallInfo&, Reply<Embed> reply) {
        embedder_.embed(request, std::move(reply));
      });
}

Result<void> EmbedHttpPlugin::start() {
  probe();
  return {};
}

Result<void> EmbedHttpPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json(), &environment));
  embedder_.configure(settings_);
  probe();
  return {};
}

void EmbedHttpPlugin::stop(Deadline) {
  sweeping_.cancel();
  embedder_.stop();
}

void EmbedHttpPlugin::probe() {
  const auto fits = check(settings_);
  if (fits.ok()) {
    host().healthy("server");
    host().bus().set_suitability(kConfigured, settings_.base_url);
    return;
  }
  const auto [reason, cure] = split_cure(fits.error().message);
  // Nobody needs a server: embed_local works without.
  if (settings_.protocol == "off") {
    host().healthy("server");
  } else {
    host().degraded("server", reason, cure);
  }
  host().bus().set_suitability(0, reason);
}

std::shared_ptr<http::Fetching> EmbedHttpPlugin::fetch(http::HttpRequest request,
                                                       RemoteEmbedder::Done done) {
  sweep_later();
  http::HttpOptions options;
  options.proxy = settings_.proxy;
  options.ca_file = settings_.ca_file;
  options.pool = pool_;
  http::FetchLimits limits;
  const Duration all = std::chrono::milliseconds(settings_.request_timeout);
  limits.phases = {all, all, all};
  limits.body = kMostBody;
  return http::begin_fetch(host(), options, std::move(request), limits, std::move(done));
}

void EmbedHttpPlugin::sweep_later() {
  if (std::exchange(sweeps_, true)) return;
  sweeping_ = host().after(kKeptFor, [this] {
    sweeps_ = false;
    if (pool_->sweep() > 0) sweep_later();
  });
}

}  // namespace gantry::embed_http
