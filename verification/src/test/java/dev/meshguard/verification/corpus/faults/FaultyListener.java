package dev.meshguard.verification.corpus.faults;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.verification.corpus.faults.ReportFault.Kind;
import dev.meshguard.verification.corpus.faults.ReportFault.OneReport;
import dev.meshguard.verification.corpus.faults.ReportFault.Reordering;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Loses, doubles, delays and reorders the reports of a runtime about buffers.
 *
 * <p>A report is first lost or doubled, then delayed, then gathered with others of its device. All other calls are forwarded at
 * once. Safe for use by several threads: one lock guards the counts and the order.
 */
final class FaultyListener extends ForwardingListener {

    private final List<Counter> counters;
    private final List<Reordering> orders;
    private final Map<Integer, List<Integer>> openMeshes = new HashMap<>();
    /** Meshes that are open and not about to close. */
    private final Set<Integer> inUse = new HashSet<>();

    private final List<Delayed> delayed = new ArrayList<>();
    private final Map<Integer, Optional<Gathering>> gatherings = new HashMap<>();

    FaultyListener(AllocationListener listener, List<ReportFault> faults) {
        super(listener);
        counters = only(OneReport.class, faults).map(Counter::new).toList();
        orders = only(Reordering.class, faults).toList();
    }

    private static <T> Stream<T> only(Class<T> type, List<ReportFault> faults) {
        return faults.stream().filter(type::isInstance).map(type::cast);
    }

    @Override
    public synchronized void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        report(new Report(
                Kind.ALLOCATION, device, to -> to.allocated(request, device, type, address, size, ownership)));
    }

    @Override
    public synchronized void freed(
            MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        report(new Report(Kind.FREE, device, to -> to.freed(release, device, type, address, ownership)));
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
        Optional<OneReport> delay = Optional.empty();
        for (Counter counter : counters) {
            if (counter.reaches(report)) {
                switch (counter.fault.effect()) {
                    case LOST -> copies = 0;
                    case NOTICED_LOSS -> {
                        copies = 0;
                        listener.reportsLost(
                                1, "the source noticed that a report of device " + report.device() + " got lost");
                    }
                    case DOUBLED -> copies *= 2;
                    case DELAYED -> delay = Optional.of(counter.fault);
                }
            }
        }
        delayed.forEach(waiting -> waiting.isOvertakenBy(report));
        if (delay.isPresent() && isOpen(report.device())) {
            delayed.add(new Delayed(report, copies, delay.get()));
        } else {
            gather(report, copies);
        }
        handOn(waiting -> waiting.overtaking <= 0);
    }

    private void handOn(Predicate<Delayed> isDue) {
        List<Delayed> due = delayed.stream().filter(isDue).toList();
        delayed.removeAll(due);
        due.forEach(waiting -> gather(waiting.report, waiting.copies));
    }

    private void gather(Report report, int copies) {
        Optional<Gathering> gathering =
                isOver(report.device(), inUse) ? gatheringOf(report.device()) : Optional.empty();
        for (int copy = 0; copy < copies; copy++) {
            gathering.ifPresentOrElse(others -> others.add(report), () -> report.deliver(listener));
        }
    }

    /** Where several faults put the reports of a device in order, it is the first that does. */
    private Optional<Gathering> gatheringOf(int device) {
        return gatherings.computeIfAbsent(
                device,
                first -> orders.stream()
                        .filter(order -> order.device().orElse(device) == device)
                        .findFirst()
                        .map(order ->
                                new Gathering(order.window(), order.orders().apply(device))));
    }

    private boolean isOpen(int device) {
        return isOver(device, openMeshes.keySet());
    }

    private boolean isOver(int device, Set<Integer> meshes) {
        return meshes.stream()
                .anyMatch(mesh -> openMeshes.getOrDefault(mesh, List.of()).contains(device));
    }

    /** Counts the reports that a fault may happen to. */
    private static final class Counter {

        private final OneReport fault;
        private long counted;

        Counter(OneReport fault) {
            this.fault = fault;
        }

        boolean reaches(Report report) {
            if (!fault.fits(report.kind(), report.device())) {
                return false;
            }
            counted++;
            return counted == fault.number();
        }
    }

    private record Report(Kind kind, int device, Consumer<AllocationListener> delivery) {

        void deliver(AllocationListener listener) {
            delivery.accept(listener);
        }
    }

    /** A report that waits for others to overtake it. */
    private static final class Delayed {

        private final Report report;
        private final int copies;
        private final OneReport fault;
        private int overtaking;

        Delayed(Report report, int copies, OneReport fault) {
            this.report = report;
            this.copies = copies;
            this.fault = fault;
            this.overtaking = fault.byReports();
        }

        void isOvertakenBy(Report other) {
            if (fault.device().orElse(other.device()) == other.device()) {
                overtaking--;
            }
        }
    }

    /** The reports of one device that change places. */
    private final class Gathering {

        private final int window;
        private final IntFunction<List<Integer>> orders;
        private final List<Report> reports = new ArrayList<>();

        Gathering(int window, IntFunction<List<Integer>> orders) {
            this.window = window;
            this.orders = orders;
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
            orders.apply(gathered.size()).forEach(index -> gathered.get(index).deliver(listener));
        }
    }
}
