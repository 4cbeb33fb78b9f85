// SPDX-License-Identifier: Apache-2.0
#include "vision_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <opencv2/core/utility.hpp>

#include "colours.hpp"
#include "detector.hpp"
#include "differences.hpp"
#include "overlay.hpp"
#include "templates.hpp"

namespace gantry::vision_cv {
namespace {

Error no_memory() {
  return {Code::ResourceExhausted, "there is not enough memory to work on this picture", {}};
}

/// What a library throws is an error of the request.
template <class Response, class Work>
Result<Response> caught(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const cv::Exception& failure) {
    if (failure.code == cv::Error::StsNoMem) return no_memory();
    return internal_error("working on this picture failed: " + failure.err);
  } catch (const std::exception& failure) {
    return internal_error(fmt::format("working on this picture failed: {}", failure.what()));
  }
}

/// For work that is one piece and asks nobody whether it is still wanted.
template <class Request, class Response>
auto in_one(Result<Response> (*work)(const Request&, std::int64_t)) {
  return [work](const Request& request, std::int64_t max_pixels, const std::function<bool()>&) {
    return work(request, max_pixels);
  };
}

}  // namespace

Result<void> VisionPlugin::init() {
  cv::setNumThreads(1);  // OpenCV's own threads would outlive the plugin
  GANTRY_TRY(reconfigure());
  requests_ = host().counter("requests_total", "Pictures that were worked on.");
  seconds_ = host().histogram("request_seconds", "From a request to its answer.",
                              {0.001, 0.005, 0.02, 0.06, 0.15, 0.5, 1, 2.5, 5});
  GANTRY_TRY(serve<VisionDetect>(in_one(&detect)));
  GANTRY_TRY(serve<VisionCompare>(in_one(&compare)));
  GANTRY_TRY(serve<VisionTemplate>(&find_sample));
  GANTRY_TRY(serve<VisionColours>(in_one(&colours)));
  GANTRY_TRY(serve<VisionOverlay>(in_one(&overlay)));
  host().bus().set_suitability(50, "OpenCV " + cv::getVersionString());
  return {};
}

Result<void> VisionPlugin::reconfigure() {
  GANTRY_ASSIGN(const Settings settings, read_settings(host().config_json()));
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  return {};
}

void VisionPlugin::stop(Deadline deadline) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  const auto left =
      std::min<Duration>(deadline.left(host().monotonic_ns()), std::chrono::minutes(1));
  ended_.wait_for(lock, left, [&] { return under_way_ == 0; });
}

bool VisionPlugin::begin() {
  const std::lock_guard lock(mutex_);
  if (stopping_ || under_way_ >= settings_.queue) return false;
  ++under_way_;
  return true;
}

void VisionPlugin::end() {
  const std::lock_guard lock(mutex_);
  --under_way_;
  ended_.notify_all();
}

template <class Contract>
Result<void> VisionPlugin::serve(Work<Contract> work) {
  using Request = typename Contract::Request;
  return host().bus().template serve<Contract>([this, work = std::move(work)](
                                                   const Ref<Request>& request, const CallInfo&,
                                                   Reply<Contract> reply) {
    if (!begin()) {
      return reply.fail({Code::ResourceExhausted,
                         "as many pictures are being worked on as `queue` allows, or the plugin is "
                         "being stopped; ask again later",
                         {}});
    }
    const std::int64_t max_pixels = settings_.max_pixels;
    const std::int64_t begun = host().monotonic_ns();
    host().blocking([this, work, request, max_pixels, begun, reply = std::move(reply)]() mutable {
      const Context context = host().context();
      const auto gone = [&context] { return context.cancelled(); };
      if (gone()) {
        reply.fail({Code::Cancelled, "nobody waits for the answer any more", {}});
      } else {
        auto done =
            caught<typename Contract::Response>([&] { return work(*request, max_pixels, gone); });
        requests_.add();
        seconds_.add(static_cast<double>(host().monotonic_ns() - begun) / 1e9);
        reply(std::move(done));
      }
      end();
    });
  });
}

}  // namespace gantry::vision_cv
