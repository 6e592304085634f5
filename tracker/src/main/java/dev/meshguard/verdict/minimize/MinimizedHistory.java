package dev.meshguard.verdict.minimize;

import dev.meshguard.event.Quantities;
import dev.meshguard.tracker.history.AllocationHistory;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The least that was found of a history that fails the same way.
 *
 * @param history the shorter history, its events numbered from 1
 * @param finding what is wrong with the history
 * @param remaining what is wrong with the shorter one: the same, or the part of it that was asked for
 * @param before how large the history was
 * @param after how large the shorter one is
 * @param checks how many histories were judged to find it
 * @param stoppedEarly whether the search was ended by its bounds, so that less might do
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
     * How large a history is.
     *
     * @param events the events
     * @param buffers the buffers that were ever allocated
     * @param devices the devices that anything was reported of
     */
    public record Extent(int events, int buffers, int devices) {

        static Extent of(AllocationHistory history) {
            return new Extent(
                    history.events().size(),
                    history.generations().size(),
                    history.devices().size());
        }

        /** Returns it as a person reads it: {@code 12 events, 3 buffers, 2 devices}. */
        @Override
        public String toString() {
            return Quantities.count(events, "event") + ", " + Quantities.count(buffers, "buffer") + ", "
                    + Quantities.count(devices, "device");
        }
    }

    /** Returns what it was and is as one line. */
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
