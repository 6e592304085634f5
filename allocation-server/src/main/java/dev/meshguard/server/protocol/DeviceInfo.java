package dev.meshguard.server.protocol;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The answer to a query for a device, or for the number of devices: this server knows no chip, so the rest of the record is 0.
 *
 * @param device the queried device; -1 for the number of devices
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DeviceInfo(int device) implements Message {

    @Override
    public MessageType type() {
        return MessageType.DEVICE_INFO_RESPONSE;
    }
}
