// SPDX-License-Identifier: Apache-2.0
//
// Speech recognition: a stream of sound in, words out, and whole clips at once. Sound travels by
// reference, as signed 16-bit samples of one channel.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// What a recogniser is told in advance.
struct SpeechHints {
  std::string language;                 // ISO 639-1, "en"; empty: what the provider is set to
  std::vector<std::string> vocabulary;  // phrases that are likely: titles of windows, names
};
BOOST_DESCRIBE_STRUCT(SpeechHints, (), (language, vocabulary))

/// One session of a recogniser.
struct SpeechOpening {
  SpeechHints hints;
  bool partials = true;         // whether text is wanted while it may still change
  std::int32_t silence_ms = 0;  // pause that ends an utterance; 0: what the provider is set to
};
BOOST_DESCRIBE_STRUCT(SpeechOpening, (), (hints, partials, silence_ms))

/// What goes up.
///   Audio     `audio`: the next piece, 8000 to 48000 samples a second, one channel; the rate may
///             change from piece to piece
///   Hints     `hints` count from the next utterance on; an empty language changes none
///   Reset     what was said since the last final is forgotten; nothing is sent for it
///   Flush     the end of an utterance, whatever follows: its final and its end are sent, then
///             Flushed. Closing the stream drops what was not flushed.
enum class SpeechInputKind : std::uint8_t { Audio, Hints, Reset, Flush };
BOOST_DESCRIBE_ENUM(SpeechInputKind, Audio, Hints, Reset, Flush)

struct SpeechInput {
  SpeechInputKind kind = SpeechInputKind::Audio;
  Audio audio;
  SpeechHints hints;
};
BOOST_DESCRIBE_STRUCT(SpeechInput, (), (kind, audio, hints))

/// What comes down.
///   Ready         the recogniser takes sound; the first one of every session
///   Partial       `text` of the utterance so far: all of it, not what is new
///   Final         `text` of the utterance, which will not change any more; never empty
///   UtteranceEnd  follows every final, and comes without one where no word was understood
///   Flushed       everything before the Flush has been answered
///   Problem       `text` says what went wrong; the session goes on
enum class SpeechEventKind : std::uint8_t { Ready, Partial, Final, UtteranceEnd, Flushed, Problem };
BOOST_DESCRIBE_ENUM(SpeechEventKind, Ready, Partial, Final, UtteranceEnd, Flushed, Problem)

struct SpeechEvent {
  SpeechEventKind kind = SpeechEventKind::Partial;
  std::string text;
  std::string utterance;       // tells utterances apart that are under way at the same time
  double confidence = 0;       // of a final, 0 to 1; 0: the provider does not know
  std::int64_t begin_ms = -1;  // of a final, from the session's first sample; -1: not known
  std::int64_t end_ms = -1;
  std::string route;  // of Ready and finals: what recognises, with its model
};
BOOST_DESCRIBE_STRUCT(SpeechEvent, (), (kind, text, utterance, confidence, begin_ms, end_ms, route))

/// A stream that ends with an error: unavailable (the recogniser or its model is missing; says how
/// to get it), resource_exhausted (as many sessions as the provider has room for),
/// invalid_argument (sound of another form).
struct SpeechRecognise {
  static constexpr std::string_view kName = "gantry.speech.recognise/1";
  static constexpr std::string_view kDoc = "Recognises speech while it is being said.";
  using Opening = SpeechOpening;
  using Down = SpeechEvent;
  using Up = SpeechInput;
};

struct TranscribeRequest {
  Audio audio;  // one channel
  SpeechHints hints;
};
BOOST_DESCRIBE_STRUCT(TranscribeRequest, (), (audio, hints))

struct SpokenUtterance {
  std::string text;
  double confidence = 0;       // 0 to 1; 0: the provider does not know
  std::int64_t begin_ms = -1;  // from the clip's begin; -1: not known
  std::int64_t end_ms = -1;
};
BOOST_DESCRIBE_STRUCT(SpokenUtterance, (), (text, confidence, begin_ms, end_ms))

struct Transcript {
  std::string text;  // of all utterances, joined by blanks
  std::vector<SpokenUtterance> utterances;
  std::string route;  // what recognised them, with its model
};
BOOST_DESCRIBE_STRUCT(Transcript, (), (text, utterances, route))

/// Errors: invalid_argument (no sound, another form), unavailable (the recogniser or its model is
/// missing; says how to get it), resource_exhausted, deadline_exceeded, cancelled.
struct SpeechTranscribe {
  static constexpr std::string_view kName = "gantry.speech.transcribe/1";
  static constexpr std::string_view kDoc = "Recognises the speech of a whole clip.";
  using Request = TranscribeRequest;
  using Response = Transcript;
};

}  // namespace gantry
