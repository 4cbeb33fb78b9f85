// SPDX-License-Identifier: Apache-2.0
#include <gantry/cure.hpp>
#include <gantry/embedding/failure.hpp>
#include <gantry/embedding/vectors.hpp>
#include <gantry/onnx/onnx.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine.hpp"
#include "wordpiece.hpp"

namespace gantry::embed_local {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatch = 16;  // texts of one run

/// Texts of one run, all as long as the longest.
struct Batch {
  std::int64_t rows = 0, width = 0;
  std::vector<std::int64_t> pieces, mask, kinds;
};

Batch batch_of(const WordPiece& words, const std::string* texts, std::size_t count,
               std::size_t most) {
  std::vector<std::vector<std::int64_t>> rows;
  std::size_t width = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(words.encode(texts[i], most));
    width = std::max(width, rows.back().size());
  }
  Batch batch{static_cast<std::int64_t>(count), static_cast<std::int64_t>(width), {}, {}, {}};
  for (const auto& row : rows) {
    batch.pieces.insert(batch.pieces.end(), row.begin(), row.end());
    batch.pieces.resize(batch.pieces.size() + width - row.size(), words.padding());
    batch.mask.insert(batch.mask.end(), row.size(), 1);
    batch.mask.resize(batch.mask.size() + width - row.size(), 0);
  }
  batch.kinds.assign(batch.pieces.size(), 0);
  return batch;
}

/// The mean of a row's pieces, of length 1.
EmbeddingVector pooled(std::span<const float> row, std::span<const std::int64_t> mask,
                       std::size_t dimension) {
  EmbeddingVector out;
  out.values.assign(dimension, 0);
  for (std::size_t piece = 0; piece < mask.size(); ++piece) {
    if (mask[piece] == 0) continue;
    for (std::size_t i = 0; i < dimension; ++i) out.values[i] += row[piece * dimension + i];
  }
  embedding::normalise(out.values);
  return out;
}

class SentenceEngine final : public Engine {
 public:
  SentenceEngine(const Settings& settings, std::shared_ptr<onnx::Session> session, WordPiece words)
      : session_(std::move(session)),
        words_(std::move(words)),
        most_(static_cast<std::size_t>(settings.sentence_model.max_pieces)) {
    const auto& names = session_->inputs();
    has_kinds_ = std::find(names.begin(), names.end(), "token_type_ids") != names.end();
  }

  /// One run tells the dimension. Errors: those of a model that is no sentence model.
  Result<void> measure(const std::string& model_id) {
    GANTRY_ASSIGN(const auto vectors, run({"test"}, 0, 1));
    space_ =
        embedding::make_space(kSentenceProvider, model_id, model_id, vectors.front().values.size());
    return {};
  }

  [[nodiscard]] const EmbeddingSpace& space() const override { return space_; }

  [[nodiscard]] Result<std::vector<EmbeddingVector>> embed(
      const std::vector<std::string>& texts,
      const std::function<bool()>& cancelled) const override {
    std::vector<EmbeddingVector> out;
    for (std::size_t at = 0; at < texts.size(); at += kBatch) {
      if (cancelled()) return Error{Code::Cancelled, "the caller gave up", {}};
      GANTRY_ASSIGN(auto part, run(texts, at, std::min(kBatch, texts.size() - at)));
      std::move(part.begin(), part.end(), std::back_inserter(out));
    }
    return out;
  }

 private:
  [[nodiscard]] Result<std::vector<EmbeddingVector>> run(const std::vector<std::string>& texts,
                                                         std::size_t at, std::size_t count) const {
    const Batch batch = batch_of(words_, texts.data() + at, count, most_);
    const onnx::Shape shape{batch.rows, batch.width};
    std::vector<onnx::Input> inputs;
    inputs.push_back({"input_ids", shape, std::span(batch.pieces)});
    inputs.push_back({"attention_mask", shape, std::span(batch.mask)});
    if (has_kinds_) inputs.push_back({"token_type_ids", shape, std::span(batch.kinds)});
    const std::vector<const char*> wanted{session_->outputs().front().c_str()};
    GANTRY_ASSIGN(const std::vector<onnx::Output> outputs, session_->run(inputs, wanted));
    return vectors_of(outputs.front(), batch);
  }

  [[nodiscard]] static Result<std::vector<EmbeddingVector>> vectors_of(const onnx::Output& output,
                                                                       const Batch& batch) {
    const onnx::Shape& shape = output.shape();
    const std::span<const float> values = output.floats();
    const bool fits = shape.size() == 3 && shape[0] == batch.rows && shape[1] == batch.width &&
                      shape[2] > 0 && !values.empty();
    if (!fits) {
      return invalid_argument("the model's first output is not [texts, pieces, dimensions] floats");
    }
    const auto width = static_cast<std::size_t>(batch.width);
    const auto dimension = static_cast<std::size_t>(shape[2]);
    std::vector<EmbeddingVector> out;
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rows); ++row) {
      out.push_back(pooled(values.subspan(row * width * dimension, width * dimension),
                           std::span(batch.mask).subspan(row * width, width), dimension));
    }
    return out;
  }

  std::shared_ptr<onnx::Session> session_;
  WordPiece words_;
  std::size_t most_;
  bool has_kinds_ = false;
  EmbeddingSpace space_;
};

/// An error of opening the model, as one of the provider.
Error broken(const Error& error) {
  auto [reason, cure] = split_cure(error.message);
  if (cure.empty()) cure = "set embed_local.sentence_model to an ONNX export of a sentence encoder";
  return embedding::missing(kSentenceProvider, reason, cure);
}

}  // namespace

Result<std::shared_ptr<const Engine>> open_sentence_model(const Settings& settings) {
  const SentenceModel& wanted = settings.sentence_model;
  const fs::path folder = settings.models_dir;
  const fs::path model = folder / wanted.model, vocabulary = folder / wanted.vocabulary;
  auto words = WordPiece::open(vocabulary, wanted.lowercase);
  if (!words.ok()) return broken(words.error());
  onnx::Options options;
  options.threads = wanted.threads;
  auto session = onnx::Session::open_files(onnx::library_in(folder), model, options);
  if (!session.ok()) return broken(session.error());
  const auto engine =
      std::make_shared<SentenceEngine>(settings, std::move(*session), std::move(*words));
  if (const auto measured = engine->measure(wanted.id); !measured.ok()) {
    return broken(measured.error().with_context(model.string()));
  }
  return std::shared_ptr<const Engine>(engine);
}

}  // namespace gantry::embed_local
