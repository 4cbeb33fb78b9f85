// SPDX-License-Identifier: Apache-2.0
// Stands in for text recognition: what it reads is what the test has seeded, wherever a word may
// lie.
#include <gantry/codec.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/plugin.hpp>

#include <boost/describe/class.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace seen_words {

struct Settings {
  std::vector<std::string> words;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (words))

class SeenWords final : public gantry::Plugin {
 public:
  using Plugin::Plugin;

  gantry::Result<void> init() override {
    GANTRY_ASSIGN(const Settings settings, gantry::from_json<Settings>(host().config_json()));
    for (const std::string& line : settings.words) {
      std::istringstream fields(line);
      gantry::OcrWord word;
      fields >> word.bbox.x >> word.bbox.y >> word.bbox.width >> word.bbox.height >> word.text;
      word.confidence = 90;
      word.line = static_cast<std::int32_t>(found_.words.size());
      found_.words.push_back(word);
    }
    found_.route = "seeded";
    return host().bus().serve<gantry::OcrRead>(
        [this](const gantry::OcrRequest&) -> gantry::Result<gantry::OcrResult> { return found_; });
  }

 private:
  gantry::OcrResult found_;
};

}  // namespace seen_words

GANTRY_INSTANTIATE(seen_words::Settings)
GANTRY_PLUGIN(seen_words::SeenWords, "seen_words", "0.1.0")
