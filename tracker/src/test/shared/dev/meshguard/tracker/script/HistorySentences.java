package dev.meshguard.tracker.script;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads what a history has to report from sentences, separated by semicolons; after a comma follows a detail.
 *
 * <pre>
 * mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, owning, of program 7; witness CLOSE_BEGUN DRAM on 1: 0x1000; close
 * </pre>
 *
 * <p>A buffer has 64 bytes if no size is given. Each sentence is a line of its own for origins; {@code same line} is that of
 * the request before, and with {@code same request} it is that request that reports once more.
 */
final class HistorySentences {

    private static final long SIZE = 64;

    private final HistoryScript script;
    private int line;
    private int lineOfRequest;

    HistorySentences(HistoryScript script) {
        this.script = script;
    }

    void read(String text) {
        for (String sentence : text.split(";", -1)) {
            if (!sentence.isBlank()) {
                line++;
                readSentence(sentence.strip());
            }
        }
    }

    private void readSentence(String sentence) {
        String[] verbAndRest = sentence.split(" ", 2);
        String rest = verbAndRest.length == 1 ? "" : verbAndRest[1];
        switch (verbAndRest[0]) {
            case "mesh" -> mesh(rest.split(" ", 0), sentence);
            case "close" -> close(rest);
            case "closing" -> script.closing();
            case "allocate", "free", "ignore" -> buffers(verbAndRest[0], List.of(rest.split(", ", 0)), sentence);
            case "witness" -> witness(List.of(rest.split(", ", 0)), sentence);
            case "cached" -> script.cached(owner(rest));
            case "end" -> script.endOf(owner(rest));
            case "phase" -> script.phase(new Phase(rest));
            case "source" -> script.source(rest);
            case "stopped" -> script.stopped(rest);
            case "started" -> script.started();
            case "died" -> script.died(Long.parseLong(rest));
            case "checked" -> script.checkedOn(rest.isEmpty() ? "2026-11-20" : rest);
            case "handle" -> script.traced(rest.equals("lost") ? Reachability.lost() : Reachability.held());
            case "lost" -> {
                String[] countAndReason = rest.split(" ", 2);
                script.lost(Long.parseLong(countAndReason[0]), countAndReason[1]);
            }
            default -> throw unknown(verbAndRest[0], sentence);
        }
    }

    /** {@code mesh 0 over 0..3}, {@code mesh 1 in 0 over 0}, or {@code mesh 0 without 0} if no device is reported. */
    private void mesh(String[] words, String sentence) {
        int id = Integer.parseInt(words[0]);
        switch (words[1]) {
            case "over" -> script.mesh(id, devices(words[2]));
            case "without" -> script.meshWithoutDevices(id, devices(words[2]));
            case "in" -> script.submesh(id, Integer.parseInt(words[2]), devices(words[4]));
            default -> throw unknown(words[1], sentence);
        }
    }

    private void close(String what) {
        switch (what) {
            case "" -> script.close();
            case "without devices" -> script.closeWithoutDevices();
            default -> script.closeMesh(Integer.parseInt(what));
        }
    }

    /** {@code DRAM 0x1000 on 0..3}, and details. */
    private void buffers(String verb, List<String> parts, String sentence) {
        String[] words = parts.get(0).split(" ", 0);
        BufferType type = BufferType.valueOf(words[0]);
        long address = Long.decode(words[1]);
        int[] devices = devices(words[3]);
        List<String> details = parts.subList(1, parts.size());
        switch (verb) {
            case "free" -> script.free(type, devices, address);
            case "ignore" -> {
                script.freeIgnored(type, devices, address, IgnoredFreeReason.valueOf(details.get(0)));
                return;
            }
            default -> {
                lineOfRequest = details.contains("same line") ? lineOfRequest : line;
                script.allocate(type, devices, address, SIZE).atLine(lineOfRequest);
            }
        }
        details.forEach(detail -> detail(detail, sentence));
    }

    private void detail(String detail, String sentence) {
        String[] words = detail.split(" ", 0);
        String last = words[words.length - 1];
        switch (words[0]) {
            case "size" -> script.size(Long.decode(last));
            case "each" -> script.eachOnItsOwn();
            case "same" -> {
                if (last.equals("request")) {
                    script.ofSameRequest();
                } else {
                    script.atLine(lineOfRequest);
                }
            }
            case "owning" -> script.owning();
            case "view" -> script.nonOwning();
            case "again" -> script.andOnceMore(Ownership.valueOf(last));
            case "and" -> script.and(devices(last), Long.decode(words[1]));
            case "of" -> script.ownedBy(owner(detail.substring("of ".length())));
            case "circular" -> script.circularBufferOf(owner("program " + last));
            case "lifetime" -> script.lifetime(BufferLifetime.valueOf(last));
            case "mesh" -> script.onMesh(Integer.parseInt(last));
            case "allocator" -> script.fromAllocator(allocator(last));
            case "pointer" -> script.asView();
            case "label" -> script.labelled(detail.substring("label ".length()));
            case "extent" -> script.extent(Long.decode(last));
            case "collectable" -> script.freedOnCollection();
            case "collected" -> script.ofCollectedHandle();
            case "process" -> script.by(Long.parseLong(last));
            default -> throw unknown(words[0], sentence);
        }
    }

    /** {@code CLOSE_BEGUN DRAM on 0: 0x1000 0x2000}, of mesh 0 unless another one is named. */
    private void witness(List<String> parts, String sentence) {
        String[] readingAndTaken = parts.get(0).split(":", 2);
        String[] words = readingAndTaken[0].split(" ", 0);
        int mesh = 0;
        AllocatorId allocator = null;
        for (String detail : parts.subList(1, parts.size())) {
            String value = detail.substring(detail.indexOf(' ') + 1);
            switch (detail.split(" ", 0)[0]) {
                case "mesh" -> mesh = Integer.parseInt(value);
                case "allocator" -> allocator = allocator(value);
                default -> throw unknown(detail, sentence);
            }
        }
        WitnessSnapshot.Builder reading = WitnessSnapshot.of(mesh, WitnessSnapshot.Moment.valueOf(words[0]));
        long[] taken = readingAndTaken.length == 1
                ? new long[0]
                : Stream.of(readingAndTaken[1].strip().split(" ", 0))
                        .mapToLong(Long::decode)
                        .toArray();
        script.witnessOf(
                allocator == null ? reading : reading.ofAllocator(allocator),
                BufferType.valueOf(words[1]),
                devices(words[3]),
                taken);
    }

    /** {@code 0}, {@code 0..3} or {@code 0+2}. */
    private static int[] devices(String text) {
        String[] range = text.split("\\.\\.", 2);
        return range.length == 2
                ? HistoryScript.devices(Integer.parseInt(range[0]), Integer.parseInt(range[1]))
                : Stream.of(text.split("\\+", 0))
                        .flatMapToInt(device -> IntStream.of(Integer.parseInt(device)))
                        .toArray();
    }

    /** {@code program 7} or {@code trace 0}. */
    private static Owner owner(String text) {
        String[] kindAndName = text.split(" ", 2);
        return new Owner(Owner.Kind.valueOf(kindAndName[0].toUpperCase(Locale.ROOT)), kindAndName[1]);
    }

    private static AllocatorId allocator(String kind) {
        return new AllocatorId(AllocatorId.Kind.valueOf(kind), 0, 0);
    }

    private static IllegalArgumentException unknown(String word, String sentence) {
        return new IllegalArgumentException("No history can report \"" + word + "\" in \"" + sentence + "\"");
    }
}
