package dev.meshguard.tracker;

import dev.meshguard.event.Origin;

/** A stack that is resolved only when it is read. */
final class CallStack extends Throwable {

    private static final long serialVersionUID = 1;

    private final transient OriginFilter callers;

    CallStack(OriginFilter callers) {
        super(null, null, false, true);
        this.callers = callers;
    }

    /** Resolves the stack. */
    Origin origin() {
        return callers.originOf(this);
    }
}
