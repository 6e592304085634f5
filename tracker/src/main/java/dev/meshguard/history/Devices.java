package dev.meshguard.history;

import dev.meshguard.history.internal.AddressTable;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The devices that a history names, each with its open periods and the generations of its addresses. */
final class Devices {

    /**
     * One device at one point of a history.
     *
     * @param id the device id
     * @param openPeriods its open periods until then
     * @param addresses the addresses that reports named
     * @param ranges its allocated memory
     */
    record Device(
            int id,
            DeviceOpenPeriods openPeriods,
            AddressTable<AddressGenerations> addresses,
            AllocatedRanges ranges) {}

    private final Map<Integer, Device> devices = new HashMap<>();
    private final boolean flatAddresses;
    private final DeviceOpenPeriods neverOpened = new DeviceOpenPeriods();

    /**
     * Prepares devices without reports.
     *
     * @param flatAddresses whether sizes determine how far a buffer reaches from its address
     */
    Devices(boolean flatAddresses) {
        this.flatAddresses = flatAddresses;
    }

    /** Returns a device that an event names. */
    Device named(int id) {
        Device known = devices.get(id);
        if (known == null) {
            known = new Device(id, new DeviceOpenPeriods(), new AddressTable<>(), new AllocatedRanges(flatAddresses));
            devices.put(id, known);
        }
        return known;
    }

    /** Returns a device, if any event named it. */
    @Nullable
    Device find(int id) {
        return devices.get(id);
    }

    /** Returns the open periods of a device. */
    DeviceOpenPeriods openPeriodsOf(int id) {
        Device known = devices.get(id);
        return known == null ? neverOpened : known.openPeriods();
    }

    /** Returns the devices, in no particular order. */
    Collection<Device> all() {
        return devices.values();
    }
}
