package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.internal.AddressTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One address of a device, as a server knows it: the memory type, which a free does not contain, and the processes that have
 * allocated there and not freed.
 *
 * <p>The tracker knows how many reports of an address are open, and not whose. Guarded by the server's lock.
 */
final class ReportedAddress extends AddressTable.Entry<ReportedAddress> {

    /** Programs free an address whatever its memory type, so all entries of a table have this one. */
    static final BufferType ANY = BufferType.DRAM;

    /** A process with open reports. */
    private static final class Holder {
        private final ClientProcess process;
        private int reports;

        private Holder(ClientProcess process) {
            this.process = process;
        }
    }

    /** The oldest first. */
    private final List<Holder> holders = new ArrayList<>(1);

    private BufferType memory = ANY;
    private boolean wasAbandoned;

    ReportedAddress(long address) {
        super(ANY, address);
    }

    /** Returns the type of its memory: that of the first open report, or else of the last report. */
    BufferType memory() {
        return memory;
    }

    /** Returns the number of open reports of processes that have not ended; those of the others count as freed if there are any. */
    int openReports() {
        if (isAbandoned()) {
            return 0;
        }
        holders.removeIf(holder -> holder.process.hasEnded);
        int open = 0;
        for (Holder holder : holders) {
            open += holder.reports;
        }
        return open;
    }

    /** Returns whether only processes that have ended hold it. */
    boolean isAbandoned() {
        for (Holder holder : holders) {
            if (!holder.process.hasEnded) {
                return false;
            }
        }
        return !holders.isEmpty();
    }

    /** Returns whether only processes that have ended hold it, or did before its device was opened again. */
    boolean wasAbandoned() {
        return wasAbandoned || isAbandoned();
    }

    /** Returns whether only processes with other ids hold it. */
    boolean isOfOthers(long process) {
        return !holders.isEmpty() && find(process) == null;
    }

    void allocated(BufferType type, ClientProcess process) {
        memory = openReports() == 0 ? type : memory;
        Holder holder = find(process.id);
        if (holder == null) {
            holder = new Holder(process);
            holders.add(holder);
        }
        holder.reports++;
    }

    /** Ends a report, if one is open: one of the process, or else the oldest. */
    void freed(BufferType type, long process) {
        if (holders.isEmpty()) {
            return;
        }
        Holder own = find(process);
        Holder holder = own == null ? holders.get(0) : own;
        holder.reports--;
        if (holder.reports == 0) {
            holders.remove(holder);
        }
        memory = holders.isEmpty() ? type : memory;
    }

    private @Nullable Holder find(long process) {
        for (Holder holder : holders) {
            if (holder.process.id == process) {
                return holder;
            }
        }
        return null;
    }

    /** Forgets the holders if all have ended: they hold no buffer of the new open period. */
    void deviceOpenedAgain() {
        if (isAbandoned()) {
            wasAbandoned = true;
            holders.clear();
        }
    }
}
