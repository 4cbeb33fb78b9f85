// SPDX-License-Identifier: Apache-2.0
//
// Speech output and wake phrases. Several plugins may serve gantry.voice.say/1 side by side; the
// configuration says which one a call without a target gets.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

// ---- speech output ------------------------------------------------------------------------------

/// What to say. `text` may be Markdown: what nobody would say (marks, addresses, pictograms) is
/// left out or put into words. `more`: the rest comes in VoiceText; each sentence is spoken as
/// soon as it is complete.
struct VoiceSayRequest {
  std::string text;  // UTF-8
  bool more = false;
  std::string voice;   // VoiceInfo::name; empty: the plugin's default
  double rate = 1;     // of speaking, 0.25 to 4; 1 is the voice's own
  bool plain = false;  // speak the text as it stands
};
BOOST_DESCRIBE_STRUCT(VoiceSayRequest, (), (text, more, voice, rate, plain))

/// A piece of a text that is still being written; it may end anywhere, also within a word.
struct VoiceText {
  std::string text;
  bool flush = false;  // what is there is complete: speak it
  bool end = false;    // nothing more comes
};
BOOST_DESCRIBE_STRUCT(VoiceText, (), (text, flush, end))

/// Mono; all chunks of one stream have the same rate. Chunks of one sentence have the same number,
/// counted from 0.
struct VoiceChunk {
  Audio audio;
  std::int32_t sentence = 0;
  std::string text;  // the sentence as it is spoken; with its first chunk only
};
BOOST_DESCRIBE_STRUCT(VoiceChunk, (), (audio, sentence, text))

/// Says a text. Close the stream to cancel: at most the chunk that is being made is made to its
/// end, and nothing more comes. It ends without error after the last chunk; a text with nothing to
/// say has none. Errors: invalid_argument (rate, text is no UTF-8), not_found (voice),
/// out_of_range (the text is too long), unavailable (the engine or its voice is missing; says how
/// to get it), resource_exhausted (too many speak at the same time).
struct VoiceSay {
  static constexpr std::string_view kName = "gantry.voice.say/1";
  static constexpr std::string_view kDoc = "Says a text, sentence by sentence.";
  using Opening = VoiceSayRequest;
  using Down = VoiceChunk;
  using Up = VoiceText;
};

struct VoiceRenderRequest {
  std::string text;    // as in VoiceSayRequest
  std::string voice;   // the same
  double rate = 1;     // the same
  bool plain = false;  // the same
};
BOOST_DESCRIBE_STRUCT(VoiceRenderRequest, (), (text, voice, rate, plain))

struct VoiceRendered {
  Audio audio;                         // mono; without samples when there is nothing to say
  std::vector<std::string> sentences;  // as they are spoken
};
BOOST_DESCRIBE_STRUCT(VoiceRendered, (), (audio, sentences))

/// A whole text at once, for those who cannot read a stream. Errors: those of VoiceSay.
struct VoiceRender {
  static constexpr std::string_view kName = "gantry.voice.render/1";
  static constexpr std::string_view kDoc = "Makes the sound of a whole text.";
  using Request = VoiceRenderRequest;
  using Response = VoiceRendered;
};

struct VoiceInfo {
  std::string name;                  // what VoiceSayRequest::voice takes
  std::string language;              // BCP 47; empty: any
  std::string engine;                // flite, espeak-ng, …
  std::int32_t sample_rate = 22050;  // of its chunks
  bool is_default = false;
  bool local = false;  // on this machine: nothing leaves it
};
BOOST_DESCRIBE_STRUCT(VoiceInfo, (), (name, language, engine, sample_rate, is_default, local))

struct VoiceList {
  std::vector<VoiceInfo> voices;  // the default first
  std::string reason;             // why there is none
  std::string cure;
};
BOOST_DESCRIBE_STRUCT(VoiceList, (), (voices, reason, cure))

/// Errors: none; a plugin that cannot speak says why in `reason`.
struct VoiceVoices {
  static constexpr std::string_view kName = "gantry.voice.voices/1";
  static constexpr std::string_view kDoc = "Lists the voices of one plugin.";
  using Request = Nothing;
  using Response = VoiceList;
};

// ---- wake phrases -------------------------------------------------------------------------------

/// A smaller threshold hears the phrase more easily, and more often where nobody said it. Longer
/// phrases want smaller ones.
struct WakewordPhrase {
  std::string text;          // words of the model's dictionary, "hey computer"
  double threshold = 1e-20;  // above 0, at most 1
};
BOOST_DESCRIBE_STRUCT(WakewordPhrase, (), (text, threshold))

struct WakewordListenRequest {
  std::vector<WakewordPhrase> phrases;  // empty: those of the configuration
};
BOOST_DESCRIBE_STRUCT(WakewordListenRequest, (), (phrases))

/// The next piece of what is heard: any length, any rate from 8 to 48 kHz, one or two channels; the
/// same rate and channels for a whole stream.
struct WakewordAudio {
  Audio audio;
  bool end = false;  // nothing more comes: look at what is there, then end the stream
};
BOOST_DESCRIBE_STRUCT(WakewordAudio, (), (audio, end))

/// Times count from the first sample of the stream.
struct WakewordSpotted {
  std::string phrase;      // as it was asked for
  std::int32_t index = 0;  // of it, in the request
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;
};
BOOST_DESCRIBE_STRUCT(WakewordSpotted, (), (phrase, index, begin_ms, end_ms))

/// Waits for wake phrases in what is heard. Errors: invalid_argument (no phrase, a word that the
/// dictionary does not have, threshold, audio), unavailable (the acoustic model is missing; says
/// how to get it), resource_exhausted (too many listen).
struct WakewordListen {
  static constexpr std::string_view kName = "gantry.wakeword.listen/1";
  static constexpr std::string_view kDoc = "Reports wake phrases in what is heard.";
  using Opening = WakewordListenRequest;
  using Down = WakewordSpotted;
  using Up = WakewordAudio;
};

struct WakewordFindRequest {
  Audio audio;
  std::vector<WakewordPhrase> phrases;  // empty: those of the configuration
};
BOOST_DESCRIBE_STRUCT(WakewordFindRequest, (), (audio, phrases))

struct WakewordFound {
  std::vector<WakewordSpotted> spotted;  // in the order in which they were said
};
BOOST_DESCRIBE_STRUCT(WakewordFound, (), (spotted))

/// The wake phrases of a whole clip. Errors: those of WakewordListen.
struct WakewordFind {
  static constexpr std::string_view kName = "gantry.wakeword.find/1";
  static constexpr std::string_view kDoc = "Finds the wake phrases in a clip.";
  using Request = WakewordFindRequest;
  using Response = WakewordFound;
};

}  // namespace gantry
