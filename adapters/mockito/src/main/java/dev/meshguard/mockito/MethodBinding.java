package dev.meshguard.mockito;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;

/**
 * Binds the calls of one method to a report.
 *
 * @param method its name, with or without the types of its parameters
 * @param memory the allocations that receive the report
 * @param method its name, with or without the types of its parameters
 * @param memory what the report goes to
 */
record MethodBinding(String method, Consumer<Signature> validation, Reporting reporting, MockAllocations memory) {

    /** Reports a call that the mock has answered. */
    @FunctionalInterface
    interface Reporting {
        void report(InvocationOnMock call, @Nullable Object returned);
    }

    boolean fits(Signature called) {
        return called.description().equals(method) || called.method().getName().equals(method);
    }

    /** Rejects a type that lacks the method, or whose method cannot be reported. */
    void check(Class<?> type, List<Signature> methods) {
        List<Signature> meant = methods.stream().filter(this::fits).toList();
        if (meant.isEmpty()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot listen to %s of %s: there is no such method. Name one of %s.",
                    method,
                    type.getSimpleName(),
                    methods.stream().map(Signature::description).collect(Collectors.joining(", "))));
        }
        meant.forEach(validation);
    }
}
