package dev.meshguard.verdict.budget;

import dev.meshguard.event.FreeSpace;
import dev.meshguard.event.Phase;
import dev.meshguard.verdict.DeviceMemory;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A limit of a budget that was not kept, or of which that cannot be known.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface BudgetViolation {

    /** Returns the budget. */
    BudgetSpec budget();

    /** Returns which of its limits. */
    BudgetMetric measure();

    /**
     * More was in use than allowed.
     *
     * @param budget the budget
     * @param measure which of its limits
     * @param memory where
     * @param allowed the limit
     * @param found what was found instead
     * @param event the number of the event at which it was most, or the last event; 0 where the past was not kept
     * @param phase the phase of that event
     * @param circularBytes how many of the bytes in use then belong to circular buffers
     * @param holders who held it then, the most first
     */
    record Used(
            BudgetSpec budget,
            BudgetMetric measure,
            DeviceMemory memory,
            long allowed,
            long found,
            long event,
            Phase phase,
            long circularBytes,
            List<TopConsumer> holders)
            implements BudgetViolation {

        /** Creates an overrun with its own copy of the holders. */
        public Used {
            holders = List.copyOf(holders);
        }
    }

    /**
     * The free memory of the banks lies in smaller pieces than allowed.
     *
     * @param budget the budget
     * @param measure which of its limits
     * @param reading what the allocator said
     */
    record Broken(BudgetSpec budget, BudgetMetric measure, FreeSpace reading) implements BudgetViolation {}

    /**
     * It cannot be known.
     *
     * @param budget the budget
     * @param measure which of its limits
     * @param reason why, with what to do, as whole sentences
     */
    record Unknown(BudgetSpec budget, BudgetMetric measure, String reason) implements BudgetViolation {}
}
