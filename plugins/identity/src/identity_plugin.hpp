// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: who a credential belongs to, and giving out and taking back credentials.
#pragma once

#include <gantry/contracts/identity.hpp>
#include <gantry/plugin.hpp>

#include <string>

#include "credentials.hpp"
#include "links.hpp"
#include "rate.hpp"
#include "settings.hpp"

namespace gantry::identity {

class IdentityPlugin final : public Plugin {
 public:
  explicit IdentityPlugin(Host& host) : Plugin(host), credentials_(host) {}

  Result<void> init() override;
  Result<void> reconfigure() override;

 private:
  using Verified = Reply<IdentityVerify>;

  Result<void> serve_management();
  void verify(const IdentityVerifyRequest& request, Verified reply);
  void judge(const IdentityVerifyRequest& request, const std::string& hash,
             const Result<Known>& found, Verified& reply);
  void refuse(const IdentityVerifyRequest& request, std::string_view reason, Verified& reply);
  void register_install(const RegisterInstallRequest& request, Reply<RegisterInstall> reply);
  Result<void> may_register(const RegisterInstallRequest& request);
  void issue(const IssueCredentialRequest& request, Reply<IssueCredential> reply);
  [[nodiscard]] bool optional(CredentialKind kind) const;
  [[nodiscard]] std::int64_t now_ms() const;
  [[nodiscard]] std::int64_t now() const { return host().monotonic_ns(); }

  Settings settings_;
  Links links_;
  Credentials credentials_;
  Rate failures_;
  Rate registrations_;
  Metric refused_;
};

}  // namespace gantry::identity
