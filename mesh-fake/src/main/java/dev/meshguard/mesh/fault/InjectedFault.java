package dev.meshguard.mesh.fault;

import java.io.Serial;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The note on an error that a {@link FaultPlan} brought about.
 *
 * <p>The error itself has the type and the text of the runtime's, so that the code under test takes it for one; this is
 * {@linkplain Throwable#getSuppressed() suppressed} in it, so that a reader of the stack trace does not. It is never thrown, and
 * has no stack of its own.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class InjectedFault extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Fault fault;

    /** Creates the note that a fault of a plan happened. */
    public InjectedFault(Fault fault, FaultPlan plan) {
        super("Injected: " + fault + ", of " + plan, null, false, false);
        this.fault = fault;
    }

    /** Returns what was to go wrong. */
    public Fault fault() {
        return fault;
    }

    /** Returns the note on an error or on one of its causes, if a plan brought it about. */
    public static Optional<InjectedFault> in(Throwable error) {
        return Stream.iterate(error, cause -> cause != null, Throwable::getCause)
                .flatMap(cause -> Arrays.stream(cause.getSuppressed()))
                .filter(InjectedFault.class::isInstance)
                .map(InjectedFault.class::cast)
                .findFirst();
    }
}
