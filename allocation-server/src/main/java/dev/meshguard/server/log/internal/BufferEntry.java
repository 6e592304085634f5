package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.log.AddressUse;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one id on one device: in the server, in the history, and the number of lines that name it.
 *
 * <p>Types are ordinals, because each line changes them: see {@link BufferReportLine}.
 */
final class BufferEntry {

    /** Represents a type that no line names. */
    static final byte NO_TYPE = -1;

    private static final BufferType[] TYPES = BufferType.values();

    final int device;
    final long id;

    // State of the server
    long references;
    long size;
    byte type;
    long owner = BufferReportLine.NO_PID;

    // State of a server without reference counts; below 0 if it has no entry.
    long everySize = -1;
    byte everyType;

    /** Number of reports in the history that the server removed. */
    long abandoned;

    /** The line that allocated it again without a reference count. */
    long repeatedAt;

    long latestSize;

    byte latestType = NO_TYPE;

    // Number of reports in the history: in total, and for each type if an id is used for two.
    private int held;
    private byte typeHeld;
    private int @Nullable [] heldOfTypes;

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

    /** The number of references that the server removed with the owner. */
    private long referencesAtDeath;

    BufferEntry(int device, long id) {
        this.device = device;
        this.id = id;
    }

    void allocated(int newType, long newSize, long line) {
        sizeChanges += allocated > 0 && newSize != latestSize ? 1 : 0;
        allocated++;
        latestSize = newSize;
        latestType = (byte) newType;
        hold(newType);
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

    void freed(long saidSize, long line) {
        freed++;
        named(saidSize, line);
    }

    void unknownFree(long line) {
        unknownFrees++;
        named(0, line);
    }

    /**
     * The server removed it because its process is dead; another process with a reference may still free it.
     *
     * @param before the number of references that it had
     * @param isOfOpenPeriod whether the device's open period is still that in which the process died
     */
    void died(long before, boolean isOfOpenPeriod) {
        deaths++;
        referencesAtDeath = before;
        abandoned = isOfOpenPeriod ? held() : 0;
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
        abandoned = 0;
        isOfDead = false;
    }

    /** Returns the number of references that the server removed with the owner; 0 if there is a later report. */
    long referencesAtDeath() {
        return referencesAtDeath;
    }

    /** Whether all its reports in the history are those of a dead process: a free then belongs to another buffer. */
    boolean isOfDeadOnly() {
        return isOfDead && references == 0;
    }

    boolean isAbandoned() {
        return abandoned > 0 && references == 0;
    }

    int held() {
        return held;
    }

    private void hold(int newType) {
        int[] ofTypes = heldOfTypes;
        if (ofTypes == null && held > 0 && newType != typeHeld) {
            ofTypes = new int[TYPES.length];
            ofTypes[typeHeld] = held;
            heldOfTypes = ofTypes;
        }
        if (ofTypes != null) {
            ofTypes[newType]++;
        }
        typeHeld = (byte) newType;
        held++;
    }

    private int held(int ofType) {
        int[] ofTypes = heldOfTypes;
        if (ofTypes != null) {
            return ofTypes[ofType];
        }
        return ofType == typeHeld ? held : 0;
    }

    /** Returns the memory type of a free: that of the latest report. */
    int typeToFree() {
        if (latestType != NO_TYPE && held(latestType) > 0) {
            return latestType;
        }
        for (int candidate = 0; candidate < TYPES.length; candidate++) {
            if (held(candidate) > 0) {
                return candidate;
            }
        }
        throw new IllegalStateException("Nothing is held of buffer " + id + " on device " + device);
    }

    void freed(int ofType) {
        int[] ofTypes = heldOfTypes;
        if (ofTypes != null) {
            ofTypes[ofType]--;
        }
        held--;
    }

    boolean isNamed() {
        return firstLine > 0;
    }

    AddressUse use() {
        return new AddressUse(
                device,
                id,
                latestType == NO_TYPE ? Optional.empty() : Optional.of(TYPES[latestType]),
                allocated,
                freed,
                unknownFrees,
                largestSize,
                sizeChanges,
                deaths > 0,
                firstLine,
                lastLine);
    }

    private void named(long saidSize, long line) {
        largestSize = Math.max(largestSize, saidSize);
        firstLine = firstLine == 0 ? line : firstLine;
        lastLine = line;
    }
}
