package dev.meshguard.server.books.internal;

import dev.meshguard.tracker.BufferType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the server has at one address of one device, and beside it what the evidence still has there: a dead process's buffer leaves
 * the books and stays in the history.
 */
public final class BufferRecord {

    private static final BufferType[] TYPES = BufferType.values();

    final int device;
    final long id;

    long references;
    long size;
    BufferType type = BufferType.DRAM;
    long owner;

    /** How many references each process has, once there is a second one. */
    private @Nullable Map<Long, Integer> sharers;

    // What the history holds.
    private int held;
    private BufferType latest = BufferType.DRAM;
    private int @Nullable [] heldOfType;
    private boolean isLeftByDead;
    private boolean isOfDeadOnly;

    BufferRecord(int device, long id) {
        this.device = device;
        this.id = id;
    }

    /** Returns the device. */
    public int device() {
        return device;
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
        return type;
    }

    /** Returns the process that reported it first. */
    public long owner() {
        return owner;
    }

    void begin(BufferType newType, long newSize, long process) {
        references = 1;
        type = newType;
        size = newSize;
        owner = process;
        sharers = null;
    }

    void referenced(long process) {
        references++;
        if (sharers == null) {
            if (process == owner) {
                return;
            }
            sharers = new HashMap<>();
            sharers.put(owner, (int) references - 1);
        }
        sharers.merge(process, 1, Integer::sum);
    }

    /** Takes one reference: the process's own, or else the owner's, because any process may free any buffer. */
    void released(long process) {
        references--;
        Map<Long, Integer> all = sharers;
        if (all == null) {
            return;
        }
        long whose = all.containsKey(process) ? process : all.containsKey(owner) ? owner : smallest(all);
        if (all.merge(whose, -1, Integer::sum) == 0) {
            all.remove(whose);
        }
    }

    private static long smallest(Map<Long, Integer> all) {
        return all.keySet().stream().min(Long::compare).orElseThrow();
    }

    /** Returns how many references a process has. */
    long referencesOf(long process) {
        if (sharers != null) {
            return sharers.getOrDefault(process, 0);
        }
        return process == owner ? references : 0;
    }

    /** Takes all references of a process that is dead; if it was the owner, another becomes it. */
    void releasedAll(long process) {
        long left = referencesWithout(process);
        owner = ownerWithout(process);
        references = left;
        if (sharers != null) {
            sharers.remove(process);
        }
    }

    /** Returns how many references are left when a process is dead. */
    public long referencesWithout(long process) {
        return references - referencesOf(process);
    }

    /** Returns who is the owner when a process is dead. */
    public long ownerWithout(long process) {
        Map<Long, Integer> all = sharers;
        if (process != owner || all == null) {
            return owner;
        }
        return all.keySet().stream()
                .filter(other -> other != process)
                .min(Long::compare)
                .orElse(owner);
    }

    /** Returns whether the owner alone does not say what a dead process takes with it. */
    boolean isSharedBy(long process) {
        boolean hasPart = process == owner || referencesOf(process) > 0;
        boolean goesWithItsOwner = referencesWithout(process) == 0 && process == owner;
        return references > 0 && hasPart && !goesWithItsOwner;
    }

    // The evidence

    /** An allocation was recorded. */
    public void hold(BufferType newType) {
        if (heldOfType == null && (held == 0 || newType == latest)) {
            held++;
        } else {
            int[] counts = heldOfType;
            if (counts == null) {
                counts = new int[TYPES.length];
                counts[latest.ordinal()] = held;
                heldOfType = counts;
            }
            counts[newType.ordinal()]++;
            held++;
        }
        latest = newType;
    }

    /** A free is recorded: returns of which memory, the latest that was reported and is not free. */
    public BufferType giveBack() {
        held--;
        int[] counts = heldOfType;
        if (counts == null) {
            return latest;
        }
        int type = latest.ordinal();
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
        return latest;
    }

    /** Returns whether the history holds here what the server dropped with a dead process. */
    public boolean isLeftByDead() {
        return isLeftByDead && references == 0 && held > 0;
    }

    /** Returns whether no process that still lives referred to what a dead one left. */
    public boolean isOfDeadOnly() {
        return isOfDeadOnly && isLeftByDead();
    }

    void leftByDead() {
        isLeftByDead = true;
        isOfDeadOnly = sharers == null || sharers.keySet().stream().allMatch(process -> process == owner);
    }

    /** What dead processes left here belongs to an earlier life of the device. */
    public void beginNewLife() {
        held = 0;
        heldOfType = null;
        isLeftByDead = false;
    }

    boolean isOver() {
        return references == 0 && held == 0;
    }
}
