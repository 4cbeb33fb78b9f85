// SPDX-License-Identifier: Apache-2.0
#pragma once
// One decoder of PocketSphinx. One thread at a time; loading takes some 300 ms.

#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "parted_decoder.hpp"

struct ps_decoder_s;

namespace gantry::stt_pocketsphinx {

/// Where a language's model is.
struct ModelFiles {
  std::filesystem::path acoustic;    // folder
  std::filesystem::path dictionary;  // file
  std::filesystem::path language;    // file of the general language model
};

/// The files in `folder`, as Debian lays them out. Errors: unavailable, with what is missing.
[[nodiscard]] Result<ModelFiles> model_files(const std::filesystem::path& folder);

class Decoder final : public WordDecoder {
 public:
  /// With the dictionary and the general language model, or with neither: then set_commands() comes
  /// first.
  [[nodiscard]] static Result<std::unique_ptr<Decoder>> create(const ModelFiles& files,
                                                               bool general);

  /// A language model in the ARPA form, and how its words are said, in the CMU form. Words without
  /// a sound are not heard.
  [[nodiscard]] Result<void> set_commands(const std::string& arpa, const std::string& dictionary);

  [[nodiscard]] Result<void> begin() override;
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t> samples) override;
  [[nodiscard]] std::string text() override;
  [[nodiscard]] Result<Path> end() override;
  void drop() override;

 private:
  struct Free {
    void operator()(ps_decoder_s* decoder) const;
  };
  explicit Decoder(ps_decoder_s* decoder) : decoder_(decoder) {}

  std::unique_ptr<ps_decoder_s, Free> decoder_;
  bool inside_ = false;
};

}  // namespace gantry::stt_pocketsphinx
