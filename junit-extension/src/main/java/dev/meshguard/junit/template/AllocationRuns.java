package dev.meshguard.junit.template;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The runs of one test, in each of which another allocation fails; used by one thread. */
final class AllocationRuns {

    private final TemplateAnnotation<FailEachAllocation> use;
    private List<AllocationPoint> allocations = List.of();
    private boolean isCounted = true;
    private @Nullable FailedAllocationInvocation last;

    AllocationRuns(TemplateAnnotation<FailEachAllocation> use) {
        this.use = use;
        use.requireAtLeast(1, "limit", use.annotation().limit());
    }

    /** Returns the next run, unless the one before has shown that there is none. */
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

    /** Where some runs only are run again, by an IDE or by a build that tries failed ones once more, nobody may have counted. */
    private int most() {
        return isCounted ? allocations.size() : use.annotation().limit();
    }
}
