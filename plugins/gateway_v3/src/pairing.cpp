// SPDX-License-Identifier: Apache-2.0
#include "pairing.hpp"

#include <algorithm>
#include <utility>

namespace gantry::gateway {
namespace {

constexpr std::size_t kLongestSender = 128;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_sender(std::string_view text) {
  if (text.empty() || text.size() > kLongestSender || !is_alphanumeric(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || std::string_view("._:@-").find(c) != std::string_view::npos;
  });
}

Result<std::string> Pairing::new_code() {
  GANTRY_ASSIGN(const std::vector<std::uint8_t> bytes, dice_(kCodeLength));
  std::string code;
  // 32 signs: five bits of each byte, so that all are equally likely.
  for (const std::uint8_t byte : bytes) code += kCodeSigns[byte & 31U];
  return code;
}

void Pairing::forget_expired(std::int64_t now_ms) {
  std::erase_if(waiting_, [this, now_ms](const auto& row) {
    if (row.second.expires_ms > now_ms) return false;
    expired_.push_back(row.first);
    return true;
  });
}

Result<PairingRequest> Pairing::ask(PairingRequest request, std::int64_t now_ms) {
  forget_expired(now_ms);
  std::int64_t of_address = 0;
  for (const auto& [code, row] : waiting_) {
    if (row.sender == request.sender && row.channel == request.channel) return row;
    if (row.address == request.address) ++of_address;
  }
  if (of_address >= settings_.max_pending_per_address) {
    return Error{Code::ResourceExhausted,
                 "max pending pairing requests (" +
                     std::to_string(settings_.max_pending_per_address) + ") exceeded",
                 {}};
  }
  if (static_cast<std::int64_t>(waiting_.size()) >= settings_.max_pending) {
    return Error{
        Code::ResourceExhausted,
        "max pending pairing requests (" + std::to_string(settings_.max_pending) + ") exceeded",
        {}};
  }
  GANTRY_ASSIGN(request.code, new_code());
  while (waiting_.contains(request.code)) {
    GANTRY_ASSIGN(request.code, new_code());
  }
  request.created_ms = now_ms;
  request.expires_ms = now_ms + settings_.code_lifetime;
  waiting_.emplace(request.code, request);
  return request;
}

std::vector<PairingRequest> Pairing::waiting(std::int64_t now_ms) {
  forget_expired(now_ms);
  std::vector<PairingRequest> out;
  for (const auto& [code, row] : waiting_) out.push_back(row);
  std::stable_sort(out.begin(), out.end(), [](const PairingRequest& a, const PairingRequest& b) {
    return a.created_ms < b.created_ms;
  });
  return out;
}

std::optional<PairingRequest> Pairing::of_sender(std::string_view channel, std::string_view sender,
                                                 std::int64_t now_ms) {
  forget_expired(now_ms);
  for (const auto& [code, row] : waiting_) {
    if (row.sender == sender && row.channel == channel) return row;
  }
  return std::nullopt;
}

std::optional<PairingRequest> Pairing::take(const std::string& code, std::int64_t now_ms) {
  forget_expired(now_ms);
  auto node = waiting_.extract(code);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

void Pairing::put_back(PairingRequest request) {
  std::string code = request.code;
  waiting_.insert_or_assign(std::move(code), std::move(request));
}

}  // namespace gantry::gateway
