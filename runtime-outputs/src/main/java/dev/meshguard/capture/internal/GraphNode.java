package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
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

    /** The types of nodes for memory outside the allocator, which a program has until it ends. */
    private static final Set<String> MEMORY_OF_PROGRAMS =
            Set.of("circular_buffer_allocate", "dataflow_buffer_allocate", "scratchpad_allocate");

    private static final String CONNECTIONS = "connections";
    private static final String PARAMS = "params";

    /** The keys of a node; others are skipped, whatever their size is. */
    static final Set<String> KEYS_OF_NODE = Set.of(CONNECTIONS, "counter", "node_type", PARAMS);

    /** The keys of a buffer in a snapshot. */
    static final Set<String> KEYS_OF_ROW = Set.of("address", "buffer_type");

    private static final Set<String> KEYS_OF_PARAMS = Set.of(
            "aborted",
            "abort_reason",
            "address",
            "buffer_type",
            "buffer_type_value",
            "device_id",
            "error_message",
            "error_operation",
            "error_type",
            "exact_buffer_type",
            "inputs",
            "name",
            "shape",
            "size",
            "tensor_id",
            "type");

    private static final List<String> NUMBERS_OF_MEMORY =
            List.of("size", "address", "device_id", "buffer_type", "buffer_type_value");

    /** The texts, numbers and flags by key, as texts; other values are null. */
    private final Map<String, @Nullable String> texts = new HashMap<>();

    /** The type, in the words of the capture; empty if the node has none. */
    final String type;

    /** The nodes to which an edge leads. */
    int[] connections = {};

    /** Whether the node has a list of edges, and each is the number of a node. */
    private boolean hasConnections;
    /** A key that the node has twice. */
    private Optional<String> repeatedKey = Optional.empty();

    /** Reads the object at which the parser is, up to its end. */
    private GraphNode(JsonParser json, Set<String> keys) throws IOException {
        readKeys(json, keys);
        type = text("node_type").orElse("");
    }

    /**
     * Passes the objects of the array at which a parser is to a consumer; returns how many of its elements are no objects.
     *
     * @param keys the keys that are read of each
     */
    static long each(JsonParser json, Set<String> keys, Consumer<GraphNode> consumer) throws IOException {
        long others = 0;
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            if (next == JsonToken.START_OBJECT) {
                consumer.accept(new GraphNode(json, keys));
            } else {
                json.skipChildren();
                others++;
            }
        }
        return others;
    }

    private void readKeys(JsonParser json, Set<String> keys) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            if (keys.contains(key)) {
                if (texts.containsKey(key)) {
                    repeatedKey = Optional.of(key);
                }
                texts.put(key, scalar(json));
                if (key.equals(PARAMS) && value == JsonToken.START_OBJECT) {
                    readKeys(json, KEYS_OF_PARAMS);
                } else if (key.equals(CONNECTIONS) && value == JsonToken.START_ARRAY) {
                    readConnections(json);
                }
            }
            json.skipChildren();
        }
    }

    private void readConnections(JsonParser json) throws IOException {
        hasConnections = true;
        IntStream.Builder read = IntStream.builder();
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            int node = index(Optional.ofNullable(scalar(json)));
            hasConnections &= node != NONE;
            if (node != NONE && count++ < MAX_CONNECTIONS) {
                read.add(node);
            }
            json.skipChildren();
        }
        connections = read.build().toArray();
    }

    /** Returns a text, a number or a flag as text; null for any other value. */
    private static @Nullable String scalar(JsonParser json) throws IOException {
        if (!json.currentToken().isScalarValue() || json.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        String text = json.getText();
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }

    private static int index(Optional<String> text) {
        long number = text.map(GraphNode::numberIn).orElse(OptionalLong.empty()).orElse(NONE);
        return number <= Integer.MAX_VALUE ? (int) number : NONE;
    }

    /** Returns a number that is not negative; empty if the text is no such number. */
    static OptionalLong numberIn(String text) {
        String digits = text.strip();
        try {
            return digits.isEmpty() || !Character.isDigit(digits.charAt(0))
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException otherText) {
            return OptionalLong.empty();
        }
    }

    /** Returns the number of the node, or {@link #NONE}. */
    int counter() {
        return index(text("counter"));
    }

    /** Returns whether it is certain that no edge leads from the node. */
    boolean hasNoEdge() {
        return hasConnections && connections.length == 0;
    }

    /** Returns the first node to which an edge leads, or {@link #NONE}. */
    int connection() {
        return connections.length == 0 ? NONE : connections[0];
    }

    /** Returns the text of a key, or its number or flag as text; empty if the node has none of them. */
    Optional<String> text(String key) {
        return Optional.ofNullable(texts.get(key));
    }

    /** Returns a number, or a text that is one, if it is not negative. */
    OptionalLong number(String key) {
        return text(key).map(GraphNode::numberIn).orElse(OptionalLong.empty());
    }

    /** Returns whether the operation around the node runs a program: the node allocates memory of one, which is not judged. */
    boolean isOfProgram() {
        return MEMORY_OF_PROGRAMS.contains(type);
    }

    boolean isAborted() {
        return text("aborted")
                .filter(flag -> flag.equals("1") || flag.equalsIgnoreCase("true"))
                .isPresent();
    }

    /** Returns the device of a buffer. */
    int device() {
        return (int) Math.min(number("device_id").orElse(0), HistoryEvent.MAX_DEVICE);
    }

    /** Returns a key with its value that no node can have, such as a negative device; empty if there is none. */
    Optional<String> impossibleValue() {
        return repeatedKey
                .map(key -> "key " + key + " twice")
                .or(() -> NUMBERS_OF_MEMORY.stream()
                        .filter(key -> text(key).isPresent() && isImpossible(key))
                        .findFirst()
                        .map(key -> key + " " + Quantities.quoted(text(key).orElseThrow())));
    }

    private boolean isImpossible(String key) {
        OptionalLong number = number(key);
        return switch (key) {
            case "device_id" -> number.orElse(Long.MAX_VALUE) > HistoryEvent.MAX_DEVICE;
            case "buffer_type" -> numberedOrNamed(key).isEmpty();
            case "buffer_type_value" -> typeOfCode(number.orElse(NONE)).isEmpty();
            default -> number.isEmpty();
        };
    }

    /** Returns the memory of a buffer; empty if the node has none that is known. */
    Optional<BufferType> bufferType() {
        return exactType().or(() -> named("type"));
    }

    /** The keys are those of the newest captures, and of those between. */
    private Optional<BufferType> exactType() {
        return numberedOrNamed("buffer_type")
                .or(() -> typeOfCode(number("buffer_type_value").orElse(NONE)))
                .or(() -> named("exact_buffer_type"));
    }

    private Optional<BufferType> numberedOrNamed(String key) {
        OptionalLong code = number(key);
        return code.isPresent() ? typeOfCode(code.getAsLong()) : named(key);
    }

    private Optional<BufferType> named(String key) {
        return text(key)
                .flatMap(name -> Arrays.stream(TYPES)
                        .filter(type -> type.name().equals(name))
                        .findFirst());
    }

    /** Returns where its buffer lies; null if it does not name that. */
    @Nullable
    RecordedAddress memory() {
        long address = number("address").orElse(0);
        return address == 0
                ? null
                : bufferType()
                        .map(known -> new RecordedAddress(device(), known, address))
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
}
