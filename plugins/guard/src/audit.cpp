// SPDX-License-Identifier: Apache-2.0
#include "audit.hpp"

#include <utility>

namespace gantry::guard {
namespace {

constexpr const char* kComponent = "audit";
/// A disk that does not take lines must not take the memory.
constexpr std::size_t kMaxWaiting = 10'000;

}  // namespace

void Audit::configure(bool enabled, AuditFile file) {
  enabled_ = enabled;
  file_ = std::move(file);
  if (!enabled_) host_.healthy(kComponent);
}

void Audit::add(std::string line) {
  if (!enabled_) return;
  if (waiting_.size() >= kMaxWaiting) {
    host_.log().error("an audit line was lost: the disk does not keep up", {{"path", file_.path}});
    return;
  }
  waiting_.push_back(std::move(line));
  if (!writing_) flush();
}

void Audit::flush() {
  writing_ = true;
  auto lines = std::make_shared<std::vector<std::string>>(std::exchange(waiting_, {}));
  host_.blocking([this, lines, file = file_] {
    const Result<void> written = append_audit(file, *lines);
    host_.post([this, written] {
      report(written);
      writing_ = false;
      if (!waiting_.empty()) flush();
    });
  });
}

void Audit::report(const Result<void>& written) {
  if (written.ok()) {
    host_.healthy(kComponent);
    return;
  }
  host_.log().error("audit lines were lost", {{"reason", written.error().message}});
  host_.failed(kComponent, written.error().message, "let the daemon write to audit.path");
}

void Audit::finish() {
  if (waiting_.empty()) return;
  report(append_audit(file_, waiting_));
  waiting_.clear();
}

}  // namespace gantry::guard
