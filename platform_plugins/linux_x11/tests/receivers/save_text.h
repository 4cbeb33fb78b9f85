/* SPDX-License-Identifier: Apache-2.0
 *
 * What a receiver got, for the test to read: each version is complete, never half written. */
#ifndef GANTRY_TESTS_SAVE_TEXT_H
#define GANTRY_TESTS_SAVE_TEXT_H

#include <stdio.h>

/* Writes `text` as the whole content of `path`, by a file beside it and rename(2). */
static void save_text(const char* path, const char* text) {
  char beside[4096];
  snprintf(beside, sizeof beside, "%s.new", path);
  FILE* file = fopen(beside, "w");
  if (!file) return;
  fputs(text, file);
  fclose(file);
  rename(beside, path);
}

#endif
