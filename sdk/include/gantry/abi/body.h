/* SPDX-License-Identifier: Apache-2.0
 *
 * Message bodies and the description of their types.
 *
 * A body is immutable and reference counted. It carries either an object of the producer's own
 * layout (with the producer's gantry_type beside it) or JSON text. A consumer that registered the
 * same layout hash reads the object itself; any other consumer asks the producer's type to encode
 * it and decodes the JSON with its own. Both ways go through the same gantry_body.
 */
#pragma once

#include <gantry/abi/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gantry_type gantry_type;
typedef struct gantry_body gantry_body;

/* `retain` and `release` are never NULL: a receiver may keep any body. One on static storage gives
 * functions that do nothing. */
struct gantry_body {
  size_t size;             /* sizeof(gantry_body) of the producer */
  const gantry_type* type; /* the producer's type, or NULL for a body that is only JSON */
  const void* object;      /* immutable object of that type, or NULL */
  gantry_str json;         /* the JSON text when object is NULL */
  void* owner;
  void (*retain)(void* owner);  /* [thread: any] [owner: -] [may block: no] */
  void (*release)(void* owner); /* [thread: any] [owner: -] [may block: no] */
};

/* One message type as one plugin was compiled to see it. Lives as long as the process (plugins are
 * never unloaded). */
struct gantry_type {
  size_t size;
  gantry_str name;      /* as in the JSON Schema's title, for example "WindowList" */
  uint64_t layout_hash; /* equal hashes: the object can be shared between the two sides */
  /* JSON text of `object`; `out` is untouched unless it returns GANTRY_OK.
   * [thread: any] [owner: caller releases out] [may block: no] */
  gantry_status (*encode)(const void* object, gantry_buf* out);
  /* A new body from JSON text, with one reference for the caller. Unknown members are ignored,
   * missing ones take their defaults; a wrong type is GANTRY_INVALID_ARGUMENT with the path.
   * `error` must not be NULL and is written only on failure.
   * [thread: any] [owner: caller releases out or error] [may block: no] */
  gantry_status (*decode)(gantry_str json, const gantry_body** out, gantry_error* error);
  /* JSON Schema 2020-12 of the type. [thread: any] [owner: static] [may block: no] */
  gantry_str (*schema)(void);
  /* Bytes that keeping `object` costs, roughly: for mailboxes that are bounded by bytes.
   * [thread: any] [owner: -] [may block: no] */
  size_t (*weight)(const void* object);
};

#ifdef __cplusplus
} /* extern "C" */
#endif
