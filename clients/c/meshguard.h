/*
 * MeshGuard's client for programs in C: reports device memory to the server that watches the program.
 *
 * One file, C99 with gcc or clang, POSIX, no dependency (with a C library that has threads apart, link with -pthread). In one source file,
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
 * Without one, every call does nothing. No call fails: it keeps errno, raises no signal, and waits at most five seconds for a server that hangs.
 * A server that is not there, or that does not understand this client, is named once on standard error.
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
enum {
    MESHGUARD_FREED,
    MESHGUARD_ALREADY_FREED,
    MESHGUARD_UNKNOWN_ADDRESS,
    MESHGUARD_DEVICE_CLOSED,
    MESHGUARD_STILL_SHARED
};

/* The runtime object that keeps memory. */
enum {
    MESHGUARD_PROGRAM_OWNER,
    MESHGUARD_TRACE_OWNER,
    MESHGUARD_COMMAND_QUEUE,
    MESHGUARD_DISPATCH,
    MESHGUARD_FABRIC,
    MESHGUARD_ETHERNET_ROUTER,
    MESHGUARD_MESH_COORDINATION,
    MESHGUARD_OTHER_OWNER
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
 * the snapshot with another device or type. The allocator is one of the constants, but not that of a sub-device.
 */
void meshguard_snapshot(uint32_t mesh, int moment, uint32_t device, int type, int allocator, const uint64_t *addresses,
                        size_t count, int more);

/* Sends what waits. */
void meshguard_flush(void);

/* Ends the reports in order, as the end of the program does. */
void meshguard_close(void);

#ifdef __cplusplus
}
#endif

#ifdef MESHGUARD_IMPLEMENTATION

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if !defined(MSG_NOSIGNAL) && !defined(SO_NOSIGPIPE)
#error "Include meshguard.h before all other headers in this file, or compile it with -D_POSIX_C_SOURCE=200809L"
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

#define MESHGUARD_DEFAULT_SOCKET_ "/tmp/tt_allocation_server.sock"
#define MESHGUARD_BATCH_ 65536
#define MESHGUARD_LONGEST_ 1000
#define MESHGUARD_IDS_ 4096 /* A power of two; half of each table is used. */
#define MESHGUARD_PHASES_ 64
#define MESHGUARD_ADDRESSES_ 8000
#define MESHGUARD_DEVICES_ 1024
#define MESHGUARD_DELAY_NANOS_ 5000000
#define MESHGUARD_ACK_SECONDS_ 1
#define MESHGUARD_SEND_SECONDS_ 5

enum { MESHGUARD_NEW_, MESHGUARD_CONNECTED_, MESHGUARD_OVER_ };

/* A text by its content, an owner by the id of its name and its numbers, or a line by its literals. */
typedef struct meshguard_entry_ {
    uint64_t hash;
    char *text;
    const char *file;
    const char *function;
    uint32_t number;
    uint32_t id;
} meshguard_entry_;

typedef struct meshguard_table_ {
    meshguard_entry_ entries[MESHGUARD_IDS_];
    uint32_t used;
} meshguard_table_;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int state;
    int fd;
    int quiet; /* The next report is sent at once: the flusher has nothing to do. */
    int has_flusher;
    int has_fork_handlers;
    int has_warned;
    uint64_t sequence;
    uint64_t requests;
    uint32_t meshes;
    uint32_t meshes_of_parent; /* Meshes that were opened before a fork are not this process's. */
    size_t used;
    unsigned depth;
    char *phases[MESHGUARD_PHASES_];
    meshguard_table_ texts;
    meshguard_table_ owners;
    meshguard_table_ lines;
    unsigned char batch[MESHGUARD_BATCH_ + 16384];
} meshguard_ = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .fd = -1, .quiet = 1};

/* Numbers */

static unsigned char *meshguard_u16_(unsigned char *to, uint32_t value) {
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    return to + 2;
}

static unsigned char *meshguard_u32_(unsigned char *to, uint32_t value) {
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
    return to + 4;
}

static unsigned char *meshguard_u64_(unsigned char *to, uint64_t value) {
    return meshguard_u32_(meshguard_u32_(to, (uint32_t)value), (uint32_t)(value >> 32));
}

static uint64_t meshguard_mix_(uint64_t hash) {
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* The connection; all functions from here on hold the lock. */

static void meshguard_over_(const char *what, const char *path) {
    int failure = errno;
    __atomic_store_n(&meshguard_.state, MESHGUARD_OVER_, __ATOMIC_RELEASE);
    if (meshguard_.fd >= 0) {
        close(meshguard_.fd);
        meshguard_.fd = -1;
    }
    meshguard_.used = 0;
    if (!meshguard_.has_warned) {
        meshguard_.has_warned = 1;
        fprintf(stderr, "[MeshGuard] Warning: %s %s, so nothing more is reported: %s\n", what, path,
                failure == EPROTO ? "it does not answer MeshGuard's clients, as an old server" : strerror(failure));
    }
}

static int meshguard_send_all_(const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(meshguard_.fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return -1;
        }
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}

static void meshguard_send_(void) {
    if (meshguard_.used > 0 && meshguard_send_all_(meshguard_.batch, meshguard_.used) < 0) {
        meshguard_over_("the connection to", "the server is gone");
    }
    meshguard_.used = 0;
}

static void meshguard_forget_(meshguard_table_ *table) {
    size_t slot;
    for (slot = 0; slot < MESHGUARD_IDS_; slot++) {
        free(table->entries[slot].text);
    }
    memset(table, 0, sizeof *table);
}

static void meshguard_lock_(void) { pthread_mutex_lock(&meshguard_.lock); }

static void meshguard_unlock_(void) { pthread_mutex_unlock(&meshguard_.lock); }

/* The child has no flusher, and must not speak over the connection of its parent. */
static void meshguard_in_child_(void) {
    if (meshguard_.fd >= 0) {
        close(meshguard_.fd);
        meshguard_.fd = -1;
    }
    if (meshguard_.state == MESHGUARD_CONNECTED_) {
        meshguard_.state = MESHGUARD_NEW_;
    }
    meshguard_.quiet = 1;
    meshguard_.has_flusher = 0;
    meshguard_.sequence = 0;
    meshguard_.used = 0;
    meshguard_.meshes_of_parent = meshguard_.meshes;
    meshguard_forget_(&meshguard_.texts);
    meshguard_forget_(&meshguard_.owners);
    meshguard_forget_(&meshguard_.lines);
    pthread_cond_init(&meshguard_.wake, NULL);
    meshguard_unlock_();
}

/* Sends what a report left in the batch, some milliseconds later. */
static void *meshguard_flush_soon_(void *unused) {
    const struct timespec delay = {0, MESHGUARD_DELAY_NANOS_};
    (void)unused;
    meshguard_lock_();
    while (meshguard_.state == MESHGUARD_CONNECTED_) {
        if (meshguard_.quiet) {
            pthread_cond_wait(&meshguard_.wake, &meshguard_.lock);
            continue;
        }
        meshguard_unlock_();
        nanosleep(&delay, NULL);
        meshguard_lock_();
        meshguard_.quiet = meshguard_.used == 0;
        if (meshguard_.state == MESHGUARD_CONNECTED_) {
            meshguard_send_();
        }
    }
    meshguard_unlock_();
    return NULL;
}

/* No signal handler of the program runs in the flusher. */
static void meshguard_start_flusher_(void) {
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return;
    }
    if (pthread_create(&thread, NULL, meshguard_flush_soon_, NULL) == 0) {
        meshguard_.has_flusher = 1;
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int meshguard_timeout_(int option, time_t seconds) {
    struct timeval limit;
    limit.tv_sec = seconds;
    limit.tv_usec = 0;
    return setsockopt(meshguard_.fd, SOL_SOCKET, option, &limit, sizeof limit);
}

static int meshguard_greet_(void) {
    unsigned char hello[8 + 8 + 16 + 64];
    unsigned char answer[24];
    char name[64] = "";
    size_t length = 0;
    size_t arrived = 0;
    unsigned char *at;
    FILE *comm = fopen("/proc/self/comm", "r");
    if (comm != NULL) {
        length = fread(name, 1, sizeof name, comm);
        length -= length > 0 && name[length - 1] == '\n';
        fclose(comm);
    }
    memcpy(hello, "MESHGRD1", 8);
    at = meshguard_u32_(hello + 8, (uint32_t)(16 + length));
    at = meshguard_u32_(at, 1);
    at = meshguard_u16_(meshguard_u16_(at, 1), 1);
    at = meshguard_u64_(meshguard_u32_(at, 0), (uint64_t)getpid());
    memcpy(at, name, length);
    if (meshguard_send_all_(hello, 32 + length) < 0) {
        return -1;
    }
    while (arrived < sizeof answer) {
        ssize_t count = recv(meshguard_.fd, answer + arrived, sizeof answer - arrived, 0);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            errno = EPROTO;
            return -1;
        }
        arrived += (size_t)count;
    }
    if (answer[4] != 2) {
        errno = EPROTO;
        return -1;
    }
    return 0;
}

static int meshguard_open_(const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    meshguard_.fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (meshguard_.fd < 0 || fcntl(meshguard_.fd, F_SETFD, FD_CLOEXEC) < 0 ||
        meshguard_timeout_(SO_SNDTIMEO, MESHGUARD_ACK_SECONDS_) < 0 ||
        meshguard_timeout_(SO_RCVTIMEO, MESHGUARD_ACK_SECONDS_) < 0) {
        return -1;
    }
#ifdef SO_NOSIGPIPE
    {
        int on = 1;
        setsockopt(meshguard_.fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    }
#endif
    if (connect(meshguard_.fd, (const struct sockaddr *)&address, sizeof address) < 0 || meshguard_greet_() < 0) {
        return -1;
    }
    return meshguard_timeout_(SO_SNDTIMEO, MESHGUARD_SEND_SECONDS_);
}

static void meshguard_phase_(const char *name);

static void meshguard_connect_(void) {
    const char *path = getenv("MESHGUARD_SOCKET");
    const char *asked = getenv("TT_ALLOC_TRACKING_ENABLED");
    unsigned phase;
    if (path == NULL || *path == 0) {
        path = asked != NULL && strcmp(asked, "1") == 0 ? MESHGUARD_DEFAULT_SOCKET_ : NULL;
    }
    if (path == NULL) {
        __atomic_store_n(&meshguard_.state, MESHGUARD_OVER_, __ATOMIC_RELEASE);
        return;
    }
    if (meshguard_open_(path) < 0) {
        meshguard_over_("no server at", path);
        return;
    }
    __atomic_store_n(&meshguard_.state, MESHGUARD_CONNECTED_, __ATOMIC_RELEASE);
    if (!meshguard_.has_fork_handlers) {
        meshguard_.has_fork_handlers = 1;
        pthread_atfork(meshguard_lock_, meshguard_unlock_, meshguard_in_child_);
    }
    meshguard_start_flusher_();
    for (phase = 0; phase < meshguard_.depth && phase < MESHGUARD_PHASES_; phase++) {
        meshguard_phase_(meshguard_.phases[phase]);
    }
}

/* Frames */

/* Returns where the fields of a frame go: at most 65000 bytes. */
static unsigned char *meshguard_frame_(uint32_t type, size_t bytes) {
    unsigned char *at;
    if (meshguard_.used + 8 + bytes > sizeof meshguard_.batch) {
        meshguard_send_();
    }
    at = meshguard_.batch + meshguard_.used;
    meshguard_.used += 8 + bytes;
    return meshguard_u32_(meshguard_u32_(at, (uint32_t)bytes), type);
}

static unsigned char *meshguard_report_frame_(uint32_t type, size_t bytes) {
    unsigned char *at = meshguard_frame_(type, bytes);
    meshguard_.sequence++;
    return meshguard_u64_(at, meshguard_.sequence);
}

/* Returns the entry of a key, or a free one for it. */
static meshguard_entry_ *meshguard_entry_of_(meshguard_table_ *table, const meshguard_entry_ *key) {
    size_t slot;
    for (slot = key->hash & (MESHGUARD_IDS_ - 1);; slot = (slot + 1) & (MESHGUARD_IDS_ - 1)) {
        meshguard_entry_ *entry = &table->entries[slot];
        if (entry->id == 0 ||
            (entry->hash == key->hash && entry->file == key->file && entry->function == key->function &&
             entry->number == key->number &&
             (key->text == NULL || (entry->text != NULL && strcmp(entry->text, key->text) == 0)))) {
            return entry;
        }
    }
}

static uint32_t meshguard_text_(const char *text) {
    char cut[MESHGUARD_LONGEST_ + 1];
    meshguard_entry_ key = {0};
    meshguard_entry_ *entry;
    size_t length;
    if (text == NULL || *text == 0) {
        return 0;
    }
    key.hash = 0xcbf29ce484222325u;
    for (length = 0; text[length] != 0 && length < MESHGUARD_LONGEST_; length++) {
        key.hash = (key.hash ^ (unsigned char)text[length]) * 0x100000001b3u;
    }
    key.hash = meshguard_mix_(key.hash);
    key.text = (char *)text;
    if (text[length] != 0) {
        memcpy(cut, text, length);
        cut[length] = 0;
        key.text = cut;
    }
    entry = meshguard_entry_of_(&meshguard_.texts, &key);
    if (entry->id == 0) {
        char *copy = malloc(length + 1);
        if (copy == NULL) {
            return 0;
        }
        memcpy(copy, key.text, length + 1);
        *entry = key;
        entry->text = copy;
        entry->id = ++meshguard_.texts.used;
        memcpy(meshguard_u32_(meshguard_frame_(3, 4 + length), entry->id), copy, length);
    }
    return entry->id;
}

/* Returns 0 if there is no owner, or if there is no memory for it; then the report must not be sent. */
static uint32_t meshguard_owner_(const meshguard_owner *owner) {
    meshguard_entry_ key = {0};
    meshguard_entry_ *entry;
    char text[MESHGUARD_LONGEST_ + 1];
    unsigned char *at;
    if (owner == NULL) {
        return 0;
    }
    snprintf(text, sizeof text, "%s", owner->name == NULL ? "" : owner->name);
    key.number = (uint32_t)(owner->kind << 8 | owner->lifetime);
    key.hash = key.number;
    for (at = (unsigned char *)text; *at != 0; at++) {
        key.hash = (key.hash ^ *at) * 0x100000001b3u;
    }
    key.hash = meshguard_mix_(key.hash);
    key.text = text;
    entry = meshguard_entry_of_(&meshguard_.owners, &key);
    if (entry->id == 0) {
        uint32_t name = meshguard_text_(text);
        char *copy = malloc(strlen(text) + 1);
        if (copy == NULL) {
            return 0;
        }
        strcpy(copy, text);
        *entry = key;
        entry->text = copy;
        entry->id = ++meshguard_.owners.used;
        at = meshguard_u32_(meshguard_frame_(5, 12), entry->id);
        at[0] = (unsigned char)owner->kind;
        at[1] = (unsigned char)owner->lifetime;
        meshguard_u32_(meshguard_u16_(at + 2, 0), name);
    }
    return entry->id;
}

static uint32_t meshguard_line_(const char *file, int line, const char *function) {
    meshguard_entry_ key = {0};
    meshguard_entry_ *entry;
    if (file == NULL) {
        return 0;
    }
    key.file = file;
    key.function = function;
    key.number = (uint32_t)line;
    key.hash = meshguard_mix_((uintptr_t)file * 31 + (uintptr_t)function * 17 + key.number);
    entry = meshguard_entry_of_(&meshguard_.lines, &key);
    if (entry->id == 0) {
        uint32_t of_file = meshguard_text_(file);
        uint32_t of_function = meshguard_text_(function);
        unsigned char *at;
        *entry = key;
        entry->id = ++meshguard_.lines.used;
        at = meshguard_u32_(meshguard_frame_(4, 20), entry->id);
        at = meshguard_u16_(meshguard_u16_(at, 1), 0);
        meshguard_u32_(meshguard_u32_(meshguard_u32_(at, of_file), of_function), key.number);
    }
    return entry->id;
}

static uint32_t meshguard_mesh_(uint32_t mesh) { return mesh > meshguard_.meshes_of_parent ? mesh : 0; }

static void meshguard_phase_(const char *name) {
    uint32_t text = name == NULL ? 0 : meshguard_text_(*name == 0 ? "?" : name);
    meshguard_u32_(meshguard_report_frame_(18, 12), text);
}

/* Makes room for the ids of one call. Old ids are used again, which must not happen between two frames of a call. */
static void meshguard_make_room_(meshguard_table_ *table) {
    if (table->used >= MESHGUARD_IDS_ / 2) {
        meshguard_forget_(table);
    }
}

/* Begins a call: locks, and connects if this is the first. Returns whether there is a server. */
static int meshguard_begin_(void) {
    if (__atomic_load_n(&meshguard_.state, __ATOMIC_ACQUIRE) == MESHGUARD_OVER_) {
        return 0;
    }
    meshguard_lock_();
    if (meshguard_.state == MESHGUARD_NEW_) {
        meshguard_connect_();
    }
    if (meshguard_.state != MESHGUARD_CONNECTED_) {
        meshguard_unlock_();
        return 0;
    }
    meshguard_make_room_(&meshguard_.texts);
    meshguard_make_room_(&meshguard_.owners);
    meshguard_make_room_(&meshguard_.lines);
    return 1;
}

/* Ends a call. After a pause a report is sent at once; more of them are sent together. */
static void meshguard_end_(void) {
    if (meshguard_.quiet || !meshguard_.has_flusher) {
        meshguard_.quiet = 0;
        meshguard_send_();
        pthread_cond_signal(&meshguard_.wake);
    } else if (meshguard_.used >= MESHGUARD_BATCH_) {
        meshguard_send_();
    }
    meshguard_unlock_();
}

/* Reports */

static void meshguard_memory_(unsigned char *at, const meshguard_memory *memory) {
    at[0] = (unsigned char)(memory->type < 0 || memory->type > 255 ? 255 : memory->type);
    at[1] = (unsigned char)memory->ownership;
    at[2] = (unsigned char)memory->allocator;
    at[3] = (unsigned char)((memory->circular != 0) | (memory->view != 0) << 1);
    meshguard_u16_(meshguard_u16_(at + 4, memory->manager), memory->sub_device);
}

void meshguard_allocated_at(const meshguard_memory *memory, const char *file, int line, const char *function) {
    int before = errno;
    if (meshguard_begin_()) {
        uint32_t owner = meshguard_owner_(memory->owner);
        uint32_t label = meshguard_text_(memory->label);
        uint32_t stack = meshguard_line_(file, line, function);
        if (memory->owner != NULL && owner == 0) {
            meshguard_.sequence++;
        } else {
            unsigned char *at = meshguard_report_frame_(16, 72);
            at = meshguard_u64_(meshguard_u64_(at, memory->request), memory->address);
            at = meshguard_u64_(meshguard_u64_(at, memory->size), memory->bytes_per_bank);
            at = meshguard_u32_(meshguard_u32_(at, (uint32_t)memory->device), meshguard_mesh_(memory->mesh));
            at = meshguard_u32_(meshguard_u32_(meshguard_u32_(at, owner), label), stack);
            meshguard_memory_(at, memory);
            meshguard_u32_(at + 8, 0);
        }
        meshguard_end_();
    }
    errno = before;
}

void meshguard_freed_at(const meshguard_memory *memory, const char *file, int line, const char *function) {
    int before = errno;
    if (meshguard_begin_()) {
        uint32_t owner = meshguard_owner_(memory->owner);
        uint32_t stack = meshguard_line_(file, line, function);
        if (memory->owner != NULL && owner == 0) {
            meshguard_.sequence++;
        } else {
            unsigned char *at = meshguard_u64_(meshguard_report_frame_(17, 48), memory->address);
            at = meshguard_u32_(meshguard_u32_(at, (uint32_t)memory->device), meshguard_mesh_(memory->mesh));
            at = meshguard_u32_(meshguard_u32_(at, owner), stack);
            meshguard_memory_(at, memory);
            meshguard_u64_(at + 8, (uint64_t)(unsigned char)memory->result);
        }
        meshguard_end_();
    }
    errno = before;
}

uint64_t meshguard_request(void) { return __atomic_add_fetch(&meshguard_.requests, 1, __ATOMIC_RELAXED); }

void meshguard_phase_begin(const char *name) {
    int before = errno;
    if (meshguard_begin_()) {
        if (meshguard_.depth < MESHGUARD_PHASES_) {
            size_t length = name == NULL ? 0 : strlen(name);
            char *copy = malloc(length + 1);
            if (copy != NULL) {
                memcpy(copy, name == NULL ? "" : name, length + 1);
            }
            meshguard_.phases[meshguard_.depth] = copy;
        }
        meshguard_.depth++;
        meshguard_phase_(name == NULL ? "" : name);
        meshguard_end_();
    }
    errno = before;
}

void meshguard_phase_end(void) {
    int before = errno;
    if (meshguard_begin_()) {
        if (meshguard_.depth > 0) {
            meshguard_.depth--;
            if (meshguard_.depth < MESHGUARD_PHASES_) {
                free(meshguard_.phases[meshguard_.depth]);
                meshguard_.phases[meshguard_.depth] = NULL;
            }
            meshguard_phase_(NULL);
        }
        meshguard_end_();
    }
    errno = before;
}

static void meshguard_owner_event_(uint32_t type, const meshguard_owner *owner, const char *cache) {
    int before = errno;
    if (meshguard_begin_()) {
        uint32_t id = meshguard_owner_(owner);
        uint32_t name = meshguard_text_(cache);
        if (id == 0) {
            meshguard_.sequence++;
        } else {
            unsigned char *at = meshguard_report_frame_(type, 16);
            meshguard_u32_(meshguard_u32_(at, id), name);
        }
        meshguard_end_();
    }
    errno = before;
}

void meshguard_owner_cached(const meshguard_owner *owner, const char *cache) {
    meshguard_owner_event_(19, owner, cache);
}

void meshguard_owner_ended(const meshguard_owner *owner) { meshguard_owner_event_(20, owner, NULL); }

uint32_t meshguard_mesh_opened(const char *name, const uint32_t *devices, size_t count, uint32_t parent) {
    int before = errno;
    uint32_t mesh = __atomic_add_fetch(&meshguard_.meshes, 1, __ATOMIC_RELAXED);
    if (meshguard_begin_()) {
        uint32_t text = meshguard_text_(name);
        if (count > MESHGUARD_DEVICES_) {
            meshguard_.sequence++;
        } else {
            unsigned char *at = meshguard_report_frame_(21, 28 + 4 * count);
            size_t device;
            at = meshguard_u32_(meshguard_u32_(meshguard_u32_(at, mesh), text), meshguard_mesh_(parent));
            at = meshguard_u32_(meshguard_u32_(at, UINT32_MAX), (uint32_t)count);
            for (device = 0; device < count; device++) {
                at = meshguard_u32_(at, devices[device]);
            }
        }
        meshguard_end_();
    }
    errno = before;
    return mesh;
}

static void meshguard_mesh_event_(uint32_t type, uint32_t mesh) {
    int before = errno;
    if (meshguard_begin_()) {
        meshguard_u32_(meshguard_report_frame_(type, 12), meshguard_mesh_(mesh));
        meshguard_end_();
    }
    errno = before;
}

void meshguard_mesh_close_begun(uint32_t mesh) { meshguard_mesh_event_(22, mesh); }

void meshguard_mesh_closed(uint32_t mesh) { meshguard_mesh_event_(23, mesh); }

void meshguard_snapshot(uint32_t mesh, int moment, uint32_t device, int type, int allocator, const uint64_t *addresses,
                        size_t count, int more) {
    int before = errno;
    if (meshguard_begin_()) {
        do {
            size_t part = count < MESHGUARD_ADDRESSES_ ? count : MESHGUARD_ADDRESSES_;
            unsigned char *at = meshguard_report_frame_(24, 24 + 8 * part);
            size_t index;
            at = meshguard_u32_(meshguard_u32_(at, meshguard_mesh_(mesh)), device);
            at[0] = (unsigned char)type;
            at[1] = (unsigned char)moment;
            at[2] = (unsigned char)allocator;
            at[3] = (unsigned char)(more != 0 || count > part);
            at = meshguard_u32_(at + 4, 0);
            for (index = 0; index < part; index++) {
                at = meshguard_u64_(at, addresses[index]);
            }
            addresses += part;
            count -= part;
        } while (count > 0);
        meshguard_end_();
    }
    errno = before;
}

void meshguard_flush(void) {
    int before = errno;
    meshguard_lock_();
    if (meshguard_.state == MESHGUARD_CONNECTED_) {
        meshguard_send_();
    }
    meshguard_unlock_();
    errno = before;
}

/* A destructor runs after the functions of atexit, which may free memory. */
__attribute__((destructor)) void meshguard_close(void) {
    int before = errno;
    meshguard_lock_();
    if (meshguard_.state == MESHGUARD_CONNECTED_) {
        meshguard_u64_(meshguard_frame_(31, 8), meshguard_.sequence);
        meshguard_send_();
        if (meshguard_.fd >= 0) {
            close(meshguard_.fd);
            meshguard_.fd = -1;
        }
    }
    __atomic_store_n(&meshguard_.state, MESHGUARD_OVER_, __ATOMIC_RELEASE);
    pthread_cond_signal(&meshguard_.wake);
    meshguard_unlock_();
    errno = before;
}

#endif /* MESHGUARD_IMPLEMENTATION */
#endif /* MESHGUARD_H */
