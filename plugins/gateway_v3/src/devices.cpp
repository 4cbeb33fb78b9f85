// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <utility>

#include "ask.hpp"
#include "documents.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kDeviceCollection = "devices";

Error unknown_code(const std::string& code) {
  return not_found("pairing code " + code + " not found or expired");
}

}  // namespace

Devices::Devices(Host& host, const PairingSettings& settings)
    : host_(host), settings_(settings), requests_(settings, &random_bytes) {}

Task<Result<void>> Devices::load() {
  return load_all<Device>(host_, kDeviceCollection, [this](const std::string& key, Device device) {
    paired_.insert_or_assign(key, std::move(device));
  });
}

const Device* Devices::find(std::string_view channel, std::string_view sender) const {
  const auto found = paired_.find(device_key(channel, sender));
  return found == paired_.end() ? nullptr : &found->second;
}

Task<Result<Device>> Devices::approve(std::string code, std::string by) {
  std::optional<PairingRequest> request = requests_.take(code, now_ms());
  if (!request) co_return unknown_code(code);
  Device device;
  device.sender = request->sender;
  device.channel = request->channel;
  device.chat = request->chat;
  device.user = request->user;
  device.paired_ms = now_ms();
  device.paired_by = std::move(by);
  device.expires_ms = device.paired_ms + settings_.device_lifetime;

  IssueCredentialRequest issue;
  issue.kind = CredentialKind::Device;
  issue.subject = device.user.empty() ? device.sender : device.user;
  issue.roles = {"operator"};
  issue.label = device_key(device.channel, device.sender);
  issue.expires_ms = device.expires_ms;
  const auto issued = co_await ask<IssueCredential>(host_, std::move(issue));
  if (!issued.ok()) {
    requests_.put_back(std::move(*request));
    co_return issued.error();
  }
  device.credential = (*issued)->credential_id;
  const std::string key = device_key(device.channel, device.sender);
  auto writing = write_document(host_, kDeviceCollection, key, Json(to_json(device)), true);
  const Result<void> written = co_await std::move(writing);
  if (!written.ok()) {
    requests_.put_back(std::move(*request));
    co_return written.error();
  }
  paired_.insert_or_assign(key, device);
  co_return device;
}

Result<PairingRequest> Devices::deny(const std::string& code) {
  std::optional<PairingRequest> request = requests_.take(code, now_ms());
  if (!request) return unknown_code(code);
  return std::move(*request);
}

Task<Result<void>> Devices::revoke(std::string channel, std::string sender) {
  const Device* found = find(channel, sender);
  const std::string key = device_key(channel, sender);
  if (found == nullptr) co_return not_found("paired device not found: " + key);
  RevokeCredentialRequest request{found->credential};
  const auto gone = co_await ask<RevokeCredential>(host_, std::move(request));
  if (!gone.ok() && gone.error().code != Code::NotFound) co_return gone.error();
  paired_.erase(key);
  auto writing = write_document(host_, kDeviceCollection, key, std::nullopt, true);
  co_return co_await std::move(writing);
}

void Devices::revoked(const std::string& credential) {
  std::erase_if(paired_, [&](const auto& row) { return row.second.credential == credential; });
}

}  // namespace gantry::gateway
