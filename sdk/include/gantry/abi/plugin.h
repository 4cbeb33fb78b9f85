/* SPDX-License-Identifier: Apache-2.0
 *
 * The one symbol that a plugin exports, and the object it makes.
 *
 * Life cycle, all on the plugin's strand but `create` and `destroy` (the kernel's thread):
 *   create -> init (register contracts, serve, subscribe; no calls) -> start -> ... ->
 *   stop(deadline) -> destroy.  The library stays mapped for ever.
 */
#pragma once

#include <gantry/abi/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GANTRY_PLUGIN_MAGIC 0x59525447u /* "GTRY" */
#define GANTRY_PLUGIN_ENTRY_SYMBOL "gantry_plugin_entry"

typedef struct gantry_plugin {
  size_t size;
  void* self;
  /* [thread: strand] [owner: caller releases error] [may block: no] */
  gantry_status (*init)(void* self, gantry_error* error);
  /* Becomes ready. May take as long as the manifest's start deadline; waits through
   * gantry_host_exec.blocking only when others need the strand meanwhile.
   * [thread: strand] [owner: caller releases error] [may block: yes] */
  gantry_status (*start)(void* self, gantry_error* error);
  /* New configuration whose changed keys are all `reload: live`.
   * [thread: strand] [owner: caller releases error] [may block: no] */
  gantry_status (*reconfigure)(void* self, gantry_error* error);
  /* Ends all work before deadline_ns (monotonic). [thread: strand] [owner: -] [may block: yes] */
  void (*stop)(void* self, int64_t deadline_ns);
  /* [thread: kernel] [owner: frees self] [may block: no] */
  void (*destroy)(void* self);
  /* An extension of the plugin by string id, or NULL.
   * [thread: any] [owner: static] [may block: no] */
  const void* (*get_interface)(void* self, const char* id);
} gantry_plugin;

typedef struct gantry_host_api {
  size_t size;
  gantry_host* host;
  /* A table by its id ("gantry.host.bus/1"), or NULL when this host does not have it.
   * [thread: any] [owner: static] [may block: no] */
  const void* (*get_interface)(gantry_host* host, const char* id);
  gantry_str plugin_name; /* valid as long as the host */
} gantry_host_api;

typedef struct gantry_plugin_entry_v1 {
  uint32_t magic;
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  const char* name;        /* the same as in plugin.yaml */
  const char* version;     /* semantic version */
  const char* sdk_version; /* of the SDK it was built with */
  const char* fingerprint; /* compiler, standard library and flags: information for people */
  /* Makes the plugin's object. The host sets out->size to the bytes it has room for; the plugin
   * fills no more than that and sets out->size to what it filled.
   * [thread: kernel] [owner: api valid until destroy returns; caller releases error]
   * [may block: no] */
  gantry_status (*create)(const gantry_host_api* api, gantry_plugin* out, gantry_error* error);
} gantry_plugin_entry_v1;

#ifdef __cplusplus
} /* extern "C" */
#endif
