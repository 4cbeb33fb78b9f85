// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <utility>

#include "ask.hpp"
#include "documents.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kDeviceCollection = "devices";
constexpr const char* kCodeCollection = "pairings";  // by code

void remove(StoreWriteRequest& changes, const char* collection, const std::string& key) {
  changes.changes.push_back({collection, key, std::nullopt, std::nullopt});
}

/// Codes hold in memory whatever the store says: it may not be there. Devices need it: without it
/// none is let in, and approve() and revoke() say so.
void tell_unwritten(Host& host, const Result<void>& written) {
  if (written.ok() || written.error().code == Code::Unavailable) return;
  host.log().warn("codes of devices are not kept", {{"reason", written.error().message}});
}

Error unknown_code(const std::string& code) {
  return not_found("pairing code " + code + " not found or expired");
}

}  // namespace

Devices::Devices(Host& host, const PairingSettings& settings)
    : host_(host), settings_(settings), requests_(settings, &random_bytes) {}

Task<Result<void>> Devices::load() {
  StoreWriteRequest ended;
  auto devices = load_all<Device>(host_, kDeviceCollection,
                                  [this, &ended](const std::string& key, Device device) {
                                    if (has_ended(device))
                                      return remove(ended, kDeviceCollection, key);
                                    paired_.insert_or_assign(key, std::move(device));
                                  });
  const Result<void> known = co_await std::move(devices);
  if (!known.ok()) co_return known;
  auto codes = load_all<PairingRequest>(
      host_, kCodeCollection, [this, &ended](const std::string& code, PairingRequest request) {
        if (request.expires_ms <= now_ms()) return remove(ended, kCodeCollection, code);
        requests_.put_back(std::move(request));
      });
  const Result<void> waiting = co_await std::move(codes);
  if (!waiting.ok()) co_return waiting;
  auto tidying = write_documents(host_, std::move(ended), true);
  const Result<void> tidied = co_await std::move(tidying);
  tell_unwritten(host_, tidied);
  co_return Result<void>();
}

bool Devices::has_ended(const Device& device) const {
  return device.expires_ms != 0 && device.expires_ms <= now_ms();
}

const std::map<std::string, Device>& Devices::paired() {
  std::erase_if(paired_, [this](const auto& row) { return has_ended(row.second); });
  return paired_;
}

const Device* Devices::find(std::string_view channel, std::string_view sender) const {
  const auto found = paired_.find(device_key(channel, sender));
  return found == paired_.end() || has_ended(found->second) ? nullptr : &found->second;
}

bool Devices::waits(std::string_view channel, std::string_view sender) {
  return requests_.of_sender(channel, sender, now_ms()).has_value();
}

bool Devices::is_pending(std::string_view channel, std::string_view sender) {
  return waits(channel, sender) || approved_.contains(device_key(channel, sender));
}

Task<Result<PairingRequest>> Devices::ask(PairingRequest request) {
  const bool again = waits(request.channel, request.sender);
  Result<PairingRequest> asked = requests_.ask(std::move(request), now_ms());
  if (!asked.ok() || again) co_return asked;
  StoreWriteRequest changes;
  changes.changes.push_back({kCodeCollection, asked->code, Json(to_json(*asked)), std::nullopt});
  for (const std::string& code : requests_.take_expired()) remove(changes, kCodeCollection, code);
  auto writing = write_documents(host_, std::move(changes), true);
  const Result<void> written = co_await std::move(writing);
  tell_unwritten(host_, written);
  co_return asked;
}

Task<Result<Device>> Devices::approve(std::string code, std::string by) {
  std::optional<PairingRequest> request = requests_.take(code, now_ms());
  if (!request) co_return unknown_code(code);
  const std::string key = device_key(request->channel, request->sender);
  approved_.insert(key);
  PairingRequest again = *request;
  auto letting = let_in(std::move(again), std::move(by));
  Result<Device> device = co_await std::move(letting);
  approved_.erase(key);
  if (!device.ok()) requests_.put_back(std::move(*request));
  co_return device;
}

/// Errors: unavailable; nobody is let in then.
Task<Result<Device>> Devices::let_in(PairingRequest request, std::string by) {
  Device device;
  device.sender = request.sender;
  device.channel = request.channel;
  device.chat = request.chat;
  device.user = request.user;
  device.paired_ms = now_ms();
  device.paired_by = std::move(by);
  device.expires_ms = device.paired_ms + settings_.device_lifetime;

  IssueCredentialRequest issue;
  issue.kind = CredentialKind::Device;
  issue.subject = device.user.empty() ? device.sender : device.user;
  issue.roles = {"operator"};
  issue.label = device_key(device.channel, device.sender);
  issue.expires_ms = device.expires_ms;
  const auto issued = co_await gateway::ask<IssueCredential>(host_, std::move(issue));
  if (!issued.ok()) co_return issued.error();
  device.credential = (*issued)->credential_id;
  const std::string key = device_key(device.channel, device.sender);
  StoreWriteRequest changes;
  changes.changes.push_back({kDeviceCollection, key, Json(to_json(device)), std::nullopt});
  remove(changes, kCodeCollection, request.code);
  auto writing = write_documents(host_, std::move(changes), true);
  const Result<void> written = co_await std::move(writing);
  if (!written.ok()) co_return written.error();
  paired_.insert_or_assign(key, device);
  co_return device;
}

Task<Result<PairingRequest>> Devices::deny(std::string code) {
  std::optional<PairingRequest> request = requests_.take(code, now_ms());
  if (!request) co_return unknown_code(code);
  StoreWriteRequest changes;
  remove(changes, kCodeCollection, code);
  auto writing = write_documents(host_, std::move(changes), true);
  const Result<void> written = co_await std::move(writing);
  tell_unwritten(host_, written);
  co_return std::move(*request);
}

Task<Result<void>> Devices::revoke(std::string channel, std::string sender) {
  const Device* found = find(channel, sender);
  const std::string key = device_key(channel, sender);
  if (found == nullptr) co_return not_found("paired device not found: " + key);
  RevokeCredentialRequest request{found->credential};
  const auto gone = co_await gateway::ask<RevokeCredential>(host_, std::move(request));
  if (!gone.ok() && gone.error().code != Code::NotFound) co_return gone.error();
  paired_.erase(key);
  auto writing = write_document(host_, kDeviceCollection, key, std::nullopt, true);
  co_return co_await std::move(writing);
}

void Devices::revoked(const std::string& credential) {
  std::erase_if(paired_, [&](const auto& row) { return row.second.credential == credential; });
}

}  // namespace gantry::gateway
