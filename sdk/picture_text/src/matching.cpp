// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture_text/matching.hpp>

#include <gantry/codec.hpp>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <gantry/picture_text/fold.hpp>
#include <gantry/picture_text/likeness.hpp>

namespace gantry::picture_text {
namespace {

namespace json = boost::json;

constexpr std::size_t kOffered = 8;    // when several fit
constexpr std::size_t kSuggested = 3;  // when none does

/// To four places, as printed.
double rounded(double score) { return std::strtod(fmt::format("{:.4f}", score).c_str(), nullptr); }

json::object payload_of(const std::vector<Row>& ranked, std::size_t most) {
  json::array candidates;
  for (const Row& row : first_of(ranked, most)) {
    candidates.push_back(json::object{{"candidate_id", row.candidate_id},
                                      {"text", row.text},
                                      {"score", rounded(row.score.value_or(0))},
                                      {"x", center_x(row)},
                                      {"y", center_y(row)}});
  }
  return {{"retry_tool", "mouse_control"},
          {"retry_method", "ocr_candidate"},
          {"candidates", std::move(candidates)}};
}

std::string with_payload(std::string message, json::object payload) {
  return codec::serialize(
      json::object{{"message", std::move(message)}, {"resolver_payload", std::move(payload)}});
}

}  // namespace

std::string short_sha1(std::string_view bytes) {
  constexpr std::size_t kShown = 6;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha1(), nullptr);
  std::string out;
  for (std::size_t i = 0; i < kShown; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

std::int32_t center_x(const Row& row) { return row.bbox.x + row.bbox.width / 2; }
std::int32_t center_y(const Row& row) { return row.bbox.y + row.bbox.height / 2; }

std::vector<Row> rows_of(const PictureTextRows& read, std::string_view source_id) {
  std::vector<Row> rows;
  rows.reserve(read.rows.size());
  for (const PictureRow& line : read.rows) {
    Row row;
    row.id = std::to_string(rows.size());
    row.text = stripped(line.text);
    row.confidence = line.confidence;
    row.bbox = line.bbox;
    row.key = folded(row.text);
    row.candidate_id =
        "ocr_" + short_sha1(fmt::format("{}|{}|{}|{}|{}|{}|{}", source_id, row.id, utf8_of(row.key),
                                        row.bbox.x, row.bbox.y, row.bbox.width, row.bbox.height));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> ranked(const std::vector<Row>& rows, std::string_view query) {
  const std::u32string wanted = folded(query);
  Likeness likeness(wanted);
  std::vector<Row> out = rows;
  for (Row& row : out) row.score = likeness.with(row.key);
  std::stable_sort(out.begin(), out.end(),
                   [](const Row& a, const Row& b) { return *a.score > *b.score; });
  return out;
}

std::size_t accepted(const std::vector<Row>& ranked, double threshold) {
  const auto end = std::find_if(ranked.begin(), ranked.end(),
                                [threshold](const Row& row) { return *row.score < threshold; });
  return static_cast<std::size_t>(end - ranked.begin());
}

std::vector<Row> first_of(const std::vector<Row>& rows, std::size_t most) {
  return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows.size()))};
}

std::optional<Unresolved> unresolved(const std::vector<Row>& ranked, std::string_view query,
                                     double threshold) {
  if (ranked.empty()) {
    return Unresolved{404, codec::serialize(json::object{{"message", "OCR results are empty"}})};
  }
  const std::size_t fitting = accepted(ranked, threshold);
  if (fitting == 1) return std::nullopt;
  if (fitting > 1) {
    const std::vector<Row> these = first_of(ranked, fitting);
    return Unresolved{
        409, with_payload(fmt::format("{} rows match '{}' with {:.2f} or more; choose one of them "
                                      "by its candidate_id",
                                      fitting, query, threshold),
                          payload_of(these, kOffered))};
  }
  const double best = *ranked.front().score;
  json::object payload = payload_of(ranked, kSuggested);
  payload["threshold"] = threshold;
  payload["best_score"] = rounded(best);
  return Unresolved{404, with_payload(fmt::format("No row matches '{}' with {:.2f} or more (the "
                                                  "best has {:.2f})",
                                                  query, threshold, best),
                                      std::move(payload))};
}

}  // namespace gantry::picture_text
