package dev.meshguard.capture.internal;

import dev.meshguard.event.Origin;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An operation of a graph, with the one in which it is. */
final class CapturedOperation {

    /** The number of its node {@code function_start}. */
    final int node;

    final String name;

    /** The operation in which it is; null for an outermost one. */
    final @Nullable CapturedOperation caller;

    final boolean takesTensors;

    /** Whether it has the memory of a program. */
    boolean runsProgram;

    /** The line of Python that called it, if that is known; it is known at the end of a file only. */
    Optional<Origin> line = Optional.empty();

    CapturedOperation(int node, String name, @Nullable CapturedOperation caller, boolean takesTensors) {
        this.node = node;
        this.name = name;
        this.caller = caller;
        this.takesTensors = takesTensors;
    }

    /** Returns the innermost of an operation and those around it that has a property; empty if there is none. */
    static Optional<CapturedOperation> nearest(
            @Nullable CapturedOperation innermost, Predicate<CapturedOperation> property) {
        CapturedOperation operation = innermost;
        while (operation != null && !property.test(operation)) {
            operation = operation.caller;
        }
        return Optional.ofNullable(operation);
    }

    /** Returns the name of the outermost of an operation and those around it; empty if there is none. */
    static Optional<String> nameOfOutermost(@Nullable CapturedOperation innermost) {
        return nearest(innermost, operation -> operation.caller == null).map(operation -> operation.name);
    }
}
