package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.event.BufferType;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Parses a graph capture: an array of nodes, or a report that contains one.
 *
 * <p>A report may have gigabytes, most of them in sections that are skipped. So it is read as a stream, and only one node
 * is in memory.
 */
public final class GraphParser {

    static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            // Keys may be addresses, each another one: Jackson forgets them when they are too many.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(100).build())
            .build();

    private static final Set<String> KEYS_OF_NODES = Set.of(
            "arguments",
            "connections",
            "counter",
            "duration_ns",
            "input_tensors",
            "node_type",
            "params",
            "stacking_level",
            "stack_trace");

    private static final String GRAPH = "graph";

    private static final String SNAPSHOTS = "per_operation_buffers";

    private static final String UNREADABLE = "buffer of a snapshot without valid numbers";

    private static final Set<String> PAGES = Set.of("buffer_pages", "buffer_pages_by_address");

    private static final Set<String> KEYS_OF_REPORTS = Set.of(
            GRAPH,
            "buffer_pages",
            "buffer_pages_by_address",
            "cluster_descriptor",
            "devices",
            "mesh_coordinate_mapping",
            "metadata",
            "per_operation_buffers",
            "python_io",
            "version");

    private static final String VERSION = "1";

    private final CaptureRecorder recorder;
    private final GraphNode node = new GraphNode();
    private boolean isReport;
    private boolean hasGraph;
    private boolean hasNode;

    private GraphParser(CaptureRecorder recorder) {
        this.recorder = recorder;
    }

    /** Returns whether the first bytes of a file, plain or compressed, are those of a capture. */
    public static boolean isGraphCapture(byte[] beginning) {
        try (JsonParser json = JSON.createParser(PlainInput.of(new ByteArrayInputStream(beginning)).stream())) {
            JsonToken first = json.nextToken();
            if (first == JsonToken.START_OBJECT) {
                return json.nextToken() == JsonToken.FIELD_NAME && KEYS_OF_REPORTS.contains(json.currentName());
            }
            return first == JsonToken.START_ARRAY && json.nextToken() == JsonToken.START_OBJECT && hasKeyOfNode(json);
        } catch (IOException notJson) {
            return false;
        }
    }

    /** The file of Python calls beside a capture begins likewise, but its arguments have names. */
    private static boolean hasKeyOfNode(JsonParser json) throws IOException {
        return json.nextToken() == JsonToken.FIELD_NAME
                && KEYS_OF_NODES.contains(json.currentName())
                && (!json.currentName().equals("arguments") || json.nextToken() == JsonToken.START_ARRAY);
    }

    /**
     * Reads a capture to its end.
     *
     * @param path where it is, if the Python calls beside it are to be read
     * @throws UnreadableOutputException if it is no graph capture
     */
    public static OutputContent parse(InputStream raw, Optional<Path> path, ReadingCriteria criteria)
            throws IOException {
        GraphParser parser = new GraphParser(new CaptureRecorder(criteria));
        path.flatMap(PythonCalls::beside)
                .filter(Files::isRegularFile)
                .ifPresent(calls -> parser.recorder.calls(PythonCalls.read(calls)));
        PlainInput plain = PlainInput.of(raw);
        String damage = plain.damage().orElseGet(() -> null);
        if (damage == null) {
            damage = parser.damageOf(plain.stream());
        }
        if (damage != null) {
            parser.recorder.damaged(damage);
        }
        return parser.recorder.finish();
    }

    /**
     * Passes the nodes of an array to a consumer, each until it returns.
     *
     * @throws IOException if it is not such an array
     */
    static void eachNode(String array, Consumer<GraphNode> consumer) throws IOException {
        GraphNode node = new GraphNode();
        try (JsonParser json = JSON.createParser(array)) {
            if (json.nextToken() != JsonToken.START_ARRAY) {
                throw new UnreadableOutputException("it is no array of nodes");
            }
            for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
                if (next == JsonToken.START_OBJECT) {
                    node.read(json);
                    consumer.accept(node);
                } else {
                    json.skipChildren();
                }
            }
        }
    }

    /** Reads all nodes; returns what prevented the reader from reading more. */
    private @Nullable String damageOf(InputStream plain) throws IOException {
        try (JsonParser json = JSON.createParser(plain)) {
            document(json);
            return null;
        } catch (StreamConstraintsException e) {
            return "a value is larger or nested more deeply than the reader allows";
        } catch (JsonProcessingException e) {
            if (!hasGraph) {
                throw new UnreadableOutputException(
                        isReport
                                ? "it breaks off or is damaged before its graph, so nothing of it is known. Write or copy it"
                                        + " again"
                                : "it is no JSON, and a graph capture is. Give the file that"
                                        + " ttnn.graph.end_graph_capture_to_file wrote");
            }
            return "the JSON breaks off or is damaged";
        } catch (EOFException | ZipException e) {
            return PlainInput.BROKEN;
        }
    }

    private void document(JsonParser json) throws IOException {
        JsonToken first = json.nextToken();
        if (first == null) {
            throw new UnreadableOutputException("it is empty");
        }
        if (first == JsonToken.START_ARRAY) {
            nodes(json);
        } else if (first == JsonToken.START_OBJECT) {
            isReport = true;
            recorder.expectCalls();
            recorder.expectSnapshots();
            report(json);
        }
        if (!hasGraph) {
            throw new UnreadableOutputException("it is JSON without a graph: neither an array of nodes nor a report"
                    + " with the key \"graph\". Give the file that ttnn.graph.end_graph_capture_to_file wrote");
        }
        if (!hasNode && recorder.nodes() > 0) {
            throw new UnreadableOutputException(String.format(
                    Locale.ROOT,
                    "none of its %d elements has a node_type, so they are no nodes of a graph. If it is the"
                            + " .python_io.json beside a capture, give the capture",
                    recorder.nodes()));
        }
        if (json.nextToken() != null) {
            recorder.skipped("data after the end of the JSON");
        }
    }

    private void report(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            if (key.equals(GRAPH) && value == JsonToken.START_ARRAY && !hasGraph) {
                nodes(json);
                continue;
            }
            if (key.equals(SNAPSHOTS) && value == JsonToken.START_OBJECT && hasGraph) {
                snapshots(json);
                continue;
            }
            if (key.equals("python_io") && value == JsonToken.START_ARRAY) {
                recorder.calls(PythonCalls.read(json, "python_io of the report"));
                continue;
            }
            if (key.equals("metadata") && value == JsonToken.START_OBJECT) {
                metadata(json);
                continue;
            }
            if (key.equals("version")
                    && value.isScalarValue()
                    && !json.getText().equals(VERSION)) {
                recorder.otherVersion(json.getText());
            } else if (PAGES.contains(key) || key.equals(SNAPSHOTS)) {
                recorder.skipped("section " + key);
            }
            json.skipChildren();
        }
    }

    /** The keys are numbers in the order of texts, so the operations are not in their order. */
    private void snapshots(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            OptionalLong key = GraphNode.number(json.currentName());
            Optional<SnapshotComparison> comparison = Optional.empty();
            if (key.isPresent() && key.getAsLong() < Integer.MAX_VALUE) {
                comparison = recorder.snapshotAfter((int) key.getAsLong());
            } else {
                recorder.skipped("snapshot without the number of an operation");
            }
            if (json.nextToken() == JsonToken.START_ARRAY && comparison.isPresent()) {
                snapshot(json, (int) key.getAsLong(), comparison.get());
            } else {
                json.skipChildren();
            }
        }
    }

    private void snapshot(JsonParser json, int operation, SnapshotComparison comparison) throws IOException {
        comparison.snapshotBegan();
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            if (next != JsonToken.START_OBJECT) {
                json.skipChildren();
                recorder.skipped(UNREADABLE);
                continue;
            }
            OptionalLong address = OptionalLong.empty();
            Optional<BufferType> type = Optional.empty();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                if (json.nextToken().isScalarValue() && key.equals("address")) {
                    address = GraphNode.number(json.getText());
                } else if (json.currentToken().isScalarValue() && key.equals("buffer_type")) {
                    OptionalLong code = GraphNode.number(json.getText());
                    type = code.isPresent() ? GraphNode.typeOfCode(code.getAsLong()) : Optional.empty();
                } else {
                    json.skipChildren();
                }
            }
            if (address.isPresent() && type.isPresent()) {
                comparison.buffer(operation, type.get(), address.getAsLong());
            } else {
                recorder.skipped(UNREADABLE);
            }
        }
        comparison.snapshotEnded(operation);
    }

    /** A report of one process has rank 0 of 1, which names nothing. */
    private void metadata(JsonParser json) throws IOException {
        int rank = -1;
        int worldSize = 1;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            if (json.nextToken().isNumeric() && key.equals("rank")) {
                rank = json.getValueAsInt(-1);
            } else if (json.currentToken().isNumeric() && key.equals("world_size")) {
                worldSize = json.getValueAsInt(1);
            } else {
                json.skipChildren();
            }
        }
        if (rank >= 0 && worldSize > 1) {
            recorder.rank(rank);
        }
    }

    private void nodes(JsonParser json) throws IOException {
        hasGraph = true;
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            if (next == JsonToken.START_OBJECT) {
                node.read(json);
                hasNode |= !node.type().isEmpty();
                recorder.node(node);
            } else {
                json.skipChildren();
                recorder.skipped("element that is no object");
            }
        }
    }
}
