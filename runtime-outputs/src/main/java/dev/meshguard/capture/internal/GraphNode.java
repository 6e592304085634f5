package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One node of a graph, read from JSON.
 *
 * <p>Newer captures write numbers as numbers, older ones as texts, and flags in three ways. All are accepted everywhere.
 */
final class GraphNode {

    /** Represents a number that the node does not have, or that is none. */
    static final int NONE = -1;

    /** What is longer is no name and no shape; texts of all nodes stay in memory. */
    private static final int MAX_TEXT = 1_024;

    /** A buffer is used by few tensors; only {@code capture_start} has an edge to very many nodes, which nobody needs. */
    private static final int MAX_CONNECTIONS = 4_096;

    private static final BufferType[] TYPES = BufferType.values();

    private static final List<Param> OF_MEMORY =
            List.of(Param.SIZE, Param.ADDRESS, Param.DEVICE, Param.BUFFER_TYPE, Param.BUFFER_TYPE_VALUE);

    private String type = "";
    private int counter = NONE;
    private int[] connections = {};
    /** Whether the node has a list of edges, and each is the number of a node. */
    private boolean hasConnections;
    /** The texts, numbers and flags by parameter, as texts. */
    private final Map<Param, String> texts = new EnumMap<>(Param.class);

    private final Set<String> keys = new HashSet<>();
    /** A key that the node has twice. */
    private Optional<String> repeatedKey = Optional.empty();

    /** Reads the object at which the parser is, up to its end. */
    GraphNode(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            switch (key) {
                case "node_type" -> type = known(key, scalar(json)).orElse("");
                case "counter" -> counter = index(known(key, scalar(json)));
                case "connections" -> {
                    known(key, Optional.empty());
                    readConnections(json);
                }
                case "params" -> {
                    known(key, Optional.empty());
                    readParams(json);
                }
                default -> json.skipChildren();
            }
        }
    }

    /** Remembers a key of which a node has one; returns its value. */
    private Optional<String> known(String key, Optional<String> value) {
        if (!keys.add(key)) {
            repeatedKey = Optional.of(key);
        }
        return value;
    }

    private void readConnections(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        hasConnections = true;
        IntStream.Builder read = IntStream.builder();
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            int node = index(scalar(json));
            hasConnections &= node != NONE;
            if (node != NONE && count++ < MAX_CONNECTIONS) {
                read.add(node);
            }
        }
        connections = read.build().toArray();
    }

    private void readParams(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            Param param = Param.BY_KEY.get(key);
            json.nextToken();
            if (param == null) {
                json.skipChildren();
            } else {
                known(key, scalar(json)).ifPresentOrElse(text -> texts.put(param, text), () -> texts.remove(param));
            }
        }
    }

    /** Returns a text, a number or a flag as text; any other value is skipped. */
    private static Optional<String> scalar(JsonParser json) throws IOException {
        if (json.currentToken().isScalarValue() && json.currentToken() != JsonToken.VALUE_NULL) {
            String text = json.getText();
            return Optional.of(text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT));
        }
        json.skipChildren();
        return Optional.empty();
    }

    private static int index(Optional<String> text) {
        long number = text.map(GraphNode::number).orElse(OptionalLong.empty()).orElse(NONE);
        return number <= Integer.MAX_VALUE ? (int) number : NONE;
    }

    /** Returns a number that is not negative; empty if the text is no such number. */
    static OptionalLong number(String text) {
        String digits = text.strip();
        try {
            return digits.isEmpty() || !Character.isDigit(digits.charAt(0))
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException otherText) {
            return OptionalLong.empty();
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
        return connections.clone();
    }

    /** Returns whether it is certain that no edge leads from the node. */
    boolean hasNoEdge() {
        return hasConnections && connections.length == 0;
    }

    boolean hasSeveralEdges() {
        return connections.length > 1;
    }

    /** Returns the first node to which an edge leads, or {@link #NONE}. */
    int connection() {
        return connections.length == 0 ? NONE : connections[0];
    }

    /** Returns a text, or a number as text; null if the node has neither. */
    @Nullable
    String text(Param param) {
        return texts.get(param);
    }

    /** Returns a number, or a text that is one, if it is not negative. */
    OptionalLong number(Param param) {
        String text = text(param);
        return text == null ? OptionalLong.empty() : number(text);
    }

    boolean flag(Param param) {
        String text = text(param);
        return text != null
                && (text.equals("1") || text.toLowerCase(Locale.ROOT).equals("true"));
    }

    /** Returns the device of a buffer. */
    int device() {
        return (int) Math.min(number(Param.DEVICE).orElse(0), HistoryEvent.MAX_DEVICE);
    }

    /** Returns a key with its value that no node can have, such as a negative device; empty if there is none. */
    Optional<String> impossibleValue() {
        return repeatedKey
                .map(key -> "key " + key + " twice")
                .or(() -> OF_MEMORY.stream()
                        .filter(this::isImpossible)
                        .findFirst()
                        .map(param -> param.key + " " + Quantities.quoted(String.valueOf(text(param)))));
    }

    private boolean isImpossible(Param param) {
        OptionalLong number = number(param);
        return text(param) != null
                && switch (param) {
                    case DEVICE -> number.orElse(Long.MAX_VALUE) > HistoryEvent.MAX_DEVICE;
                    case BUFFER_TYPE -> numberedOrNamed(param).isEmpty();
                    case BUFFER_TYPE_VALUE -> typeOfCode(number.orElse(NONE)).isEmpty();
                    default -> number.isEmpty();
                };
    }

    /** Returns the memory of a buffer; empty if the node has none that is known. */
    Optional<BufferType> bufferType() {
        return exactType().or(() -> named(Param.TYPE));
    }

    /** The keys are those of the newest captures, and of those between. */
    private Optional<BufferType> exactType() {
        return numberedOrNamed(Param.BUFFER_TYPE)
                .or(() -> typeOfCode(number(Param.BUFFER_TYPE_VALUE).orElse(NONE)))
                .or(() -> named(Param.EXACT_BUFFER_TYPE));
    }

    private Optional<BufferType> numberedOrNamed(Param param) {
        OptionalLong code = number(param);
        return code.isPresent() ? typeOfCode(code.getAsLong()) : named(param);
    }

    private Optional<BufferType> named(Param param) {
        return Arrays.stream(TYPES)
                .filter(known -> known.name().equals(text(param)))
                .findFirst();
    }

    /** Returns where its buffer lies; null if it does not name that. */
    @Nullable
    Memory memory() {
        long address = number(Param.ADDRESS).orElse(0);
        return address == 0
                ? null
                : bufferType()
                        .map(known -> new Memory(device(), known, address))
                        .orElse(null);
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

        private static final Map<String, Param> BY_KEY =
                Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(param -> param.key, param -> param));

        private final String key;

        Param(String key) {
            this.key = key;
        }
    }
}
