package dev.meshguard.event;

import java.lang.ref.WeakReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that no tracker made: of a listener that does not record, or of a history that was read from a file. */
final class UntrackedRequest implements MemoryRequest {

    /** The request of a report that holds only device, type, address and size. */
    static final MemoryRequest PLAIN = new UntrackedRequest(AllocationDetails.user(), null);

    private final AllocationDetails details;
    private final @Nullable Origin origin;

    UntrackedRequest(AllocationDetails details, @Nullable Origin origin) {
        this.details = details;
        this.origin = origin;
    }

    @Override
    public AllocationDetails details() {
        return details;
    }

    @Override
    public Optional<RequestContext> context() {
        return Optional.empty();
    }

    @Override
    public boolean isAnonymous() {
        return this == PLAIN;
    }

    @Override
    public Optional<WeakReference<Object>> handle() {
        return Optional.empty();
    }

    @Override
    public Optional<Origin> origin() {
        return Optional.ofNullable(origin);
    }

    @Override
    public boolean hasOrigin() {
        return origin != null;
    }
}
