/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that cross the plugin boundary. Nothing here has a C++ type, and no memory changes hands
 * without a release function that belongs to whoever allocated it.
 *
 * Every table begins with its own size in bytes and only ever grows at its tail: a reader checks
 * that a member lies inside `size` before it uses it (GANTRY_HAS). gantry_str, gantry_buf,
 * gantry_error, gantry_closure and gantry_log_field have no size and never change within a major
 * version. Every function in these headers is tagged
 *   [thread: who may call it]  [owner: who frees what]  [may block: yes or no].
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GANTRY_ABI_MAJOR 1u
#define GANTRY_ABI_MINOR 0u

/* Whether `table`, which may come from an older build, has `member`. The members of the first
 * version of a table need no check. */
#define GANTRY_HAS(table, member)                                                              \
  ((table) != NULL &&                                                                          \
   (size_t)((const char*)&(table)->member - (const char*)(table)) + sizeof((table)->member) <= \
       (table)->size)

/* Canonical status codes; the numbers are those of the well-known gRPC list. */
typedef int32_t gantry_status;
enum {
  GANTRY_OK = 0,
  GANTRY_CANCELLED = 1,
  GANTRY_UNKNOWN = 2,
  GANTRY_INVALID_ARGUMENT = 3,
  GANTRY_DEADLINE_EXCEEDED = 4,
  GANTRY_NOT_FOUND = 5,
  GANTRY_ALREADY_EXISTS = 6,
  GANTRY_PERMISSION_DENIED = 7,
  GANTRY_RESOURCE_EXHAUSTED = 8,
  GANTRY_FAILED_PRECONDITION = 9,
  GANTRY_ABORTED = 10,
  GANTRY_OUT_OF_RANGE = 11,
  GANTRY_UNIMPLEMENTED = 12,
  GANTRY_INTERNAL = 13,
  GANTRY_UNAVAILABLE = 14,
  GANTRY_DATA_LOSS = 15,
  GANTRY_UNAUTHENTICATED = 16
};

/* UTF-8 text that is borrowed for the duration of the call; not NUL terminated. */
typedef struct gantry_str {
  const char* data;
  size_t size;
} gantry_str;

/* Immutable bytes with shared ownership. `owner` may be NULL for static data; then retain and
 * release are NULL too. Copying the struct does not change the count: call retain for each copy
 * that outlives the source. */
typedef struct gantry_buf {
  const uint8_t* data;
  size_t size;
  void* owner;
  void (*retain)(void* owner);  /* [thread: any] [owner: -] [may block: no] */
  void (*release)(void* owner); /* [thread: any] [owner: -] [may block: no] */
} gantry_buf;

/* Why something failed. `message` says what was asked, what was found and what to do next;
 * `detail` is a JSON object with machine-readable context, or empty.
 * Whoever receives a gantry_error by out-parameter releases both buffers. */
typedef struct gantry_error {
  gantry_status code;
  uint32_t reserved;
  gantry_buf message;
  gantry_buf detail;
} gantry_error;

/* A function with its argument. `drop` (may be NULL) is called exactly once when the host will
 * never call `run` again, also when it was never called. Neither may throw. */
typedef struct gantry_closure {
  void (*run)(void* user); /* [thread: as the taker says] [owner: -] [may block: no] */
  void* user;
  void (*drop)(void* user); /* [thread: any] [owner: frees user] [may block: no] */
} gantry_closure;

/* The host's view of one loaded plugin. Opaque; valid from create until destroy returns. */
typedef struct gantry_host gantry_host;

#ifdef __cplusplus
} /* extern "C" */
#endif
