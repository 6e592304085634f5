package dev.meshguard.tracker.script;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.Scope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Reads what a history has to report from sentences, separated by semicolons; after a comma follows a detail.
 *
 * <pre>
 * mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, owning, of program 7; witness CLOSE_BEGUN DRAM on 1: 0x1000; close
 * </pre>
 *
 * <p>A buffer has 64 bytes if no size is given. Each sentence is a line of its own for origins, except frees in a context;
 * {@code same line} is that of the request before, and with {@code same request} it is that request that reports once more. A
 * word that has no meaning is an error.
 */
final class HistorySentences {

    private static final long SIZE = 64;

    private final HistoryScript script;
    private final Map<String, AllocationContext> contexts = new HashMap<>();
    private Scope current = () -> {};
    private boolean isPart;
    private int line;
    private int lineOfRequest;

    HistorySentences(HistoryScript script) {
        this.script = script;
    }

    void read(String text) {
        for (String sentence : text.split(";", -1)) {
            if (!sentence.isBlank()) {
                line++;
                try {
                    readSentence(Stream.of(sentence.strip().split(", ", -1))
                            .map(Words::new)
                            .toList());
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException(wrong.getMessage() + " in \"" + sentence.strip() + "\"", wrong);
                }
            }
        }
    }

    AllocationContext context(String name) {
        return contexts.computeIfAbsent(name, script.tracker()::context);
    }

    private void readSentence(List<Words> parts) {
        Words words = parts.get(0);
        List<Words> details = parts.subList(1, parts.size());
        String verb = words.next();
        switch (verb) {
            case "allocate", "free", "ignore" -> buffers(verb, words, details);
            case "witness" -> witness(words, details);
            case "mesh" -> mesh(words, details);
            case "source" -> source(words, details);
            default -> report(verb, words);
        }
        parts.forEach(Words::end);
    }

    private void report(String verb, Words words) {
        switch (verb) {
            case "close" -> close(words);
            case "closing" -> script.closing();
            case "cached" -> script.cached(words.owner());
            case "end" -> script.endOf(words.owner());
            case "phase" -> script.phase(new Phase(words.rest()));
            case "stopped" -> script.stopped(words.rest());
            case "started" -> script.started();
            case "died" -> script.died(words.number());
            case "checked" -> script.checkedOn(words.isEmpty() ? "2026-11-20" : words.next());
            case "handle" -> script.traced(handle(words));
            case "lost" -> script.lost(words.number(), words.rest());
            case "trace" -> trace(new Owner(Owner.Kind.TRACE, words.next()), words);
            case "read" -> script.tracker().resultRead(script.requestOf(words.number()));
            case "for" -> responsible(words);
            default -> throw unknown(verb);
        }
    }

    /** {@code mesh 0 over 0..3}, {@code mesh 1 in 0 over 0}, or {@code mesh 0 without 0} if no device is reported. */
    private void mesh(Words words, List<Words> details) {
        int id = words.integer();
        String relation = words.next();
        switch (relation) {
            case "over" -> script.mesh(id, words.devices());
            case "in" -> script.submesh(id, words.integer(), words.skip("over").devices());
            case "without" -> {
                List<Integer> devices = HistoryScript.list(words.devices());
                int busiest = -1;
                for (Words detail : details) {
                    busiest = detail.skip("busiest").integer();
                }
                script.opened(new MeshDescription(id, "mesh " + id, devices, busiest));
            }
            default -> throw unknown(relation);
        }
    }

    private void close(Words words) {
        if (words.isEmpty()) {
            script.close();
        } else if (words.isNext("without")) {
            words.skip("devices");
            script.closeWithoutDevices();
        } else {
            script.closeMesh(words.integer());
        }
    }

    /**
     * {@code source snapshots}, with {@code inferring frees} if it sees no free itself; and with its words: {@code memory native
     * memory}, {@code counted in arena} and {@code freed by close closed}, or {@code objects Options}.
     */
    private void source(Words words, List<Words> details) {
        SourceDescription source = SourceDescription.of(words.rest());
        SourceVocabulary vocabulary = SourceVocabulary.MESH;
        for (Words detail : details) {
            String name = detail.next();
            switch (name) {
                case "inferring" -> {
                    detail.skip("frees");
                    source = source.inferringFrees();
                }
                case "memory" -> vocabulary = SourceVocabulary.of(detail.rest());
                case "objects" -> vocabulary = SourceVocabulary.ofObjects(detail.rest());
                case "counted" -> vocabulary = vocabulary.countedIn(detail.skip("in").next());
                case "freed" -> vocabulary = vocabulary.freedBy(detail.skip("by").next(), detail.next());
                default -> throw unknown(name);
            }
        }
        script.tracker().sourceAttached(vocabulary.hasDevices() ? source : source.speaking(vocabulary));
    }

    /** {@code handle lost}, {@code handle unknown}, {@code handle held} or {@code handle held by Cache.all -> ArrayList[0]}. */
    private static Reachability handle(Words words) {
        String found = words.next();
        return switch (found) {
            case "lost" -> Reachability.lost();
            case "unknown" -> Reachability.unknown();
            case "held" ->
                words.isEmpty()
                        ? Reachability.held()
                        : Reachability.heldBy(
                                List.of(words.skip("by").rest().split(" -> ", -1)));
            default -> throw unknown(found);
        };
    }

    /** {@code trace 1 begins}, {@code reads 0x1000}, {@code writes 0x1000}, {@code ends} and {@code replays}, on mesh 0. */
    private void trace(Owner trace, Words words) {
        String what = words.next();
        switch (what) {
            case "begins" -> script.tracker().captureBegan(0, trace);
            case "reads" -> script.tracker().bufferCaptured(trace, script.requestOf(words.number()));
            case "writes" -> script.tracker().resultCaptured(trace, script.requestOf(words.number()));
            case "ends" -> script.tracker().captureEnded(trace);
            case "replays" -> script.tracker().traceReplayed(trace, List.of());
            default -> throw unknown(what);
        }
    }

    /** {@code for decode}: the context of that name is responsible from here on; {@code for all}: none is. */
    private void responsible(Words words) {
        script.tracker();
        current.close();
        String name = words.next();
        isPart = !name.equals("all");
        current = isPart ? context(name).makeCurrent() : () -> {};
    }

    /** {@code DRAM 0x1000 on 0..3}, and details; {@code 0x1000..0x3000} are as many requests of one line, 0x1000 apart. */
    private void buffers(String verb, Words words, List<Words> details) {
        BufferType type = words.constant(BufferType.class);
        long[] addresses = words.addresses();
        int[] devices = words.skip("on").devices();
        if (verb.equals("allocate") && details.stream().noneMatch(detail -> detail.is("same line"))) {
            lineOfRequest = line;
        }
        for (long address : addresses) {
            List<Words> left = details.stream().map(Words::again).toList();
            switch (verb) {
                case "free" -> script.free(type, devices, address);
                case "ignore" ->
                    script.freeIgnored(type, devices, address, left.get(0).constant(IgnoredFreeReason.class));
                default -> script.allocate(type, devices, address, SIZE).atLine(lineOfRequest);
            }
            if (!verb.equals("allocate") && !isPart) {
                script.atLine(line);
            }
            left.stream().filter(detail -> !detail.isEmpty()).forEach(this::detail);
            left.forEach(Words::end);
        }
        details.forEach(Words::rest);
    }

    private void detail(Words words) {
        String detail = words.next();
        switch (detail) {
            case "size" -> script.size(words.number());
            case "each" -> script.eachOnItsOwn();
            case "same" -> {
                if (words.isNext("request")) {
                    script.ofSameRequest();
                } else {
                    words.skip("line");
                }
            }
            case "owning" -> script.owning();
            case "view" -> script.nonOwning();
            case "again" -> script.andOnceMore(words.constant(Ownership.class));
            case "and" -> {
                long address = words.number();
                script.and(words.skip("on").devices(), address);
            }
            case "of" -> script.ownedBy(words.owner());
            case "circular" -> script.circularBufferOf(words.skip("buffer").skip("of").owner());
            case "lifetime" -> script.lifetime(words.constant(BufferLifetime.class));
            case "mesh" -> script.onMesh(words.integer());
            case "allocator" -> script.fromAllocator(words.allocator());
            case "pointer" -> script.asView();
            case "label" -> script.labelled(words.rest());
            case "from" -> script.fromSource(words.next());
            case "extent" -> script.extent(words.number());
            case "collectable" -> script.freedOnCollection();
            case "collected" -> script.ofCollectedHandle();
            case "process" -> script.by(words.number());
            case "without" -> {
                words.skip("frames");
                script.withoutFrames();
            }
            default -> throw unknown(detail);
        }
    }

    /**
     * {@code CLOSE_BEGUN DRAM on 0: 0x1000 0x2000}, of mesh 0 unless another one is named; {@code and L1+TRACE on 0} adds regions to
     * the snapshot.
     */
    private void witness(Words words, List<Words> details) {
        WitnessSnapshot.Moment moment = words.constant(WitnessSnapshot.Moment.class);
        int mesh = 0;
        AllocatorId allocator = null;
        List<Words> regions = new ArrayList<>(List.of(words));
        for (Words detail : details) {
            String name = detail.next();
            switch (name) {
                case "mesh" -> mesh = detail.integer();
                case "allocator" -> allocator = detail.allocator();
                case "and" -> regions.add(detail);
                default -> throw unknown(name);
            }
        }
        WitnessSnapshot reading = WitnessSnapshot.of(mesh, moment);
        reading = allocator == null ? reading : reading.ofAllocator(allocator);
        for (Words region : regions) {
            String[] types = region.next().split("\\+", 0);
            List<Integer> devices = HistoryScript.list(region.skip("on").devices());
            long[] taken = region.numbers();
            for (String type : types) {
                reading = reading.region(devices, BufferType.valueOf(type), taken);
            }
        }
        script.tracker().witnessed(reading);
    }

    private static IllegalArgumentException unknown(String word) {
        return new IllegalArgumentException("No history can report \"" + word + "\"");
    }

    /** The words of a part of a sentence, from left to right. */
    private static final class Words {

        private final String text;
        private final Deque<String> left;

        Words(String text) {
            this.text = text;
            this.left = new ArrayDeque<>(List.of(text.split(" ", -1)));
        }

        Words again() {
            return new Words(text);
        }

        boolean is(String words) {
            return text.equals(words);
        }

        boolean isEmpty() {
            return left.isEmpty();
        }

        boolean isNext(String word) {
            boolean isNext = word.equals(left.peek());
            if (isNext) {
                left.remove();
            }
            return isNext;
        }

        String next() {
            if (left.isEmpty()) {
                throw new IllegalArgumentException("A word is missing after \"" + text + "\"");
            }
            return left.remove();
        }

        Words skip(String expected) {
            String word = next();
            if (!word.equals(expected)) {
                throw new IllegalArgumentException("\"" + word + "\" stands where \"" + expected + "\" belongs");
            }
            return this;
        }

        String rest() {
            String rest = String.join(" ", left);
            left.clear();
            return rest;
        }

        void end() {
            if (!left.isEmpty()) {
                throw unknown(left.getFirst());
            }
        }

        long number() {
            return Long.decode(next());
        }

        int integer() {
            return Integer.parseInt(next());
        }

        /** {@code 0x1000}, or {@code 0x1000..0x3000}. */
        long[] addresses() {
            String[] range = next().split("\\.\\.", 2);
            long first = Long.decode(range[0]);
            return LongStream.rangeClosed(0, (Long.decode(range[range.length - 1]) - first) / 0x1000)
                    .map(number -> first + 0x1000 * number)
                    .toArray();
        }

        long[] numbers() {
            return Stream.of(rest().split(" ", -1))
                    .filter(number -> !number.isEmpty())
                    .mapToLong(Long::decode)
                    .toArray();
        }

        <E extends Enum<E>> E constant(Class<E> type) {
            return Enum.valueOf(type, next());
        }

        /** {@code 0}, {@code 0..3}, {@code 0+2} or {@code none}; before a list stands a colon. */
        int[] devices() {
            String devices = next();
            if (devices.equals("none")) {
                return HistoryScript.device(HistoryEvent.NO_DEVICE);
            }
            String[] range = (devices.endsWith(":") ? devices.substring(0, devices.length() - 1) : devices)
                    .split("\\.\\.", 2);
            return range.length == 2
                    ? HistoryScript.devices(Integer.parseInt(range[0]), Integer.parseInt(range[1]))
                    : Stream.of(range[0].split("\\+", 0))
                            .flatMapToInt(device -> IntStream.of(Integer.parseInt(device)))
                            .toArray();
        }

        /** {@code program 7}, {@code trace 0} or {@code command-queue 0}. */
        Owner owner() {
            return new Owner(
                    Owner.Kind.valueOf(next().toUpperCase(Locale.ROOT).replace('-', '_')), rest());
        }

        /** {@code MESH}, {@code DEVICE}, or {@code SUB_DEVICE 0 of 1}: the first one of manager 1. */
        AllocatorId allocator() {
            AllocatorId.Kind kind = constant(AllocatorId.Kind.class);
            int subDevice = isEmpty() ? 0 : integer();
            return new AllocatorId(kind, isEmpty() ? 0 : skip("of").integer(), subDevice);
        }
    }
}
