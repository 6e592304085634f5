package dev.meshguard.tracker;

/** A stack that is resolved only when it is read. */
final class CallStack extends Throwable {

    private static final long serialVersionUID = 1;

    private final transient OriginFilter callers;

    CallStack(OriginFilter callers) {
        super(null, null, false, true);
        this.callers = callers;
    }

    @Override
    public StackTraceElement[] getStackTrace() {
        return callers.apply(super.getStackTrace());
    }
}
