package dev.meshguard.capture;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/** A graph capture as the runtime of some age writes it; shares no code with the reader. */
final class WrittenGraph {

    /** The encodings, which differ in the keys of nodes and in the form of numbers. */
    enum Age {
        OLDEST,
        MIDDLE,
        NEWEST
    }

    /** The parameters of a buffer's nodes. */
    record Memory(String type, int code, int device, long address, long size) {

        static Memory l1(long address, long size) {
            return new Memory("L1", 1, 1, address, size);
        }

        static Memory dram(long address, long size) {
            return new Memory("DRAM", 0, 1, address, size);
        }
    }

    private static final class Node {
        private final String type;
        private final int level;
        private final Map<String, Object> params;
        private final List<Integer> connections = new ArrayList<>();

        private Node(String type, int level, Map<String, Object> params) {
            this.type = type;
            this.level = level;
            this.params = params;
        }
    }

    private final Age age;
    private final List<Node> nodes = new ArrayList<>();
    private final Deque<Integer> open = new ArrayDeque<>();

    WrittenGraph(Age age) {
        this.age = age;
        add("capture_start", null);
        open.push(0);
    }

    int begin(String name, int... inputs) {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("inputs", String.valueOf(inputs.length));
        params.put("name", name);
        int function = child("function_start", params);
        for (int tensor : inputs) {
            nodes.get(tensor).connections.add(function);
        }
        open.push(function);
        return function;
    }

    WrittenGraph end(String... tensorsAndReason) {
        int function = open.pop();
        Map<String, Object> params = new LinkedHashMap<>();
        if (tensorsAndReason.length == 1) {
            params.put("aborted", "true");
            params.put("abort_reason", tensorsAndReason[0]);
        }
        params.put("name", nodes.get(function).params.get("name"));
        int end = add("function_end", params);
        nodes.get(function).connections.add(end);
        return this;
    }

    /** Adds the node that identifies a buffer. */
    int buffer(Memory memory) {
        Map<String, Object> params = new LinkedHashMap<>();
        if (age == Age.NEWEST) {
            params.put("buffer_type", memory.code());
        }
        if (age != Age.OLDEST) {
            params.put("device_id", number(memory.device()));
            params.put("layout", "INTERLEAVED");
        }
        params.put("size", number(memory.size()));
        params.put("type", memory.type());
        return child("buffer", params);
    }

    int allocate(Memory memory) {
        int buffer = buffer(memory);
        allocate(buffer, memory);
        return buffer;
    }

    void allocate(int buffer, Memory memory) {
        nodes.get(child("buffer_allocate", params(memory))).connections.add(buffer);
    }

    void free(int buffer, Memory memory) {
        Map<String, Object> params = params(memory);
        if (age == Age.OLDEST) {
            params.remove("address");
            params.put("size", "0");
        }
        nodes.get(child("buffer_deallocate", params)).connections.add(buffer);
    }

    int tensor(long id, String shape, int... buffers) {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("shape", shape);
        params.put("tensor_id", number(id));
        int tensor = add("tensor", params);
        for (int buffer : buffers) {
            nodes.get(buffer).connections.add(tensor);
        }
        return tensor;
    }

    void circularBuffer(int chip, long size, boolean inBuffer) {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", number(111_616));
        params.put("core_range_set", age == Age.NEWEST ? "{[0-0 - 7-3]}" : "{[(x=0,y=0) - (x=7,y=3)]}");
        params.put("device_id", number(chip));
        params.put("globally_allocated", inBuffer ? "1" : "0");
        params.put("size", number(size));
        child("circular_buffer_allocate", params);
    }

    void endCircularBuffers() {
        child("circular_buffer_deallocate_all", new LinkedHashMap<>(Map.of("device_id", number(1))));
    }

    WrittenGraph close() {
        add("capture_end", null);
        return this;
    }

    private Map<String, Object> params(Memory memory) {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", number(memory.address()));
        if (age == Age.NEWEST) {
            params.put("buffer_type", memory.code());
        }
        if (age != Age.OLDEST) {
            params.put("device_id", number(memory.device()));
            params.put("max_size_per_bank", number(2048));
            params.put("num_cores", number(0));
            params.put("page_size", number(2048));
        }
        params.put("layout", "INTERLEAVED");
        params.put("size", number(memory.size()));
        params.put("type", memory.type());
        return params;
    }

    private Object number(long number) {
        return age == Age.NEWEST ? (Object) number : String.valueOf(number);
    }

    private int child(String type, Map<String, Object> params) {
        int child = add(type, params);
        nodes.get(open.element()).connections.add(child);
        return child;
    }

    private int add(String type, Map<String, Object> params) {
        nodes.add(new Node(type, open.size() - (type.startsWith("function_start") ? 0 : 1), params));
        return nodes.size() - 1;
    }

    /** Returns the array of nodes, one a line. */
    String json() {
        return nodes().stream().collect(Collectors.joining(",\n ", "[\n ", "\n]\n"));
    }

    /** Returns the nodes, in their order. */
    List<String> nodes() {
        List<String> texts = new ArrayList<>();
        for (int counter = 0; counter < nodes.size(); counter++) {
            Node node = nodes.get(counter);
            Map<String, Object> keys = new TreeMap<>();
            keys.put("arguments", List.of());
            keys.put("connections", node.connections);
            keys.put("counter", counter);
            keys.put("node_type", node.type);
            if (age != Age.OLDEST) {
                keys.put("input_tensors", List.of());
                keys.put("stacking_level", Math.max(0, node.level));
            }
            StringBuilder text = new StringBuilder("{");
            keys.forEach((key, value) ->
                    text.append(quoted(key)).append(':').append(value(value)).append(','));
            texts.add(text.append("\"params\":")
                    .append(paramsText(node))
                    .append('}')
                    .toString());
        }
        return texts;
    }

    private String paramsText(Node node) {
        if (node.params == null) {
            return age == Age.NEWEST ? "null" : "{}";
        }
        return node.params.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ":" + value(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String value(Object value) {
        return value instanceof String text ? quoted(text) : value.toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    /** Returns the report file that has these nodes and the sections of detailed tracing. */
    String report() {
        return report(Map.of());
    }

    /** Returns the report file that has these nodes, and sections besides those of detailed tracing or instead of them. */
    String report(Map<String, String> sections) {
        Map<String, String> all = new TreeMap<>(Map.of(
                "buffer_pages", "[{\"address\": 1}]",
                "devices", "[{\"arch\": \"wormhole_b0\"}]",
                "graph", json(),
                "metadata", "{\"rank\": 0, \"world_size\": 1}",
                "per_operation_buffers", "{\"10\": [], \"2\": []}",
                "version", "1"));
        all.putAll(sections);
        return all.entrySet().stream()
                .map(section -> "  " + quoted(section.getKey()) + ": " + section.getValue())
                .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(compressed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return compressed.toByteArray();
    }

    RuntimeOutput read() {
        return read(json());
    }

    static RuntimeOutput read(String json) {
        return read(json, RuntimeOutputReader.create());
    }

    static RuntimeOutput read(String json, RuntimeOutputReader reader) {
        try {
            return reader.read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "graph.json");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
