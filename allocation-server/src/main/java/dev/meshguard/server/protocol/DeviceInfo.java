package dev.meshguard.server.protocol;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The answer of a server to a query for a device: its chip, and the size of its memories.
 *
 * @param device the queried device; -1 for the number of devices
 * @param totalDram bytes of DRAM
 * @param totalL1 bytes of L1
 * @param architecture the kind of chip: 0 unknown, 1 Grayskull, 2 Wormhole B0, 3 Blackhole, 4 Quasar
 * @param dramChannels the number of DRAM channels
 * @param dramPerChannel bytes of each; unsigned on the wire
 * @param l1PerCore bytes of L1 of a core
 * @param isAvailable whether the device exists
 * @param devices the number of devices; set only in the answer for device -1
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DeviceInfo(
        int device,
        long totalDram,
        long totalL1,
        int architecture,
        int dramChannels,
        int dramPerChannel,
        int l1PerCore,
        boolean isAvailable,
        int devices)
        implements Message {

    /** The device id of a query for the number of devices. */
    public static final int COUNT = -1;

    /** Returns the answer for a device that does not exist. */
    public static DeviceInfo none(int device) {
        return new DeviceInfo(device, 0, 0, 0, 0, 0, 0, false, 0);
    }

    /** Returns the answer to a query for the number of devices. */
    public static DeviceInfo count(int devices) {
        return new DeviceInfo(COUNT, 0, 0, 0, 0, 0, 0, devices > 0, devices);
    }

    @Override
    public MessageType type() {
        return MessageType.DEVICE_INFO_RESPONSE;
    }
}
