package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.report.VerdictReport.ExpectationSnippet;
import dev.meshguard.report.VerdictReport.Fact;
import dev.meshguard.report.VerdictReport.Finding;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the replays of one trace did to the buffers of one request, on any number of devices.
 *
 * @param overwrites one for each device, at least one
 */
record ReplayFinding(List<Overwrite> overwrites) {

    /** Requests are compared by identity only. */
    private record Key(
            Overwrite.Kind kind,
            Optional<Owner> trace,
            BufferType type,
            MemoryRequest buffer,
            @Nullable MemoryRequest writer) {

        @Override
        @SuppressWarnings("ReferenceEquality")
        public boolean equals(Object other) {
            return other instanceof Key key
                    && key.kind == kind
                    && key.trace.equals(trace)
                    && key.type == type
                    && key.buffer == buffer
                    && key.writer == writer;
        }

        @Override
        public int hashCode() {
            return trace.hashCode() * 31 + System.identityHashCode(buffer);
        }
    }

    /** Returns the findings of a verdict, oldest first. */
    static List<ReplayFinding> in(LeakVerdict verdict) {
        Map<Key, List<Overwrite>> found = new LinkedHashMap<>();
        for (Overwrite overwrite : verdict.unexpectedOverwrites()) {
            if (overwrite.kind() != Overwrite.Kind.BY_OTHER_ALLOCATOR) {
                Key key = new Key(
                        overwrite.kind(),
                        overwrite.trace(),
                        overwrite.buffer().type(),
                        overwrite.buffer().request(),
                        overwrite.writer().map(Report::request).orElse(null));
                found.computeIfAbsent(key, unused -> new ArrayList<>()).add(overwrite);
            }
        }
        return found.values().stream().map(ReplayFinding::new).toList();
    }

    /** Returns the number of buffers. */
    long buffers() {
        return overwrites.size();
    }

    /** Returns the bytes of the buffers. */
    long bytes() {
        return overwrites.stream()
                .mapToLong(overwrite -> overwrite.buffer().size())
                .reduce(0, Quantities::saturatedSum);
    }

    private Overwrite first() {
        return overwrites.get(0);
    }

    private BufferGeneration buffer() {
        return first().buffer();
    }

    Optional<Origin> origin() {
        return buffer().request().origin();
    }

    /** Returns the end of a sentence about the buffers: {@code by a replay of trace 1 of mesh 0}. */
    String deed() {
        return switch (first().kind()) {
            case BY_REPLAY -> " by a replay of " + trace();
            case BY_REPLAY_IN_FLIGHT -> " by a replay of " + trace() + " while another trace ran";
            case FREED_BEFORE_REPLAY -> ", freed before a replay of " + trace() + " read them";
            case BY_OTHER_ALLOCATOR -> " by another allocator";
        };
    }

    /** Returns the same without the names. */
    String shortDeed() {
        return first().kind() == Overwrite.Kind.FREED_BEFORE_REPLAY ? ", freed before a replay" : " by a replay";
    }

    /** Returns the memory of the buffers. */
    BufferType type() {
        return buffer().type();
    }

    private String trace() {
        return first().trace().map(Owner::toString).orElse("a trace");
    }

    Finding finding() {
        return new Finding(title(), List.of(site(buffer().request())), facts(), buffers(), 0);
    }

    private String title() {
        List<Integer> devices = overwrites.stream()
                .map(overwrite -> overwrite.buffer().device())
                .distinct()
                .sorted()
                .toList();
        return String.format(
                Locale.ROOT,
                "%s  %s%s on %s%s%s, %s",
                buffer().type(),
                overwrites.size() == 1 ? "" : overwrites.size() + " x ",
                Quantities.shortSize(buffer().size()),
                DeviceNames.of(devices),
                buffer().label()
                        .map(label -> ", label " + Quantities.quoted(label))
                        .orElse(""),
                buffer().owner().map(owner -> ", owned by " + owner).orElse(""),
                allocated());
    }

    private String allocated() {
        return "allocated at " + Quantities.address(buffer().address()) + ", " + events(BufferGeneration::allocatedAt);
    }

    private List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(Fact.WHY, why()));
        first().writer().ifPresent(writer -> facts.add(new Fact(Fact.OVER, "at " + site(writer.request()))));
        facts.add(new Fact(Fact.FIX, fix()));
        facts.add(new Fact(Fact.SEEN, seen()));
        return facts;
    }

    private String why() {
        return switch (first().kind()) {
            case BY_REPLAY ->
                "each replay of " + trace() + " writes there: its capture used the memory for " + writer()
                        + "; the two share " + common() + " of each bank";
            case BY_REPLAY_IN_FLIGHT ->
                trace() + " was replayed while the other trace ran, and it writes to " + common()
                        + " of each bank of this buffer for " + writer();
            case FREED_BEFORE_REPLAY ->
                trace() + " reads it in each replay, and it was freed at "
                        + events(buffer -> buffer.freedAt().orElseThrow());
            case BY_OTHER_ALLOCATOR -> "another allocator reserved the memory";
        };
    }

    private String common() {
        return Quantities.shortSize(first().bytes());
    }

    private String writer() {
        return first().writer().map(ReplayFinding::description).orElse("its own buffers");
    }

    private static String description(Report writer) {
        AllocationDetails details = writer.request().details();
        if (details.kind() == BufferKind.CIRCULAR_BUFFER) {
            return "a circular buffer of "
                    + details.owner().map(Owner::toString).orElse("a program");
        }
        return Quantities.shortSize(writer.size())
                + details.label().map(label -> " " + Quantities.quoted(label)).orElse("")
                + (writer.freedAt().isPresent()
                        ? ", freed at event #" + writer.freedAt().getAsLong()
                        : "");
    }

    private String fix() {
        return switch (first().kind()) {
            case BY_REPLAY ->
                "Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before"
                        + " it is allocated.";
            case BY_REPLAY_IN_FLIGHT ->
                "Make the second replay wait: record an event after the first one, and let the other queue wait for it.";
            case FREED_BEFORE_REPLAY -> "Keep the buffer until the trace is released.";
            case BY_OTHER_ALLOCATOR -> "Free one of the two before the other is allocated.";
        };
    }

    /** Returns the entry that permits it. */
    ExpectationSnippet snippet() {
        return ExpectationSnippets.ofOverwritten(buffer(), overwrites.size());
    }

    private String seen() {
        long times = overwrites.stream().mapToLong(Overwrite::times).max().orElseThrow();
        return String.format(
                Locale.ROOT,
                "first at event #%d%s",
                overwrites.stream()
                        .mapToLong(overwrite -> overwrite.event().number())
                        .min()
                        .orElseThrow(),
                times == 1 ? "" : ", in " + times + " replays");
    }

    private static String site(MemoryRequest request) {
        return request.origin().map(Object::toString).orElse("an unknown place (no origin was captured)");
    }

    private String events(ToLongFunction<BufferGeneration> number) {
        LongSummaryStatistics numbers =
                overwrites.stream().map(Overwrite::buffer).mapToLong(number).summaryStatistics();
        return numbers.getMin() == numbers.getMax()
                ? "event #" + numbers.getMin()
                : "events #" + numbers.getMin() + " to #" + numbers.getMax();
    }
}
