// SPDX-License-Identifier: Apache-2.0
//
// Questions about pictures on their way to a model and back.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/host.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/plugin.hpp>
#include <gantry/task.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "answer.hpp"
#include "settings.hpp"
#include "wire.hpp"

namespace gantry::vision_vlm {

/// The request that a question waits for; given up with the question. Strand only.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  using Done = std::function<void(Result<http::HttpAnswer>)>;

  void begin(Host& host, http::HttpRequest request, const http::FetchLimits& limits, Done done);
  void give_up();

 private:
  void finish(Result<http::HttpAnswer> answer);

  std::shared_ptr<http::Fetching> fetching_;
  Done done_;
  bool gone_ = false;
};
using Life = std::shared_ptr<Exchange>;

class VlmPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;

 private:
  /// A picture as it is sent, and where it is in the one that was given.
  struct Sent {
    std::string url;  // data:image/png;base64,…
    SentSize size;
    Rect part;  // of the given picture
  };

  void probe();
  Result<void> may_ask() const;
  Task<Result<Sent>> prepare(const Image& image, const std::optional<Rect>& region);
  Task<Result<Reply>> ask_model(Life life, std::string model, std::string prompt,
                                std::string_view picture);
  Task<Result<VisionLocateResult>> locate(Ref<VisionLocateRequest> request, Life life);
  Task<Result<VisionDescription>> describe(Ref<VisionDescribeRequest> request, Life life);
  Task<Result<Reply>> describe_in_passes(const VisionDescribeRequest& request, const Sent& sent,
                                         Life life);
  template <class C>
  void run(gantry::Reply<C> reply, Task<Result<typename C::Response>> task, Life life);

  Settings settings_;
  std::string url_;          // that answered last
  std::int64_t tokens_ = 0;  // that were counted so far
  RunningTasks running_;     // last: what it still holds at the end refers to the rest
};

}  // namespace gantry::vision_vlm
