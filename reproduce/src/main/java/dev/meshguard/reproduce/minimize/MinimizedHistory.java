package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The result of minimizing a failing history.
 *
 * @param history the shorter history, its events numbered from 1
 * @param finding the findings of the original history
 * @param remaining the findings of the shorter one: the same, or the requested part of them
 * @param before the size of the original history
 * @param after the size of the shorter one
 * @param checks how many histories were judged to find it
 * @param stoppedEarly whether the search reached its bounds, so that a shorter history may exist
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MinimizedHistory(
        AllocationHistory history,
        FailureSignature finding,
        FailureSignature remaining,
        Extent before,
        Extent after,
        int checks,
        boolean stoppedEarly) {

    /**
     * The size of a history.
     *
     * @param events the events
     * @param buffers the buffers that were ever allocated
     * @param devices the devices with any report
     */
    public record Extent(int events, int buffers, int devices) {

        static Extent of(AllocationHistory history) {
            return new Extent(
                    history.events().size(),
                    history.generations().size(),
                    history.devices().size());
        }

        /** Returns the size as readable text: {@code 12 events, 3 buffers, 2 devices}. */
        @Override
        public String toString() {
            return Quantities.count(events, "event") + ", " + Quantities.count(buffers, "buffer") + ", "
                    + Quantities.count(devices, "device");
        }
    }

    /** Returns both sizes as one line. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s -> %s, found with %s%s",
                before,
                after,
                Quantities.count(checks, "check"),
                stoppedEarly ? ", and stopped there: less might do" : "");
    }
}
