package dev.meshguard.tracker.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;

/**
 * Live, peak and total memory of one device, added up as reports arrive.
 *
 * <p>An account holds what came and what went; what is live is the difference. Guarded by the owner's lock.
 */
public final class Totals extends CacheLinePadded {

    private static final int CAME_BYTES = 0;
    private static final int CAME_BUFFERS = 1;
    private static final int WENT_BYTES = 2;
    private static final int WENT_BUFFERS = 3;
    private static final int PEAK_BYTES = 4;
    private static final int PEAK_BUFFERS = 5;
    private static final int REPEATED_REPORTS = 6;
    /** One cache line, so that two accounts do not share one. */
    private static final int ACCOUNT = 8;

    private static final int LIFETIMES = BufferLifetime.values().length;
    /** After the accounts of each lifetime comes the one of the whole type. */
    private static final int ACCOUNTS_OF_TYPE = LIFETIMES + 1;

    private final long[] accounts;

    Totals() {
        this(new long[BufferType.values().length * ACCOUNTS_OF_TYPE * ACCOUNT]);
    }

    private Totals(long[] accounts) {
        this.accounts = accounts;
    }

    Totals copy() {
        return new Totals(accounts.clone());
    }

    void allocated(BufferType type, BufferLifetime lifetime, long size) {
        add(account(type, lifetime.ordinal()), size);
        add(account(type, LIFETIMES), size);
    }

    void reportedAgain(BufferType type, BufferLifetime lifetime) {
        accounts[account(type, lifetime.ordinal()) + REPEATED_REPORTS]++;
        accounts[account(type, LIFETIMES) + REPEATED_REPORTS]++;
    }

    void oneReportLess(BufferType type, BufferLifetime lifetime) {
        accounts[account(type, lifetime.ordinal()) + REPEATED_REPORTS]--;
        accounts[account(type, LIFETIMES) + REPEATED_REPORTS]--;
    }

    void freed(BufferType type, BufferLifetime lifetime, long size) {
        subtract(account(type, lifetime.ordinal()), size);
        subtract(account(type, LIFETIMES), size);
    }

    /** Returns the sums of one type. */
    public MemoryTotals of(BufferType type) {
        return read(account(type, LIFETIMES));
    }

    /** Returns the sums of one type and lifetime. */
    public MemoryTotals of(BufferType type, BufferLifetime lifetime) {
        return read(account(type, lifetime.ordinal()));
    }

    private static int account(BufferType type, int which) {
        return (type.ordinal() * ACCOUNTS_OF_TYPE + which) * ACCOUNT;
    }

    private void add(int at, long size) {
        long[] all = accounts;
        long bytes = (all[at + CAME_BYTES] += size) - all[at + WENT_BYTES];
        long buffers = ++all[at + CAME_BUFFERS] - all[at + WENT_BUFFERS];
        if (bytes > all[at + PEAK_BYTES]) {
            all[at + PEAK_BYTES] = bytes;
        }
        if (buffers > all[at + PEAK_BUFFERS]) {
            all[at + PEAK_BUFFERS] = buffers;
        }
    }

    private void subtract(int at, long size) {
        accounts[at + WENT_BYTES] += size;
        accounts[at + WENT_BUFFERS]++;
    }

    private MemoryTotals read(int at) {
        long liveBuffers = accounts[at + CAME_BUFFERS] - accounts[at + WENT_BUFFERS];
        return new MemoryTotals(
                accounts[at + CAME_BYTES] - accounts[at + WENT_BYTES],
                liveBuffers,
                liveBuffers + accounts[at + REPEATED_REPORTS],
                accounts[at + PEAK_BYTES],
                accounts[at + PEAK_BUFFERS],
                accounts[at + CAME_BYTES],
                accounts[at + CAME_BUFFERS]);
    }
}
