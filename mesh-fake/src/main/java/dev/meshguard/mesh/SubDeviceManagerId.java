package dev.meshguard.mesh;

import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of a sub-device manager.
 *
 * <p>One counter of the process numbers the managers of all meshes, their default managers among them, and never starts again
 * (quirk Q12). Immutable and safe for use by several threads. Source: {@code SubDeviceManagerId} in
 * {@code tt_metal/api/tt-metalium/sub_device_types.hpp}.
 *
 * @param value the number, from 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SubDeviceManagerId(int value) {

    /**
     * Creates an id.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public SubDeviceManagerId {
        if (value < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("There is no sub-device manager %d: managers count from 0", value));
        }
    }
}
