package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.tracker.history.LogEvents;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one id on one device: what the server has there, what the history still holds, and how often lines named it.
 *
 * <p>Types are ordinals, because each line changes them: see {@link ReportLine}.
 */
final class BufferEntry {

    /** Stands for a type that no line names. */
    static final byte NO_TYPE = -1;

    private static final BufferType[] TYPES = BufferType.values();

    final int device;
    final long id;

    // What the server has.
    long references;
    long size;
    byte type;
    long owner = ReportLine.NO_PID;

    // What a server without reference counts has; below 0 if nothing.
    long everySize = -1;
    byte everyType;

    /** How many reports the history still holds that the server dropped. */
    long abandoned;

    /** The line that allocated it again without a count of references. */
    long repeatedAt;

    long latestSize;

    byte latestType = NO_TYPE;

    // What the history holds: in all, and of each type where an id is used for two.
    private int held;
    private byte typeHeld;
    private int @Nullable [] heldOfTypes;

    /** Its index among the addresses of the events, of the type that came first; more are kept for an id that is used for several. */
    private int index = LogEvents.NO_INDEX;

    private byte typeOfIndex;
    private int @Nullable [] indicesOfTypes;
    private int latestIndex = LogEvents.NO_INDEX;

    private boolean isOfDead;
    private @Nullable Set<Long> otherProcesses;

    private long allocated;
    private long freed;
    private long unknownFrees;
    private long largestSize;
    private long sizeChanges;
    private long firstLine;
    private long lastLine;
    private boolean everDied;

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

    /** The server dropped it because its process is dead; who else holds a reference may still free it. */
    void died() {
        everDied = true;
        abandoned = held();
        isOfDead = otherProcesses == null;
    }

    /** Whether all that the history holds here was a dead process's: a free is of something else. */
    boolean isOfDeadOnly() {
        return isOfDead && references == 0;
    }

    boolean isAbandoned() {
        return abandoned > 0 && references == 0;
    }

    /** Whether neither the server nor the history has anything here. */
    boolean isOver() {
        return references == 0 && everySize < 0 && held() == 0;
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

    /** Returns of which memory a free takes a report back: the latest that was reported. */
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

    int index(int ofType, LogEvents events) {
        if (index == LogEvents.NO_INDEX) {
            index = events.index(device, TYPES[ofType], id, LogEvents.NO_INDEX);
            latestIndex = index;
            typeOfIndex = (byte) ofType;
        }
        return ofType == typeOfIndex ? index : otherIndex(ofType, events);
    }

    private int otherIndex(int ofType, LogEvents events) {
        int[] others = indicesOfTypes;
        if (others == null) {
            others = new int[TYPES.length];
            Arrays.fill(others, LogEvents.NO_INDEX);
            indicesOfTypes = others;
        }
        if (others[ofType] == LogEvents.NO_INDEX) {
            latestIndex = events.index(device, TYPES[ofType], id, latestIndex);
            others[ofType] = latestIndex;
        }
        return others[ofType];
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
                everDied,
                firstLine,
                lastLine);
    }

    private void named(long saidSize, long line) {
        largestSize = Math.max(largestSize, saidSize);
        firstLine = firstLine == 0 ? line : firstLine;
        lastLine = line;
    }
}
