package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.event.BufferType;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    private static final Set<String> KEYS_OF_REPORTS = Set.of(
            GRAPH,
            "buffer_pages",
            "buffer_pages_by_address",
            "cluster_descriptor",
            "devices",
            "mesh_coordinate_mapping",
            "metadata",
            SNAPSHOTS,
            "python_io",
            "version");

    private static final String VERSION = "1";

    private final ReadingCriteria criteria;
    private final List<CaptureRecorder> captures = new ArrayList<>();

    // The document that is being read.
    private CaptureRecorder recorder;
    private boolean isReport;
    private boolean hasGraph;
    private boolean hasNode;

    private GraphParser(ReadingCriteria criteria) {
        this.criteria = criteria;
        this.recorder = new CaptureRecorder(criteria);
    }

    /** Returns whether the first bytes of a file are those of a capture. */
    public static boolean isGraphCapture(byte[] beginning) {
        try (JsonParser json = JSON.createParser(beginning)) {
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
     * Reads all captures of a file to its end. The Python calls beside it are those of the first.
     *
     * @param path where it is, if the Python calls beside it are to be read
     * @param name the name of the file
     * @return the output for each, at least one
     * @throws UnreadableOutputException if it is no graph capture
     */
    public static List<RuntimeOutput> parse(InputStream raw, Optional<Path> path, ReadingCriteria criteria, String name)
            throws IOException {
        GraphParser parser = new GraphParser(criteria);
        path.flatMap(PythonCalls::beside)
                .filter(Files::isRegularFile)
                .ifPresent(calls -> parser.recorder.calls(PythonCalls.read(calls)));
        PlainInput plain = PlainInput.of(raw);
        String damage = plain.damage().orElseGet(() -> null);
        if (damage == null) {
            damage = parser.damageOf(plain.stream());
        }
        if (damage != null) {
            parser.damaged(damage);
        }
        List<RuntimeOutput> outputs = new ArrayList<>();
        int all = parser.captures.size();
        for (CaptureRecorder capture : parser.captures) {
            String number = String.format(Locale.ROOT, " (capture %d of %d)", outputs.size() + 1, all);
            outputs.add(capture.finish(all == 1 ? name : name + number));
        }
        return outputs;
    }

    private void damaged(String reason) {
        if (hasGraph || captures.isEmpty()) {
            captures.add(recorder);
            recorder.damaged(reason);
        } else {
            unreadAfterEnd(reason);
        }
    }

    private void unreadAfterEnd(String reason) {
        captures.get(captures.size() - 1).lost(-1, "what follows the end of the capture is not read: %s", reason);
    }

    /** Passes the nodes of the array at which a parser is to a consumer; returns how many of its elements are no objects. */
    static long eachNode(JsonParser json, Consumer<GraphNode> consumer) throws IOException {
        long others = 0;
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            if (next == JsonToken.START_OBJECT) {
                consumer.accept(new GraphNode(json));
            } else {
                json.skipChildren();
                others++;
            }
        }
        return others;
    }

    /** Reads all nodes; returns what prevented the reader from reading more. */
    private @Nullable String damageOf(InputStream plain) throws IOException {
        try (JsonParser json = JSON.createParser(plain)) {
            JsonToken first = json.nextToken();
            if (first == null) {
                throw new UnreadableOutputException("it is empty");
            }
            for (; first != null; first = json.nextToken()) {
                document(json, first);
                hasGraph = false;
                recorder = new CaptureRecorder(criteria);
            }
            return null;
        } catch (StreamConstraintsException e) {
            return "a value is larger or nested more deeply than the reader allows";
        } catch (JsonProcessingException e) {
            if (!hasGraph && captures.isEmpty()) {
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

    private void document(JsonParser json, JsonToken first) throws IOException {
        isReport = false;
        hasNode = false;
        if (first == JsonToken.START_ARRAY) {
            nodes(json);
        } else if (first == JsonToken.START_OBJECT) {
            isReport = true;
            recorder.reportBegan();
            report(json);
        }
        if (!captures.isEmpty() && (!hasGraph || (!hasNode && recorder.nodes() > 0))) {
            unreadAfterEnd("it is JSON, and no graph capture");
            return;
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
        captures.add(recorder);
    }

    private void report(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            if (key.equals(GRAPH) && value == JsonToken.START_ARRAY && !hasGraph) {
                nodes(json);
            } else if (key.equals(SNAPSHOTS) && value == JsonToken.START_OBJECT && hasGraph) {
                snapshots(json);
            } else if (key.equals("python_io") && value == JsonToken.START_ARRAY) {
                recorder.calls(PythonCalls.read(json, "python_io of the report"));
            } else {
                section(key, json);
                json.skipChildren();
            }
        }
    }

    private void section(String key, JsonParser json) throws IOException {
        if (key.equals(SNAPSHOTS) || key.equals(GRAPH)) {
            recorder.unread("section " + key + " of another form or at another place");
        } else if (key.startsWith("buffer_pages")) {
            recorder.skipped("section " + key);
        } else if (key.equals("version")
                && json.currentToken().isScalarValue()
                && !json.getText().equals(VERSION)) {
            recorder.otherVersion(json.getText());
        }
    }

    /**
     * The keys are numbers in the order of texts, so the operations are not in their order. An empty snapshot contradicts nothing
     * that other snapshots do not contradict too.
     */
    private void snapshots(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            OptionalLong key = GraphNode.number(json.currentName());
            boolean isNumber = key.isPresent() && key.getAsLong() < Integer.MAX_VALUE;
            if (json.nextToken() != JsonToken.START_ARRAY || !isNumber) {
                recorder.unread(isNumber ? "snapshot that is no list" : "snapshot of no operation");
                json.skipChildren();
                continue;
            }
            int operation = (int) key.getAsLong();
            if (recorder.snapshots().hasOperation(operation)) {
                recorder.snapshots().compare(operation, buffers(json));
            } else if (isEmpty(json)) {
                recorder.skipped("snapshot of no outermost operation that ended");
            } else {
                recorder.unread("snapshot of no outermost operation that ended");
            }
        }
    }

    /** Skips an array; returns whether it has no elements. */
    private static boolean isEmpty(JsonParser json) throws IOException {
        boolean isEmpty = true;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            json.skipChildren();
            isEmpty = false;
        }
        return isEmpty;
    }

    private List<Memory> buffers(JsonParser json) throws IOException {
        List<Memory> buffers = new ArrayList<>();
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            if (next != JsonToken.START_OBJECT) {
                json.skipChildren();
                recorder.unread("buffer of a snapshot that is no object");
                continue;
            }
            OptionalLong address = OptionalLong.empty();
            OptionalLong type = OptionalLong.empty();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                if (json.nextToken().isScalarValue() && key.equals("address")) {
                    address = GraphNode.number(json.getText());
                } else if (json.currentToken().isScalarValue() && key.equals("buffer_type")) {
                    type = GraphNode.number(json.getText());
                } else {
                    json.skipChildren();
                }
            }
            Optional<BufferType> known = GraphNode.typeOfCode(type.orElse(GraphNode.NONE));
            if (address.isPresent() && known.isPresent()) {
                buffers.add(new Memory(0, known.get(), address.getAsLong()));
            } else {
                recorder.unread("buffer of a snapshot without valid numbers");
            }
        }
        return buffers;
    }

    private void nodes(JsonParser json) throws IOException {
        hasGraph = true;
        long others = eachNode(json, node -> {
            hasNode |= !node.type().isEmpty();
            recorder.node(node);
        });
        recorder.unread("element of the graph that is no object", others);
    }
}
