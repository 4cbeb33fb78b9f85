// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>

#include <string>
#include <string_view>

namespace gantry::chat_aide {

[[nodiscard]] inline std::string base64_of(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '\0');  // the terminating zero goes behind it
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

}  // namespace gantry::chat_aide
