package dev.meshguard.junit.internal;

import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a test template wants of the guard of one of its invocations, and what it is told. */
public interface TemplateInvocation {

    /** Returns the annotation and where it stands, for messages. */
    String location();

    /** Returns what goes wrong at run time, besides what the test asks for. */
    default FaultPlan faults() {
        return FaultPlan.none();
    }

    /** Returns what goes wrong in the runtime, besides what the test asks for. */
    default Set<RuntimeDefect> defects() {
        return Set.of();
    }

    /** Returns whether all invocations share one mesh, which is then the template's. */
    default boolean sharesMesh() {
        return false;
    }

    /** Returns whether the template judges alone, so that what is left at the end fails nothing. */
    default boolean judgesAlone() {
        return false;
    }

    /** Returns what the reader of a failure has to know of this invocation. */
    default List<String> notes() {
        return List.of();
    }

    /** Told before the first lifecycle method of the test; more than once where the extension is registered twice. */
    default void begins(SourceRuntime runtime) {}

    /** Told what the check at the end has found. */
    default void judged(LeakVerdict verdict) {}

    /**
     * Told when everything of the invocation is over; an error that is thrown here fails it.
     *
     * @param context the context of the invocation
     */
    default void ended(ExtensionContext context) {}

    /** Returns whether a verdict is right although the check does not hold. */
    default boolean accepts(LeakVerdict verdict) {
        return false;
    }
}
