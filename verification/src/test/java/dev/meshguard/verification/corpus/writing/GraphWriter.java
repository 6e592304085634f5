package dev.meshguard.verification.corpus.writing;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verification.corpus.writing.WritableHistory.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes calls as the nodes of a graph capture, in its newest encoding.
 *
 * <p>A history knows nothing of pages, cores and tensors, so their parameters are omitted. Source of the encoding:
 * {@code ttnn/core/graph/graph_processor.cpp}.
 */
final class GraphWriter {

    private static final JsonFactory JSON = new JsonFactory();

    /** One node; its number is its index. */
    private static final class Node {
        private final String type;
        private final int level;
        private final Optional<String> name;
        private final Optional<BufferGeneration> buffer;
        private int[] connections = {};

        private Node(String type, int level, Optional<String> name, Optional<BufferGeneration> buffer) {
            this.type = type;
            this.level = level;
            this.name = name;
            this.buffer = buffer;
        }

        private void connect(int node) {
            connections = Arrays.copyOf(connections, connections.length + 1);
            connections[connections.length - 1] = node;
        }
    }

    private final List<Node> nodes = new ArrayList<>();
    private final Map<BufferGeneration, Integer> bufferNodes = new HashMap<>();
    /** The nodes that lie directly in the capture. */
    private final List<Integer> outermost = new ArrayList<>();

    private GraphWriter() {}

    /** Writes a whole capture; the stream stays open. */
    static void write(WritableHistory history, OutputStream file) throws IOException {
        GraphWriter graph = new GraphWriter();
        graph.add(history.steps(), history.isWhole());
        try (JsonGenerator json = JSON.createGenerator(file, JsonEncoding.UTF8)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            graph.write(json, false);
        }
    }

    /** Returns the graph of one operation, as a database has it: each node has an id too. */
    static String graphOf(Step operation) throws IOException {
        GraphWriter graph = new GraphWriter();
        graph.add(List.of(operation), true);
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            graph.write(json, true);
        }
        return text.toString();
    }

    /** Adds the nodes. A capture without an end shows its reader that reports are missing. */
    private void add(List<Step> steps, boolean isWhole) {
        node("capture_start", 0, Optional.empty(), Optional.empty());
        int lastFunction = -1;
        for (Step step : steps) {
            if (step.owner().isEmpty()) {
                buffers(step, 0).forEach(outermost::add);
                continue;
            }
            int function = node("function_start", 1, step.owner(), Optional.empty());
            outermost.add(function);
            if (lastFunction >= 0) {
                nodes.get(lastFunction).connect(function);
            }
            buffers(step, 1).forEach(nodes.get(function)::connect);
            lastFunction = node("function_end", 1, step.owner(), Optional.empty());
            nodes.get(function).connect(lastFunction);
        }
        if (isWhole) {
            int end = node("capture_end", 0, Optional.empty(), Optional.empty());
            if (lastFunction >= 0) {
                nodes.get(lastFunction).connect(end);
            } else {
                outermost.add(end);
            }
        }
        nodes.get(0).connections =
                outermost.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Adds the nodes of a call's buffers, and returns their numbers. */
    private List<Integer> buffers(Step step, int level) {
        List<Integer> added = new ArrayList<>();
        for (BufferGeneration buffer : step.buffers()) {
            Integer known = bufferNodes.get(buffer);
            if (known == null) {
                known = node("buffer", level, Optional.empty(), Optional.of(buffer));
                bufferNodes.put(buffer, known);
                added.add(known);
            }
            String type = step.isAllocation() ? "buffer_allocate" : "buffer_deallocate";
            int report = node(type, level, Optional.empty(), Optional.of(buffer));
            nodes.get(report).connect(known);
            added.add(report);
        }
        return added;
    }

    private int node(String type, int level, Optional<String> name, Optional<BufferGeneration> buffer) {
        nodes.add(new Node(type, level, name, buffer));
        return nodes.size() - 1;
    }

    private void write(JsonGenerator json, boolean withId) throws IOException {
        json.writeStartArray();
        for (int counter = 0; counter < nodes.size(); counter++) {
            json.writeRaw('\n');
            write(nodes.get(counter), counter, json, withId);
        }
        json.writeRaw('\n');
        json.writeEndArray();
        json.writeRaw('\n');
    }

    private static void write(Node node, int counter, JsonGenerator json, boolean withId) throws IOException {
        json.writeStartObject();
        writeNumbers(json, "arguments");
        writeNumbers(json, "connections", node.connections);
        json.writeNumberField("counter", counter);
        if (withId) {
            json.writeNumberField("id", counter);
        }
        writeNumbers(json, "input_tensors");
        json.writeStringField("node_type", node.type);
        writeParams(node, json);
        json.writeNumberField("stacking_level", node.level);
        json.writeEndObject();
    }

    private static void writeNumbers(JsonGenerator json, String key, int... numbers) throws IOException {
        json.writeFieldName(key);
        json.writeArray(numbers, 0, numbers.length);
    }

    private static void writeParams(Node node, JsonGenerator json) throws IOException {
        if (node.buffer.isPresent()) {
            writeBuffer(node.buffer.get(), !node.type.equals("buffer"), json);
        } else if (node.name.isPresent()) {
            json.writeObjectFieldStart("params");
            if (node.type.equals("function_start")) {
                json.writeStringField("inputs", "0");
            }
            json.writeStringField("name", node.name.get());
            json.writeEndObject();
        } else {
            json.writeNullField("params");
        }
    }

    private static void writeBuffer(BufferGeneration buffer, boolean isReport, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("params");
        if (isReport) {
            json.writeNumberField("address", buffer.address());
        }
        json.writeNumberField("buffer_type", buffer.type().code());
        json.writeNumberField("device_id", buffer.device());
        json.writeStringField("layout", "UNKNOWN");
        if (isReport && buffer.request().details().extent().isPresent()) {
            json.writeNumberField(
                    "max_size_per_bank", buffer.request().details().extent().getAsLong());
        }
        json.writeNumberField("size", buffer.size());
        json.writeStringField("type", typeOf(buffer.type()));
        json.writeEndObject();
    }

    /** The runtime writes L1 for L1_SMALL, and DRAM for the trace region. */
    private static String typeOf(BufferType type) {
        return switch (type.memory()) {
            case DRAM -> BufferType.DRAM.name();
            case L1 -> BufferType.L1.name();
            case SYSTEM -> BufferType.SYSTEM_MEMORY.name();
        };
    }
}
