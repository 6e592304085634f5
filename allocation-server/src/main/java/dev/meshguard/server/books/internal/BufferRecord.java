package dev.meshguard.server.books.internal;

import dev.meshguard.event.BufferType;
import org.jspecify.annotations.Nullable;

/**
 * What the server has at one address of one device, and beside it what the evidence still has there: a dead process's buffer leaves
 * the books and stays in the history.
 *
 * <p>An element of its owner's list, or of a list of what dead processes left. There may be millions, so types are kept as bytes.
 */
public final class BufferRecord extends Node {

    private static final BufferType[] TYPES = BufferType.values();
    private static final BookedProcess NOBODY = new BookedProcess(0);

    final DeviceBook book;
    final long id;

    long references;
    long size;
    private byte type;
    BookedProcess owner = NOBODY;

    /** The references of processes other than the owner, by process id; null if there are none. */
    private Share.@Nullable All shares;

    // What the history holds.
    private int held;
    private byte latest;
    private int @Nullable [] heldOfType;

    /** When a dead process left it, by the books' count of deaths and new lives; 0 if none did. */
    private int abandonedAt;

    private boolean isOfDeadOnly;

    BufferRecord(DeviceBook book, long id) {
        this.book = book;
        this.id = id;
    }

    /** Returns the device. */
    public int device() {
        return book.device;
    }

    /** Returns the address. */
    public long id() {
        return id;
    }

    /** Returns how often it is referred to; 0 if the server has nothing here. */
    public long references() {
        return references;
    }

    /** Returns the size that was reported first. */
    public long size() {
        return size;
    }

    /** Returns the memory that was reported first. */
    public BufferType type() {
        return TYPES[type];
    }

    /** Returns the process that reported it first. */
    public long owner() {
        return owner.pid;
    }

    void begin(BufferType newType, long newSize, BookedProcess process) {
        references = 1;
        type = (byte) newType.ordinal();
        size = newSize;
        abandonedAt = 0;
        own(process);
        process.references++;
    }

    private void own(BookedProcess process) {
        owner = process;
        process.records++;
        process.bytes += size;
        relist();
    }

    /** Puts it into that list of its owner in which it belongs. */
    private void relist() {
        (shares == null ? owner.soleRecords : owner.sharedRecords).append(this);
    }

    /** Enters one more reference; returns how many shares came, which is 0 or 1. */
    int referenced(BookedProcess process) {
        references++;
        process.references++;
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
            ofNext(share, process);
            share.references++;
            return 0;
        }
        share = new Share(this, process);
        share.references = 1;
        all.byProcess.put(process.pid, share);
        process.shares.append(share);
        return 1;
    }

    /** Where a dead process leaves its references, the next one of its id goes on with them. */
    private static void ofNext(Share share, BookedProcess process) {
        if (share.process != process) {
            share.process = process;
            process.references += share.references;
            process.shares.append(share);
        }
    }

    /**
     * Takes one reference: the process's own, or else the owner's, because any process may free any buffer. Returns how many shares
     * went, which is 0 or 1.
     */
    int released(long process) {
        references--;
        Share.All all = shares;
        if (all == null) {
            owner.references--;
            return 0;
        }
        boolean ownerHasAny = references + 1 > all.references;
        Share share = process == owner.pid && ownerHasAny ? null : all.byProcess.get(process);
        if (share == null && ownerHasAny) {
            owner.references--;
            return 0;
        }
        if (share == null) {
            share = all.byProcess.firstEntry().getValue();
        }
        all.references--;
        share.references--;
        share.process.references--;
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

    /** Takes the record from all who refer to it; returns how many shares went. */
    int releaseAll() {
        long ofOwner = references;
        int gone = 0;
        Share.All all = shares;
        if (all != null) {
            ofOwner -= all.references;
            for (Share share : all.byProcess.values()) {
                share.process.references -= share.references;
                share.unlink();
                gone++;
            }
        }
        shares = null;
        owner.references -= ofOwner;
        disown();
        references = 0;
        return gone;
    }

    private void disown() {
        owner.records--;
        owner.bytes -= size;
        unlink();
    }

    // What a dead process has here

    /** Returns the part of a process in it. */
    private @Nullable Share shareOf(BookedProcess process) {
        Share.All all = shares;
        Share share = all == null ? null : all.byProcess.get(process.pid);
        return share != null && share.process == process ? share : null;
    }

    boolean hasPart(BookedProcess process) {
        return process == owner || shareOf(process) != null;
    }

    /** Takes all references of a process that is dead; if it was the owner, another becomes it. Returns how many shares went. */
    int releasedAll(BookedProcess dead) {
        Share.All all = shares;
        if (dead != owner) {
            Share share = shareOf(dead);
            if (share == null || all == null) {
                return 0;
            }
            references -= share.references;
            all.references -= share.references;
            dead.references -= share.references;
            return removeShare(share, all);
        }
        if (all == null) {
            return 0;
        }
        long ofOwner = references - all.references;
        references = all.references;
        dead.references -= ofOwner;
        disown();
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

    /** Returns how many references are left when a process is dead. */
    public long referencesWithout(long process) {
        Share.All all = shares;
        if (process == owner.pid) {
            return all == null ? 0 : all.references;
        }
        Share share = all == null ? null : all.byProcess.get(process);
        return share == null ? references : references - share.references;
    }

    /** Returns who is the owner when a process is dead. */
    public long ownerWithout(long process) {
        Share.All all = shares;
        return process != owner.pid || all == null ? owner.pid : all.byProcess.firstKey();
    }

    /** Returns whether only its owner refers to it. */
    boolean isSole() {
        return shares == null;
    }

    // The evidence

    /** An allocation was recorded. */
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

    /** A free is recorded: returns of which memory, the latest that was reported and is not free. */
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

    /** Returns how many reports the history holds that no free took back. */
    public int held() {
        return held;
    }

    /** Returns the memory that was reported last. */
    public BufferType latestType() {
        return TYPES[latest];
    }

    /** Returns whether the history holds here what the server dropped with a dead process. */
    public boolean isAbandoned() {
        return abandonedAt != 0 && abandonedAt - book.openedAt > 0 && references == 0 && held > 0;
    }

    /** Returns whether no process that still lives referred to what a dead one left. */
    public boolean isOfDeadOnly() {
        return isOfDeadOnly && isAbandoned();
    }

    void markAbandoned(int at, boolean ofDeadOnly) {
        abandonedAt = at;
        isOfDeadOnly = ofDeadOnly;
    }

    /** Returns whether what dead processes left here belongs to an earlier life of the device. */
    boolean isOfEarlierOpenPeriod() {
        return abandonedAt != 0 && abandonedAt - book.openedAt < 0 && references == 0;
    }

    void forgetEarlierOpenPeriod() {
        held = 0;
        heldOfType = null;
        abandonedAt = 0;
    }

    boolean isOver() {
        return references == 0 && held == 0;
    }
}
