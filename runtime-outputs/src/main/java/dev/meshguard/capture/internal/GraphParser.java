package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.compression.internal.DecompressedInput;
import dev.meshguard.capture.internal.SnapshotComparison.Place;
import dev.meshguard.event.BufferType;
import dev.meshguard.text.Quantities;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.ZipException;

/**
 * Parses a graph capture: an array of nodes, or a report that contains one.
 *
 * <p>A report may have gigabytes, most of them in sections that are skipped. So it is read as a stream, and only one node
 * is in memory.
 */
public final class GraphParser {

    private static final String GRAPH = "graph";

    private static final String SNAPSHOTS = "per_operation_buffers";

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

    /**
     * Reads all captures of a file to its end. The Python calls beside it are those of the first.
     *
     * @param path where it is, if the Python calls beside it are to be read
     * @param name the name of the file
     * @return the output for each, at least one
     * @throws IOException if it is no graph capture
     */
    public static List<RuntimeOutput> parse(InputStream raw, Optional<Path> path, ReadingCriteria criteria, String name)
            throws IOException {
        GraphParser parser = new GraphParser(criteria);
        path.flatMap(PythonCalls::beside)
                .filter(Files::isRegularFile)
                .ifPresent(calls -> parser.recorder.calls(PythonCalls.read(calls)));
        parser.damageOf(raw).ifPresent(parser::damaged);
        List<RuntimeOutput> outputs = new ArrayList<>();
        int all = parser.captures.size();
        for (CaptureRecorder capture : parser.captures) {
            String number = " (capture " + (outputs.size() + 1) + " of " + all + ")";
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
        captures.get(captures.size() - 1).lost(-1, "what follows the end of the capture is not read: " + reason);
    }

    /** Reads all nodes; returns what prevented the reader from reading more. */
    private Optional<String> damageOf(InputStream raw) throws IOException {
        try (JsonParser json = GraphJson.FACTORY.createParser(DecompressedInput.of(raw))) {
            JsonToken first = json.nextToken();
            if (first == null) {
                throw new IOException("it is empty");
            }
            for (; first != null; first = json.nextToken()) {
                document(json, first);
                hasGraph = false;
                recorder = new CaptureRecorder(criteria);
            }
            return Optional.empty();
        } catch (StreamConstraintsException e) {
            return Optional.of("a value is larger or nested more deeply than the reader allows");
        } catch (JsonProcessingException e) {
            if (!hasGraph && captures.isEmpty()) {
                throw new IOException(
                        isReport
                                ? "it breaks off or is damaged before its graph, so nothing of it is known. Write or copy it"
                                        + " again"
                                : "it is no JSON, and a graph capture is. Give the file that"
                                        + " ttnn.graph.end_graph_capture_to_file wrote");
            }
            return Optional.of("the JSON breaks off or is damaged");
        } catch (EOFException | ZipException e) {
            return Optional.of(DecompressedInput.BROKEN);
        }
    }

    private void document(JsonParser json, JsonToken first) throws IOException {
        isReport = first == JsonToken.START_OBJECT;
        hasNode = false;
        if (isReport) {
            recorder.snapshots = Optional.of(new SnapshotComparison());
            report(json);
        } else if (first == JsonToken.START_ARRAY) {
            nodes(json);
        }
        boolean isCapture = hasGraph && (hasNode || recorder.nodes == 0);
        if (isCapture) {
            captures.add(recorder);
        } else if (!captures.isEmpty()) {
            unreadAfterEnd("it is JSON, and no graph capture");
        } else {
            throw new IOException(
                    hasGraph
                            ? "none of its " + recorder.nodes
                                    + " elements has a node_type, so they are no nodes of a graph. If"
                                    + " it is the .python_io.json beside a capture, give the capture"
                            : "it is JSON without a graph: neither an array of nodes nor a report"
                                    + " with the key \"graph\". Give the file that ttnn.graph.end_graph_capture_to_file wrote");
        }
    }

    private void report(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            if (key.equals(GRAPH) && value == JsonToken.START_ARRAY && !hasGraph) {
                nodes(json);
            } else if (key.equals(SNAPSHOTS) && value == JsonToken.START_OBJECT && hasGraph) {
                snapshots(json);
            } else if (key.equals(SNAPSHOTS) || key.equals(GRAPH)) {
                recorder.unread("section " + key + " of another form or at another place", 1);
            } else if (key.equals("python_io") && value == JsonToken.START_ARRAY) {
                recorder.calls(PythonCalls.read(json, "python_io of the report"));
            } else if (key.startsWith("buffer_pages")) {
                recorder.notes.skipped("section " + key);
            } else if (key.equals("version")
                    && value.isScalarValue()
                    && !json.getText().equals(VERSION)) {
                recorder.notes.add(
                        "The report has version " + Quantities.quoted(json.getText()) + ", and was read as version 1.");
            }
            json.skipChildren();
        }
    }

    /**
     * The keys are numbers in the order of texts, so the operations are not in their order. An empty snapshot contradicts nothing
     * that other snapshots do not contradict too.
     */
    private void snapshots(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            long operation = GraphNode.numberIn(json.currentName()).orElse(Long.MAX_VALUE);
            boolean isList = json.nextToken() == JsonToken.START_ARRAY;
            if (operation >= Integer.MAX_VALUE) {
                recorder.unread("snapshot of no operation", 1);
            } else if (!isList) {
                recorder.unread("snapshot that is no list", 1);
            } else {
                snapshot(json, (int) operation);
            }
            json.skipChildren();
        }
    }

    private void snapshot(JsonParser json, int operation) throws IOException {
        List<Place> places = new ArrayList<>();
        LongAdder unreadable = new LongAdder();
        long others = GraphNode.each(json, GraphNode.KEYS_OF_ROW, row -> {
            OptionalLong address = row.number("address");
            Optional<BufferType> type =
                    GraphNode.typeOfCode(row.number("buffer_type").orElse(GraphNode.NONE));
            if (address.isPresent() && type.isPresent()) {
                places.add(new Place(type.get().memory(), address.getAsLong()));
            } else {
                unreadable.increment();
            }
        });
        SnapshotComparison snapshots = recorder.snapshots.orElseThrow();
        if (snapshots.hasOperation(operation)) {
            recorder.unread("buffer of a snapshot that is no object", others);
            recorder.unread("buffer of a snapshot without valid numbers", unreadable.sum());
            snapshots.compare(operation, places);
            return;
        }
        String kind = "snapshot of no outermost operation that ended";
        if (others + places.size() + unreadable.sum() == 0) {
            recorder.notes.skipped(kind);
        } else {
            recorder.unread(kind, 1);
        }
    }

    private void nodes(JsonParser json) throws IOException {
        hasGraph = true;
        long others = GraphNode.each(json, GraphNode.KEYS_OF_NODE, node -> {
            hasNode |= !node.type.isEmpty();
            recorder.node(node);
        });
        recorder.unread("element of the graph that is no object", others);
    }
}
