package dev.meshguard.verification.corpus.faults;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.tracker.AllocationListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Loses, doubles, delays and reorders the reports of a runtime about buffers.
 *
 * <p>A report is first lost or doubled, then delayed, then gathered with others of its device. All other calls are forwarded at
 * once. Safe for use by several threads: one lock guards the counts and the order.
 */
public final class FaultyListener extends ForwardingListener {

    private final List<Progress> faults;
    private final Map<Integer, List<Integer>> openMeshes = new HashMap<>();
    /** Meshes that are open and not about to close. */
    private final Set<Integer> inUse = new HashSet<>();

    private final List<Held> held = new ArrayList<>();
    private final Map<Integer, Optional<Gathering>> gatherings = new HashMap<>();

    /** Creates a listener in front of another one, which has the given faults. */
    public FaultyListener(AllocationListener listener, List<ReportFault> faults) {
        super(listener);
        this.faults = faults.stream().map(Progress::new).toList();
    }

    /** Returns the faults that have not happened so far. */
    public synchronized List<ReportFault> outstanding() {
        return faults.stream()
                .filter(planned -> !planned.happened)
                .map(planned -> planned.fault)
                .toList();
    }

    @Override
    public synchronized void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        report(new Report(
                ReportKind.ALLOCATION,
                device,
                hearer -> hearer.allocated(request, device, type, address, size, ownership)));
    }

    @Override
    public synchronized void freed(
            MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        report(new Report(ReportKind.FREE, device, hearer -> hearer.freed(release, device, type, address, ownership)));
    }

    @Override
    public synchronized void meshOpened(MeshDescription mesh) {
        openMeshes.put(mesh.id(), mesh.devices());
        inUse.add(mesh.id());
        listener.meshOpened(mesh);
    }

    @Override
    public synchronized void meshClosing(int mesh) {
        inUse.remove(mesh);
        openMeshes
                .getOrDefault(mesh, List.of())
                .forEach(device -> gatheringOf(device).ifPresent(Gathering::handOn));
        listener.meshClosing(mesh);
    }

    @Override
    public synchronized void meshClosed(int mesh) {
        listener.meshClosed(mesh);
        openMeshes.remove(mesh);
        handOn(waiting -> !isOpen(waiting.report.device()));
    }

    private void report(Report report) {
        int copies = 1;
        Held late = null;
        for (Progress planned : faults) {
            if (planned.fault instanceof ReportFault.ReportLost lost
                    && report.fits(lost.kind(), lost.device())
                    && planned.isDue(lost.number())) {
                copies = 0;
                if (lost.noticed()) {
                    listener.reportsLost(
                            1, "the source noticed that a report of device " + report.device() + " got lost");
                }
            } else if (planned.fault instanceof ReportFault.ReportDoubled doubled
                    && report.fits(doubled.kind(), doubled.device())
                    && planned.isDue(doubled.number())) {
                copies *= 2;
            } else if (planned.fault instanceof ReportFault.ReportDelayed delayed
                    && report.fits(delayed.kind(), delayed.device())
                    && planned.isDue(delayed.number())) {
                late = new Held(report, delayed.device(), delayed.byReports());
            }
        }
        for (Held waiting : held) {
            waiting.isOvertakenBy(report);
        }
        if (late != null && isOpen(report.device())) {
            late.copies = copies;
            held.add(late);
        } else {
            gather(report, copies);
        }
        handOn(waiting -> waiting.overtaking <= 0);
    }

    private void handOn(Predicate<Held> isDue) {
        List<Held> due = held.stream().filter(isDue).toList();
        held.removeAll(due);
        due.forEach(waiting -> gather(waiting.report, waiting.copies));
    }

    private void gather(Report report, int copies) {
        Optional<Gathering> gathering = isGathering(report.device()) ? gatheringOf(report.device()) : Optional.empty();
        for (int copy = 0; copy < copies; copy++) {
            gathering.ifPresentOrElse(others -> others.add(report), () -> report.deliver(listener));
        }
    }

    private Optional<Gathering> gatheringOf(int device) {
        return gatherings.computeIfAbsent(device, this::newGathering);
    }

    /** Where several faults put the reports of a device in order, it is the first that does. */
    private Optional<Gathering> newGathering(int device) {
        for (Progress planned : faults) {
            if (planned.fault instanceof ReportFault.ReportOrder order
                    && order.device().orElse(device) == device) {
                return Optional.of(new Gathering(planned, order, device));
            }
        }
        return Optional.empty();
    }

    private boolean isOpen(int device) {
        return openMeshes.values().stream().anyMatch(devices -> devices.contains(device));
    }

    private boolean isGathering(int device) {
        return inUse.stream()
                .anyMatch(mesh -> openMeshes.getOrDefault(mesh, List.of()).contains(device));
    }

    /** One fault, and how far it has come. */
    private static final class Progress {

        private final ReportFault fault;
        private long counted;
        private boolean happened;

        Progress(ReportFault fault) {
            this.fault = fault;
        }

        /** Counts one more matching report, and returns whether the fault happens now. */
        boolean isDue(long number) {
            counted++;
            happened |= counted == number;
            return counted == number;
        }
    }

    private record Report(ReportKind kind, int device, Consumer<AllocationListener> delivery) {

        boolean fits(Optional<ReportKind> wantedKind, OptionalInt wantedDevice) {
            return wantedKind.filter(other -> other != kind).isEmpty() && wantedDevice.orElse(device) == device;
        }

        void deliver(AllocationListener listener) {
            delivery.accept(listener);
        }
    }

    /** A report that waits for others to overtake it. */
    private static final class Held {

        private final Report report;
        private final OptionalInt byDevice;
        private int overtaking;
        private int copies;

        Held(Report report, OptionalInt byDevice, int overtaking) {
            this.report = report;
            this.byDevice = byDevice;
            this.overtaking = overtaking;
        }

        void isOvertakenBy(Report other) {
            if (byDevice.orElse(other.device()) == other.device()) {
                overtaking--;
            }
        }
    }

    /** The reports of one device that change places. */
    private final class Gathering {

        private final Progress injected;
        private final int window;
        private final IntFunction<List<Integer>> orders;
        private final List<Report> reports = new ArrayList<>();

        Gathering(Progress planned, ReportFault.ReportOrder order, int device) {
            this.injected = planned;
            this.window = order.window();
            this.orders = order.orderOn(device);
        }

        void add(Report report) {
            reports.add(report);
            if (reports.size() == window) {
                handOn();
            }
        }

        void handOn() {
            List<Report> gathered = List.copyOf(reports);
            reports.clear();
            List<Integer> order = orders.apply(gathered.size());
            if (!order.stream().sorted().toList().equals(order)) {
                injected.happened = true;
            }
            order.forEach(index -> gathered.get(index).deliver(listener));
        }
    }
}
