/* Has each cause once: the argument names it. The line that allocates what remains ends with a comment. */
#define MESHGUARD_IMPLEMENTATION
#define MESHGUARD_CONNECT_SECONDS_ connect_seconds
static int connect_seconds = 5;
#include "meshguard.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>

#define DRAM0 .device = 0, .type = MESHGUARD_DRAM, .address = 0x1000, .size = 4096
#define L1_0 .device = 0, .type = MESHGUARD_L1, .address = 0x1000, .size = 4096

static const uint32_t DEVICE_0[] = {0};
static const meshguard_owner ADD = {.kind = MESHGUARD_PROGRAM_OWNER, .name = "1 (add)"};

static uint32_t opened(void) {
    return meshguard_mesh_opened("1x1 mesh", DEVICE_0, 1, 0);
}

static void close_begun(uint32_t mesh, const uint64_t *addresses, size_t count) {
    meshguard_mesh_close_begun(mesh);
    meshguard_snapshot(mesh, MESHGUARD_CLOSE_BEGUN, 0, MESHGUARD_DRAM, 0, addresses, count, 1);
    meshguard_snapshot(mesh, MESHGUARD_CLOSE_BEGUN, 0, MESHGUARD_L1, 0, addresses, 0, 0);
}

void nothing(void) {
    meshguard_allocated(DRAM0, .label = "weights");
    meshguard_freed(DRAM0);
}

void nothing_for_a_second(void) {
    connect_seconds = 1;
    nothing();
}

void unexplained(void) {
    meshguard_phase_begin("decode");
    meshguard_allocated(DRAM0, .label = "kv-cache"); /* remains */
    meshguard_phase_end();
}

void of_system(void) {
    meshguard_owner owner = {.kind = MESHGUARD_DISPATCH, .lifetime = MESHGUARD_SYSTEM, .name = "prefetcher"};
    meshguard_allocated_at(&(meshguard_memory){L1_0, .owner = &owner}, __FILE__, __LINE__, "system"); /* remains */
}

void cached(void) {
    meshguard_owner_cached(&ADD, "program cache");
    meshguard_allocated(DRAM0, .owner = &ADD); /* remains */
}

void reported_twice(void) {
    uint64_t request = meshguard_request();
    for (int ownership = MESHGUARD_OWNING; ownership <= MESHGUARD_NON_OWNING; ownership++) {
        meshguard_allocated(DRAM0, .request = request, .ownership = ownership); /* remains */
    }
    meshguard_freed(DRAM0, .ownership = MESHGUARD_OWNING);
}

void free_unreported(void) {
    uint32_t mesh = opened();
    meshguard_allocated(DRAM0, .mesh = mesh); /* remains */
    close_begun(mesh, NULL, 0);
    meshguard_mesh_closed(mesh);
}

void circular_buffer_unreported(void) {
    meshguard_allocated(L1_0, .owner = &ADD, .circular = 1); /* remains */
    meshguard_owner_ended(&ADD);
}

void late(void) {
    const uint64_t lives[] = {0x1000};
    uint32_t mesh = opened();
    meshguard_allocated(DRAM0, .mesh = mesh); /* remains */
    close_begun(mesh, lives, 1);
    meshguard_freed(DRAM0, .mesh = mesh);
    meshguard_mesh_closed(mesh);
}

void freed_on_other_devices(void) {
    uint64_t request = meshguard_request();
    for (int device = 0; device < 8; device++) {
        meshguard_memory memory = {.device = device, .address = 0x1000 + 64u * (unsigned)device, .size = 4096};
        memory.request = request;
        memory.ownership = MESHGUARD_OWNING;
        meshguard_allocated_at(&memory, __FILE__, __LINE__, __func__); /* remains */
    }
    for (int device = 0; device < 7; device++) {
        meshguard_freed(.device = device, .address = 0x1000 + 64u * (unsigned)device, .ownership = MESHGUARD_OWNING);
    }
}

void kept_after_release(void) {
    const uint64_t lives[] = {0x1000};
    meshguard_owner trace = {.kind = MESHGUARD_TRACE_OWNER, .name = "1"};
    uint32_t mesh = opened();
    meshguard_allocated(DRAM0, .owner = &trace, .mesh = mesh); /* remains */
    meshguard_owner_ended(&trace);
    close_begun(mesh, lives, 1);
    meshguard_mesh_closed(mesh);
}

void process_died(void) {
    meshguard_allocated(DRAM0); /* remains */
    meshguard_flush();
    abort();
}

/* Besides the causes */

void exits_with_3(void) {
    unexplained();
    exit(3);
}

void gap(void) {
    nothing();
    meshguard_.sequence += 3;
    nothing();
}

void impossible(void) {
    static const uint32_t devices[100000];
    meshguard_allocated(.device = -1, .type = MESHGUARD_DRAM, .address = 1, .size = 1);
    meshguard_allocated(.device = 0, .type = 99, .address = 1, .size = 1);
    meshguard_mesh_opened("too large", devices, 100000, 0);
}

void frees_and_ends_at_once(void) {
    nothing();
    meshguard_flush();
    _exit(0);
}

void leaks_and_ends_at_once(void) {
    nothing();
    meshguard_flush();
    meshguard_allocated(DRAM0);
    _exit(0);
}

void text(void) {
    char label[1002];
    memset(label, 'x', sizeof label);
    memcpy(label, "\"quoted\" \\ \t", 12);
    strcpy(label + 999, "\xc3\xa9");
    meshguard_allocated(DRAM0, .label = label);
}

void forks(void) {
    pid_t child;
    meshguard_phase_begin("parent");
    meshguard_allocated(DRAM0);
    child = fork();
    if (child == 0) {
        meshguard_allocated(DRAM0); /* remains */
        exit(0);
    }
    waitpid(child, NULL, 0);
    meshguard_freed(DRAM0);
}

static void *work(void *number) {
    int device = *(int *)number;
    char label[20];
    snprintf(label, sizeof label, "thread %d", device);
    for (uint64_t address = 0; address < 10000; address++) {
        meshguard_allocated(.device = device, .address = 64 * address, .size = 64, .label = label);
    }
    for (uint64_t address = 0; address < 9999; address++) {
        meshguard_freed(.device = device, .address = 64 * address);
    }
    return NULL;
}

void threads(void) {
    int numbers[] = {0, 1, 2, 3};
    pthread_t workers[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&workers[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(workers[i], NULL);
    }
}

/* Each snapshot has more addresses than a line. */
static void *take_snapshots(void *mesh) {
    static uint64_t addresses[20000];
    for (int i = 0; i < 200; i++) {
        meshguard_snapshot(*(uint32_t *)mesh, MESHGUARD_CLOSE_BEGUN, 0, MESHGUARD_DRAM, 0, addresses, 20000, 0);
    }
    return NULL;
}

void snapshots_beside_reports(void) {
    uint32_t mesh = opened();
    pthread_t other;
    pthread_create(&other, NULL, take_snapshots, &mesh);
    for (int i = 0; i < 20000; i++) {
        nothing();
    }
    pthread_join(other, NULL);
}

/* More lines than the client remembers, and one that is in use throughout. */
void lines(void) {
    for (int i = 0; i < 10000; i++) {
        meshguard_memory memory = {.address = 64u * (unsigned)i, .size = 64};
        meshguard_allocated_at(&memory, "lines.c", i, "line");
        memory.device = 1;
        meshguard_allocated_at(&memory, "lines.c", 1, "kept");
    }
}

static void at_exit(void) {
    meshguard_freed(DRAM0);
}

void frees_at_exit(void) {
    meshguard_allocated(DRAM0);
    atexit(at_exit);
}

static int frees_last;

/* Runs after the client's own destructor. */
__attribute__((destructor(101))) static void destroy(void) {
    if (frees_last) {
        meshguard_freed(DRAM0);
    }
}

void frees_in_a_destructor(void) {
    meshguard_allocated(DRAM0);
    frees_last = 1;
}

/* Calls the function that the argument names. The library of C has a function of the name "system". */
int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    void *symbol = dlsym(dlopen(NULL, RTLD_NOW), strcmp(name, "system") == 0 ? "of_system" : name);
    void (*function)(void) = NULL;
    memcpy(&function, &symbol, sizeof function);
    if (function == NULL) {
        return 64;
    }
    function();
    return 0;
}
