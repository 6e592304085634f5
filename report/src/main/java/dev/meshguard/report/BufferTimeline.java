package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.CountChange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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
 * @param title the name of the buffer
 * @param steps its events, oldest first
 * @param end its final state
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BufferTimeline(String title, List<Step> steps, String end) {

    private static final String INDENT = "   ";

    /**
     * One event of the buffer.
     *
     * @param event the number of its event
     * @param text a description with the counts, the phase and the owner
     * @param site the line of code, if it is known
     */
    public record Step(long event, String text, Optional<String> site) {}

    /** Creates a timeline with its own copy of the steps. */
    public BufferTimeline {
        steps = List.copyOf(steps);
    }

    /** Returns the timeline of one buffer of a history. */
    public static BufferTimeline of(AllocationHistory history, BufferGeneration buffer) {
        return new StepCollector(history, buffer).story();
    }

    /** Returns the whole text, without a line break at the end. */
    public String text() {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        for (Step step : steps) {
            lines.add(String.format(Locale.ROOT, "#%d %s", step.event(), step.text()));
            step.site().ifPresent(site -> lines.add(INDENT + "at " + site));
        }
        lines.add(end);
        return PrintableText.lines(lines);
    }

    /** Collects the events of one buffer from a history. */
    private static final class StepCollector {

        private final AllocationHistory history;
        private final BufferGeneration buffer;
        private final long nextGeneration;
        private final TreeMap<Long, Step> steps = new TreeMap<>();

        private StepCollector(AllocationHistory history, BufferGeneration buffer) {
            this.history = history;
            this.buffer = buffer;
            this.nextGeneration = history.generations().stream()
                    .filter(other -> other.hasSameAddressAs(buffer) && other.allocatedAt() > buffer.allocatedAt())
                    .mapToLong(BufferGeneration::allocatedAt)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        private BufferTimeline story() {
            buffer.referenceCounts().forEach(this::count);
            ignoredFrees();
            history.witnessSnapshots().forEach(this::witness);
            traces();
            return new BufferTimeline(
                    String.format(Locale.ROOT, "%s, %s", buffer, Quantities.size(buffer.size())),
                    List.copyOf(steps.values()),
                    end());
        }

        private String end() {
            if (buffer.isLive()) {
                return "Still in the ledger: " + Quantities.count(buffer.openReports(), "report") + " of it "
                        + (buffer.openReports() == 1 ? "is" : "are") + " open.";
            }
            return "Ended: its last report was freed by event #"
                    + buffer.freedAt().orElseThrow() + ".";
        }

        private void count(CountChange change) {
            String what = switch (change.reason()) {
                case ALLOCATED -> "allocated";
                case REPORTED_AGAIN -> "reported again";
                case RELEASED -> "released";
                case FREED ->
                    change.request().details().handleCollected() ? "freed, when its handle was collected" : "freed";
            };
            add(
                    change.event(),
                    change.request(),
                    change.ownership(),
                    String.format(
                            Locale.ROOT,
                            "%s%s, %d -> %d references",
                            what,
                            reportedSize(change),
                            change.before(),
                            change.after()));
        }

        private String reportedSize(CountChange change) {
            return buffer.reports().stream()
                    .filter(report -> report.allocatedAt() == change.event())
                    .findFirst()
                    .map(report -> ", " + Quantities.size(report.size()))
                    .orElse("");
        }

        private String whose(AllocationDetails details, Ownership ownership) {
            StringBuilder words = new StringBuilder();
            switch (ownership) {
                case OWNING -> words.append(", owns the memory");
                case NON_OWNING -> words.append(", points to the memory");
                case UNKNOWN -> {}
            }
            if (details.kind() == BufferKind.CIRCULAR_BUFFER) {
                words.append(", circular buffer");
            }
            details.owner()
                    .map(Owner::toString)
                    .ifPresent(owner -> words.append(", owned by ").append(owner));
            details.label().ifPresent(label -> words.append(", label ").append(Quantities.quoted(label)));
            if (details.mesh().isPresent() && history.meshesSharedADevice()) {
                words.append(", by ").append(new MemoryNames(history).mesh(details.mesh()));
            }
            return words.toString();
        }

        /** The address is the only link between an ignored free and the buffer. */
        private void ignoredFrees() {
            for (HistoryEvent.FreeIgnored ignored : history.events(HistoryEvent.FreeIgnored.class)) {
                if (isHere(ignored) && isOfItsTime(ignored.number())) {
                    add(
                            ignored.number(),
                            ignored.request(),
                            Ownership.UNKNOWN,
                            "free ignored, because " + ignored.reason().description());
                }
            }
        }

        private boolean isHere(HistoryEvent.FreeIgnored ignored) {
            return ignored.device() == buffer.device()
                    && ignored.type() == buffer.type()
                    && ignored.address() == buffer.address();
        }

        /** Earlier events belong to an earlier generation at its address, later events to the next one. */
        private boolean isOfItsTime(long event) {
            return event > buffer.allocatedAt() && event < nextGeneration;
        }

        private void witness(HistoryEvent.Witnessed event) {
            AddressState testimony = event.snapshot().stateOf(buffer.device(), buffer.type(), buffer.address());
            boolean mayMeanIt = isOfItsTime(event.number())
                    && history.openPeriodAt(buffer.device(), event.number()) == buffer.openPeriod()
                    && (buffer.mesh().isEmpty()
                            || buffer.mesh().getAsInt() == event.snapshot().mesh());
            if (testimony == AddressState.UNKNOWN || !mayMeanIt) {
                return;
            }
            String when = switch (event.snapshot().moment()) {
                case CLOSE_BEGUN -> "when close began";
                case BEFORE_WIPE -> "before the allocators were wiped";
                case AFTER_WIPE -> "after the allocators were wiped";
            };
            add(
                    event.number(),
                    Optional.empty(),
                    String.format(
                            Locale.ROOT,
                            "the allocator of mesh %d reported the address as %s %s",
                            event.snapshot().mesh(),
                            testimony == AddressState.ALLOCATED ? "allocated" : "free",
                            when));
        }

        private void traces() {
            Set<MemoryRequest> asked = Collections.newSetFromMap(new IdentityHashMap<>());
            for (BufferGeneration.Report report : buffer.reports()) {
                if (asked.add(report.request())) {
                    history.reachabilityOf(report.request())
                            .ifPresent(trace -> add(trace.number(), Optional.empty(), found(trace.reachability())));
                }
            }
        }

        private static String found(Reachability reachability) {
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
            add(
                    event,
                    request.origin().map(Object::toString),
                    words + whose(request.details(), ownership) + ", in " + history.phaseAt(event));
        }

        private void add(long event, Optional<String> site, String words) {
            steps.put(event, new Step(event, words, site));
        }
    }
}
