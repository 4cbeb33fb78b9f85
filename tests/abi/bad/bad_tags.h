/* SPDX-License-Identifier: Apache-2.0
 *
 * What the header check must find; abi_headers_find_problems runs it on this folder. */
#include <string.h>

typedef struct gantry_bad {
  int first;
  /* Nothing is said about this one. */
  void (*untagged)(void* self);
  /* [thread: any] [owner: -] [may block: maybe] */
  void (*undecided)(void* self);
  bool flag;
} gantry_bad;
