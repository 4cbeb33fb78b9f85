// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serves gantry.document.text/1: so many documents at once as the configuration says, the others in
// the order in which they came. Strand only.

#include <gantry/contract.hpp>
#include <gantry/contracts/document.hpp>
#include <gantry/plugin.hpp>

#include <deque>
#include <memory>

#include "settings.hpp"

namespace gantry::document_poppler {

class DocumentPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;

 private:
  struct Job {
    Ref<DocumentTextRequest> request;
    std::shared_ptr<Reply<DocumentText>> reply;
  };

  void next();
  void look_for_programs();

  std::shared_ptr<const Settings> settings_;
  std::deque<Job> waiting_;
  std::int64_t running_ = 0;
};

}  // namespace gantry::document_poppler
