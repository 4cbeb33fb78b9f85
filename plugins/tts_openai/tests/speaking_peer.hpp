// SPDX-License-Identifier: Apache-2.0
#pragma once
// A server on a port of its own that answers requests, one after the other, with what the test
// says.
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gantry::tts_openai::test {

class SpeakingPeer {
 public:
  /// Each answer is sent as it stands, after one request; then the connection is closed.
  explicit SpeakingPeer(std::vector<std::string> answers);
  ~SpeakingPeer();
  SpeakingPeer(const SpeakingPeer&) = delete;
  SpeakingPeer& operator=(const SpeakingPeer&) = delete;

  [[nodiscard]] std::string base_url() const;
  /// Heads and bodies of the requests so far.
  [[nodiscard]] std::vector<std::string> requests() const;

  [[nodiscard]] static std::string answer(int status, const std::string& type,
                                          const std::string& body);

 private:
  void serve(const std::vector<std::string>& answers);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace gantry::tts_openai::test
