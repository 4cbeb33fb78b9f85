// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::embed_local {

inline constexpr const char* kLsaProvider = "local-lsa";
inline constexpr const char* kSentenceProvider = "local-sentence-transformer";
inline constexpr std::string_view kTableCure =
    "build the target embed_table, which needs Debian's package wordnet-base, or name the file "
    "with "
    "embed_local.table";

struct SentenceModel {
  std::string model;
  std::string vocabulary;
  std::string id = "sentence-transformers/all-MiniLM-L6-v2";
  bool lowercase = true;
  std::int32_t max_pieces = 256;
  std::int32_t threads = 2;
};
BOOST_DESCRIBE_STRUCT(SentenceModel, (), (model, vocabulary, id, lowercase, max_pieces, threads))

struct Settings {
  std::string table;
  std::string models_dir;
  SentenceModel sentence_model;
  std::int32_t max_concurrent = 2;
  std::int32_t max_queue = 256;
  std::int64_t queue_timeout = 5'000;     // milliseconds
  std::int64_t request_timeout = 30'000;  // milliseconds
  std::int64_t idle_release = 45'000;     // milliseconds

  [[nodiscard]] bool names_sentence_model() const {
    return !sentence_model.model.empty() || !sentence_model.vocabulary.empty();
  }
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (table, models_dir, sentence_model, max_concurrent, max_queue, queue_timeout,
                       request_timeout, idle_release))

/// An empty `table` becomes that of the installation.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::embed_local
