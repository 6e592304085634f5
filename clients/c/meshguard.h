/*
 * MeshGuard's client for programs in C: reports device memory to the server that watches the program.
 *
 * One file, C99 with gcc or clang, Linux, no dependency (with a C library that has threads apart, link with -pthread). In one source file,
 * before any other include:
 *
 *     #define MESHGUARD_IMPLEMENTATION
 *     #include "meshguard.h"
 *
 * That file is C; in all others, also in C++, include it alone. Then
 *
 *     meshguard_allocated(.device = 0, .type = MESHGUARD_DRAM, .address = 0x1000, .size = 4096, .label = "kv-cache");
 *     meshguard_freed(.device = 0, .type = MESHGUARD_DRAM, .address = 0x1000);
 *
 * A server is used if MESHGUARD_SOCKET names its socket, as `meshguard record -- ./program` does, or if TT_ALLOC_TRACKING_ENABLED is 1.
 * Without one, every call does nothing. No call fails: it keeps errno and raises no signal. It waits up to five seconds to connect, and up to
 * thirty for a server that does not answer or read. A server that is not there, or that does not understand this client, is named once on
 * standard error, and makes the verdict inconclusive.
 *
 * Threads may use all of it; signal handlers must not. A forked process reports over a connection of its own. Reports are sent in batches, after
 * some milliseconds at most; a program that is killed loses those that were not sent. docs/protocol.md has the protocol.
 */
#ifndef MESHGUARD_H
#define MESHGUARD_H

#if defined(MESHGUARD_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of a buffer. */
enum { MESHGUARD_DRAM, MESHGUARD_L1, MESHGUARD_SYSTEM_MEMORY, MESHGUARD_L1_SMALL, MESHGUARD_TRACE };

/* Whether the reporting object frees the memory, or only points to it. */
enum { MESHGUARD_OWNERSHIP_UNKNOWN, MESHGUARD_OWNING, MESHGUARD_NON_OWNING };

/* The allocator that reserved the memory. */
enum { MESHGUARD_ALLOCATOR_UNKNOWN, MESHGUARD_OF_MESH, MESHGUARD_OF_DEVICE, MESHGUARD_OF_SUB_DEVICE };

/* What became of a free: the runtime ignored all but the first. */
enum { MESHGUARD_FREED, MESHGUARD_ALREADY_FREED, MESHGUARD_UNKNOWN_ADDRESS, MESHGUARD_DEVICE_CLOSED, MESHGUARD_STILL_SHARED };

/* The runtime object that keeps memory. */
enum {
    MESHGUARD_PROGRAM_OWNER, MESHGUARD_TRACE_OWNER, MESHGUARD_COMMAND_QUEUE, MESHGUARD_DISPATCH,
    MESHGUARD_FABRIC, MESHGUARD_ETHERNET_ROUTER, MESHGUARD_MESH_COORDINATION, MESHGUARD_OTHER_OWNER
};

/* Who frees the memory: the program, the runtime at the close, or nobody must. */
enum { MESHGUARD_USER, MESHGUARD_SYSTEM, MESHGUARD_PERSISTENT };

/* The moment of an allocator's count. */
enum { MESHGUARD_CLOSE_BEGUN, MESHGUARD_BEFORE_WIPE, MESHGUARD_AFTER_WIPE };

/* An owner; its name is unique in the program. Equal owners are one. */
typedef struct meshguard_owner {
    int kind;
    int lifetime;
    const char *name;
} meshguard_owner;

/* Memory that was allocated or freed. What is left out is unknown. A free has the device, type, address, mesh, owner and ownership of its
 * allocation. */
typedef struct meshguard_memory {
    int32_t device;
    int type;
    uint64_t address;
    uint64_t size;
    const char *label;
    const meshguard_owner *owner; /* of a circular buffer its program */
    uint64_t request;             /* of meshguard_request(): one call that allocates on several devices */
    uint32_t mesh;                /* of meshguard_mesh_opened() */
    int ownership;
    int view;     /* 1: it points to memory of another request */
    int circular; /* 1: a circular buffer, which lies outside the allocator */
    int allocator;
    uint16_t manager;
    uint16_t sub_device;
    uint64_t bytes_per_bank;
    int result; /* of a free */
} meshguard_memory;

/* Report memory, and the line of the call. In C++ call the functions below with a meshguard_memory. */
#ifndef __cplusplus
#define meshguard_allocated(...) \
    meshguard_allocated_at(&(const meshguard_memory){__VA_ARGS__}, __FILE__, __LINE__, __func__)
#define meshguard_freed(...) meshguard_freed_at(&(const meshguard_memory){__VA_ARGS__}, __FILE__, __LINE__, __func__)
#endif

/* Report memory for the line of a caller. File and function must exist, unchanged, as long as the program, as literals do. */
void meshguard_allocated_at(const meshguard_memory *memory, const char *file, int line, const char *function);
void meshguard_freed_at(const meshguard_memory *memory, const char *file, int line, const char *function);

/* Returns a new number of a request. */
uint64_t meshguard_request(void);

/* Begin and end a phase of the program, which belongs to all threads; phases nest. */
void meshguard_phase_begin(const char *name);
void meshguard_phase_end(void);

/* Report that a cache keeps an owner from now on, and that an owner ended. */
void meshguard_owner_cached(const meshguard_owner *owner, const char *cache);
void meshguard_owner_ended(const meshguard_owner *owner);

/* Report an open mesh; returns its number. The parent of a submesh is a number, or 0. At most 1024 devices. */
uint32_t meshguard_mesh_opened(const char *name, const uint32_t *devices, size_t count, uint32_t parent);
void meshguard_mesh_close_begun(uint32_t mesh);
void meshguard_mesh_closed(uint32_t mesh);

/*
 * Reports the addresses that an allocator lists as allocated in one memory: which frees only were not reported. If more is 1, the next call continues
 * the snapshot with another device or type, and no other thread may report before it. The allocator is one of the constants, but not that of a sub-device.
 */
void meshguard_snapshot(uint32_t mesh, int moment, uint32_t device, int type, int allocator, const uint64_t *addresses,
                        size_t count, int more);

/* Sends what waits. */
void meshguard_flush(void);

/* Reports that the program ends, as its end does. Later reports arrive too. */
void meshguard_close(void);

#ifdef __cplusplus
}
#endif

#ifdef MESHGUARD_IMPLEMENTATION

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#error "Include meshguard.h before all other headers in this file, or compile it with -D_POSIX_C_SOURCE=200809L"
#endif

#define MESHGUARD_DEFAULT_SOCKET_ "/tmp/tt_allocation_server.sock"
#define MESHGUARD_BATCH_ 65536 /* As the longest line. */
#define MESHGUARD_MAX_TEXT_ 1000
#define MESHGUARD_LINE_BITS_ 12
#define MESHGUARD_ADDRESSES_ 2000
#define MESHGUARD_DEVICES_ 1025 /* One more than the server accepts, so that it rejects too many. */
#define MESHGUARD_DELAY_NANOS_ 5000000
#ifndef MESHGUARD_CONNECT_SECONDS_
#define MESHGUARD_CONNECT_SECONDS_ 5
#endif
#define MESHGUARD_SEND_SECONDS_ 30

enum { MESHGUARD_NEW_, MESHGUARD_CONNECTED_, MESHGUARD_OVER_ };

/* A line of the program, by its literals. Its id is its place; a line that takes the place of another defines the id again. */
typedef struct meshguard_line_ {
    const char *file;
    const char *function;
    int number;
} meshguard_line_;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int state;
    int fd;
    int quiet; /* The last line says that nothing waits, so the next report is sent at once. */
    int at_once; /* Nobody sends later. */
    uint64_t sequence;
    uint64_t requests;
    uint32_t meshes;
    uint32_t meshes_of_parent; /* Meshes that were opened before a fork are not this process's. */
    size_t used;
    meshguard_line_ lines[1 << MESHGUARD_LINE_BITS_];
    char batch[2 * MESHGUARD_BATCH_];
} meshguard_ = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .fd = -1, .quiet = 1};

/* The names of the constants, in their order. */
static const char *const meshguard_types_[] = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};
static const char *const meshguard_ownerships_[] = {"UNKNOWN", "OWNING", "NON_OWNING"};
static const char *const meshguard_allocators_[] = {"UNKNOWN", "MESH", "DEVICE", "SUB_DEVICE"};
static const char *const meshguard_results_[] = {
    "FREED", "ALREADY_FREED", "UNKNOWN_ADDRESS", "DEVICE_CLOSED", "STILL_SHARED"};
static const char *const meshguard_kinds_[] = {
    "PROGRAM", "TRACE", "COMMAND_QUEUE", "DISPATCH", "FABRIC", "ETHERNET_ROUTER", "MESH_COORDINATION", "OTHER"};
static const char *const meshguard_lifetimes_[] = {"USER", "SYSTEM", "PERSISTENT"};
static const char *const meshguard_moments_[] = {"CLOSE_BEGUN", "BEFORE_WIPE", "AFTER_WIPE"};

/*
 * The line that is written: all functions from here on hold the lock, and the batch has room for one line. Inline, the length of a literal is known
 * to the compiler.
 */

static inline void meshguard_put_(const char *text) {
    size_t length = strlen(text);
    memcpy(meshguard_.batch + meshguard_.used, text, length);
    meshguard_.used += length;
}

static inline void meshguard_number_(const char *key, uint64_t value) {
    char digits[20]; /* Of 2^64-1. */
    size_t first = sizeof digits;
    meshguard_put_(key);
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    memcpy(meshguard_.batch + meshguard_.used, digits + first, sizeof digits - first);
    meshguard_.used += sizeof digits - first;
}

static inline void meshguard_signed_(const char *key, int value) {
    meshguard_put_(key);
    meshguard_number_(value < 0 ? "-" : "", value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static inline void meshguard_optional_(const char *key, uint64_t value) {
    if (value != 0) {
        meshguard_number_(key, value);
    }
}

static inline void meshguard_address_(const char *key, uint64_t value) {
    int shift = 60;
    meshguard_put_(key);
    while (shift > 0 && value >> shift == 0) {
        shift -= 4;
    }
    for (; shift >= 0; shift -= 4) {
        meshguard_.batch[meshguard_.used++] = "0123456789abcdef"[value >> shift & 15];
    }
    meshguard_put_("\"");
}

/* Writes the inside of a string, cut where a character of UTF-8 begins. */
static inline void meshguard_characters_(const char *text) {
    char *at = meshguard_.batch + meshguard_.used;
    const int most = MESHGUARD_MAX_TEXT_;
    for (int i = 0; text[i] != 0 && (i < most || (i < most + 3 && (text[i] & 0xc0) == 0x80)); i++) {
        unsigned char one = (unsigned char)text[i];
        if (one < ' ') {
            at += sprintf(at, "\\u%04x", one);
        } else {
            if (one == '"' || one == '\\') {
                *at++ = '\\';
            }
            *at++ = text[i];
        }
    }
    meshguard_.used = (size_t)(at - meshguard_.batch);
}

static inline void meshguard_text_(const char *key, const char *text) {
    if (text != NULL) {
        meshguard_put_(key);
        meshguard_characters_(text);
        meshguard_put_("\"");
    }
}

/* Writes the name of a constant, or a number that is none, which the server rejects. */
static inline void meshguard_name_(const char *key, const char *const *names, size_t count, int value) {
    if (value >= 0 && (size_t)value < count) {
        meshguard_put_(key);
        meshguard_put_(names[value]);
    } else {
        meshguard_signed_(key, value);
    }
    meshguard_put_("\"");
}

#define MESHGUARD_NAME_(key, names, value) meshguard_name_(key, names, sizeof(names) / sizeof *(names), value)

/* Writes nothing for the first name, which is the default. */
#define MESHGUARD_OTHER_NAME_(key, names, value) (void)((value) == 0 || (MESHGUARD_NAME_(key, names, value), 0))

/* The connection */

static const char *meshguard_path_(void) {
    const char *path = getenv("MESHGUARD_SOCKET");
    const char *asked = getenv("TT_ALLOC_TRACKING_ENABLED");
    if (path != NULL && *path != 0) {
        return path;
    }
    return asked != NULL && strcmp(asked, "1") == 0 ? MESHGUARD_DEFAULT_SOCKET_ : NULL;
}

/* Ends the reports. The server reads in a file beside its socket which processes it did not hear. */
static void meshguard_over_(void) {
    int failure = errno;
    const char *path = meshguard_path_();
    char name[256];
    FILE *unheard;
    __atomic_store_n(&meshguard_.state, MESHGUARD_OVER_, __ATOMIC_RELEASE);
    if (path == NULL) {
        return;
    }
    close(meshguard_.fd);
    meshguard_.used = 0;
    snprintf(name, sizeof name, "%s.unheard", path);
    unheard = fopen(name, "a");
    if (unheard != NULL) {
        fprintf(unheard, "%ld\n", (long)getpid());
        fclose(unheard);
    }
    fprintf(stderr, "[MeshGuard] Warning: no server at %s, so nothing more is reported: %s\n", path,
            failure == EAGAIN ? "it does not answer, as an old server or one that hangs" : strerror(failure));
}

static int meshguard_send_all_(void) {
    size_t done = 0;
    while (done < meshguard_.used) {
        ssize_t sent = send(meshguard_.fd, meshguard_.batch + done, meshguard_.used - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return -1;
        }
        done += sent > 0 ? (size_t)sent : 0;
    }
    meshguard_.used = 0;
    return 0;
}

static void meshguard_send_(void) {
    int before = errno;
    if (meshguard_send_all_() < 0) {
        meshguard_over_();
    }
    errno = before;
}

/* Sends what waits, and that nothing else does. */
static void meshguard_finish_(const char *op) {
    meshguard_put_("{\"op\":\"");
    meshguard_put_(op);
    meshguard_number_("\",\"n\":", meshguard_.sequence);
    meshguard_put_("}\n");
    meshguard_send_();
    meshguard_.quiet = 1;
}

static void meshguard_lock_(void) { pthread_mutex_lock(&meshguard_.lock); }

static void meshguard_unlock_(void) { pthread_mutex_unlock(&meshguard_.lock); }

/* The child has no flusher, and must not use the connection of its parent. */
static void meshguard_in_child_(void) {
    if (meshguard_.state == MESHGUARD_CONNECTED_) {
        close(meshguard_.fd);
    }
    meshguard_.state = MESHGUARD_NEW_;
    meshguard_.quiet = 1;
    meshguard_.sequence = 0;
    meshguard_.used = 0;
    meshguard_.meshes_of_parent = meshguard_.meshes;
    memset(meshguard_.lines, 0, sizeof meshguard_.lines);
    pthread_cond_init(&meshguard_.wake, NULL);
    meshguard_unlock_();
}

/* Sends what reports left in the batch, some milliseconds later. No signal handler of the program runs here. */
static void *meshguard_flush_soon_(void *unused) {
    const struct timespec delay = {0, MESHGUARD_DELAY_NANOS_};
    sigset_t all;
    (void)unused;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_detach(pthread_self());
    meshguard_lock_();
    while (meshguard_.state == MESHGUARD_CONNECTED_) {
        while (meshguard_.quiet) {
            pthread_cond_wait(&meshguard_.wake, &meshguard_.lock);
        }
        meshguard_unlock_();
        nanosleep(&delay, NULL);
        meshguard_lock_();
        if (meshguard_.used > 0) {
            meshguard_send_();
        } else if (meshguard_.state == MESHGUARD_CONNECTED_ && !meshguard_.quiet) {
            meshguard_finish_("idle");
        }
    }
    meshguard_unlock_();
    return NULL;
}

static void meshguard_hello_(void) {
    char name[64] = "";
    FILE *comm = fopen("/proc/self/comm", "r");
    if (comm != NULL) {
        name[fread(name, 1, sizeof name - 1, comm)] = 0;
        name[strcspn(name, "\n")] = 0;
        fclose(comm);
    }
    meshguard_number_("{\"op\":\"hello\",\"version\":1,\"pid\":", (uint64_t)getpid());
    meshguard_text_(",\"name\":\"", name);
    meshguard_put_("}\n");
}

static int meshguard_open_(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval connecting = {.tv_sec = MESHGUARD_CONNECT_SECONDS_};
    const struct timeval sending = {.tv_sec = MESHGUARD_SEND_SECONDS_};
    char answer[64] = "";
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    meshguard_.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(meshguard_.fd, SOL_SOCKET, SO_SNDTIMEO, &connecting, sizeof connecting);
    setsockopt(meshguard_.fd, SOL_SOCKET, SO_RCVTIMEO, &sending, sizeof sending);
    while (connect(meshguard_.fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    meshguard_hello_();
    if (meshguard_send_all_() < 0) {
        return -1;
    }
    while (recv(meshguard_.fd, answer, sizeof answer - 1, 0) < 0 && errno == EINTR) {
    }
    if (strncmp(answer, "{\"ok\"", 5) != 0) {
        errno = EAGAIN;
        return -1;
    }
    return setsockopt(meshguard_.fd, SOL_SOCKET, SO_SNDTIMEO, &sending, sizeof sending);
}

static void meshguard_connect_(void) {
    int before = errno;
    const char *path = meshguard_path_();
    pthread_t flusher;
    if (path == NULL || meshguard_open_(path) < 0) {
        meshguard_over_();
    } else {
        __atomic_store_n(&meshguard_.state, MESHGUARD_CONNECTED_, __ATOMIC_RELEASE);
        meshguard_.at_once |= pthread_create(&flusher, NULL, meshguard_flush_soon_, NULL) != 0;
    }
    errno = before;
}

/* Reports */

/* Returns the id of a line of the program, and defines it if it is new here. */
static uint32_t meshguard_line_of_(const char *file, int line, const char *function) {
    uint64_t hash = ((uintptr_t)file * 31 + (uintptr_t)function * 17 + (unsigned)line) * 0x9e3779b97f4a7c15u;
    uint32_t place = (uint32_t)(hash >> (64 - MESHGUARD_LINE_BITS_));
    meshguard_line_ *known = &meshguard_.lines[place];
    if (known->file != file || known->function != function || known->number != line) {
        *known = (meshguard_line_){file, function, line};
        meshguard_number_("{\"op\":\"stack\",\"id\":", place + 1);
        meshguard_put_(",\"frames\":[\"");
        meshguard_characters_(function == NULL ? "?" : function);
        meshguard_put_(" (");
        meshguard_characters_(file);
        meshguard_signed_(":", line);
        meshguard_put_(")\"]}\n");
    }
    return place + 1;
}

/* Begins the line of a report. Returns whether there is a server. */
static int meshguard_next_(const char *op, uint32_t stack) {
    if (meshguard_.state != MESHGUARD_CONNECTED_) {
        return 0;
    }
    meshguard_put_("{\"op\":\"");
    meshguard_put_(op);
    meshguard_number_("\",\"n\":", ++meshguard_.sequence);
    meshguard_optional_(",\"stack\":", stack);
    return 1;
}

/* Begins a report: locks, and connects if this is the first. Returns whether there is a server. */
static int meshguard_begin_(const char *op, const char *file, int line, const char *function) {
    uint32_t stack = 0;
    if (__atomic_load_n(&meshguard_.state, __ATOMIC_ACQUIRE) == MESHGUARD_OVER_) {
        return 0;
    }
    meshguard_lock_();
    if (meshguard_.state == MESHGUARD_NEW_) {
        meshguard_connect_();
    }
    if (meshguard_.state == MESHGUARD_CONNECTED_ && file != NULL) {
        stack = meshguard_line_of_(file, line, function);
    }
    if (meshguard_next_(op, stack)) {
        return 1;
    }
    meshguard_unlock_();
    return 0;
}

/* Ends the line of a report. After a pause it is sent at once; more of them are sent together. */
static void meshguard_end_line_(void) {
    meshguard_put_("}\n");
    if (meshguard_.at_once) {
        meshguard_finish_("bye");
    } else if (meshguard_.quiet || meshguard_.used >= MESHGUARD_BATCH_) {
        meshguard_send_();
        meshguard_.quiet = 0;
        pthread_cond_signal(&meshguard_.wake);
    }
}

static void meshguard_end_(void) {
    meshguard_end_line_();
    meshguard_unlock_();
}

static void meshguard_owner_(const meshguard_owner *owner) {
    MESHGUARD_NAME_(",\"owner\":{\"kind\":\"", meshguard_kinds_, owner->kind);
    MESHGUARD_NAME_(",\"lifetime\":\"", meshguard_lifetimes_, owner->lifetime);
    meshguard_text_(",\"name\":\"", owner->name == NULL ? "" : owner->name);
    meshguard_put_("}");
}

static inline void meshguard_mesh_(const char *key, uint32_t mesh) {
    meshguard_optional_(key, mesh > meshguard_.meshes_of_parent ? mesh : 0);
}

static inline void meshguard_memory_(const meshguard_memory *memory) {
    meshguard_signed_(",\"device\":", memory->device);
    MESHGUARD_NAME_(",\"type\":\"", meshguard_types_, memory->type);
    meshguard_address_(",\"address\":\"0x", memory->address);
    meshguard_mesh_(",\"mesh\":", memory->mesh);
    if (memory->owner != NULL) {
        meshguard_owner_(memory->owner);
    }
    MESHGUARD_OTHER_NAME_(",\"ownership\":\"", meshguard_ownerships_, memory->ownership);
    if (memory->allocator != MESHGUARD_ALLOCATOR_UNKNOWN) {
        MESHGUARD_NAME_(",\"allocator\":\"", meshguard_allocators_, memory->allocator);
        meshguard_optional_(",\"manager\":", memory->manager);
        meshguard_optional_(",\"subDevice\":", memory->sub_device);
    }
}

void meshguard_allocated_at(const meshguard_memory *memory, const char *file, int line, const char *function) {
    if (meshguard_begin_(memory->circular ? "cb_alloc" : "alloc", file, line, function)) {
        meshguard_memory_(memory);
        meshguard_number_(",\"size\":", memory->size);
        meshguard_optional_(",\"request\":", memory->request);
        meshguard_optional_(",\"bytesPerBank\":", memory->bytes_per_bank);
        meshguard_text_(",\"label\":\"", memory->label);
        meshguard_put_(memory->view ? ",\"view\":true" : "");
        meshguard_end_();
    }
}

void meshguard_freed_at(const meshguard_memory *memory, const char *file, int line, const char *function) {
    if (meshguard_begin_(memory->circular ? "cb_free" : "free", file, line, function)) {
        meshguard_memory_(memory);
        MESHGUARD_OTHER_NAME_(",\"result\":\"", meshguard_results_, memory->result);
        meshguard_end_();
    }
}

uint64_t meshguard_request(void) { return __atomic_add_fetch(&meshguard_.requests, 1, __ATOMIC_RELAXED); }

static void meshguard_phase_(const char *name) {
    if (meshguard_begin_("phase", NULL, 0, NULL)) {
        meshguard_text_(",\"name\":\"", name);
        meshguard_end_();
    }
}

void meshguard_phase_begin(const char *name) { meshguard_phase_(name == NULL || *name == 0 ? "?" : name); }

void meshguard_phase_end(void) { meshguard_phase_(NULL); }

static void meshguard_owner_report_(const char *op, const meshguard_owner *owner, const char *cache) {
    if (meshguard_begin_(op, NULL, 0, NULL)) {
        meshguard_owner_(owner);
        meshguard_text_(",\"cache\":\"", cache);
        meshguard_end_();
    }
}

void meshguard_owner_cached(const meshguard_owner *owner, const char *cache) {
    meshguard_owner_report_("owner_cached", owner, cache == NULL ? "" : cache);
}

void meshguard_owner_ended(const meshguard_owner *owner) { meshguard_owner_report_("owner_ended", owner, NULL); }

uint32_t meshguard_mesh_opened(const char *name, const uint32_t *devices, size_t count, uint32_t parent) {
    uint32_t mesh = __atomic_add_fetch(&meshguard_.meshes, 1, __ATOMIC_RELAXED);
    if (meshguard_begin_("mesh_opened", NULL, 0, NULL)) {
        size_t device;
        meshguard_number_(",\"mesh\":", mesh);
        meshguard_text_(",\"name\":\"", name);
        meshguard_mesh_(",\"parent\":", parent);
        meshguard_put_(",\"devices\":[");
        for (device = 0; device < count && device < MESHGUARD_DEVICES_; device++) {
            meshguard_number_(device == 0 ? "" : ",", devices[device]);
        }
        meshguard_put_("]");
        meshguard_end_();
    }
    return mesh;
}

static void meshguard_mesh_report_(const char *op, uint32_t mesh) {
    if (meshguard_begin_(op, NULL, 0, NULL)) {
        meshguard_mesh_(",\"mesh\":", mesh);
        meshguard_end_();
    }
}

void meshguard_mesh_close_begun(uint32_t mesh) { meshguard_mesh_report_("mesh_close_begun", mesh); }

void meshguard_mesh_closed(uint32_t mesh) { meshguard_mesh_report_("mesh_closed", mesh); }

/* The lock is held over all lines, so that no other thread reports between them. */
void meshguard_snapshot(uint32_t mesh, int moment, uint32_t device, int type, int allocator, const uint64_t *addresses,
                        size_t count, int more) {
    size_t next = 0;
    if (!meshguard_begin_("state", NULL, 0, NULL)) {
        return;
    }
    do {
        size_t end = count - next < MESHGUARD_ADDRESSES_ ? count : next + MESHGUARD_ADDRESSES_;
        const char *separator = "\"0x";
        meshguard_mesh_(",\"mesh\":", mesh);
        meshguard_number_(",\"device\":", device);
        MESHGUARD_NAME_(",\"type\":\"", meshguard_types_, type);
        MESHGUARD_NAME_(",\"moment\":\"", meshguard_moments_, moment);
        MESHGUARD_OTHER_NAME_(",\"allocator\":\"", meshguard_allocators_, allocator);
        meshguard_put_(more || end < count ? ",\"complete\":false" : ",\"complete\":true");
        meshguard_put_(",\"addresses\":[");
        for (; next < end; separator = ",\"0x") {
            meshguard_address_(separator, addresses[next++]);
        }
        meshguard_put_("]");
        meshguard_end_line_();
    } while (next < count && meshguard_next_("state", 0));
    meshguard_unlock_();
}

static void meshguard_finish_call_(const char *op) {
    meshguard_lock_();
    if (meshguard_.state == MESHGUARD_CONNECTED_) {
        meshguard_finish_(op);
    }
    meshguard_unlock_();
}

void meshguard_flush(void) { meshguard_finish_call_("idle"); }

void meshguard_close(void) { meshguard_finish_call_("bye"); }

/* A destructor runs after the functions of atexit, which may free memory. What reports later sends another last line each. */
__attribute__((destructor)) static void meshguard_at_exit_(void) {
    meshguard_close();
    meshguard_.at_once = 1;
}

/* What was reported before a fork comes before what the child reports. */
static void meshguard_before_fork_(void) {
    meshguard_lock_();
    meshguard_send_();
}

__attribute__((constructor)) static void meshguard_at_start_(void) {
    pthread_atfork(meshguard_before_fork_, meshguard_unlock_, meshguard_in_child_);
}

#endif /* MESHGUARD_IMPLEMENTATION */
#endif /* MESHGUARD_H */
