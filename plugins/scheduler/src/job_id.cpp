// SPDX-License-Identifier: Apache-2.0
#include "job_id.hpp"

#include <openssl/rand.h>

#include <array>
#include <string_view>

namespace gantry::scheduler {

Result<std::string> new_job_id() {
  std::array<unsigned char, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return unavailable("the system gave no random bytes", "see whether it has a source of them");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = "job-";
  for (const unsigned char byte : random) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 0xFU];
  }
  return id;
}

}  // namespace gantry::scheduler
