package dev.meshguard.tracker.internal;

import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.MemoryTotals;

/**
 * Live, peak and total memory of one device, added up as reports arrive.
 *
 * <p>Guarded by the owner's lock.
 */
public final class Totals {

    private static final int LIVE_BYTES = 0;
    private static final int LIVE_BUFFERS = 1;
    private static final int LIVE_REPORTS = 2;
    private static final int PEAK_BYTES = 3;
    private static final int PEAK_BUFFERS = 4;
    private static final int TOTAL_BYTES = 5;
    private static final int TOTAL_BUFFERS = 6;
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
        accounts[account(type, lifetime.ordinal()) + LIVE_REPORTS]++;
        accounts[account(type, LIFETIMES) + LIVE_REPORTS]++;
    }

    void oneReportLess(BufferType type, BufferLifetime lifetime) {
        accounts[account(type, lifetime.ordinal()) + LIVE_REPORTS]--;
        accounts[account(type, LIFETIMES) + LIVE_REPORTS]--;
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
        long bytes = all[at + LIVE_BYTES] += size;
        long buffers = ++all[at + LIVE_BUFFERS];
        all[at + LIVE_REPORTS]++;
        all[at + TOTAL_BYTES] += size;
        all[at + TOTAL_BUFFERS]++;
        if (bytes > all[at + PEAK_BYTES]) {
            all[at + PEAK_BYTES] = bytes;
        }
        if (buffers > all[at + PEAK_BUFFERS]) {
            all[at + PEAK_BUFFERS] = buffers;
        }
    }

    private void subtract(int at, long size) {
        accounts[at + LIVE_BYTES] -= size;
        accounts[at + LIVE_BUFFERS]--;
        accounts[at + LIVE_REPORTS]--;
    }

    private MemoryTotals read(int at) {
        return new MemoryTotals(
                accounts[at + LIVE_BYTES],
                accounts[at + LIVE_BUFFERS],
                accounts[at + LIVE_REPORTS],
                accounts[at + PEAK_BYTES],
                accounts[at + PEAK_BUFFERS],
                accounts[at + TOTAL_BYTES],
                accounts[at + TOTAL_BUFFERS]);
    }
}
