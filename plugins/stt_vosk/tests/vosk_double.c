/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for libvosk.so: a model is a folder that is not called "broken", and what a recogniser
 * understands is how much sound it was given, and how its grammar begins. After 32,000 samples it
 * finds a pause of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct VoskModel {
  int unused;
} VoskModel;

typedef struct VoskRecognizer {
  long samples;
  char grammar[64];
  char answer[256];
} VoskRecognizer;

VoskModel* vosk_model_new(const char* folder);
void vosk_model_free(VoskModel* model);
VoskRecognizer* vosk_recognizer_new(VoskModel* model, float rate);
VoskRecognizer* vosk_recognizer_new_grm(VoskModel* model, float rate, const char* grammar);
void vosk_recognizer_set_words(VoskRecognizer* self, int on);
int vosk_recognizer_accept_waveform_s(VoskRecognizer* self, const short* samples, int count);
const char* vosk_recognizer_partial_result(VoskRecognizer* self);
const char* vosk_recognizer_final_result(VoskRecognizer* self);
void vosk_recognizer_reset(VoskRecognizer* self);
void vosk_recognizer_free(VoskRecognizer* self);
void vosk_set_log_level(int level);

VoskModel* vosk_model_new(const char* folder) {
  return strstr(folder, "broken") != NULL ? NULL : calloc(1, sizeof(VoskModel));
}
void vosk_model_free(VoskModel* model) { free(model); }
VoskRecognizer* vosk_recognizer_new(VoskModel* model, float rate) {
  return vosk_recognizer_new_grm(model, rate, "");
}
VoskRecognizer* vosk_recognizer_new_grm(VoskModel* model, float rate, const char* grammar) {
  VoskRecognizer* self = calloc(1, sizeof *self);
  size_t i = 0;
  (void)model;
  (void)rate;
  for (const char* c = grammar; *c != '\0' && *c != ',' && i < sizeof self->grammar - 1; ++c) {
    if (*c >= 'a' && *c <= 'z') self->grammar[i++] = *c;
  }
  return self;
}
void vosk_recognizer_set_words(VoskRecognizer* self, int on) {
  (void)self;
  (void)on;
}
int vosk_recognizer_accept_waveform_s(VoskRecognizer* self, const short* samples, int count) {
  (void)samples;
  self->samples += count;
  return self->samples >= 32000;
}
const char* vosk_recognizer_partial_result(VoskRecognizer* self) {
  snprintf(self->answer, sizeof self->answer, "{\"partial\":\"%ld tenths\"}", self->samples / 1600);
  return self->answer;
}
const char* vosk_recognizer_final_result(VoskRecognizer* self) {
  snprintf(self->answer, sizeof self->answer,
           "{\"text\":\"%s%s%ld tenths\",\"result\":[{\"conf\":0.5},{\"conf\":1.0}]}",
           self->grammar, self->grammar[0] != '\0' ? " " : "", self->samples / 1600);
  self->samples = 0;
  return self->answer;
}
void vosk_recognizer_reset(VoskRecognizer* self) { self->samples = 0; }
void vosk_recognizer_free(VoskRecognizer* self) { free(self); }
void vosk_set_log_level(int level) { (void)level; }
