package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The reason why the runtime ignored a call that frees a buffer.
 *
 * <p>tt-metal reports none of these cases. A source that detects them reports them, so that a check can judge them.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum IgnoredFreeReason {
    /** The buffer was freed before. */
    ALREADY_FREED("it was freed before"),
    /** No buffer starts at the address. */
    UNKNOWN_ADDRESS("no buffer starts there"),
    /** The device was closed before, so the runtime neither frees nor reports. */
    DEVICE_CLOSED("its device was closed before"),
    /**
     * Another handle shares the memory and the call did not force the free. This is documented behaviour and easily
     * overlooked.
     */
    STILL_SHARED("another handle shares it"),
    /** The call that should free the memory threw an error; the label of the release is its text. */
    FAILED("the call failed"),
    /**
     * The memory was freed by its address before, by the request that is reported, and another buffer has it now. The runtime
     * knows memory by its address alone, so one of the two frees hits a buffer in use.
     */
    FREED_BY_ADDRESS("it was freed by address before, and another buffer has it");

    private final String description;

    IgnoredFreeReason(String words) {
        this.description = words;
    }

    /** Returns the reason as the end of a sentence. */
    public String description() {
        return description;
    }
}
