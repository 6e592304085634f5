package dev.meshguard.verdict.budget;

import dev.meshguard.event.Phase;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.verdict.DeviceMemory;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A limit of a budget that was exceeded, or that cannot be checked.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface BudgetViolation {

    /** Returns the budget. */
    BudgetSpec budget();

    /** Returns the limit. */
    BudgetMetric metric();

    /**
     * More was in use than allowed.
     *
     * @param budget the budget
     * @param metric the limit
     * @param memory the memory
     * @param allowed the allowed value
     * @param found the actual value
     * @param event the number of the event at the maximum, or of the last event
     * @param phase the phase of that event
     * @param circularBytes how many of the bytes in use then belong to circular buffers
     * @param topConsumers the sites that held the memory then, the largest first
     */
    record Exceeded(
            BudgetSpec budget,
            BudgetMetric metric,
            DeviceMemory memory,
            long allowed,
            long found,
            long event,
            Phase phase,
            long circularBytes,
            List<TopConsumer> topConsumers)
            implements BudgetViolation {

        /** Creates a violation with its own copy of the consumers. */
        public Exceeded {
            topConsumers = List.copyOf(topConsumers);
        }
    }

    /**
     * The largest free block of the banks is smaller than required.
     *
     * @param budget the budget
     * @param freeSpace the free space that the allocator reported
     */
    record Fragmented(BudgetSpec budget, FreeSpace freeSpace) implements BudgetViolation {

        @Override
        public BudgetMetric metric() {
            return BudgetMetric.LARGEST_FREE_BLOCK;
        }
    }

    /**
     * The limit cannot be checked.
     *
     * @param budget the budget
     * @param metric the limit
     * @param reason why, with a fix, as whole sentences
     */
    record NotCheckable(BudgetSpec budget, BudgetMetric metric, String reason) implements BudgetViolation {}
}
