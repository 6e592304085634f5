package dev.meshguard.capture.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import java.util.Optional;

/** The request of one allocation of a capture, whose line of Python is known at the end of the file only. */
final class CapturedRequest implements MemoryRequest {

    private final AllocationDetails details;
    private Optional<Origin> origin = Optional.empty();

    CapturedRequest(AllocationDetails details) {
        this.details = details;
    }

    /** Sets the origin, before the history is taken. */
    void setOrigin(Optional<Origin> known) {
        origin = known;
    }

    @Override
    public AllocationDetails details() {
        return details;
    }

    @Override
    public Optional<Origin> origin() {
        return origin;
    }

    @Override
    public boolean hasOneReport() {
        return true;
    }
}
