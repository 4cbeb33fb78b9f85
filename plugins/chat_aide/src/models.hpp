// SPDX-License-Identifier: Apache-2.0
//
// The models of all plugins, as this protocol lists them. Strand only.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frames.hpp"

namespace gantry::chat_aide {

class Models {
 public:
  /// `changed` runs when the list is another than before.
  Models(Host& host, std::function<void()> changed) : host_(host), changed_(std::move(changed)) {}

  /// Asks all plugins, now and whenever one of them says that its models have changed.
  Result<void> begin();
  void load();

  /// As known so far.
  [[nodiscard]] const std::string& frame() const { return frame_; }
  [[nodiscard]] const std::string& usual() const { return usual_; }
  [[nodiscard]] bool knows(const std::string& id) const;

 private:
  struct Gathering;
  void ask(const std::vector<std::string>& plugins);
  void take(const std::vector<LlmModel>& models);

  Host& host_;
  std::function<void()> changed_;
  Subscription subscription_;
  std::vector<std::string> ids_;
  std::string usual_;
  std::string frame_ = models_frame({}, {});
  std::uint64_t loads_ = 0;
};

}  // namespace gantry::chat_aide
