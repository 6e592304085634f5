package dev.meshguard.junit.mesh;

import dev.meshguard.junit.internal.template.TemplateAnnotation;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The invocations of one test, in each of which another allocation fails; used by one thread. */
final class AllocationRuns {

    private final TemplateAnnotation<FailEachAllocation> use;
    private List<AllocationPoint> allocations = List.of();
    private boolean isCounted = true;
    private @Nullable FailedAllocationInvocation last;

    AllocationRuns(TemplateAnnotation<FailEachAllocation> use) {
        this.use = use;
        use.requireAtLeast(1, "limit", use.annotation().limit());
    }

    /** Returns the next invocation, unless the previous one has shown that there is none. */
    Optional<FailedAllocationInvocation> next() {
        FailedAllocationInvocation before = last;
        Optional<FailedAllocationInvocation> next =
                before == null ? Optional.of(FailedAllocationInvocation.withoutFault(use)) : after(before);
        last = next.orElse(before);
        return next;
    }

    private Optional<FailedAllocationInvocation> after(FailedAllocationInvocation before) {
        if (before.number() == 0) {
            isCounted = before.isSelected();
            allocations = before.hasSucceeded() ? before.allocations() : List.of();
        }
        int number = before.number() + 1;
        return before.hasMissedItsFault() || number > most()
                ? Optional.empty()
                : Optional.of(FailedAllocationInvocation.failing(use, number, allocations));
    }

    /** If an IDE or a build reruns only some invocations, the counting invocation may not have run. */
    private int most() {
        return isCounted ? allocations.size() : use.annotation().limit();
    }
}
