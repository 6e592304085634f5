package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Recognizes the JSON of graph captures by its first bytes, and has the settings with which it is read. */
public final class GraphJson {

    static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            // Keys may be addresses, each another one: Jackson forgets them when they are too many.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(100).build())
            .build();

    /**
     * The first key of a node or of a report. The file of Python calls beside a capture begins likewise, but its arguments have
     * names.
     */
    private static final Pattern BEGINNING = Pattern.compile(
            "(?:\\xEF\\xBB\\xBF|\\xFE\\xFF|\\xFF\\xFE)?\\s*(?:\\[\\s*\\{\\s*\"(?:arguments\"\\s*:\\s*\\[|(?:connections"
                    + "|counter|duration_ns|input_tensors|node_type|params|stacking_level|stack_trace)\")|\\{\\s*\"(?:graph|buffer_pages"
                    + "|buffer_pages_by_address|cluster_descriptor|devices|mesh_coordinate_mapping|metadata|per_operation_buffers"
                    + "|python_io|version)\")");

    private GraphJson() {}

    /** Returns whether the first bytes of a file are those of a capture. Like all JSON, it may be in UTF-16. */
    public static boolean isGraphCapture(byte[] beginning) {
        String ascii = new String(beginning, StandardCharsets.ISO_8859_1).replace("\0", "");
        return BEGINNING.matcher(ascii).lookingAt();
    }
}
