package dev.meshguard.mesh.buffer;

import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of a sub-device among those of the sub-device manager that is loaded.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code SubDeviceId} in
 * {@code tt_metal/api/tt-metalium/sub_device_types.hpp}.
 *
 * @param value the number, from 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SubDeviceId(int value) {

    /**
     * Creates an id.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public SubDeviceId {
        if (value < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("There is no sub-device %d: sub-devices count from 0", value));
        }
    }
}
