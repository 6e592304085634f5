package dev.meshguard.tracker.history;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which devices are open at one point of a history, and the lives that each had until there. */
final class DeviceOpenPeriods {

    private static final long[] NONE = {};

    private static final class Device {
        /** The numbers of the events that began a life, of which the first few are given. */
        private long[] openings = NONE;

        private int openPeriods;
        /** The numbers of the events at which its closes began. */
        private final NavigableSet<Long> closings = new TreeSet<>();

        private boolean isOpen;
        private boolean isClosed;
    }

    private final Map<Integer, Device> devices = new HashMap<>();
    private boolean wasAnyClosed;

    /** Notes that a device is initialised, and returns whether it was not before. */
    boolean open(int device) {
        Device known = known(device);
        boolean first = !known.isOpen;
        known.isOpen = true;
        return first;
    }

    /** Begins a life. */
    void begin(int device, long event) {
        Device known = known(device);
        if (known.openPeriods == known.openings.length) {
            known.openings = Arrays.copyOf(known.openings, known.openPeriods * 2 + 1);
        }
        known.openings[known.openPeriods++] = event;
        known.isClosed = false;
    }

    /** Notes that a device was closed, and at which event that began. */
    void close(int device, long began) {
        Device known = known(device);
        known.closings.add(began);
        known.isOpen = false;
        known.isClosed = true;
        wasAnyClosed = true;
    }

    /** Notes that nothing keeps a device open any more, and at which event the close of the last mesh over it began. */
    void release(int device, long began) {
        Device known = known(device);
        known.closings.add(began);
        known.isOpen = false;
    }

    /** Returns the first event after another one at which a close of a device began, or {@link Long#MAX_VALUE}. */
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

    /** Returns in which life a device is, from 1: what was reported before it was first opened belongs to its first. */
    int now(int device) {
        Device known = devices.get(device);
        return known == null ? 1 : Math.max(1, known.openPeriods);
    }

    /** Returns in which life a device was at an event. */
    int at(int device, long event) {
        Device known = devices.get(device);
        return known == null ? 1 : Math.max(1, openPeriodsUntil(event, known));
    }

    private static int openPeriodsUntil(long event, Device device) {
        int place = Arrays.binarySearch(device.openings, 0, device.openPeriods, event);
        return place < 0 ? -place - 1 : place + 1;
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
