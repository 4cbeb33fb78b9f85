// SPDX-License-Identifier: Apache-2.0
#pragma once
// The desktop as the engine may see it. Between every tool and the adapters: titles come through
// redacted, and pictures with what is hidden painted over. Trees are redacted by Trees, which is
// the only one to read them.

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "desktop.hpp"
#include "errors.hpp"
#include "redaction.hpp"

namespace gantry::observation {

class Trees;

class Shield final : public Desktop {
 public:
  Shield(Desktop& inner, Redaction& redaction) : inner_(inner), redaction_(redaction) {}

  /// Where to read which parts of a picture are hidden.
  void read_with(Trees& trees) { trees_ = &trees; }
  /// The title that the window has, for rules and adapters; the given one when it is not known.
  [[nodiscard]] std::string true_title(const std::string& handle, std::string_view shown) const;
  /// A text as it may be written down: without titles of hidden windows, and as
  /// Redaction::recorded().
  [[nodiscard]] std::string recorded(std::string_view text);

  Task<Answer<WindowList>> windows() override;
  Task<Answer<WindowList>> all_windows() override;
  Task<Answer<ActivateWindowResult>> activate(ActivateWindowRequest request) override;
  Task<Answer<MonitorList>> monitors() override { return inner_.monitors(); }
  Task<Answer<A11yTree>> tree(A11yTreeRequest request) override;
  Task<Answer<Capture>> capture(CaptureRequest request) override;
  /// The same for a picture that is put into words: what trees hide is painted over whether or not
  /// screenshots show it, because texts are hidden everywhere.
  Task<Answer<Capture>> capture_for_words(CaptureRequest request);
  /// The picture has passed capture() and the words pass what reads them (ocr.cpp).
  Task<Answer<OcrResult>> read_text(OcrRequest request) override {
    return inner_.read_text(std::move(request));
  }
  Task<Answer<VisionDetectResult>> detect(VisionDetectRequest request) override {
    return inner_.detect(std::move(request));
  }
  /// The picture has passed capture_for_words(), and what is said of it recorded() (vision.cpp).
  Task<Answer<VisionDescription>> describe(VisionDescribeRequest request,
                                           std::int64_t limit_ns) override {
    return inner_.describe(std::move(request), limit_ns);
  }
  Task<Answer<A11yActionResult>> act(A11yActionRequest request) override;
  Task<Answer<InputReceipt>> pointer(PointerRequest request) override;
  Task<Answer<InputReceipt>> key(KeyRequest request) override;
  Task<Answer<InputReceipt>> type(TextRequest request) override;
  Task<Answer<ScenarioReport>> load_scenario(LoadScenarioRequest request) override {
    return inner_.load_scenario(std::move(request));
  }
  Task<Answer<ScenarioReport>> scenario() override { return inner_.scenario(); }
  Task<Answer<PluginInfoList>> plugins() override { return inner_.plugins(); }
  Task<Result<void>> offload(std::function<void()> work) override {
    return inner_.offload(std::move(work));
  }
  std::uint64_t start_timer(std::int64_t delay_ns, std::function<void()> work) override {
    return inner_.start_timer(delay_ns, std::move(work));
  }
  void forget_timer(std::uint64_t timer) override { inner_.forget_timer(timer); }
  [[nodiscard]] std::int64_t monotonic_ns() const override { return inner_.monotonic_ns(); }
  [[nodiscard]] std::int64_t wall_ns() const override { return inner_.wall_ns(); }

 private:
  Answer<WindowList> shown(Answer<WindowList> answer);
  enum class Hide { AsConfigured, WhateverTreesHide };
  Task<std::vector<Rect>> hidden_areas(const CaptureRequest& request, Hide hide);
  Task<std::vector<Rect>> hidden_in(const WindowInfo& window, const std::vector<WindowInfo>& all,
                                    bool stacked, Hide hide);
  Task<Answer<Capture>> painted(CaptureRequest request, const std::vector<Rect>& areas);
  [[nodiscard]] Error scrubbed(const Error& error);
  [[nodiscard]] std::string scrubbed(std::string_view text);
  void take_titles_out(std::string& text) const;
  /// An act can change titles and open windows, and its evidence may quote them: they are learned
  /// before anything of it is shown.
  Task<bool> learn_titles();
  template <class T>
  Task<Answer<T>> scrubbed_answer(Answer<T> answer, std::string T::*one, std::string T::*two);

  Desktop& inner_;
  Redaction& redaction_;
  Trees* trees_ = nullptr;
  std::map<std::string, std::string> titles_;  ///< True ones, by handle, where they differ.
  std::deque<std::string> hidden_titles_;      ///< Those and earlier ones, the newest last.
  /// Which parts were painted over in the last picture of each kind: with others, pixels that did
  /// not change make another picture.
  std::map<std::string, std::uint64_t> painted_;
};

}  // namespace gantry::observation
