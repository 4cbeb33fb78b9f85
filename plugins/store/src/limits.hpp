// SPDX-License-Identifier: Apache-2.0
//
// What a request to the store must look like. All of these answer invalid_argument with what was
// found and what is allowed.
#pragma once

#include <gantry/contracts/store.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::store {

inline constexpr std::int32_t kMaxPage = 1000;

/// U+10FFFF: behind every name that begins alike, for no name may hold it.
inline constexpr std::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";

/// `max_body`: bytes of one body.
Result<void> check(const StoreAppendRequest& request, std::size_t max_body);
Result<void> check(const StoreWriteRequest& request, std::size_t max_body);
Result<void> check(const StoreReadLogRequest& request);
Result<void> check(const StoreTrimLogRequest& request);
Result<void> check(const StoreGetRequest& request);
Result<void> check(const StoreListRequest& request);

}  // namespace gantry::store
