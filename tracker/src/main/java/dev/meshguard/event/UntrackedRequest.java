package dev.meshguard.event;

import java.util.Optional;

/** A request that no tracker made: of a listener that does not record, or of a history that was read from a file. */
final class UntrackedRequest implements MemoryRequest {

    /** The request of a report that holds only device, type, address and size. */
    static final MemoryRequest PLAIN = new UntrackedRequest(AllocationDetails.user(), Optional.empty());

    private final AllocationDetails details;
    private final Optional<Origin> origin;

    UntrackedRequest(AllocationDetails details, Optional<Origin> origin) {
        this.details = details;
        this.origin = origin;
    }

    @Override
    public AllocationDetails details() {
        return details;
    }

    @Override
    public boolean isAnonymous() {
        return this == PLAIN;
    }

    @Override
    public Optional<Origin> origin() {
        return origin;
    }
}
