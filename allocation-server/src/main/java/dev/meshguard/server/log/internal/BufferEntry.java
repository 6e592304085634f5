package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.log.AddressUse;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The state of one id on one device in the server, and the number of lines that name it. */
final class BufferEntry {

    final int device;
    final long id;

    /** The number of reports without a free. */
    long references;

    /** The size, the type and the owner that the server stores. */
    long size;

    BufferType type = BufferType.DRAM;
    long owner = BufferReportLine.NO_PID;

    /** Whether the server's sums contain it. */
    boolean isEntered;

    /** The line that allocated it again without a reference count. */
    long repeatedAt;

    private long latestSize;

    /** The type in the latest line that allocates it; null if there is none. */
    @Nullable
    BufferType latestType;

    /** The buffer in the latest line that frees one which no line before it allocates; null if there is none. */
    ReplayedLedger.@Nullable UnseenBuffer unseen;

    /** The number of references that the server removed with the owner; 0 if there is a later report. */
    long referencesAtDeath;

    /** Whether the server removed it with its owner, and no other process had reported it. */
    private boolean isOfDead;

    private @Nullable Set<Long> otherProcesses;

    private long allocated;
    private long freed;
    private long unknownFrees;
    private long largestSize;
    private long sizeChanges;
    private long firstLine;
    private long lastLine;
    private long deaths;

    BufferEntry(int device, long id) {
        this.device = device;
        this.id = id;
    }

    void allocated(BufferType newType, long newSize, long line) {
        sizeChanges += allocated > 0 && newSize != latestSize ? 1 : 0;
        allocated++;
        latestSize = newSize;
        latestType = newType;
        isOfDead = false;
        referencesAtDeath = 0;
        named(newSize, line);
    }

    void reportedBy(long pid) {
        if (references == 1) {
            otherProcesses = null;
        } else if (pid != owner) {
            otherProcesses = otherProcesses == null ? new HashSet<>() : otherProcesses;
            otherProcesses.add(pid);
        }
    }

    void freed(long freedSize, long line) {
        freed++;
        named(freedSize, line);
    }

    void unknownFree(long line) {
        unknownFrees++;
        named(0, line);
    }

    /** The server removed it because its owner is dead; another process with a reference may still free it. */
    void died() {
        deaths++;
        referencesAtDeath = references;
        isOfDead = otherProcesses == null;
    }

    /** A dead process refers to it no longer; another one may be the owner now. */
    void released(long dead, long newOwner) {
        Set<Long> others = otherProcesses;
        if (others != null) {
            others.remove(dead);
            others.remove(newOwner);
            otherProcesses = others.isEmpty() ? null : others;
        }
    }

    /** The server did not remove it, because others refer to it. */
    void survived() {
        deaths--;
        isOfDead = false;
    }

    /** Whether all its open reports are those of a dead process: a free then belongs to another buffer. */
    boolean isOfDeadOnly() {
        return isOfDead && references == 0;
    }

    /** Returns its use; empty if no line about a single buffer names it. */
    Optional<AddressUse> use() {
        return firstLine == 0
                ? Optional.empty()
                : Optional.of(new AddressUse(
                        device,
                        id,
                        Optional.ofNullable(latestType),
                        allocated,
                        freed,
                        unknownFrees,
                        largestSize,
                        sizeChanges,
                        deaths > 0,
                        firstLine,
                        lastLine));
    }

    private void named(long namedSize, long line) {
        largestSize = Math.max(largestSize, namedSize);
        firstLine = firstLine == 0 ? line : firstLine;
        lastLine = line;
    }

    @Override
    public String toString() {
        return text(device, id);
    }

    /** Returns how texts name a buffer. */
    static String text(int device, long id) {
        return "buffer " + Quantities.address(id) + " on device " + device;
    }
}
