package dev.meshguard.verdict;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
import dev.meshguard.event.References;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.FrameName;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes the advice on how to fix a finding, as a sentence.
 *
 * <p>A fix follows from the evidence of a diagnosis: the same cause has another fix where a view shares the buffer, or where a
 * program owns it. Where nothing follows, there is no fix.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class Fixes {

    /** The fix of an expectation that no survivor matches. */
    public static final String OF_UNMATCHED_EXPECTATION =
            "If that is right, remove the entry, or it will hide the next leak.";

    /** The fix of an expectation that too few survivors match, in front of the entry with their number. */
    public static final String OF_LOOSE_EXPECTATION = "If fewer are right, expect the survivors:";

    private static final String FREE = "{Free} the {unit} before {end}";

    private final AllocationHistory history;
    private final SurvivorGroup group;
    private final BufferGeneration buffer;
    private final SourceVocabulary words;

    private Fixes(AllocationHistory history, SurvivorGroup group) {
        this.history = history;
        this.group = group;
        this.buffer = group.first().buffer();
        this.words = history.vocabularyOf(buffer.request());
    }

    /** Returns the fix of an overwritten buffer, as whole sentences. */
    public static String of(Overwrite overwrite) {
        return switch (overwrite.kind()) {
            case BY_REPLAY ->
                "Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before"
                        + " it is allocated.";
            case BY_REPLAY_IN_FLIGHT ->
                "Make the second replay wait: record an event after the first one, and let the other queue wait for it.";
            case FREED_BEFORE_REPLAY -> "Keep the buffer until the trace is released.";
            case BY_OTHER_ALLOCATOR ->
                overwrite.isOfTwoMeshes()
                        ? "Free what one mesh holds on a device before another mesh over it allocates memory, or use one mesh only:"
                                + " each has an allocator of its own that knows nothing of the others'."
                        : "Free what one allocator holds before another reserves memory there, or allocate on the mesh only: a"
                                + " mesh, a device and a sub-device have one each that knows nothing of the others.";
        };
    }

    /**
     * Returns the fix of a group, as whole sentences in the words of its source; empty for expected and undecided survivors
     * too.
     */
    static Optional<String> of(AllocationHistory history, SurvivorGroup group) {
        return switch (group.status()) {
            case LEAKED, FREED_LATE, MISREPORTED -> new Fixes(history, group).fix();
            case EXPECTED, UNDECIDED -> Optional.empty();
        };
    }

    private Optional<String> fix() {
        return switch (group.cause()) {
            case PROCESS_DIED ->
                Optional.of("Free it before the process ends, on the paths of errors and signals too; a runtime that is"
                        + " killed frees nothing.");
            case LATE -> Optional.of(freeInTime());
            case REPORTED_TWICE ->
                Optional.of("Report one buffer object per physical allocation, or report the free of every object that"
                        + " was reported; the memory itself was freed.");
            case FREE_UNREPORTED ->
                cited().anyMatch(HistoryEvent.TrackingStopped.class::isInstance)
                        ? Optional.empty()
                        : Optional.of(
                                "Report the free in every path that releases the buffer (views, early returns, closed"
                                        + " devices); the memory itself was freed.");
            case CIRCULAR_BUFFER_UNREPORTED ->
                Optional.of("Report the end of a program's circular buffers when the program ends; they take no"
                        + " allocator memory.");
            case CACHED -> Optional.of(emptyCache());
            case SYSTEM -> Optional.of(inWords("{Free} it where its owner shuts down, or expect it with a reason."));
            case FREED_ON_OTHER_DEVICES ->
                Optional.of(
                        group.status() == SurvivorStatus.MISREPORTED
                                ? "Report the free of every device."
                                : "Free the buffer on every device it was allocated on.");
            case KEPT_AFTER_RELEASE ->
                Optional.of("Drop the references to the trace's buffer before the trace is released: the trace is gone,"
                        + " and a second release does nothing.");
            case HELD ->
                ofMissingFree(FREE
                        + (words.hasDevices() ? ", or drop the reference if the handle frees on collection." : "."));
            case LOST -> ofMissingFree(freeOnEveryPath());
            case UNEXPLAINED -> ofMissingFree(FREE + ".");
        };
    }

    private String freeInTime() {
        if (words.equals(SourceVocabulary.MESH)) {
            return "Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so"
                    + " that it is closed first.";
        }
        return words.equals(SourceVocabulary.PROGRAM)
                ? "Wait for the thread that frees it before the check, or free it in the test itself."
                : inWords(
                        "Wait for the thread that has to {free} it before the check, or {free} it in the test itself.");
    }

    private String emptyCache() {
        return owners().map(Owner::kind).distinct().toList().equals(List.of(Owner.Kind.TRACE))
                ? "Release the trace before ttnn.closeMeshDevice(mesh): closing a mesh does not."
                : "Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh): closing a mesh does not"
                        + " clear the program cache.";
    }

    /** No free was reported, or none that had an effect. */
    private Optional<String> ofMissingFree(String otherwise) {
        Optional<String> retained =
                history.referencesTo(buffer.request()).flatMap(counted -> ofRetain(counted.references()));
        if (retained.isPresent()) {
            return retained;
        }
        if (isFreeIgnored(IgnoredFreeReason.STILL_SHARED)) {
            return Optional.of(inWords("{Free} the view that shares it too, or {free} it with force."));
        }
        if (isFreeIgnored(IgnoredFreeReason.FAILED)) {
            return Optional.of(inWords("Correct the call that failed: the {unit} stays until a {call} succeeds."));
        }
        Optional<Owner> owner = buffer.owner();
        if (owner.isEmpty() || owner.get().kind() == Owner.Kind.OTHER) {
            return isMadeByOperation() ? Optional.empty() : Optional.of(inWords(otherwise));
        }
        if (history.endOf(owner.get()).isPresent()) {
            return Optional.empty();
        }
        return switch (owner.get().kind()) {
            case PROGRAM ->
                Optional.of(inWords("Close the workload, or a program that is in none, before {end}: ")
                        + named("program") + " keeps its memory until then.");
            case TRACE -> Optional.of("Release " + named("trace") + inWords(" before {end}: it owns the {unit}."));
            default -> Optional.empty();
        };
    }

    private Optional<String> ofRetain(References references) {
        long missing = references.retains() + 1 - references.releases();
        Optional<String> released = references
                .released()
                .filter(unused -> references.releases() == 1)
                .flatMap(use -> use.origin().site())
                .map(frame -> ": " + FrameName.of(frame).simpleClassName() + " releases it once");
        return references
                .retained()
                .flatMap(use -> use.origin().site())
                .map(frame -> FrameName.fileLine(frame).orElse(frame.toString()))
                .map(line -> inWords("{Free} the {unit} "
                        + (missing > 1
                                ? missing + " times after " + line + ", or retain it less often"
                                : "after " + line + ", or do not retain it")
                        + released.orElse("") + "."));
    }

    /** Code can only free a handle that it has, so an operation of the runtime frees what it allocated for itself. */
    private boolean isMadeByOperation() {
        return buffer.label().isEmpty()
                && buffer.owner()
                        .filter(owner -> buffer.allocatedIn().name().startsWith(owner.name()))
                        .isPresent();
    }

    private String freeOnEveryPath() {
        if (buffer.request().details().freedOnCollection()) {
            return "{Free} the {unit} where its use ends, or expect it with a reason: the collector does not see how much"
                    + " memory it holds.";
        }
        boolean isCloseable =
                words.equals(SourceVocabulary.MESH) || words.free().equals("close");
        return FREE + " on every path: "
                + (isCloseable ? "with try-with-resources, or in a finally block." : "in a finally block.");
    }

    /** Returns the name of the owner if all survivors have the same. */
    private String named(String kind) {
        List<Owner> distinct = owners().distinct().limit(2).toList();
        return distinct.size() == 1 ? distinct.get(0).toString() : "each " + kind;
    }

    private Stream<Owner> owners() {
        return group.survivors().stream().flatMap(survivor -> survivor.buffer().owner().stream());
    }

    private boolean isFreeIgnored(IgnoredFreeReason reason) {
        return cited().anyMatch(
                        event -> event instanceof HistoryEvent.FreeIgnored ignored && ignored.reason() == reason);
    }

    /** Returns the events that the evidence cites. */
    private Stream<HistoryEvent> cited() {
        return group.evidence().stream()
                .flatMap(evidence -> evidence.events().stream())
                .flatMap(number -> history.event(number).stream());
    }

    private String inWords(String text) {
        String free = words.freeing();
        return text.replace("{end}", words.end())
                .replace("{unit}", words.unit())
                .replace("{call}", words.free())
                .replace("{free}", free)
                .replace("{Free}", free.substring(0, 1).toUpperCase(Locale.ROOT) + free.substring(1));
    }
}
