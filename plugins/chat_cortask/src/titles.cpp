// SPDX-License-Identifier: Apache-2.0
#include "titles.hpp"

#include <gantry/utf8.hpp>

namespace gantry::chat_cortask {
namespace {

constexpr int kLongest = 80;  // characters

}  // namespace

std::string title_of(std::string_view message) {
  std::size_t end = 0;
  for (int count = 0; count < kLongest && end < message.size(); ++count) {
    const std::size_t length = codec::utf8_length(message.substr(end));
    end += length == 0 ? 1 : length;
  }
  std::string out(message.substr(0, end));
  if (end < message.size()) out += "…";
  return out.empty() ? kNewChat : out;
}

}  // namespace gantry::chat_cortask
