package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.CountChange;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The history of one buffer: one line for each event, with the line of code if it is known.
 *
 * <p>It contains the reports and frees with the reference count before and after. It also contains ignored frees of
 * the address during and after the buffer's generation, the state of the address by witnesses, and whether its handle
 * was found. Immutable
 * and safe for use by several threads.
 *
 * <pre>{@code
 * verdict.survivors().forEach(survivor -> log.info(BufferTimeline.of(verdict.history(), survivor.buffer()).text()));
 * }</pre>
 *
 * @param text the name of the buffer, its events, oldest first, and its final state; without a line break at the end
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BufferTimeline(String text) {

    private static final String INDENT = "   ";

    /** Returns the timeline of one buffer of a history. */
    public static BufferTimeline of(AllocationHistory history, BufferGeneration buffer) {
        List<String> lines = new ArrayList<>();
        lines.add(buffer + (buffer.isOfUnknownSize() ? "" : ", " + Quantities.size(buffer.size())));
        new StepCollector(history, buffer).collected().forEach(lines::addAll);
        lines.add(
                buffer.isLive()
                        ? "Still in the ledger: " + Quantities.count(buffer.openReports(), "report") + " of it "
                                + (buffer.openReports() == 1 ? "is" : "are") + " open."
                        : "Ended: its last report was freed by event #"
                                + buffer.freedAt().orElseThrow() + ".");
        return new BufferTimeline(PrintableText.lines(lines));
    }

    /** Collects the events of one buffer from a history. */
    private static final class StepCollector {

        private final AllocationHistory history;
        private final BufferGeneration buffer;
        private final long nextGeneration;
        /** The lines of each event. */
        private final SortedMap<Long, List<String>> steps = new TreeMap<>();

        private StepCollector(AllocationHistory history, BufferGeneration buffer) {
            this.history = history;
            this.buffer = buffer;
            this.nextGeneration = history.generations().stream()
                    .filter(other -> other.hasSameAddressAs(buffer) && other.allocatedAt() > buffer.allocatedAt())
                    .mapToLong(BufferGeneration::allocatedAt)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        private Collection<List<String>> collected() {
            buffer.referenceCounts().forEach(this::count);
            history.events(HistoryEvent.FreeIgnored.class).forEach(this::ignoredFree);
            history.witnessSnapshots().forEach(this::witness);
            buffer.reports().stream()
                    .flatMap(report -> history.reachabilityOf(report.request()).stream())
                    .forEach(trace -> add(trace.number(), Optional.empty(), description(trace.reachability())));
            return steps.values();
        }

        private void count(CountChange change) {
            String what = switch (change.reason()) {
                case ALLOCATED -> "allocated";
                case REPORTED_AGAIN -> "reported again";
                case RELEASED -> "released";
                case FREED ->
                    change.request().details().handleCollected() ? "freed, when its handle was collected" : "freed";
            };
            String size = buffer.reports().stream()
                    .filter(report -> report.allocatedAt() == change.event())
                    .findFirst()
                    .filter(report -> !buffer.isOfUnknownSize())
                    .map(report -> ", " + Quantities.size(report.size()))
                    .orElse("");
            String counts = ", " + change.before() + " -> " + change.after() + " references";
            add(change.event(), change.request(), change.ownership(), what + size + counts);
        }

        /** The address is the only link between an ignored free and the buffer. */
        private void ignoredFree(HistoryEvent.FreeIgnored ignored) {
            if (ignored.device() == buffer.device()
                    && ignored.type() == buffer.type()
                    && ignored.address() == buffer.address()
                    && isOfItsTime(ignored.number())) {
                add(
                        ignored.number(),
                        ignored.request(),
                        Ownership.UNKNOWN,
                        "free ignored, because " + ignored.reason().description());
            }
        }

        /** Earlier events belong to an earlier generation at its address, later events to the next one. */
        private boolean isOfItsTime(long event) {
            return event > buffer.allocatedAt() && event < nextGeneration;
        }

        private void witness(HistoryEvent.Witnessed event) {
            WitnessSnapshot snapshot = event.snapshot();
            AddressState state = snapshot.stateOf(buffer.device(), buffer.type(), buffer.address());
            if (state == AddressState.UNKNOWN
                    || !isOfItsTime(event.number())
                    || history.openPeriodAt(buffer.device(), event.number()) != buffer.openPeriod()
                    || buffer.mesh().orElse(snapshot.mesh()) != snapshot.mesh()) {
                return;
            }
            String when = switch (snapshot.moment()) {
                case CLOSE_BEGUN -> "when close began";
                case BEFORE_WIPE -> "before the allocators were wiped";
                case AFTER_WIPE -> "after the allocators were wiped";
            };
            add(
                    event.number(),
                    Optional.empty(),
                    "the allocator of mesh " + snapshot.mesh() + " reported the address as "
                            + (state == AddressState.ALLOCATED ? "allocated " : "free ") + when);
        }

        private static String description(Reachability reachability) {
            return switch (reachability.state()) {
                case REACHABLE ->
                    "its handle was still reachable"
                            + reachability
                                    .pathText()
                                    .map(path -> ", by " + path)
                                    .orElse("");
                case LOST -> "its handle was collected";
                case UNKNOWN -> "whether its handle was reachable could not be found out";
            };
        }

        /** Adds a report or a free, with its object, its phase and its line. */
        private void add(long event, MemoryRequest request, Ownership ownership, String words) {
            AllocationDetails details = request.details();
            StringBuilder text = new StringBuilder(words);
            switch (ownership) {
                case OWNING -> text.append(", owns the memory");
                case NON_OWNING -> text.append(", points to the memory");
                case UNKNOWN -> {}
            }
            if (details.kind() == BufferKind.CIRCULAR_BUFFER) {
                text.append(", circular buffer");
            }
            details.owner().ifPresent(owner -> text.append(", owned by ").append(owner));
            details.label().ifPresent(label -> text.append(", label ").append(Quantities.quoted(label)));
            if (details.mesh().isPresent() && history.meshesSharedADevice()) {
                text.append(", by ").append(new MemoryNames(history).mesh(details.mesh()));
            }
            text.append(", in ").append(history.phaseAt(event));
            add(event, request.origin().map(Object::toString), text.toString());
        }

        private void add(long event, Optional<String> site, String words) {
            String line = "#" + event + " " + words;
            steps.put(
                    event,
                    site.map(place -> List.of(line, INDENT + "at " + place)).orElse(List.of(line)));
        }
    }
}
