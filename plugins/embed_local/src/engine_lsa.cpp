// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/failure.hpp>

#include <utility>

#include "engine.hpp"
#include "lsa_embedder.hpp"
#include "table.hpp"

namespace gantry::embed_local {
namespace {

constexpr std::string_view kModel = "wordnet-3.0-lsa-v1";

class LsaEngine final : public Engine {
 public:
  explicit LsaEngine(Table table)
      : table_(std::move(table)),
        space_(embedding::make_space(kLsaProvider, std::string(kModel), std::string(kModel),
                                     table_.dimensions() + kSpellingDimensions)) {}

  [[nodiscard]] const EmbeddingSpace& space() const override { return space_; }

  [[nodiscard]] Result<std::vector<EmbeddingVector>> embed(
      const std::vector<std::string>& texts,
      const std::function<bool()>& cancelled) const override {
    std::vector<EmbeddingVector> out;
    out.reserve(texts.size());
    for (const std::string& text : texts) {
      if (cancelled()) return Error{Code::Cancelled, "the caller gave up", {}};
      out.push_back({lsa_embedding(table_, text)});
    }
    return out;
  }

 private:
  Table table_;
  EmbeddingSpace space_;
};

}  // namespace

Result<std::shared_ptr<const Engine>> open_lsa(const Settings& settings) {
  auto table = Table::open(settings.table);
  if (!table.ok()) {
    return embedding::missing(kLsaProvider, table.error().message, kTableCure);
  }
  return std::shared_ptr<const Engine>(std::make_shared<LsaEngine>(std::move(*table)));
}

}  // namespace gantry::embed_local
