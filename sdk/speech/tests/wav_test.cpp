// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <gantry/speech/wav.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::speech {
namespace {

std::string number(std::uint32_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return out;
}

struct Form {
  std::uint32_t code = 1, channels = 1, rate = 16000, bits = 16;
};

std::string wav(const Form& form, const std::string& sound, const std::string& extra = {}) {
  const std::string format = number(form.code, 2) + number(form.channels, 2) +
                             number(form.rate, 4) + number(0, 4) + number(0, 2) +
                             number(form.bits, 2);
  return "RIFF" + number(0, 4) + "WAVE" + extra + "fmt " + number(16, 4) + format + "data" +
         number(static_cast<std::uint32_t>(sound.size()), 4) + sound;
}

std::vector<std::int16_t> samples_in(const std::string& bytes) {
  const auto audio = read_wav(bytes);
  REQUIRE(audio.ok());
  return samples_of(audio->samples);
}

using Samples = std::vector<std::int16_t>;

TEST_CASE("what is written is read") {
  const Samples samples{0, 1, -1, 32767, -32768};
  const auto audio = read_wav(write_wav({22050, 1, buffer_of(samples)}));
  REQUIRE(audio.ok());
  CHECK(audio->sample_rate == 22050);
  CHECK(samples_of(audio->samples) == samples);
}

TEST_CASE("every form becomes one channel of 16 bits") {
  CHECK(samples_in(wav({1, 1, 8000, 8}, std::string("\x00\x80\xFF", 3))) ==
        Samples{-32768, 0, 32512});
  CHECK(samples_in(wav({1, 1, 8000, 24}, std::string("\x00\x00\x40\x00\x00\xC0", 6))) ==
        Samples{16384, -16384});
  CHECK(samples_in(wav({1, 1, 8000, 32}, std::string("\x00\x00\x00\x40", 4))) == Samples{16384});
  CHECK(samples_in(wav({3, 1, 8000, 32}, number(0x3F000000, 4) + number(0xBF000000, 4))) ==
        Samples{16384, -16384});
  // Not a number, and beyond full scale.
  CHECK(samples_in(wav({3, 1, 8000, 32}, number(0x7FC00000, 4) + number(0x41200000, 4))) ==
        Samples{0, 32767});
  CHECK(samples_in(wav({1, 2, 8000, 16}, number(100, 2) + number(300, 2))) == Samples{200});
  CHECK(samples_in(wav({}, number(5, 2), "LIST" + number(3, 4) + "abc" + std::string(1, '\0'))) ==
        Samples{5});
  CHECK(samples_in(wav({}, std::string("\x05\x00\x06", 3))) == Samples{5});  // half a sample
}

TEST_CASE("a file that claims more than it has is read as far as it goes") {
  std::string bytes = wav({}, number(7, 2) + number(8, 2));
  bytes.resize(bytes.size() - 2);
  CHECK(samples_in(bytes) == Samples{7});
}

TEST_CASE("bad files are refused with a reason") {
  const std::string good = wav({}, number(1, 2));
  const std::string rows[] = {
      "",
      "RIFF",
      std::string(44, 'x'),
      good.substr(0, 12),
      good.substr(0, 30),
      good.substr(0, 36),
      "RIFX" + good.substr(4),
      "RIFF" + number(0, 4) + "AVI " + good.substr(12),
      "RIFF" + number(0, 4) + "WAVEdata" + number(2, 4) + "xx",
      "RIFF" + number(0, 4) + "WAVEfmt " + number(4, 4) + "xxxxdata" + number(2, 4) + "xx",
      "RIFF" + number(0, 4) + "WAVEjunk" + number(0xFFFFFFFF, 4),
      wav({1, 0, 16000, 16}, "xx"),
      wav({1, 33, 16000, 16}, "xx"),
      wav({1, 1, 0, 16}, "xx"),
      wav({1, 1, 7999, 16}, "xx"),
      wav({1, 1, 96000, 16}, "xx"),
      wav({1, 1, 0xFFFFFFFF, 16}, "xx"),
      wav({1, 1, 16000, 12}, "xx"),
      wav({1, 1, 16000, 0}, "xx"),
      wav({2, 1, 16000, 4}, "xx"),
      wav({3, 1, 16000, 64}, "xxxxxxxx"),
      wav({6, 1, 8000, 8}, "xx"),
  };
  for (const std::string& bytes : rows) {
    CAPTURE(bytes);
    const auto audio = read_wav(bytes);
    REQUIRE_FALSE(audio.ok());
    CHECK(audio.error().code == Code::InvalidArgument);
    CHECK_FALSE(audio.error().message.empty());
  }
}

}  // namespace
}  // namespace gantry::speech
