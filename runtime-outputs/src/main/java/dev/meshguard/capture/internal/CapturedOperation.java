package dev.meshguard.capture.internal;

import dev.meshguard.event.Origin;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An operation of a graph, with the one in which it is. */
final class CapturedOperation {

    /** The number of its node {@code function_start}. */
    final int node;

    final String name;

    /** The operation in which it is; null for an outermost one. */
    final @Nullable CapturedOperation caller;

    final CapturedOperation outermost;

    /** The number of open operations, with this one, when it began. */
    final int depth;

    /** Whether it takes a tensor, or an operation around it does. */
    final boolean takesTensors;

    /** Whether it has the memory of a program. */
    boolean runsProgram;

    /** The line of Python that called it, if that is known; it is known at the end of a file only. */
    Optional<Origin> line = Optional.empty();

    CapturedOperation(int node, String name, @Nullable CapturedOperation caller, boolean takesTensors) {
        this.node = node;
        this.name = name;
        this.caller = caller;
        this.outermost = caller == null ? this : caller.outermost;
        this.depth = caller == null ? 1 : caller.depth + 1;
        this.takesTensors = takesTensors || (caller != null && caller.takesTensors);
    }

    /** Returns this operation, or the innermost one around it, that has a name; null if there is none. */
    @Nullable
    CapturedOperation named(String sought) {
        CapturedOperation operation = this;
        while (operation != null && !operation.name.equals(sought)) {
            operation = operation.caller;
        }
        return operation;
    }

    /** Returns whether this operation or one around it has the memory of a program so far. */
    boolean isInProgram() {
        CapturedOperation operation = this;
        while (operation != null && !operation.runsProgram) {
            operation = operation.caller;
        }
        return operation != null;
    }

    /** Returns the line of this operation, or of the innermost one around it that has one. */
    Optional<Origin> nearestLine() {
        CapturedOperation operation = this;
        while (operation.line.isEmpty() && operation.caller != null) {
            operation = operation.caller;
        }
        return operation.line;
    }
}
