package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.BufferType;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One node of a graph, read from JSON; used again for the next one.
 *
 * <p>Newer captures write numbers as numbers, older ones as texts, and flags in three ways. All are accepted everywhere.
 */
final class GraphNode {

    /** Represents a number that the node does not have, or that is none. */
    static final int NONE = -1;

    /** The parameters that are read; others are skipped, whatever their size is. */
    private static final Set<String> READ = Set.of(
            "name",
            "aborted",
            "abort_reason",
            "shape",
            "tensor_id",
            "size",
            "type",
            "buffer_type",
            "buffer_type_value",
            "device_id",
            "address",
            "globally_allocated",
            "borrows_memory",
            "error_type",
            "error_message");

    private static final BufferType[] TYPES = BufferType.values();

    private String type = "";
    private int counter = NONE;
    private int[] connections = new int[4];
    private int connected;
    private final Map<String, String> params = new HashMap<>();

    /** Reads the object at which the parser is, up to its end. */
    void read(JsonParser json) throws IOException {
        type = "";
        counter = NONE;
        connected = 0;
        params.clear();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            switch (key) {
                case "node_type" -> type = scalar(json, value).orElse("");
                case "counter" -> counter = index(scalar(json, value));
                case "connections" -> connections(json, value);
                case "params" -> params(json, value);
                default -> json.skipChildren();
            }
        }
    }

    private void connections(JsonParser json, JsonToken value) throws IOException {
        if (value != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            int node = index(scalar(json, next));
            if (node != NONE) {
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
            if (READ.contains(key)) {
                scalar(json, next).ifPresent(text -> params.put(key, text));
            } else {
                json.skipChildren();
            }
        }
    }

    /** Returns a text, a number or a flag as text; skips any other value. */
    private static Optional<String> scalar(JsonParser json, JsonToken value) throws IOException {
        if (value.isScalarValue() && value != JsonToken.VALUE_NULL) {
            return Optional.of(json.getText());
        }
        json.skipChildren();
        return Optional.empty();
    }

    private static int index(Optional<String> text) {
        OptionalLong number = text.map(GraphNode::number).orElse(OptionalLong.empty());
        return number.isPresent() && number.getAsLong() <= Integer.MAX_VALUE ? (int) number.getAsLong() : NONE;
    }

    /** Returns a number that is not negative; empty if the text is no such number. */
    static OptionalLong number(String text) {
        String digits = text.strip();
        if (digits.isEmpty()
                || digits.length() > 19
                || !digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException tooLarge) {
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
        return Arrays.copyOf(connections, connected);
    }

    /** Returns the first node to which an edge leads, or {@link #NONE}. */
    int connection() {
        return connected == 0 ? NONE : connections[0];
    }

    @Nullable
    String text(String param) {
        return params.get(param);
    }

    OptionalLong number(Param param) {
        String text = params.get(param.key);
        return text == null ? OptionalLong.empty() : number(text);
    }

    boolean flag(String param) {
        String text = params.get(param);
        return text != null
                && (text.equals("1") || text.toLowerCase(Locale.ROOT).equals("true"));
    }

    /** Returns the device of a buffer, or the chip of a circular buffer. */
    int device() {
        return (int) Math.min(number(Param.DEVICE).orElse(0), Integer.MAX_VALUE);
    }

    /** Returns the memory of a buffer; empty if the node has none that is known. */
    Optional<BufferType> bufferType() {
        OptionalLong code = number(Param.BUFFER_TYPE);
        if (code.isPresent()) {
            return typeOfCode(code.getAsLong());
        }
        Optional<BufferType> exact = named(text("buffer_type"));
        return exact.isPresent() ? exact : named(text("type"));
    }

    /** Returns whether the node names L1 and DRAM only: older captures do, also for L1_SMALL and the trace region. */
    boolean namesCoarseType() {
        return number(Param.BUFFER_TYPE).isEmpty() && named(text("buffer_type")).isEmpty();
    }

    /** Returns the memory that the runtime gives a number, if it is one of them. */
    static Optional<BufferType> typeOfCode(long code) {
        return code >= 0 && code < TYPES.length ? Optional.of(TYPES[(int) code]) : Optional.empty();
    }

    private static Optional<BufferType> named(@Nullable String name) {
        return Arrays.stream(TYPES).filter(type -> type.name().equals(name)).findFirst();
    }

    /** The parameters that are numbers. */
    enum Param {
        SIZE("size"),
        ADDRESS("address"),
        DEVICE("device_id"),
        BUFFER_TYPE("buffer_type"),
        TENSOR("tensor_id");

        private final String key;

        Param(String key) {
            this.key = key;
        }
    }
}
