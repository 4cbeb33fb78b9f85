// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small things about text. Any thread.

#include <gantry/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// The first `count` characters of UTF-8 text.
std::string_view beginning(std::string_view text, std::size_t count);
std::string_view trimmed(std::string_view text);
/// ASCII letters in lower case; others stay.
std::string lowered(std::string_view text);
/// Whether the whole text is one of the words that stop a run ("stop", "hủy", "停", …).
bool is_stop_word(std::string_view text);
/// The address of a peer without its port.
std::string address_of(std::string_view peer);
bool from_this_machine(std::string_view peer);
/// Compares in a time that depends on the lengths only.
bool same_secret(std::string_view a, std::string_view b);

/// Errors: unavailable (the system gives none).
Result<std::vector<std::uint8_t>> random_bytes(std::size_t count);
/// SHA-256, in hexadecimal digits.
std::string hash_text(std::string_view text);
/// A UUID, version 4. Errors: unavailable, as above.
using Uuid = std::array<std::uint8_t, 16>;
Result<Uuid> random_uuid();
std::string uuid_text(const Uuid& uuid);
Result<std::string> new_uuid();

}  // namespace gantry::gateway
