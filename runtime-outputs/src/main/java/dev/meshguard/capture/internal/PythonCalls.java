package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.capture.compression.internal.DecompressedInput;
import dev.meshguard.event.Origin;
import dev.meshguard.text.Quantities;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The Python calls of a graph capture, which ttnn writes to {@code <stem>.python_io.json} beside it, or into its report.
 *
 * <p>Calls and operations have only their names in common, and both are in the order of the calls. So the calls of a name are
 * used only if there are as many operations of that name: among all operations, or among the outermost ones, where
 * {@code ttnn::add} is {@code ttnn.add}.
 */
final class PythonCalls {

    private static final Pattern CAPTURE = Pattern.compile("\\.json(\\.gz|)$");
    private static final int MAX_NAMES = 3;

    private final String file;
    private final Map<String, List<Optional<Origin>>> originsByName = new TreeMap<>();
    private final Optional<String> damage;

    private PythonCalls(String file, Optional<String> damage) {
        this.file = file;
        this.damage = damage;
    }

    /** Returns the path of the calls of a capture, whether there is such a file or not; empty if its name does not show it. */
    static Optional<Path> beside(Path capture) {
        String name = String.valueOf(capture.getFileName());
        String calls = CAPTURE.matcher(name).replaceFirst(".python_io.json$1");
        return calls.equals(name) ? Optional.empty() : Optional.of(capture.resolveSibling(calls));
    }

    /** Returns the calls that a file has; one that is damaged has none. */
    static PythonCalls read(Path path) {
        String name = String.valueOf(path.getFileName());
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(path));
                InputStream plain = DecompressedInput.of(raw);
                JsonParser json = GraphJson.FACTORY.createParser(plain)) {
            if (json.nextToken() != JsonToken.START_ARRAY) {
                throw new IOException("it is no array of calls");
            }
            return read(json, name);
        } catch (IOException e) {
            return new PythonCalls(
                    name,
                    Optional.of(
                            String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
        }
    }

    /**
     * Returns the calls in the array at which a parser is, and reads it to its end.
     *
     * @param name the name of the array in notes
     */
    static PythonCalls read(JsonParser json, String name) throws IOException {
        PythonCalls calls = new PythonCalls(name, Optional.empty());
        Map<String, Optional<Origin>> known = new HashMap<>();
        for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
            if (next == JsonToken.START_OBJECT) {
                calls.call(json, known);
            }
            json.skipChildren();
        }
        return calls;
    }

    /** Returns whether the calls were read. */
    boolean isReadable() {
        return damage.isEmpty();
    }

    private void call(JsonParser json, Map<String, Optional<Origin>> known) throws IOException {
        String name = "";
        StringBuilder stack = new StringBuilder();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            JsonToken value = json.nextToken();
            if (key.equals("name") && value == JsonToken.VALUE_STRING) {
                name = json.getText();
            } else if (key.equals("python_stack_trace") && value == JsonToken.START_ARRAY) {
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    if (json.currentToken() == JsonToken.VALUE_STRING) {
                        stack.append(json.getText()).append('\n');
                    }
                    json.skipChildren();
                }
            }
            json.skipChildren();
        }
        originsByName
                .computeIfAbsent(name, first -> new ArrayList<>())
                .add(known.computeIfAbsent(stack.toString(), PythonStack::origin));
    }

    /**
     * Gives operations the lines of the calls of their names.
     *
     * @param operations all operations of the capture, in their order
     * @return what a reader must know of calls that were not used
     */
    Optional<String> nameLines(List<CapturedOperation> operations) {
        if (damage.isPresent()) {
            return Optional.of(file + " cannot be read (" + damage.get() + "), so no line of Python is named.");
        }
        Map<String, List<CapturedOperation>> all =
                operations.stream().collect(Collectors.groupingBy(operation -> operation.name));
        Map<String, List<CapturedOperation>> outermost = operations.stream()
                .filter(operation -> operation.caller == null)
                .collect(Collectors.groupingBy(operation -> operation.name.replace("::", ".")));
        List<String> unused = new ArrayList<>();
        originsByName.forEach((name, origins) -> {
            List<CapturedOperation> ofName = all.getOrDefault(name, List.of());
            List<CapturedOperation> ofOutermost = outermost.getOrDefault(name, List.of());
            List<CapturedOperation> called = ofName.size() == origins.size() ? ofName : ofOutermost;
            if (called.size() == origins.size()) {
                for (int i = 0; i < called.size(); i++) {
                    called.get(i).line = origins.get(i);
                }
            } else {
                long operationsOfName = Math.max(ofName.size(), ofOutermost.size());
                unused.add(Quantities.quoted(name) + " (" + Quantities.count(origins.size(), "call") + ", "
                        + Quantities.count(operationsOfName, "operation") + ")");
            }
        });
        int more = unused.size() - MAX_NAMES;
        return unused.isEmpty()
                ? Optional.empty()
                : Optional.of(file
                        + " names no line for operations of which it has another number than the capture: "
                        + unused.stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
                        + (more > 0 ? " and " + more + " more." : "."));
    }
}
