package dev.meshguard.event;

import java.util.Optional;

/** A request that no tracker made: it has details and perhaps an origin, but no number, context or handle. */
final class UntrackedRequest implements MemoryRequest {

    /** The request of a report that holds only device, type, address and size. */
    static final MemoryRequest PLAIN = new UntrackedRequest(AllocationDetails.user(), Optional.empty(), false);

    private final AllocationDetails details;
    private final Optional<Origin> origin;
    private final boolean hasOneReport;

    UntrackedRequest(AllocationDetails details, Optional<Origin> origin, boolean hasOneReport) {
        this.details = details;
        this.origin = origin;
        this.hasOneReport = hasOneReport;
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
    public boolean hasOneReport() {
        return hasOneReport;
    }

    @Override
    public Optional<Origin> origin() {
        return origin;
    }
}
