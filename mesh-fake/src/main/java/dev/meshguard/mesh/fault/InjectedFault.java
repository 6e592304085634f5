package dev.meshguard.mesh.fault;

import java.io.Serial;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A suppressed exception, never thrown itself, that marks an error as injected by a {@link FaultPlan}.
 *
 * <p>The error itself has the type and the text of the runtime's error, so the code under test handles it as one. This marker
 * is {@linkplain Throwable#getSuppressed() suppressed} in it, so that a reader of the stack trace sees the injection. It is
 * never thrown, and has no stack trace of its own.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class InjectedFault extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Fault fault;

    /** Creates the marker of an injected fault of a plan. */
    public InjectedFault(Fault fault, FaultPlan plan) {
        super("Injected: " + fault + ", of " + plan, null, false, false);
        this.fault = fault;
    }

    /** Returns the injected fault. */
    public Fault fault() {
        return fault;
    }

    /** Returns the marker of an error or of one of its causes, if a plan injected it. */
    public static Optional<InjectedFault> in(Throwable error) {
        return Stream.iterate(error, cause -> cause != null, Throwable::getCause)
                .flatMap(cause -> Arrays.stream(cause.getSuppressed()))
                .filter(InjectedFault.class::isInstance)
                .map(InjectedFault.class::cast)
                .findFirst();
    }
}
