package dev.meshguard.verification.corpus.writing;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verification.corpus.writing.WritableHistory.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes calls as the nodes of a graph capture, in its newest encoding.
 *
 * <p>A history knows nothing of pages, cores and tensors, so their parameters are omitted. Source of the encoding:
 * {@code ttnn/core/graph/graph_processor.cpp}.
 */
final class GraphWriter {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final boolean withId;
    private final List<Map<String, @Nullable Object>> nodes = new ArrayList<>();
    /** By the number of a node, those that it leads to. */
    private final List<List<Integer>> connections = new ArrayList<>();

    private final Map<BufferGeneration, Integer> bufferNodes = new HashMap<>();

    private GraphWriter(boolean withId) {
        this.withId = withId;
    }

    /** Writes a whole capture; the stream stays open. */
    static void write(WritableHistory history, OutputStream file) throws IOException {
        String graph = new GraphWriter(false).graphOf(history.steps(), history.isWhole());
        file.write(graph.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the graph of one operation, as a database has it: each node has an id too. */
    static String graphOf(Step operation) throws IOException {
        return new GraphWriter(true).graphOf(List.of(operation), true);
    }

    /** A capture without an end shows its reader that reports are missing. */
    private String graphOf(List<Step> steps, boolean isWhole) throws IOException {
        int start = node("capture_start", 0, null);
        int lastFunction = start;
        for (Step step : steps) {
            if (step.owner().isEmpty()) {
                addBuffers(step, 0, start);
                continue;
            }
            String name = step.owner().get();
            int function = node("function_start", 1, Map.of("inputs", "0", "name", name));
            connect(start, function);
            if (lastFunction != start) {
                connect(lastFunction, function);
            }
            addBuffers(step, 1, function);
            lastFunction = node("function_end", 1, Map.of("name", name));
            connect(function, lastFunction);
        }
        if (isWhole) {
            connect(lastFunction, node("capture_end", 0, null));
        }
        return JSON.writeValueAsString(nodes);
    }

    /** Adds the nodes of a call's buffers, which lie in a function or in the capture. */
    private void addBuffers(Step step, int level, int parent) {
        for (BufferGeneration buffer : step.buffers()) {
            int known = bufferNodes.computeIfAbsent(buffer, first -> {
                int added = node("buffer", level, params(buffer));
                connect(parent, added);
                return added;
            });
            Map<String, Object> params = params(buffer);
            params.put("address", buffer.address());
            buffer.request().details().extent().ifPresent(extent -> params.put("max_size_per_bank", extent));
            int report = node(step.isAllocation() ? "buffer_allocate" : "buffer_deallocate", level, params);
            connect(report, known);
            connect(parent, report);
        }
    }

    private static Map<String, Object> params(BufferGeneration buffer) {
        Map<String, Object> params = new HashMap<>();
        params.put("buffer_type", buffer.type().code());
        params.put("device_id", buffer.device());
        params.put("layout", "UNKNOWN");
        params.put("size", buffer.size());
        params.put("type", typeOf(buffer.type()));
        return params;
    }

    private void connect(int node, int other) {
        connections.get(node).add(other);
    }

    /** Adds a node, and returns its number. */
    private int node(String type, int level, @Nullable Map<String, Object> params) {
        int counter = nodes.size();
        connections.add(new ArrayList<>());
        Map<String, @Nullable Object> node = new LinkedHashMap<>();
        node.put("arguments", List.of());
        node.put("connections", connections.get(counter));
        node.put("counter", counter);
        if (withId) {
            node.put("id", counter);
        }
        node.put("input_tensors", List.of());
        node.put("node_type", type);
        node.put("params", params);
        node.put("stacking_level", level);
        nodes.add(node);
        return counter;
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
