/* SPDX-License-Identifier: Apache-2.0
 *
 * example.greet/1 in C. It declares no types, so requests are read as JSON text (the bus converts
 * what others send) and answers are JSON bodies. */
#include <gantry/abi/bus.h>
#include <gantry/abi/plugin.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTRACT_NAME "example.greet/1"

typedef struct greeter {
  gantry_host* host;
  const gantry_host_bus* bus;
} greeter;

/* ---- bodies: text with a reference count
 * --------------------------------------------------------- */

typedef struct text_body {
  gantry_body body;
  atomic_uint references;
  char text[]; /* as long as it needs to be */
} text_body;

static void text_retain(void* owner) {
  atomic_fetch_add_explicit(&((text_body*)owner)->references, 1, memory_order_relaxed);
}

static void text_release(void* owner) {
  text_body* mine = owner;
  if (atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) == 1) free(mine);
}

/* {"greeting":"Hello, <name> from C"}; `name` is what stands between quotes in the request, so it
 * is JSON already. NULL when there is no memory. */
static text_body* make_greeting(gantry_str name) {
  static const char kBefore[] = "{\"greeting\":\"Hello, ";
  static const char kAfter[] = " from C\"}";
  const size_t size = sizeof kBefore - 1 + name.size + sizeof kAfter - 1;
  text_body* made = malloc(sizeof *made + size + 1);
  if (made == NULL) return NULL;
  memset(&made->body, 0, sizeof made->body);
  atomic_init(&made->references, 1);
  snprintf(made->text, size + 1, "%s%.*s%s", kBefore, (int)name.size, name.data, kAfter);
  made->body.size = sizeof made->body;
  made->body.json.data = made->text;
  made->body.json.size = size;
  made->body.owner = made;
  made->body.retain = text_retain;
  made->body.release = text_release;
  return made;
}

/* The value of the member "name" without its quotes; size 0 when there is none. Enough for a flat
 * object that a Gantry host has checked; a plugin with more to read brings a JSON library. */
static gantry_str find_name(const char* json, size_t size) {
  static const char kKey[] = "\"name\"";
  gantry_str name = {NULL, 0};
  size_t i = 0;
  while (i + sizeof kKey - 1 <= size && memcmp(json + i, kKey, sizeof kKey - 1) != 0) ++i;
  for (i += sizeof kKey - 1; i < size && json[i] != '"'; ++i) {
    if (json[i] != ':' && json[i] != ' ') return name;
  }
  const size_t first = i + 1;
  for (i = first; i < size && json[i] != '"'; ++i) {
    if (json[i] == '\\') ++i;
  }
  if (i < size) {
    name.data = json + first;
    name.size = i - first;
  }
  return name;
}

/* ---- the contract
 * --------------------------------------------------------------------------------- */

static void fail(const greeter* self, gantry_incoming* call, gantry_status code, const char* why) {
  gantry_error error = {0};
  error.code = code;
  error.message.data = (const uint8_t*)why; /* static text needs no owner */
  error.message.size = strlen(why);
  self->bus->complete(call, code, NULL, &error);
}

static void greet(void* user, gantry_incoming* call, const gantry_body* request,
                  const gantry_envelope* envelope) {
  const greeter* self = user;
  gantry_buf json = {0};
  (void)envelope;
  if (self->bus->body_to_json(request, &json) != GANTRY_OK) {
    fail(self, call, GANTRY_INVALID_ARGUMENT, "the request has no JSON form");
  } else {
    const gantry_str name = find_name((const char*)json.data, json.size);
    text_body* answer = name.size != 0 ? make_greeting(name) : NULL;
    if (answer != NULL) {
      self->bus->complete(call, GANTRY_OK, &answer->body, NULL);
      text_release(answer);
    } else {
      fail(self, call, GANTRY_INVALID_ARGUMENT, "cannot greet nobody: `name` is empty");
    }
    if (json.release != NULL) json.release(json.owner);
  }
  self->bus->incoming_release(call); /* the handler's own reference */
}

/* The id of a contract on the bus: FNV-1a, 64 bit. */
static uint64_t contract_id(const char* name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name != '\0'; ++name) hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
  return hash;
}

/* ---- the plugin
 * ----------------------------------------------------------------------------------- */

static gantry_status init(void* self, gantry_error* error) {
  static gantry_contract contract; /* the host keeps the pointer */
  greeter* mine = self;
  contract.size = sizeof contract;
  contract.kind = GANTRY_CALL;
  contract.name.data = CONTRACT_NAME;
  contract.name.size = sizeof CONTRACT_NAME - 1;
  contract.id = contract_id(CONTRACT_NAME);
  const gantry_status status = mine->bus->register_contract(mine->host, &contract, error);
  if (status != GANTRY_OK) return status;
  return mine->bus->serve(mine->host, contract.id, greet, mine, NULL, error);
}

static gantry_status start(void* self, gantry_error* error) {
  (void)self;
  (void)error;
  return GANTRY_OK;
}

static void stop(void* self, int64_t deadline_ns) {
  (void)self;
  (void)deadline_ns;
}

static const void* get_interface(void* self, const char* id) {
  (void)self;
  (void)id;
  return NULL;
}

static gantry_status create(const gantry_host_api* api, gantry_plugin* out, gantry_error* error) {
  (void)error;
  const gantry_host_bus* bus = api->get_interface(api->host, GANTRY_HOST_BUS_1);
  if (!GANTRY_HAS(bus, call_json)) return GANTRY_FAILED_PRECONDITION;
  if (!GANTRY_HAS(out, get_interface)) return GANTRY_FAILED_PRECONDITION; /* no room for all */
  greeter* self = malloc(sizeof *self);
  if (self == NULL) return GANTRY_RESOURCE_EXHAUSTED;
  self->host = api->host;
  self->bus = bus;
  out->size = sizeof *out;
  out->self = self;
  out->init = init;
  out->start = start;
  out->reconfigure = start; /* there is no configuration to take over */
  out->stop = stop;
  out->destroy = free;
  out->get_interface = get_interface;
  return GANTRY_OK;
}

__attribute__((visibility("default"))) const gantry_plugin_entry_v1 gantry_plugin_entry = {
    .magic = GANTRY_PLUGIN_MAGIC,
    .struct_size = sizeof(gantry_plugin_entry_v1),
    .abi_major = GANTRY_ABI_MAJOR,
    .abi_minor = GANTRY_ABI_MINOR,
    .name = "greeter_c",
    .version = "0.1.0",
    .sdk_version = "0.1.0",
    .fingerprint = "C",
    .create = create,
};
