package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.report.ExpectationSnippets.ExpectationSnippet;
import dev.meshguard.report.Finding.Fact;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Fixes;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * A finding about lost data: the buffers of one request, on any devices, whose contents the replays of one trace, or one
 * buffer of another allocator, overwrote.
 *
 * @param overwrites one for each device, at least one
 * @param names the names of the allocators
 */
record OverwriteFinding(List<Overwrite> overwrites, MemoryNames names) implements Finding {

    /** Returns the unexpected findings of a verdict, oldest first. */
    static List<OverwriteFinding> in(LeakVerdict verdict, MemoryNames names) {
        return verdict.unexpectedOverwrites().stream()
                .collect(Collectors.groupingBy(OverwriteFinding::keyOf, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(overwrites -> new OverwriteFinding(overwrites, names))
                .toList();
    }

    /** Returns what the overwrites of one finding share. Requests are equal if they are the same. */
    private static List<Object> keyOf(Overwrite overwrite) {
        BufferGeneration buffer = overwrite.buffer();
        Overwrite.Kind kind = overwrite.kind();
        return overwrite.event() instanceof Allocated later
                ? List.of(kind, buffer.request(), later.request(), later.type(), later.address(), buffer.address())
                : List.of(
                        kind,
                        buffer.request(),
                        overwrite.writer().map(Report::request),
                        buffer.type(),
                        overwrite.trace());
    }

    /** Returns whether two allocators held the memory at a time; otherwise a replay was at fault. */
    boolean isOverlap() {
        return first().kind() == Overwrite.Kind.BY_OTHER_ALLOCATOR;
    }

    @Override
    public long buffers() {
        return overwrites.size();
    }

    /** Returns the bytes of the buffers whose data was lost, at most {@link Long#MAX_VALUE}. */
    long overwrittenBytes() {
        return overwrites.stream()
                .mapToLong(overwrite -> overwrite.buffer().size())
                .reduce(0, Quantities::saturatedSum);
    }

    /** Returns the memory of the buffers. */
    BufferType type() {
        return buffer().type();
    }

    /** Returns the line of code that allocated the buffers, if it is known. */
    Optional<StackTraceElement> site() {
        return buffer().request().origin().flatMap(Origin::site);
    }

    Overwrite first() {
        return overwrites.get(0);
    }

    private BufferGeneration buffer() {
        return first().buffer();
    }

    /** Returns the first buffer that another allocator allocated over these. */
    private Allocated later() {
        return (Allocated) first().event();
    }

    /** Returns what happened to the buffers, as the end of a sentence: {@code by a replay of trace 1 of mesh 0}. */
    String whatHappened() {
        return switch (first().kind()) {
            case BY_REPLAY -> " by a replay of " + trace();
            case BY_REPLAY_IN_FLIGHT -> " by a replay of " + trace() + " while another trace ran";
            case FREED_BEFORE_REPLAY -> ", freed before a replay of " + trace() + " read them";
            case BY_OTHER_ALLOCATOR -> " by another allocator";
        };
    }

    /** Returns the same without the names. */
    String shortWhatHappened() {
        return first().kind() == Overwrite.Kind.FREED_BEFORE_REPLAY ? ", freed before a replay" : " by a replay";
    }

    private String trace() {
        return first().trace().map(Owner::toString).orElse("a trace");
    }

    /** Names the overwritten buffer, or the later one of an overlap, whose line the reader has to change. */
    @Override
    public String title() {
        return isOverlap()
                ? memory(later().type(), later().size()) + ", allocated by "
                        + names.allocator(later().request(), later().device())
                        + " at " + Quantities.address(later().address()) + ", "
                        + events(overwrite -> overwrite.event().number())
                : memory(type(), buffer().size())
                        + buffer().label()
                                .map(label -> ", label " + Quantities.quoted(label))
                                .orElse("")
                        + buffer().owner().map(owner -> ", owned by " + owner).orElse("")
                        + ", allocated at " + Quantities.address(buffer().address()) + ", "
                        + events(overwrite -> overwrite.buffer().allocatedAt());
    }

    private String memory(BufferType type, long size) {
        return type + "  " + (overwrites.size() == 1 ? "" : overwrites.size() + " x ") + Quantities.shortSize(size)
                + DeviceNames.on(overwrites.stream().map(Overwrite::buffer));
    }

    @Override
    public List<String> sites() {
        return List.of(site(isOverlap() ? later().request() : buffer().request()));
    }

    @Override
    public List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(Fact.WHY, why()));
        if (isOverlap()) {
            facts.add(new Fact(Fact.OVER, "at " + site(buffer().request())));
            return facts;
        }
        first().writer().ifPresent(writer -> facts.add(new Fact(Fact.OVER, "at " + site(writer.request()))));
        facts.add(new Fact(Fact.FIX, Fixes.of(first())));
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
                        + events(overwrite -> overwrite.buffer().freedAt().orElseThrow());
            case BY_OTHER_ALLOCATOR ->
                "it lies over " + Quantities.shortSize(buffer().size()) + " at "
                        + Quantities.address(buffer().address()) + ", allocated by "
                        + names.allocator(buffer()) + ", "
                        + events(overwrite -> overwrite.buffer().allocatedAt()) + ", " + end();
        };
    }

    private String end() {
        return overwrites.stream().anyMatch(overwrite -> overwrite.buffer().isLive())
                ? "never freed"
                : "freed by event #"
                        + overwrites.stream()
                                .flatMapToLong(overwrite -> overwrite.buffer().freedAt().stream())
                                .max()
                                .orElseThrow();
    }

    private String common() {
        return Quantities.shortSize(first().bytes());
    }

    private String writer() {
        return first().writer().map(OverwriteFinding::description).orElse("its own buffers");
    }

    private static String description(Report writer) {
        AllocationDetails details = writer.details();
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

    private String seen() {
        long times = overwrites.stream().mapToLong(Overwrite::times).max().orElseThrow();
        long first = overwrites.stream()
                .mapToLong(overwrite -> overwrite.event().number())
                .min()
                .orElseThrow();
        return "first at event #" + first + (times == 1 ? "" : ", in " + times + " replays");
    }

    /** Returns the entry that permits it: for the buffer whose data was lost. */
    ExpectationSnippet snippet() {
        return ExpectationSnippets.ofOverwritten(buffer(), overwrites.size());
    }

    private static String site(MemoryRequest request) {
        return request.origin().map(Object::toString).orElse(SurvivorFinding.UNKNOWN_SITE);
    }

    private String events(ToLongFunction<Overwrite> number) {
        return SurvivorFinding.events(overwrites.stream().mapToLong(number));
    }
}
