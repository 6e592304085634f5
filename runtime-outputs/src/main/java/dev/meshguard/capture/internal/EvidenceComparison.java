package dev.meshguard.capture.internal;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.RuntimeText;
import dev.meshguard.capture.evidence.RuntimeText.AddressRange;
import dev.meshguard.capture.evidence.RuntimeTexts;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.evidence.internal.RuntimeTextNotes;
import dev.meshguard.capture.evidence.internal.RuntimeTextParser;
import dev.meshguard.capture.internal.LiveSet.LiveBuffer;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares evidence with what a recording has as allocated at the same moment.
 *
 * <p>Evidence has totals, and a recording has the buffers that were allocated while it was made, of which some sizes are known
 * only in part. So a total may be larger, and contradicts the recording only if it is smaller. Evidence does not name the
 * recording's device: a total contradicts the recording only if it contradicts it for each device.
 */
final class EvidenceComparison {

    private static final int MAX_NAMED = 3;

    private final List<DatedEvidence> evidence;
    private final CaptureNotes notes;
    private final Consumer<String> contradiction;
    private final Map<DatedEvidence, LiveSet> moments = new HashMap<>();
    private final Map<DatedEvidence, String> unknown = new HashMap<>();
    /** The texts that are the reasons of operations in the recording. */
    private final List<RuntimeText> explained = new ArrayList<>();

    /**
     * Creates a comparison.
     *
     * @param contradiction receives the reasons why the history cannot be what happened
     */
    EvidenceComparison(List<DatedEvidence> evidence, CaptureNotes notes, Consumer<String> contradiction) {
        this.evidence = evidence;
        this.notes = notes;
        this.contradiction = contradiction;
    }

    /** Returns whether there is evidence of the moment after an operation. */
    boolean isDueAfter(long operation) {
        return evidence.stream().anyMatch(dated -> isAfter(operation, dated));
    }

    private boolean isAfter(long operation, DatedEvidence dated) {
        return dated.operation().isPresent()
                && dated.operation().getAsLong() == operation
                && !moments.containsKey(dated)
                && !unknown.containsKey(dated);
    }

    /** Remembers what is allocated after an operation. */
    void after(long operation, LiveSet live) {
        evidence.stream().filter(dated -> isAfter(operation, dated)).forEach(dated -> moments.put(dated, live));
    }

    /** Remembers that it is not known what is allocated after an operation. */
    void unknownAfter(long operation, String reason) {
        evidence.stream().filter(dated -> isAfter(operation, dated)).forEach(dated -> unknown.put(dated, reason));
    }

    /**
     * Compares all evidence with its moment.
     *
     * @param end returns what is allocated at the end of the recording
     * @param operations how operations are numbered
     * @throws UnreadableOutputException if the recording does not have an operation after which evidence was written
     */
    void finish(Supplier<LiveSet> end, String operations) throws UnreadableOutputException {
        for (DatedEvidence dated : evidence) {
            if (dated.operation().isEmpty()) {
                compare(dated.file(), end.get());
            } else if (unknown.containsKey(dated)) {
                notes.add(dated.file().name() + " is not compared: " + unknown.get(dated) + ".");
            } else if (moments.containsKey(dated)) {
                compare(dated.file(), moments.get(dated));
            } else {
                throw new UnreadableOutputException(String.format(
                        Locale.ROOT,
                        "it has no operation %d, after which %s was written. %s",
                        dated.operation().getAsLong(),
                        dated.file().name(),
                        operations));
            }
        }
    }

    /**
     * Returns the sentence, to be read at the end, about the text of the runtime in a reason, with the buffers that stood in its way.
     *
     * @param live what is allocated at the end of the operation
     * @param freed the buffers that the operation freed
     */
    Supplier<Optional<String>> explanation(String reason, Supplier<LiveSet> live, Supplier<List<LiveBuffer>> freed) {
        Optional<RuntimeText> found = RuntimeTextParser.firstOf(reason);
        if (found.isEmpty()) {
            return Optional::empty;
        }
        RuntimeText text = found.get();
        explained.add(text);
        LiveSet then = withFreed(text, live.get(), freed);
        return () -> Optional.of(RuntimeTextNotes.figures(text)
                + holders(text, then).map(sentence -> " " + sentence).orElse(""));
    }

    /** The exception may have freed the buffer that the text names. */
    private static LiveSet withFreed(RuntimeText text, LiveSet live, Supplier<List<LiveBuffer>> freed) {
        long lowest = text.held().map(AddressRange::from).orElse(0L);
        if (lowest == 0 || live.buffers().stream().anyMatch(buffer -> buffer.address() == lowest)) {
            return live;
        }
        List<LiveBuffer> all = new ArrayList<>(live.buffers());
        all.addAll(freed.get());
        return new LiveSet(
                live.recording(), live.moment(), live.hasExactTypes(), live.hasAddresses(), all, live.before());
    }

    private void compare(RuntimeEvidence file, LiveSet live) {
        if (file instanceof RuntimeTexts texts) {
            texts(texts, live);
            return;
        }
        file.notes().forEach(note -> notes.add(file.name() + ": " + note));
        if (!live.hasAddresses()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s is not compared: nothing was dispatched in the %s, so nothing was allocated.",
                    file.name(),
                    live.recording()));
        } else if (!live.hasExactTypes()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s is not compared: the %s names L1 and DRAM only, and L1_SMALL and the trace region are in them.",
                    file.name(),
                    live.recording()));
        } else if (file instanceof MemoryReport report) {
            totals(file.name(), WitnessTotal.of(report), live);
        } else if (file instanceof SharedMemory memory) {
            totals(file.name(), WitnessTotal.of(memory), live);
        }
    }

    // Totals

    private void totals(String name, List<WitnessTotal> totals, LiveSet live) {
        if (totals.isEmpty()) {
            notes.add(name + " is not compared: it does not say how much is allocated.");
            return;
        }
        Map<Integer, List<LiveBuffer>> devices = new TreeMap<>();
        live.buffers()
                .forEach(buffer -> devices.computeIfAbsent(buffer.device(), first -> new ArrayList<>())
                        .add(buffer));
        if (devices.isEmpty()) {
            devices.put(0, List.of());
        }
        List<Optional<String>> contradictions = devices.values().stream()
                .map(buffers -> totals.stream()
                        .flatMap(total -> total.contradiction(buffers, live.recording()).stream())
                        .findFirst())
                .toList();
        if (contradictions.stream().allMatch(Optional::isPresent)) {
            contradiction.accept(String.format(
                    Locale.ROOT,
                    "%s %s %s%s",
                    name,
                    contradictions.get(0).orElseThrow(),
                    live.moment(),
                    devices.size() == 1 ? "" : ", and it fits none of the " + devices.size() + " devices"));
        } else {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s fits the %s %s: %s.",
                    name,
                    live.recording(),
                    live.moment(),
                    agreement(totals, devices)));
        }
    }

    /** Returns the first total of each memory, with what the recording has of it. */
    private static String agreement(List<WitnessTotal> totals, Map<Integer, List<LiveBuffer>> devices) {
        Set<BufferType> types = EnumSet.noneOf(BufferType.class);
        return totals.stream()
                .filter(total -> types.add(total.type()))
                .map(total -> total.listed()
                        + (total.number() == 0
                                ? ""
                                : ", of which it has "
                                        + devices.entrySet().stream()
                                                .limit(MAX_NAMED)
                                                .map(device -> total.share(device.getValue())
                                                        + (devices.size() == 1 ? "" : " on device " + device.getKey()))
                                                .collect(Collectors.joining(
                                                        ", ", "", devices.size() > MAX_NAMED ? ", …" : ""))))
                .collect(Collectors.joining("; "));
    }

    // Texts

    private void texts(RuntimeTexts texts, LiveSet live) {
        if (texts.isEmpty()) {
            notes.add(
                    texts.name() + " has no text of the runtime about memory, and is neither a memory report nor shared"
                            + " memory.");
            texts.notes().forEach(notes::add);
            return;
        }
        RuntimeTextNotes.of(
                        texts,
                        text -> "line " + text.line() + " of " + texts.name(),
                        text -> isExplained(text)
                                ? Optional.of("It is the reason of an exception above.")
                                : text.buffers().isEmpty() ? holders(text, live) : allocators(text, live))
                .forEach(notes::add);
    }

    private boolean isExplained(RuntimeText text) {
        return explained.stream()
                .anyMatch(
                        other -> other.kind() == text.kind() && other.figures().equals(text.figures()));
    }

    private static Optional<String> holders(RuntimeText text, LiveSet live) {
        if (text.held().isEmpty() || !live.hasAddresses()) {
            return Optional.empty();
        }
        AddressRange range = text.held().get();
        List<MemoryHolder> holders = Stream.concat(live.buffers().stream(), live.before().stream())
                .filter(buffer -> range.contains(buffer.type(), buffer.address()))
                .map(EvidenceComparison::holder)
                .toList();
        return Optional.of(
                holders.isEmpty()
                        ? String.format(
                                Locale.ROOT, "The %s knows no buffer there %s.", live.recording(), live.moment())
                        : String.format(
                                Locale.ROOT,
                                "The %s has these buffers there %s: %s.",
                                live.recording(),
                                live.moment(),
                                MemoryHolder.text(holders)));
    }

    private static MemoryHolder holder(LiveBuffer buffer) {
        return new MemoryHolder(
                buffer.type(),
                buffer.address(),
                buffer.size(),
                buffer.device(),
                buffer.label(),
                buffer.origin().get().flatMap(Origin::site).map(site -> "at " + site),
                buffer.record());
    }

    /** The list has numbers that no other file has, so only the operations are found. */
    private static Optional<String> allocators(RuntimeText text, LiveSet live) {
        Set<String> operations = text.buffers().stream()
                .flatMap(buffer -> buffer.operation().stream())
                .map(EvidenceComparison::plain)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        List<String> found = operations.stream()
                .map(operation -> live.buffers().stream()
                        .filter(buffer -> buffer.operation()
                                .filter(name -> plain(name).equals(operation))
                                .isPresent())
                        .toList())
                .filter(buffers -> !buffers.isEmpty())
                .map(buffers -> buffers.get(0).operation().orElseThrow() + " "
                        + MemoryHolder.text(
                                buffers.stream().map(EvidenceComparison::holder).toList()))
                .limit(MAX_NAMED)
                .toList();
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "Of the operations that it names, the %s has these buffers %s, which may be those: %s.",
                        live.recording(),
                        live.moment(),
                        String.join("; ", found)));
    }

    /** Python and C++ write the name of an operation differently. */
    private static String plain(String operation) {
        return operation.replace("::", ".").toLowerCase(Locale.ROOT);
    }
}
