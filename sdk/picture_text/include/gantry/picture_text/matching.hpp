// SPDX-License-Identifier: Apache-2.0
//
// Rows of text, how well they fit a query, and the one that is meant. Pure.
#pragma once

#include <gantry/contracts/picture.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::picture_text {

struct Row {
  std::string id;    // its place among all rows
  std::string text;  // without space around it
  double confidence = 0;
  Rect bbox;
  std::string candidate_id;
  std::optional<double> score;
  std::u32string key;  // the text as it is compared
};

/// The first 12 hexadecimal digits of the SHA-1.
std::string short_sha1(std::string_view bytes);

std::int32_t center_x(const Row& row);
std::int32_t center_y(const Row& row);

/// With ids that are the same whenever the same picture is read the same way.
std::vector<Row> rows_of(const PictureTextRows& read, std::string_view source_id);

/// All rows with their scores, the best first; equal ones in their order.
std::vector<Row> ranked(const std::vector<Row>& rows, std::string_view query);
/// How many of ranked rows reach the threshold.
std::size_t accepted(const std::vector<Row>& ranked, double threshold);

/// The first rows, at most `most`.
std::vector<Row> first_of(const std::vector<Row>& rows, std::size_t most);

/// Why a query does not mean one row.
struct Unresolved {
  std::int32_t status = 404;
  std::string detail;  // JSON
};

/// Which of the ranked rows is meant: the only one that reaches the threshold.
std::optional<Unresolved> unresolved(const std::vector<Row>& ranked, std::string_view query,
                                     double threshold);

}  // namespace gantry::picture_text
