package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One node of a graph, read from JSON; used again for the next one.
 *
 * <p>Newer captures write numbers as numbers, older ones as texts, and flags in three ways. All are accepted everywhere.
 */
final class GraphNode {

    /** Represents a number that the node does not have, or that is none. */
    static final int NONE = -1;

    /** More have no place in a long. */
    private static final int MAX_DIGITS = 19;

    /** What is longer is no name and no shape; texts of all nodes stay in memory. */
    private static final int MAX_TEXT = 1_024;

    /** A buffer is used by few tensors; only {@code capture_start} has an edge to very many nodes, which nobody needs. */
    private static final int MAX_CONNECTIONS = 4_096;

    private static final BufferType[] TYPES = BufferType.values();

    private static final List<Param> OF_MEMORY =
            List.of(Param.SIZE, Param.ADDRESS, Param.DEVICE, Param.BUFFER_TYPE, Param.BUFFER_TYPE_VALUE);

    private String type = "";
    private int counter = NONE;
    private int[] connections = new int[4];
    private int connected;
    /** Whether the node has a list of edges, and each is the number of a node. */
    private boolean hasConnections;
    /** The texts, numbers and flags by parameter, as texts; null if there is none. */
    private final @Nullable String[] texts = new String[Param.COUNT];
    /** The keys that were read, as bits: those of the node, and behind them those of its parameters. */
    private int keys;
    /** A key that the node has twice. */
    private @Nullable String repeatedKey;

    /** Reads the object at which the parser is, up to its end. */
    void read(JsonParser json) throws IOException {
        type = "";
        counter = NONE;
        connected = 0;
        hasConnections = false;
        Arrays.fill(texts, null);
        keys = 0;
        repeatedKey = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            switch (key) {
                case "node_type" -> {
                    add(0, key);
                    type = textOf(json, value);
                }
                case "counter" -> {
                    add(1, key);
                    counter = index(json, value);
                }
                case "connections" -> {
                    add(2, key);
                    connections(json, value);
                }
                case "params" -> {
                    add(3, key);
                    params(json, value);
                }
                default -> json.skipChildren();
            }
        }
    }

    private void add(int number, String key) {
        if ((keys & (1 << number)) != 0) {
            repeatedKey = key;
        }
        keys |= 1 << number;
    }

    private void connections(JsonParser json, JsonToken value) throws IOException {
        if (value != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        hasConnections = true;
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            int node = index(json, next);
            hasConnections &= node != NONE;
            if (node != NONE && connected < MAX_CONNECTIONS) {
                if (connected == connections.length) {
                    connections = Arrays.copyOf(connections, connected * 2);
                }
                connections[connected++] = node;
            }
        }
    }

    private void params(JsonParser json, JsonToken value) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken next = json.nextToken();
            Param param = Param.BY_KEY.get(key);
            if (param == null) {
                json.skipChildren();
            } else {
                add(4 + param.ordinal(), key);
                texts[param.ordinal()] = scalar(json, next);
            }
        }
    }

    /** Returns a text, a number or a flag as text, and null for any other value, which is skipped. */
    private static @Nullable String scalar(JsonParser json, JsonToken value) throws IOException {
        if (value.isScalarValue() && value != JsonToken.VALUE_NULL) {
            String text = json.getText();
            return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
        }
        json.skipChildren();
        return null;
    }

    private static String textOf(JsonParser json, JsonToken value) throws IOException {
        String text = scalar(json, value);
        return text == null ? "" : text;
    }

    private static int index(JsonParser json, JsonToken value) throws IOException {
        long number = parsed(textOf(json, value));
        return number <= Integer.MAX_VALUE ? (int) number : NONE;
    }

    /** Returns a number that is not negative; empty if the text is no such number. */
    static OptionalLong number(String text) {
        long number = parsed(text);
        return number == NONE ? OptionalLong.empty() : OptionalLong.of(number);
    }

    private static long parsed(String text) {
        String digits = text.strip();
        if (digits.isEmpty() || digits.length() > MAX_DIGITS || !Character.isDigit(digits.charAt(0))) {
            return NONE;
        }
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException otherText) {
            return NONE;
        }
    }

    /** Returns the type, in the words of the capture; empty if the node has none. */
    String type() {
        return type;
    }

    /** Returns the number of the node, or {@link #NONE}. */
    int counter() {
        return counter;
    }

    /** Returns the nodes to which an edge leads. */
    int[] connections() {
        return Arrays.copyOf(connections, connected);
    }

    /** Returns whether it is certain that no edge leads from the node. */
    boolean hasNoEdge() {
        return hasConnections && connected == 0;
    }

    boolean hasSeveralEdges() {
        return connected > 1;
    }

    /** Returns the first node to which an edge leads, or {@link #NONE}. */
    int connection() {
        return connected == 0 ? NONE : connections[0];
    }

    /** Returns a text, or a number as text; null if the node has neither. */
    @Nullable
    String text(Param param) {
        return texts[param.ordinal()];
    }

    /** Returns a number, or a text that is one, if it is not negative. */
    OptionalLong number(Param param) {
        String text = texts[param.ordinal()];
        return text == null ? OptionalLong.empty() : number(text);
    }

    boolean flag(Param param) {
        String text = texts[param.ordinal()];
        return text != null
                && (text.equals("1") || text.toLowerCase(Locale.ROOT).equals("true"));
    }

    /** Returns the device of a buffer. */
    int device() {
        return (int) Math.min(number(Param.DEVICE).orElse(0), HistoryEvent.MAX_DEVICE);
    }

    /** Returns a key with its value that no node can have, such as a negative device; empty if there is none. */
    Optional<String> impossibleValue() {
        if (repeatedKey != null) {
            return Optional.of("key " + repeatedKey + " twice");
        }
        for (Param param : OF_MEMORY) {
            if (isImpossible(param)) {
                return Optional.of(param.key + " " + Quantities.quoted(String.valueOf(text(param))));
            }
        }
        return Optional.empty();
    }

    private boolean isImpossible(Param param) {
        OptionalLong number = number(param);
        if (number.isEmpty()) {
            return texts[param.ordinal()] != null
                    && (param != Param.BUFFER_TYPE || named(text(param)).isEmpty());
        }
        return switch (param) {
            case DEVICE -> number.getAsLong() > HistoryEvent.MAX_DEVICE;
            case BUFFER_TYPE, BUFFER_TYPE_VALUE ->
                typeOfCode(number.getAsLong()).isEmpty();
            default -> false;
        };
    }

    /** Returns the memory of a buffer; empty if the node has none that is known. */
    Optional<BufferType> bufferType() {
        Optional<BufferType> exact = exactType();
        return exact.isPresent() ? exact : named(text(Param.TYPE));
    }

    /** The keys are those of the newest captures, and of those between. */
    private Optional<BufferType> exactType() {
        OptionalLong code = number(Param.BUFFER_TYPE);
        if (code.isEmpty()) {
            code = number(Param.BUFFER_TYPE_VALUE);
        }
        if (code.isPresent()) {
            return typeOfCode(code.getAsLong());
        }
        Optional<BufferType> named = named(text(Param.BUFFER_TYPE));
        return named.isPresent() ? named : named(text(Param.EXACT_BUFFER_TYPE));
    }

    /** Returns where its buffer lies; null if it does not name that. */
    @Nullable
    Memory memory() {
        long address = number(Param.ADDRESS).orElse(0);
        return address == 0
                ? null
                : bufferType().map(type -> new Memory(device(), type, address)).orElse(null);
    }

    /** Returns whether the node names L1 and DRAM only: older captures do, also for L1_SMALL and the trace region. */
    boolean namesCoarseType() {
        return exactType().isEmpty();
    }

    /** Returns whether the node may be of a buffer in a memory. */
    boolean mayLieIn(BufferType memory) {
        Optional<BufferType> named = bufferType();
        return named.isEmpty()
                || named.get() == memory
                || (namesCoarseType() && named.get().memory() == memory.memory());
    }

    /** Returns the memory that the runtime gives a number, if it is one of them. */
    static Optional<BufferType> typeOfCode(long code) {
        return code >= 0 && code < TYPES.length ? Optional.of(TYPES[(int) code]) : Optional.empty();
    }

    private static Optional<BufferType> named(@Nullable String name) {
        return Arrays.stream(TYPES).filter(type -> type.name().equals(name)).findFirst();
    }

    /** The parameters that are read; others are skipped, whatever their size is. */
    enum Param {
        NAME("name"),
        ABORTED("aborted"),
        ABORT_REASON("abort_reason"),
        SHAPE("shape"),
        TENSOR("tensor_id"),
        SIZE("size"),
        TYPE("type"),
        BUFFER_TYPE("buffer_type"),
        BUFFER_TYPE_VALUE("buffer_type_value"),
        EXACT_BUFFER_TYPE("exact_buffer_type"),
        DEVICE("device_id"),
        ADDRESS("address"),
        INPUTS("inputs"),
        ERROR_TYPE("error_type"),
        ERROR_OPERATION("error_operation"),
        ERROR_MESSAGE("error_message");

        private static final int COUNT = values().length;
        private static final Map<String, Param> BY_KEY =
                Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(param -> param.key, param -> param));

        private final String key;

        Param(String key) {
            this.key = key;
        }
    }
}
