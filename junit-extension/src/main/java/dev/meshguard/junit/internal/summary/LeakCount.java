package dev.meshguard.junit.internal.summary;

import dev.meshguard.verdict.SurvivorGroup;

/**
 * How much was left.
 *
 * @param leaks the findings
 * @param buffers the buffers of all of them
 * @param bytes their bytes
 */
record LeakCount(long leaks, long buffers, long bytes) {

    static final LeakCount NOTHING = new LeakCount(0, 0, 0);

    static LeakCount of(SurvivorGroup group) {
        return new LeakCount(1, group.buffers(), group.bytesInAll());
    }

    LeakCount and(LeakCount more) {
        return new LeakCount(leaks + more.leaks, buffers + more.buffers, bytes + more.bytes);
    }
}
