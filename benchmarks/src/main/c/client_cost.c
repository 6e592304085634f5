/*
 * What a pair of reports (allocated, freed) costs a program: with MeshGuard's client, and with a peer of tt-metal's client, which writes one
 * record of 112 bytes for each report. Both report to one server, in alternating rounds of one run.
 *
 *     gcc -std=c99 -O2 -I clients/c benchmarks/src/main/c/client_cost.c -o client_cost -pthread
 *     meshguard serve --socket /tmp/cost.sock --record-size 112 &
 *     MESHGUARD_SOCKET=/tmp/cost.sock ./client_cost
 */
#define MESHGUARD_IMPLEMENTATION
#include "meshguard.h"

enum { ROUNDS = 41, PAIRS = 20000, ALLOC = 1, FREE = 2, RECORD = 112 };

typedef struct cost {
    double clock;
    double processor;
} cost;

static int old_socket = -1;
static pthread_mutex_t old_lock = PTHREAD_MUTEX_INITIALIZER;
static int32_t process;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* As tt-metal's client: one mutex, a blocking send until the whole record is out, a send buffer of 1 MiB, and the time in allocations. */
static void old_report(int type, int32_t device, int memory, uint64_t address, uint64_t size) {
    unsigned char record[RECORD];
    size_t sent = 0;
    memset(record, 0, sizeof record);
    record[0] = (unsigned char)type;
    memcpy(record + 4, &device, sizeof device);
    memcpy(record + 20, &process, sizeof process);
    memcpy(record + 24, &address, sizeof address);
    if (type == ALLOC) {
        struct timespec now;
        uint64_t nanos;
        clock_gettime(CLOCK_REALTIME, &now);
        nanos = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        memcpy(record + 8, &size, sizeof size);
        record[16] = (unsigned char)memory;
        memcpy(record + 32, &nanos, sizeof nanos);
    }
    pthread_mutex_lock(&old_lock);
    while (sent < sizeof record) {
        ssize_t count = send(old_socket, record + sent, sizeof record - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            perror("send");
            exit(1);
        }
        sent += count > 0 ? (size_t)count : 0;
    }
    pthread_mutex_unlock(&old_lock);
}

static void old_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int buffer = 1 << 20;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    old_socket = socket(AF_UNIX, SOCK_STREAM, 0);
    setsockopt(old_socket, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    if (connect(old_socket, (struct sockaddr *)&address, sizeof address) < 0) {
        perror(path);
        exit(1);
    }
}

static void old_pair(uint64_t address) {
    old_report(ALLOC, 0, MESHGUARD_DRAM, address, 4096);
    old_report(FREE, 0, MESHGUARD_DRAM, address, 0);
}

static void new_pair(uint64_t address) {
    meshguard_allocated(.device = 1, .type = MESHGUARD_DRAM, .address = address, .size = 4096, .label = "kv-cache");
    meshguard_freed(.device = 1, .type = MESHGUARD_DRAM, .address = address);
}

static void no_pair(uint64_t address) {
    (void)address;
}

static cost measured(void (*pair)(uint64_t)) {
    double clock = seconds(CLOCK_MONOTONIC);
    double processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    cost result;
    for (uint64_t address = 0; address < PAIRS; address++) {
        pair(address * 64);
    }
    result.clock = (seconds(CLOCK_MONOTONIC) - clock) * 1e9 / PAIRS;
    result.processor = (seconds(CLOCK_PROCESS_CPUTIME_ID) - processor) * 1e9 / PAIRS;
    return result;
}

static int compared(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

static double median(double *numbers) {
    qsort(numbers, ROUNDS, sizeof *numbers, compared);
    return numbers[ROUNDS / 2];
}

int main(void) {
    static double clock[3][ROUNDS];
    static double processor[3][ROUNDS];
    void (*pairs[])(uint64_t) = {old_pair, new_pair, no_pair};
    const char *names[] = {"a record for each report", "MeshGuard's client", "an empty loop"};
    const char *path = getenv("MESHGUARD_SOCKET");
    double medians[3][2];
    if (path == NULL) {
        fputs("MESHGUARD_SOCKET must name the socket of a server\n", stderr);
        return 64;
    }
    process = (int32_t)getpid();
    old_connect(path);
    for (int i = 0; i < 3; i++) {
        measured(pairs[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 3; i++) {
            cost one = measured(pairs[i]);
            clock[i][round] = one.clock;
            processor[i][round] = one.processor;
        }
    }
    if (meshguard_.state != MESHGUARD_CONNECTED_) {
        fputs("The server went away\n", stderr);
        return 1;
    }
    puts("median of a pair, ns:         clock   processor");
    for (int i = 0; i < 3; i++) {
        medians[i][0] = median(clock[i]);
        medians[i][1] = median(processor[i]);
        printf("%-26s %8.0f    %8.0f\n", names[i], medians[i][0], medians[i][1]);
    }
    printf("MeshGuard's client to a record: %.2f clock, %.2f processor\n", medians[1][0] / medians[0][0],
           medians[1][1] / medians[0][1]);
    return 0;
}
