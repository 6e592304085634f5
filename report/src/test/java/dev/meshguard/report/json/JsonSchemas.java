package dev.meshguard.report.json;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;

/** The published schemas of the formats. */
public final class JsonSchemas {

    private final JsonSchema schema;

    private JsonSchemas(String name) {
        InputStream published = Objects.requireNonNull(HistoryJson.class.getResourceAsStream(name), name);
        this.schema =
                JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(published);
    }

    public static JsonSchemas ofHistoryLine() {
        return new JsonSchemas("history-2.schema.json");
    }

    public static JsonSchemas ofVerdict() {
        return new JsonSchemas("verdict-2.schema.json");
    }

    public static JsonSchemas ofFindingsLine() {
        return new JsonSchemas("findings-1.schema.json");
    }

    /** Returns the errors of a document. */
    public List<String> faultsOf(String json) {
        return schema.validate(json, InputFormat.JSON).stream()
                .map(fault -> fault.toString())
                .sorted()
                .toList();
    }
}
