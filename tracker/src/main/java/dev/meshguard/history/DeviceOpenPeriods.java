package dev.meshguard.history;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The open devices at one point of a history, and their open periods until then. */
final class DeviceOpenPeriods {

    private static final class Device {
        /** The open period from each event on; negative from the close of the device. */
        private final NavigableMap<Long, Integer> periods = new TreeMap<>();

        /** The numbers of the events at which closes of the device began. */
        private final NavigableSet<Long> closings = new TreeSet<>();

        private int period;
        private boolean isOpen;
        private boolean isClosed;
    }

    private final Map<Integer, Device> devices = new HashMap<>();
    /** During the pass, nearly every report is about the same device as the one before it. */
    private @Nullable Device latest;

    private int latestDevice;

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
        known.period++;
        known.periods.put(event, known.period);
        known.isClosed = false;
    }

    /**
     * Records the close of a device.
     *
     * @param began the event at which the close began
     */
    void close(int device, long event, long began) {
        release(device, began);
        Device known = known(device);
        known.periods.put(event, -now(device));
        known.isClosed = true;
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
        return known(device).isClosed;
    }

    /**
     * Returns the current open period of a device, from 1. Reports before the first opening belong to the first period.
     */
    int now(int device) {
        return Math.max(1, known(device).period);
    }

    /** Returns the open period of a device at an event; that of the latest opening if it was closed. */
    int at(int device, long event) {
        return Math.abs(signedPeriod(device, event));
    }

    /** Returns whether a device was closed, and not opened again, at an event. */
    boolean wasClosedAt(int device, long event) {
        return signedPeriod(device, event) < 0;
    }

    private int signedPeriod(int device, long event) {
        Device known = devices.get(device);
        Map.Entry<Long, Integer> latest = known == null ? null : known.periods.floorEntry(event);
        return latest == null ? 1 : latest.getValue();
    }

    private Device known(int device) {
        Device known = latest;
        if (known == null || latestDevice != device) {
            known = devices.get(device);
            if (known == null) {
                known = new Device();
                devices.put(device, known);
            }
            latest = known;
            latestDevice = device;
        }
        return known;
    }
}
