package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Why the runtime did nothing when it was asked to free a buffer.
 *
 * <p>tt-metal is silent in all these cases; a source that can see them reports them, so that they can be judged.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum IgnoredFreeReason {
    /** The buffer was freed before. */
    ALREADY_FREED("it was freed before"),
    /** No buffer starts at the address. */
    UNKNOWN_ADDRESS("no buffer starts there"),
    /** The device had been closed before, so the runtime neither frees nor reports. */
    DEVICE_CLOSED("its device was closed before"),
    /** Another handle shares the memory, and nobody forced the runtime: as it is documented, and yet easily overlooked. */
    STILL_SHARED("another handle shares it");

    private final String description;

    IgnoredFreeReason(String words) {
        this.description = words;
    }

    /** Returns the reason as the end of a sentence. */
    public String description() {
        return description;
    }
}
