/*
 * Reports pairs (allocated, freed) at a given rate, and prints how long that took.
 *
 *     gcc -std=c99 -O2 -I clients/c benchmarks/src/main/c/client_rate.c -o client_rate -pthread
 *     meshguard record -- ./client_rate 500000 10
 */
#define MESHGUARD_IMPLEMENTATION
#include "meshguard.h"

enum { PAIRS_BETWEEN_PAUSES = 1024, ADDRESSES = 4096 };

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_until(double due) {
    double left = due - seconds(CLOCK_MONOTONIC);
    if (left > 0) {
        struct timespec pause = {0, (long)(left * 1e9)};
        nanosleep(&pause, NULL);
    }
}

int main(int count, char **arguments) {
    double begin = seconds(CLOCK_MONOTONIC);
    long rate;
    long pairs;
    if (count != 3) {
        fputs("usage: client_rate PAIRS_A_SECOND SECONDS\n", stderr);
        return 64;
    }
    rate = atol(arguments[1]);
    pairs = rate * atol(arguments[2]);
    for (long i = 0; i < pairs; i++) {
        uint64_t address = (uint64_t)(i % ADDRESSES + 1) * 4096;
        meshguard_allocated(.device = 1, .type = MESHGUARD_DRAM, .address = address, .size = 4096, .label = "kv-cache");
        meshguard_freed(.device = 1, .type = MESHGUARD_DRAM, .address = address);
        if (i % PAIRS_BETWEEN_PAUSES == 0) {
            pause_until(begin + (double)i / (double)rate);
        }
    }
    fprintf(stderr, "%ld pairs in %.2f s, %.2f s of CPU\n", pairs, seconds(CLOCK_MONOTONIC) - begin,
            seconds(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
