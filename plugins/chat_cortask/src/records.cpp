// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <gantry/iso_time.hpp>
#include <gantry/uuid.hpp>

#include <fmt/format.h>

namespace gantry::chat_cortask {
namespace {

constexpr const char* kConfigKey = "config";
constexpr std::size_t kDate = 10;  // characters of 2026-03-03
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::string_view kKeyPrefix = "provider.";
constexpr std::string_view kKeySuffix = ".apiKey";

struct SeedRow {
  const char* name;
  const char* content;
  const char* category;
};
constexpr SeedRow kSeeds[] = {
    {"Explain code", "Explain this code in detail:\n\n", "Development"},
    {"Fix bug", "Help me fix this bug:\n\n", "Development"},
    {"Brainstorm", "Brainstorm ideas for:\n\n", "General"},
    {"Summarize", "Summarize the following:\n\n", "General"},
    {"Write tests", "Write tests for this code:\n\n", "Development"},
};

void log_failure(const Host& host, const char* what, const Result<void>& done) {
  if (!done.ok()) host.log().warn(what, {{"reason", done.error().message}});
}

}  // namespace

std::string model_of(const UserConfig& config, const Settings& settings) {
  if (config.provider.empty() || config.model.empty()) return settings.model;
  return config.provider + "/" + config.model;
}

bool is_period(std::string_view text) {
  return text == "daily" || text == "weekly" || text == "monthly";
}

std::string first_day(std::string_view period, std::int64_t at_ms) {
  if (period == "weekly") at_ms -= 6 * kDayMs;
  std::string day = iso_time_of(at_ms).substr(0, kDate);
  if (period == "monthly") day.replace(kDate - 2, 2, "01");
  return day;
}

std::string grouped(std::int64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3 && out[at - 4] != '-'; at -= 3) out.insert(at - 3, ",");
  return out;
}

Records::Records(Host& host, const Settings& settings)
    : templates(host, "templates"),
      models(host, "models"),
      usage(host, "usage"),
      host_(host),
      settings_(settings),
      configs_(host, "config"),
      credentials_(host, "credentials") {}

Result<void> Records::load() {
  GANTRY_TRY(configs_.load());
  GANTRY_TRY(templates.load());
  GANTRY_TRY(models.load());
  GANTRY_TRY(usage.load());
  GANTRY_TRY(credentials_.load());
  auto seal = Seal::make(settings_.secret, settings_.data_dir);
  if (seal.ok()) {
    seal_ = *seal;
  } else {
    host_.degraded("credentials", seal.error().message, "set chat_cortask.secret");
  }
  if (const UserConfig* config = configs_.find(kConfigKey)) {
    config_ = *config;
  } else {
    seed_templates();
    set_config({}, [host = &host_](const Result<void>& done) {
      log_failure(*host, "the first settings were not kept", done);
    });
  }
  return {};
}

void Records::seed_templates() {
  for (const SeedRow& row : kSeeds) {
    const std::string id = random_uuid();
    templates.put(id, {id, row.name, row.content, row.category, now_text(), now_text()},
                  [host = &host_](const Result<void>& done) {
                    log_failure(*host, "a template was not kept", done);
                  });
  }
}

void Records::set_config(UserConfig config, Shelf::Done done) {
  config_ = std::move(config);
  configs_.put(kConfigKey, config_, std::move(done));
}

std::vector<std::string> Records::credential_names() const {
  std::vector<std::string> out;
  for (const auto& [name, value] : credentials_.rows()) out.push_back(name);
  return out;
}

bool Records::has_credential(const std::string& name) const {
  return credentials_.find(name) != nullptr;
}

void Records::set_credential(const std::string& name, std::string_view value, Shelf::Done done) {
  if (!seal_) {
    return done(unavailable("there is no key to seal credentials with",
                            "set chat_cortask.secret, or make data_dir writable"));
  }
  const auto sealed = seal_->close(name, value);
  if (!sealed.ok()) return done(sealed.error());
  credentials_.put(name, {*sealed}, std::move(done));
}

void Records::erase_credential(const std::string& name, Shelf::Done done) {
  credentials_.erase(name, std::move(done));
}

std::map<std::string, std::string> Records::provider_keys() const {
  std::map<std::string, std::string> out;
  if (!seal_) return out;
  for (const auto& [name, value] : credentials_.rows()) {
    if (!name.starts_with(kKeyPrefix) || !name.ends_with(kKeySuffix)) continue;
    if (name.size() <= kKeyPrefix.size() + kKeySuffix.size()) continue;
    const std::string provider =
        name.substr(kKeyPrefix.size(), name.size() - kKeyPrefix.size() - kKeySuffix.size());
    auto key = seal_->open(name, value.sealed);
    if (key.ok() && !key->empty()) out[provider] = std::move(*key);
  }
  return out;
}

void Records::count_run(const std::string& provider, const std::string& model, std::int64_t input,
                        std::int64_t output) {
  const std::string day = iso_time_of(now_ms()).substr(0, kDate);
  UsageDay total;
  if (const UsageDay* found = usage.find(day)) total = *found;
  total.input += input;
  total.output += output;
  total.runs += 1;
  if (const EnabledModel* priced = models.find(provider + "/" + model)) {
    total.cost += (static_cast<double>(input) * priced->inputPricePer1m +
                   static_cast<double>(output) * priced->outputPricePer1m) /
                  1e6;
  }
  usage.put(day, total, [host = &host_](const Result<void>& done) {
    log_failure(*host, "what a run used was not kept", done);
  });
}

UsageDay Records::used(std::string_view period) const {
  UsageDay total;
  const auto& days = usage.rows();
  for (auto day = days.lower_bound(first_day(period, now_ms())); day != days.end(); ++day) {
    total.input += day->second.input;
    total.output += day->second.output;
    total.cost += day->second.cost;
    total.runs += day->second.runs;
  }
  return total;
}

std::string Records::spending_problem() const {
  const SpendingLimits& limits = config_.spending;
  if (!limits.enabled) return {};
  const UsageDay so_far = used(limits.period);
  const std::int64_t tokens = so_far.input + so_far.output;
  if (limits.maxTokens && tokens >= *limits.maxTokens) {
    return fmt::format("Spending limit reached: {} / {} tokens ({})", grouped(tokens),
                       grouped(*limits.maxTokens), limits.period);
  }
  if (limits.maxCostUsd && so_far.cost >= *limits.maxCostUsd) {
    return fmt::format("Spending limit reached: ${:.2f} / ${:.2f} ({})", so_far.cost,
                       *limits.maxCostUsd, limits.period);
  }
  return {};
}

std::int64_t Records::now_ms() const { return host_.wall_ns() / 1'000'000; }

std::string Records::now_text() const { return iso_time_of(now_ms()); }

}  // namespace gantry::chat_cortask
