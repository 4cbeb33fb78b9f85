// SPDX-License-Identifier: Apache-2.0
#pragma once
// What users of the page have set: limits, default model, templates, enabled models, credentials,
// and what was used. Kept in the store, and all of it in memory. Strand only.

#include <gantry/contract.hpp>
#include <gantry/host.hpp>
#include <gantry/shelf.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seal.hpp"
#include "settings.hpp"

namespace gantry::chat_cortask {

struct AgentLimits {
  std::int64_t maxTurns = 25;         // model calls of one run
  std::optional<double> temperature;  // none: the model's own
  std::optional<std::int64_t> maxTokens;
};
BOOST_DESCRIBE_STRUCT(AgentLimits, (), (maxTurns, temperature, maxTokens))

struct SpendingLimits {
  bool enabled = false;
  std::string period = "monthly";  // daily, weekly, monthly
  std::optional<std::int64_t> maxTokens;
  std::optional<double> maxCostUsd;
};
BOOST_DESCRIBE_STRUCT(SpendingLimits, (), (enabled, period, maxTokens, maxCostUsd))

struct MemoryChoice {
  std::string embeddingProvider = "openai";
  std::optional<std::string> embeddingModel;
};
BOOST_DESCRIBE_STRUCT(MemoryChoice, (), (embeddingProvider, embeddingModel))

struct UserConfig {
  AgentLimits agent;
  SpendingLimits spending;
  MemoryChoice memory;
  std::string provider;  // the default one; empty: none was chosen
  std::string model;     // of it
  bool onboarded = false;
};
BOOST_DESCRIBE_STRUCT(UserConfig, (), (agent, spending, memory, provider, model, onboarded))

struct PromptTemplate {
  std::string id;
  std::string name;
  std::string content;
  std::string category;
  std::string createdAt;
  std::string updatedAt;
};
BOOST_DESCRIBE_STRUCT(PromptTemplate, (), (id, name, content, category, createdAt, updatedAt))

struct EnabledModel {
  std::string id;
  std::string provider;
  std::string modelId;
  std::string label;
  double inputPricePer1m = 0;  // US dollars
  double outputPricePer1m = 0;
  std::string enabledAt;
};
BOOST_DESCRIBE_STRUCT(EnabledModel, (),
                      (id, provider, modelId, label, inputPricePer1m, outputPricePer1m, enabledAt))

/// What was used on one day (UTC).
struct UsageDay {
  std::int64_t input = 0;   // tokens
  std::int64_t output = 0;  // tokens
  double cost = 0;          // US dollars, as far as prices are known
  std::int64_t runs = 0;
};
BOOST_DESCRIBE_STRUCT(UsageDay, (), (input, output, cost, runs))

/// Documents of one kind, all in memory.
template <class T>
class Table {
 public:
  Table(Host& host, std::string collection) : shelf_(host, std::move(collection)) {}

  /// Waits.
  Result<void> load() {
    GANTRY_ASSIGN(const auto rows, shelf_.read_all());
    for (const auto& [key, body] : rows) {
      GANTRY_ASSIGN(T row, from_json<T>(body.text));
      rows_[key] = std::move(row);
    }
    return {};
  }
  [[nodiscard]] const std::map<std::string, T>& rows() const { return rows_; }
  [[nodiscard]] const T* find(const std::string& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : &found->second;
  }
  /// It counts at once; `done` hears whether it was kept.
  void put(const std::string& key, const T& row, Shelf::Done done) {
    rows_[key] = row;
    shelf_.write({{key, Json(to_json(row))}}, std::move(done));
  }
  void erase(const std::string& key, Shelf::Done done) {
    rows_.erase(key);
    shelf_.write({{key, std::nullopt}}, std::move(done));
  }

 private:
  Shelf shelf_;
  std::map<std::string, T> rows_;
};

struct SealedValue {
  std::string sealed;
};
BOOST_DESCRIBE_STRUCT(SealedValue, (), (sealed))

class Records {
 public:
  Records(Host& host, const Settings& settings);

  /// Reads everything; writes the first templates. Waits.
  Result<void> load();

  [[nodiscard]] const UserConfig& config() const { return config_; }
  void set_config(UserConfig config, Shelf::Done done);

  Table<PromptTemplate> templates;
  Table<EnabledModel> models;  // by provider, a slash and model
  Table<UsageDay> usage;       // by date, 2026-03-03

  // ---- credentials; their values are handed to providers and shown to nobody
  [[nodiscard]] std::vector<std::string> credential_names() const;
  [[nodiscard]] bool has_credential(const std::string& name) const;
  void set_credential(const std::string& name, std::string_view value, Shelf::Done done);
  void erase_credential(const std::string& name, Shelf::Done done);
  /// provider.<id>.apiKey, by provider.
  [[nodiscard]] std::map<std::string, std::string> provider_keys() const;

  // ---- usage
  void count_run(const std::string& provider, const std::string& model, std::int64_t input,
                 std::int64_t output);
  /// Of the days that belong to the period which today is in.
  [[nodiscard]] UsageDay used(std::string_view period) const;
  /// "Spending limit reached: …"; empty: there is room.
  [[nodiscard]] std::string spending_problem() const;

  [[nodiscard]] std::string now_text() const;

 private:
  [[nodiscard]] std::int64_t now_ms() const;
  void seed_templates();

  Host& host_;
  const Settings& settings_;
  Table<UserConfig> configs_;
  Table<SealedValue> credentials_;
  UserConfig config_;
  std::optional<Seal> seal_;
};

/// The model of a chat as the engine names it: the one that the user has chosen, else the
/// configured one; empty: the engine's default.
[[nodiscard]] std::string model_of(const UserConfig& config, const Settings& settings);

[[nodiscard]] bool is_period(std::string_view text);

/// The first day (UTC, 2026-03-03) of the period that a time is in: the day itself, six days
/// before it, or the first of its month.
[[nodiscard]] std::string first_day(std::string_view period, std::int64_t at_ms);

/// 1,234,567.
[[nodiscard]] std::string grouped(std::int64_t number);

}  // namespace gantry::chat_cortask
