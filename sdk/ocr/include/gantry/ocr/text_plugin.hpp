// SPDX-License-Identifier: Apache-2.0
//
// A plugin that serves gantry.ocr.read/1: what all of them do, whatever their method.
#pragma once

#include <gantry/contracts/ocr.hpp>
#include <gantry/ocr/method.hpp>
#include <gantry/ocr/reader.hpp>
#include <gantry/plugin.hpp>

#include <cstdint>
#include <memory>

namespace gantry::ocr {

/// On its strand are the checks; pictures are read by the reader.
class TextPlugin : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 protected:
  /// The configuration, read anew; the method of the requests that come from now on.
  virtual Result<ReaderSettings> configure() = 0;
  virtual std::shared_ptr<Method> method() = 0;
  /// Tells health and suitability.
  virtual void probe() = 0;
  /// Fills in what the request does not say, and refuses what cannot be read.
  virtual Result<Manner> manner_of(const OcrRequest& request) const;

  ReaderSettings settings_;

 private:
  void read(const Ref<OcrRequest>& request, Reply<OcrRead> reply);
  Result<void> check(Job& job);
  void wait_for_idling(Duration delay);

  Reader reader_{host()};
  Timer idling_;
  bool awaits_idling_ = false;
  std::int64_t last_ns_ = 0;
};

}  // namespace gantry::ocr
