package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.internal.AddressTable;
import dev.meshguard.text.Quantities;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The state of one buffer id on one device in the server that wrote a log, as its lines show it. */
final class BufferEntry extends AddressTable.Entry<BufferEntry> {

    /** A number of buffers and their bytes. */
    static final class Sum {
        long buffers;
        long bytes;

        void add(long moreBuffers, long moreBytes) {
            buffers += moreBuffers;
            bytes += moreBytes;
        }
    }

    /** The server knows a buffer by its id alone, so all entries of a table have this type. */
    static final BufferType ANY = BufferType.DRAM;

    static final BufferType[] TYPES = BufferType.values();

    final int device;

    /** The server's sums of its device, by memory type. */
    final Sum[] sums;

    /** The number of references that the server counts. */
    long references;

    /** The size, the type and the owner that the server stores. */
    long size;

    BufferType storedType = BufferType.DRAM;
    long owner = BufferReportLine.NO_PID;

    /** Whether the server's sums contain it. */
    boolean isEntered;

    /** The line that allocated it again without a reference count. */
    long repeatedAt;

    /** The type in the latest line that allocates it; null if there is none. */
    @Nullable
    BufferType latestType;

    /** The latest lines that allocate and free it; 0 if there are none. */
    long allocatedAt;

    long freedAt;

    /** The latest line that frees a buffer which no line before it allocates; null if there is none. */
    @Nullable
    UnseenBuffer unseen;

    /** The reports of each memory type that no line has freed. */
    int[] open = new int[TYPES.length];

    /** Those of them from before its device was closed: no later free is theirs. Null if there are none. */
    int @Nullable [] openBefore;

    /** Whether the server removed it without a free while a report was open: its next report is of another buffer. */
    boolean isAbandoned;

    /** Whether the server removed it with its owner, and no running process had reported it. */
    boolean isOfDeadOnly;

    /** Whether a process that may run could free the reports from before its device was closed. */
    boolean wasShared;

    /** The processes other than the owner that reported it; null if there are none. */
    private @Nullable Set<Long> otherProcesses;

    /** A buffer that a line frees, and that no line before it allocates. */
    record UnseenBuffer(long line, long pid, long size) {

        boolean mayBe(BufferReportLine allocated) {
            return size == allocated.size && !isOtherProcess(allocated.pid, pid);
        }
    }

    BufferEntry(int device, long id, Sum[] sums) {
        super(ANY, id);
        this.device = device;
        this.sums = sums;
    }

    /** The server stores it. */
    void store(BufferType type, BufferReportLine report) {
        size = report.size;
        storedType = type;
        owner = report.pid;
    }

    void allocated(BufferReportLine report) {
        latestType = report.type;
        allocatedAt = report.number;
        open[report.type.ordinal()]++;
        isOfDeadOnly = false;
    }

    void reportedBy(long pid) {
        if (references == 1) {
            otherProcesses = null;
        } else if (pid != owner) {
            otherProcesses = otherProcesses == null ? new HashSet<>() : otherProcesses;
            otherProcesses.add(pid);
        }
    }

    /** Returns the memory type of an open report, that of the latest line if possible; null if none is open. */
    @Nullable
    BufferType openType() {
        if (latestType == null || open[latestType.ordinal()] > 0) {
            return latestType;
        }
        for (BufferType type : TYPES) {
            if (open[type.ordinal()] > 0) {
                return type;
            }
        }
        return null;
    }

    /** Its device was closed and opened again: what is open now stays so. */
    void deviceOpenedAgain() {
        int[] left = openBefore == null ? new int[TYPES.length] : openBefore;
        for (int type = 0; type < left.length; type++) {
            left[type] += open[type];
            open[type] = 0;
        }
        openBefore = left;
        wasShared = !isOfDeadOnly;
        isAbandoned = false;
    }

    /** The server removed it because its owner is dead; another process with a reference may still free it. */
    void died(Set<Long> dead) {
        isOfDeadOnly = otherProcesses == null || dead.containsAll(otherProcesses);
    }

    /** Returns whether a process is certainly not its owner. */
    boolean isOfOther(long pid) {
        return isOtherProcess(pid, owner);
    }

    private static boolean isOtherProcess(long pid, long other) {
        return pid != BufferReportLine.NO_PID && other != BufferReportLine.NO_PID && pid != other;
    }

    @Override
    public String toString() {
        return text(device, address());
    }

    /** Returns how texts name a buffer. */
    static String text(int device, long id) {
        return "buffer " + Quantities.address(id) + " on device " + device;
    }
}
