package dev.meshguard.tracker.script;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The words of a part of a sentence, from left to right. */
final class Words {

    private final String text;
    private final Deque<String> left;

    Words(String text) {
        this.text = text;
        this.left = new ArrayDeque<>(List.of(text.split(" ", -1)));
    }

    static IllegalArgumentException unknown(String word) {
        return new IllegalArgumentException("No history can report \"" + word + "\"");
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
    List<Integer> devices() {
        String devices = next().replace(":", "");
        if (devices.equals("none")) {
            return List.of(HistoryEvent.NO_DEVICE);
        }
        String[] range = devices.split("\\.\\.", 2);
        return range.length == 2
                ? IntStream.rangeClosed(Integer.parseInt(range[0]), Integer.parseInt(range[1]))
                        .boxed()
                        .toList()
                : Stream.of(devices.split("\\+", 0)).map(Integer::valueOf).toList();
    }

    /** {@code program 7}, {@code trace 0} or {@code command-queue 0}. */
    Owner owner() {
        return new Owner(
                Owner.Kind.valueOf(next().toUpperCase(Locale.ROOT).replace('-', '_')), rest());
    }

    /** {@code MESH}, {@code DEVICE}, or {@code SUB_DEVICE 0 of 1}: the first one of manager 1. */
    AllocatorId allocator() {
        AllocatorId.Kind kind = constant(AllocatorId.Kind.class);
        if (kind != AllocatorId.Kind.SUB_DEVICE) {
            return new AllocatorId(kind, 0, 0);
        }
        int subDevice = integer();
        return AllocatorId.subDevice(skip("of").integer(), subDevice);
    }
}
