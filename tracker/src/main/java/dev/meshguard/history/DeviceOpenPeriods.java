package dev.meshguard.history;

import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The open periods of one device until one point of a history. */
final class DeviceOpenPeriods {

    /** The open period from each event on; negative from the close of the device. */
    private final NavigableMap<Long, Integer> periods = new TreeMap<>();

    /** The numbers of the events at which closes of the device began. */
    private final NavigableSet<Long> closings = new TreeSet<>();

    private int period;
    private boolean isOpen;
    private boolean isClosed;

    /** Records the initialisation of the device, and returns whether it was closed before. */
    boolean open() {
        boolean first = !isOpen;
        isOpen = true;
        return first;
    }

    /** Begins an open period. */
    void begin(long event) {
        period++;
        periods.put(event, period);
        isClosed = false;
    }

    /**
     * Records the close of the device.
     *
     * @param began the event at which the close began
     */
    void close(long event, long began) {
        release(began);
        periods.put(event, -now());
        isClosed = true;
    }

    /** Records that no mesh keeps the device open any more, and the event at which the close of its last mesh began. */
    void release(long began) {
        closings.add(began);
        isOpen = false;
    }

    /** Returns the first event after the given one at which a close of the device began, or {@link Long#MAX_VALUE}. */
    long closingAfter(long event) {
        Long began = closings.isEmpty() ? null : closings.higher(event);
        return began == null ? Long.MAX_VALUE : began;
    }

    /** Returns whether the device was closed and not opened again. */
    boolean isClosed() {
        return isClosed;
    }

    /** Returns the current open period, from 1. Reports before the first opening belong to the first period. */
    int now() {
        return Math.max(1, period);
    }

    /** Returns the open period at an event; that of the latest opening if the device was closed. */
    int at(long event) {
        return Math.abs(signedPeriod(event));
    }

    /** Returns whether the device was closed, and not opened again, at an event. */
    boolean wasClosedAt(long event) {
        return signedPeriod(event) < 0;
    }

    private int signedPeriod(long event) {
        Map.Entry<Long, Integer> latest = periods.floorEntry(event);
        return latest == null ? 1 : latest.getValue();
    }
}
