// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trigram model with absolute discounting and back-off, counted from weighted sentences and
// written in the ARPA form.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::stt_pocketsphinx {

class LanguageModel {
 public:
  /// Counts a sentence `weight` times.
  void add(const std::vector<std::string>& words, double weight = 1);

  [[nodiscard]] std::vector<std::string> words() const;
  [[nodiscard]] std::size_t sentences() const { return sentences_; }

  /// log10 of the probability of `word` after `before` (the last two words count), as the ARPA
  /// file gives it. For tests.
  [[nodiscard]] double log_probability(const std::vector<std::string>& before,
                                       const std::string& word) const;

  [[nodiscard]] std::string arpa() const;

 private:
  using Id = std::int32_t;
  using Gram = std::array<Id, 3>;  // of lower orders the last ones are -1
  struct Row {
    double log_p = 0;
    double backoff = 0;  // log10
  };
  using Counts = std::map<Gram, double>;
  using Rows = std::map<Gram, Row>;

  [[nodiscard]] Id id_of(const std::string& word);
  [[nodiscard]] std::array<Rows, 3> estimate() const;
  void unigrams(Rows& rows) const;
  void higher(std::size_t order, std::array<Rows, 3>& rows) const;

  std::vector<std::string> names_{"<s>", "</s>"};
  std::map<std::string, Id> ids_{{"<s>", 0}, {"</s>", 1}};
  std::array<Counts, 3> counts_;
  std::size_t sentences_ = 0;
};

}  // namespace gantry::stt_pocketsphinx
