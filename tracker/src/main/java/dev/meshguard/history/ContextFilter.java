package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.RequestContext;
import dev.meshguard.history.BufferGeneration.Report;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Tests whether an event belongs to the part of a history about one context: its reports, and others that are needed to judge them.
 *
 * <p>Memory that an open mesh keeps for all contexts (memory of the runtime, programs in a cache) belongs to the mesh,
 * whichever context needed it first.
 */
final class ContextFilter implements Predicate<HistoryEvent> {

    private final AllocationHistory history;
    private final RequestContext context;
    /** The numbers of the reports of the context, and of the phase in which it began. */
    private final Set<Long> numbers = new HashSet<>();

    /** The generations with a report of the context. */
    private final Set<BufferGeneration> selected = new HashSet<>();

    ContextFilter(AllocationHistory history, RequestContext context) {
        this.history = history;
        this.context = context;
        history.generationsWith(this::isOfContext).forEach(this::addReportsOf);
        history.anomalies().stream()
                .map(Anomaly::event)
                .filter(event -> !(event instanceof HistoryEvent.Allocated))
                .filter(event ->
                        HistoryEvent.requestOf(event).filter(this::isOfContext).isPresent())
                .forEach(event -> numbers.add(event.number()));
        history.phases().stream()
                .map(HistoryEvent::number)
                .filter(phase -> phase <= context.eventsBefore())
                .reduce((earlier, later) -> later)
                .ifPresent(numbers::add);
    }

    @Override
    public boolean test(HistoryEvent event) {
        return numbers.contains(event.number())
                || (event instanceof HistoryEvent.OfMemory report
                        ? isAboutSelected(report)
                        : event.number() > context.eventsBefore() || isOfMeshOrOwner(event));
    }

    private void addReportsOf(BufferGeneration generation) {
        if (isOfMesh(generation)) {
            return;
        }
        for (Report report : generation.reports()) {
            if (isOfContext(report.request()) && !isViewOfAnother(report, generation)) {
                add(report);
                if (report.isOpen()) {
                    addReportsOfOthers(report, generation);
                }
                selected.add(generation);
            }
        }
    }

    /**
     * Adds what other contexts reported at the address of an open report, because it shows whether that memory was freed:
     *
     * <ul>
     *   <li>later reports of the same generation and, where no mesh is named, earlier open ones
     *   <li>what was reserved before and freed after the report: the free may be of either
     *   <li>the report by which the allocator reserved the address again
     * </ul>
     */
    private void addReportsOfOthers(Report open, BufferGeneration generation) {
        long again = generation.reservedAgainAt().orElse(0);
        long ifNeverFreed = open.details().mesh().isEmpty() ? Long.MAX_VALUE : 0;
        for (BufferGeneration other :
                history.generationsAt(generation.device(), generation.type(), generation.address())) {
            boolean isSame = other == generation;
            other.reports().stream()
                    .filter(report -> report.allocatedAt() == again
                            || (isSame && report.allocatedAt() > open.allocatedAt())
                            || ((isSame || other.reservedAgainAt().isPresent())
                                    && report.freedAt().orElse(isSame ? ifNeverFreed : 0) > open.allocatedAt()))
                    .forEach(this::add);
        }
    }

    private void add(Report report) {
        numbers.add(report.allocatedAt());
        report.freedAt().ifPresent(numbers::add);
    }

    /**
     * Returns whether a report is about a view of memory that another context reserved. The view owns nothing, so it
     * belongs to the memory.
     */
    private boolean isViewOfAnother(Report report, BufferGeneration generation) {
        if (!report.details().view()) {
            return false;
        }
        Stream<MemoryRequest> same = generation.reports().stream()
                .filter(earlier -> earlier.allocatedAt() < report.allocatedAt())
                .map(Report::request);
        Stream<MemoryRequest> around = generation.viewedReport().stream()
                .mapToObj(history::event)
                .flatMap(viewed -> viewed.flatMap(HistoryEvent::requestOf).stream());
        List<MemoryRequest> reserved = Stream.concat(same, around)
                .filter(request -> !request.details().view())
                .toList();
        return !reserved.isEmpty() && reserved.stream().noneMatch(this::isOfContext);
    }

    /** Returns whether an event resizes selected memory, or is a call that should have freed it: neither begins or ends a report. */
    private boolean isAboutSelected(HistoryEvent.OfMemory report) {
        boolean isResize = report instanceof HistoryEvent.Allocated && report.device() == HistoryEvent.NO_DEVICE;
        boolean isFreeInVain = report instanceof HistoryEvent.FreeIgnored ignored
                && (ignored.reason() == IgnoredFreeReason.FAILED || ignored.reason() == IgnoredFreeReason.STILL_SHARED);
        return (isResize || isFreeInVain)
                && history.generationsAt(report.device(), report.type(), report.address()).stream()
                        .filter(selected::contains)
                        .anyMatch(generation -> generation.allocatedAt() <= report.number()
                                && (generation.isLive() || generation.freedAt().orElse(0) >= report.number()));
    }

    private boolean isOfContext(MemoryRequest request) {
        return request.context().filter(context::equals).isPresent();
    }

    private boolean isOfMesh(BufferGeneration generation) {
        return generation.isLive()
                && (generation.lifetime() != BufferLifetime.USER
                        || generation.owner().filter(history::isCached).isPresent())
                && history.openMeshOf(generation).isPresent();
    }

    /** Returns whether reports refer to the event, however old it is. */
    private static boolean isOfMeshOrOwner(HistoryEvent event) {
        return event instanceof HistoryEvent.MeshOpened
                || event instanceof HistoryEvent.MeshClosing
                || event instanceof HistoryEvent.MeshClosed
                || event instanceof HistoryEvent.DeviceOpened
                || event instanceof HistoryEvent.DeviceClosed
                || event instanceof HistoryEvent.OwnerCached
                || event instanceof HistoryEvent.OwnerEnded
                || event instanceof HistoryEvent.SourceAttached
                || event instanceof HistoryEvent.SourceNoted
                || event instanceof HistoryEvent.ProcessDied;
    }
}
