// SPDX-License-Identifier: Apache-2.0
#include "media.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp_fixtures {
namespace {

void put_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

void put_u16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>((value >> 8) & 0xff);
}

}  // namespace

Buffer red_pixel() {
  return Buffer::of(std::vector<std::uint8_t>{
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a,                          // signature
      0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01,  // IHDR
      0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde,
      0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8,  // IDAT
      0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0xf7, 0x03, 0x41, 0x43, 0x00,
      0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82});  // IEND
}

Buffer short_silence() {
  constexpr std::uint32_t kRate = 8000;
  const std::string samples(8, '\x80');
  std::string wav = "RIFF";
  put_u32(wav, 36 + static_cast<std::uint32_t>(samples.size()));
  wav += "WAVEfmt ";
  put_u32(wav, 16);
  put_u16(wav, 1);  // PCM
  put_u16(wav, 1);  // channels
  put_u32(wav, kRate);
  put_u32(wav, kRate);  // bytes a second
  put_u16(wav, 1);      // bytes a frame
  put_u16(wav, 8);      // bits
  wav += "data";
  put_u32(wav, static_cast<std::uint32_t>(samples.size()));
  return Buffer::of(wav + samples);
}

}  // namespace gantry::mcp_fixtures
