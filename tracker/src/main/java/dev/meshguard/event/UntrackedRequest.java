package dev.meshguard.event;

import java.util.Optional;

/** A request that no tracker made: of a listener that does not record, of a log, or of a history that was read from a file. */
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
