package dev.meshguard.verification.corpus.truth;

import dev.meshguard.verdict.Cause;
import java.util.Optional;

/** The true reason why a buffer remains in the ledger, or is missing from it, according to the generator of the case. */
public enum TrueCause {
    /** Its process was ended while it had it. */
    PROCESS_DIED(Cause.PROCESS_DIED),
    /** The program freed it when the close of its allocator had begun, or after the check. */
    LATE(Cause.LATE),
    /** Two reports or more of one buffer arrived, and fewer frees of it, one at least; it was given back. */
    REPORTED_TWICE(Cause.REPORTED_TWICE),
    /** It was given back, and no report of that arrived. */
    FREE_UNREPORTED(Cause.FREE_UNREPORTED),
    /** Its program ended, and no report of that arrived. */
    CIRCULAR_BUFFER_UNREPORTED(Cause.CIRCULAR_BUFFER_UNREPORTED),
    /** The runtime keeps its program or trace for another run. */
    CACHED(Cause.CACHED),
    /** The runtime took it for itself, and may keep it or did not give it back. */
    SYSTEM(Cause.SYSTEM),
    /** The program freed those on most other devices, and not this one. */
    FREED_ON_OTHER_DEVICES(Cause.FREED_ON_OTHER_DEVICES),
    /** Its trace was released, and the runtime kept the buffer. */
    KEPT_AFTER_RELEASE(Cause.KEPT_AFTER_RELEASE),
    /** The program still has a handle. */
    HELD(Cause.HELD),
    /** The program dropped the last handle without freeing. */
    LOST(Cause.LOST),
    /** Its mesh was never closed. */
    STILL_OPEN(null),
    /** A report arrived when what it says could not be any more: a free before its allocation, an allocation after the close. */
    OUT_OF_ORDER(null),
    /** It is missing, and no report arrived that the books could still have of it. */
    UNHEARD(null),
    /**
     * It was given back, and there is nothing from which anybody could tell: the report got lost unnoticed, and no allocator was read
     * after it was given back.
     */
    UNKNOWABLE(null);

    private final Optional<Cause> cause;

    @SuppressWarnings("NullAway") // The one place where a row has no cause of the product.
    TrueCause(Cause cause) {
        this.cause = Optional.ofNullable(cause);
    }

    /** Returns what a verdict has to say, where it can know it. */
    public Optional<Cause> cause() {
        return cause;
    }
}
