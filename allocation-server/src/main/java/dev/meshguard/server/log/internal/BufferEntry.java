package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.log.AddressUse;
import java.util.HashSet;
import java.util.Map;
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

    /** The type in the latest line that allocates it; null if there is none. */
    @Nullable
    BufferType latestType;

    /** The latest line that frees a buffer which no line before it allocates; null if there is none. */
    ReplayedLedger.@Nullable UnseenBuffer unseen;

    /** Whether the server removed it with its owner, and no running process had reported it. */
    boolean isOfDeadOnly;

    /** The open reports of each memory type when its device was closed: no later free is theirs. */
    Map<BufferType, Integer> openBefore = Map.of();

    /** Whether a process that may run could free them. */
    boolean wasShared;

    /** The processes other than the owner that reported it; null if there are none. */
    private @Nullable Set<Long> otherProcesses;

    private long latestSize;
    private long allocated;
    private long freed;
    private long unknownFrees;
    private long largestSize;
    private long sizeChanges;
    private long firstLine;
    private long lastLine;
    private boolean processDied;

    BufferEntry(int device, long id) {
        this.device = device;
        this.id = id;
    }

    void allocated(BufferReportLine report) {
        sizeChanges += allocated > 0 && report.size != latestSize ? 1 : 0;
        allocated++;
        latestSize = report.size;
        latestType = report.type;
        isOfDeadOnly = false;
        named(report.size, report.line);
    }

    void reportedBy(long pid) {
        if (references == 1) {
            otherProcesses = null;
        } else if (pid != owner) {
            otherProcesses = otherProcesses == null ? new HashSet<>() : otherProcesses;
            otherProcesses.add(pid);
        }
    }

    void freed(BufferReportLine report) {
        freed++;
        named(report.size, report.line);
    }

    void unknownFree(BufferReportLine report) {
        unknownFrees++;
        named(0, report.line);
    }

    /** The server removed it because its owner is dead; another process with a reference may still free it. */
    void died(Set<Long> dead) {
        processDied = true;
        isOfDeadOnly = otherProcesses == null || dead.containsAll(otherProcesses);
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
                        processDied,
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
