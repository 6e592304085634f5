package dev.meshguard.server.ledger.internal;

import dev.meshguard.event.BufferType;
import org.jspecify.annotations.Nullable;

/**
 * The state of one address of one device in the ledger, and in the history: a dead process's buffer is removed from the
 * ledger and stays in the history.
 *
 * <p>An element of its owner's list, or of a list of buffers that dead processes left. There may be millions, so types
 * are stored as bytes.
 */
public final class BufferRecord extends Node {

    private static final BufferType[] TYPES = BufferType.values();
    private static final LedgerProcess NOBODY = new LedgerProcess(0);

    final DeviceLedger deviceLedger;
    final long id;

    long references;
    long size;
    private byte type;
    LedgerProcess owner = NOBODY;

    /** The references of processes other than the owner, by process id; null if there are none. */
    private Share.@Nullable All shares;

    // State of the history
    private int held;
    private byte latest;
    private int @Nullable [] heldOfType;

    private boolean isAbandoned;

    BufferRecord(DeviceLedger deviceLedger, long id) {
        this.deviceLedger = deviceLedger;
        this.id = id;
    }

    /** Returns the device. */
    public int device() {
        return deviceLedger.device;
    }

    /** Returns the address. */
    public long id() {
        return id;
    }

    /** Returns the number of references; 0 if the ledger has no entry here. */
    public long references() {
        return references;
    }

    /** Returns the size of the first report. */
    public long size() {
        return size;
    }

    /** Returns the memory type of the first report. */
    public BufferType type() {
        return TYPES[type];
    }

    /** Returns the process of the first report. */
    public long owner() {
        return owner.pid;
    }

    void begin(BufferType newType, long newSize, LedgerProcess process) {
        references = 1;
        type = (byte) newType.ordinal();
        size = newSize;
        isAbandoned = false;
        own(process);
    }

    private void own(LedgerProcess process) {
        owner = process;
        relist();
    }

    /** Moves it to the matching list of its owner. */
    private void relist() {
        (shares == null ? owner.soleRecords : owner.sharedRecords).append(this);
    }

    /** Adds a reference; returns the number of added shares, 0 or 1. */
    int referenced(LedgerProcess process) {
        references++;
        if (process == owner) {
            return 0;
        }
        Share.All all = shares;
        if (all == null) {
            all = new Share.All();
            shares = all;
            relist();
        }
        all.references++;
        Share share = all.byProcess.get(process.pid);
        if (share != null) {
            share.references++;
            return 0;
        }
        share = new Share(this, process);
        share.references = 1;
        all.byProcess.put(process.pid, share);
        process.shares.append(share);
        return 1;
    }

    /**
     * Removes one reference: the process's own, or else the owner's, because any process may free any buffer. Returns
     * the number of removed shares, 0 or 1.
     */
    int released(long process) {
        references--;
        Share.All all = shares;
        if (all == null) {
            return 0;
        }
        boolean ownerHasAny = references + 1 > all.references;
        Share share = process == owner.pid && ownerHasAny ? null : all.byProcess.get(process);
        if (share == null && ownerHasAny) {
            return 0;
        }
        if (share == null) {
            share = all.byProcess.firstEntry().getValue();
        }
        all.references--;
        share.references--;
        return share.references == 0 ? removeShare(share, all) : 0;
    }

    private int removeShare(Share share, Share.All all) {
        share.unlink();
        all.byProcess.remove(share.process.pid);
        if (all.byProcess.isEmpty()) {
            shares = null;
            relist();
        }
        return 1;
    }

    /** Removes all references; returns the number of removed shares. */
    int releaseAll() {
        Share.All all = shares;
        int removed = all == null ? 0 : all.byProcess.size();
        if (all != null) {
            all.byProcess.values().forEach(Share::unlink);
        }
        shares = null;
        unlink();
        references = 0;
        return removed;
    }

    // References of a dead process

    /**
     * Removes all references of a dead process; if it was the owner, another process becomes it. Returns the number of
     * removed shares.
     */
    int releasedAll(LedgerProcess dead) {
        Share.All all = shares;
        if (all == null) {
            return 0;
        }
        if (dead != owner) {
            Share share = all.byProcess.get(dead.pid);
            if (share == null) {
                return 0;
            }
            references -= share.references;
            all.references -= share.references;
            return removeShare(share, all);
        }
        references = all.references;
        unlink();
        Share heir = all.byProcess.firstEntry().getValue();
        heir.unlink();
        all.byProcess.remove(heir.process.pid);
        all.references -= heir.references;
        if (all.byProcess.isEmpty()) {
            shares = null;
        }
        own(heir.process);
        return 1;
    }

    /** Returns the number of references without those of a dead process. */
    public long referencesWithout(long process) {
        Share.All all = shares;
        if (process == owner.pid) {
            return all == null ? 0 : all.references;
        }
        Share share = all == null ? null : all.byProcess.get(process);
        return share == null ? references : references - share.references;
    }

    /** Returns the owner after the death of a process. */
    public long ownerWithout(long process) {
        Share.All all = shares;
        return process != owner.pid || all == null ? owner.pid : all.byProcess.firstKey();
    }

    /** Returns whether only its owner refers to it. */
    boolean isSole() {
        return shares == null;
    }

    // State of the history

    /** Records an allocation in the history. */
    public void hold(BufferType newType) {
        if (heldOfType == null && (held == 0 || newType.ordinal() == latest)) {
            held++;
        } else {
            int[] counts = heldOfType;
            if (counts == null) {
                counts = new int[TYPES.length];
                counts[latest] = held;
                heldOfType = counts;
            }
            counts[newType.ordinal()]++;
            held++;
        }
        latest = (byte) newType.ordinal();
    }

    /** Records a free in the history; returns the memory type of the latest report that is not freed. */
    public BufferType free() {
        held--;
        int[] counts = heldOfType;
        if (counts == null) {
            return TYPES[latest];
        }
        int type = latest;
        for (int other = 0; counts[type] == 0; other++) {
            type = other;
        }
        counts[type]--;
        if (held == 0) {
            heldOfType = null;
        }
        return TYPES[type];
    }

    /** Returns the number of reports in the history without a matching free. */
    public int held() {
        return held;
    }

    /** Returns the memory type of the last report. */
    public BufferType latestType() {
        return TYPES[latest];
    }

    /** Returns whether the history still has a buffer that the ledger removed with a dead process. */
    public boolean isAbandoned() {
        return isAbandoned;
    }

    void abandon() {
        isAbandoned = true;
        deviceLedger.abandoned.append(this);
    }

    /** Removes everything that the history has of it. */
    void forgetHeld() {
        held = 0;
        heldOfType = null;
    }

    boolean isOver() {
        return references == 0 && held == 0;
    }
}
