package dev.meshguard.history;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The open devices at one point of a history, and their open periods until then. */
final class DeviceOpenPeriods {

    private static final long[] NONE = {};

    private static final class Device {
        /** The numbers of the events that began an open period; only the first few elements are used. */
        private long[] openings = NONE;

        private int openPeriods;
        /** The numbers of the events at which closes of the device began. */
        private final NavigableSet<Long> closings = new TreeSet<>();

        private boolean isOpen;
        private boolean isClosed;
    }

    private final Map<Integer, Device> devices = new HashMap<>();
    private boolean wasAnyClosed;

    /** Records the initialisation of a device, and returns whether it was closed before. */
    boolean open(int device) {
        Device known = known(device);
        boolean first = !known.isOpen;
        known.isOpen = true;
        return first;
    }

    /** Begins an open period. */
    void begin(int device, long event) {
        Device known = known(device);
        if (known.openPeriods == known.openings.length) {
            known.openings = Arrays.copyOf(known.openings, known.openPeriods * 2 + 1);
        }
        known.openings[known.openPeriods++] = event;
        known.isClosed = false;
    }

    /** Records the close of a device, and the event at which it began. */
    void close(int device, long began) {
        Device known = known(device);
        known.closings.add(began);
        known.isOpen = false;
        known.isClosed = true;
        wasAnyClosed = true;
    }

    /** Records that no mesh keeps a device open any more, and the event at which the close of its last mesh began. */
    void release(int device, long began) {
        Device known = known(device);
        known.closings.add(began);
        known.isOpen = false;
    }

    /** Returns the first event after the given one at which a close of a device began, or {@link Long#MAX_VALUE}. */
    long closingAfter(int device, long event) {
        Device known = devices.get(device);
        Long began = known == null ? null : known.closings.higher(event);
        return began == null ? Long.MAX_VALUE : began;
    }

    /** Returns whether a device was closed and not opened again. */
    boolean isClosed(int device) {
        Device known = wasAnyClosed ? devices.get(device) : null;
        return known != null && known.isClosed;
    }

    /**
     * Returns the current open period of a device, from 1. Reports before the first opening belong to the first period.
     */
    int now(int device) {
        Device known = devices.get(device);
        return known == null ? 1 : Math.max(1, known.openPeriods);
    }

    /** Returns the open period of a device at an event. */
    int at(int device, long event) {
        Device known = devices.get(device);
        return known == null ? 1 : Math.max(1, openPeriodsUntil(event, known));
    }

    private static int openPeriodsUntil(long event, Device device) {
        int index = Arrays.binarySearch(device.openings, 0, device.openPeriods, event);
        return index < 0 ? -index - 1 : index + 1;
    }

    private Device known(int device) {
        @Nullable Device known = devices.get(device);
        if (known == null) {
            known = new Device();
            devices.put(device, known);
        }
        return known;
    }
}
