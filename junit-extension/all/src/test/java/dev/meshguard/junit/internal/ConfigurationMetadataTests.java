package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.junit.MeshGuardExtension;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The metadata for IDEs has the parameters of the code, and the page of the parameters has what the metadata says. */
class ConfigurationMetadataTests {

    private static final String RESOURCE = "/META-INF/junit-platform-configuration-metadata.json";
    private static final Path PAGE = Path.of("..", "..", "docs", "configuration.md");

    private JsonNode metadata;

    @BeforeEach
    void read() throws IOException {
        try (InputStream resource = MeshGuardExtension.class.getResourceAsStream(RESOURCE)) {
            assertThat(resource).as(RESOURCE).isNotNull();
            metadata = new ObjectMapper().readTree(resource);
        }
    }

    @Test
    void theMetadataListsEveryParameterWithItsDefaultAndItsValues() {
        assertThat(all(metadata.get("properties"), Function.identity()))
                .extracting(
                        one -> one.get("name").asText(),
                        one -> one.path("defaultValue").asText(),
                        one -> one.get("sourceType").asText())
                .containsExactlyElementsOf(parameters()
                        .map(one -> tuple(one.key(), one.defaultValue(), ConfigurationKey.class.getName()))
                        .toList());
        assertThat(hints())
                .isEqualTo(parameters()
                        .filter(one -> !one.allowed().isEmpty())
                        .collect(Collectors.toMap(ConfigurationKey::key, ConfigurationKey::allowed)));
    }

    @Test
    void theMetadataNamesTypesThatExist() {
        assertThat(all(metadata.get("properties"), one -> one.get("type").asText()))
                .allSatisfy(type -> assertThat(Class.forName(type)).isNotNull());
    }

    @Test
    void thePageListsEveryParameter() throws IOException {
        List<String> rows = Files.readString(PAGE)
                .lines()
                .dropWhile(line -> !line.equals("| parameter | values | default | what it is |"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2)
                .toList();

        assertThat(rows).containsExactlyElementsOf(all(metadata.get("properties"), this::row));
    }

    private String row(JsonNode parameter) {
        String defaultValue = parameter.path("defaultValue").asText();
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s |",
                parameter.get("name").asText(),
                values(parameter),
                defaultValue.isEmpty() ? "" : "`" + defaultValue + "`",
                parameter.get("description").asText());
    }

    private String values(JsonNode parameter) {
        List<String> listed = hints().get(parameter.get("name").asText());
        if (listed != null) {
            return listed.stream().map(value -> "`" + value + "`").collect(Collectors.joining(", "));
        }
        return switch (parameter.get("type").asText()) {
            case "java.time.Duration" -> "a time up to `10 m`";
            case "java.nio.file.Path" -> "a path";
            default -> "a text";
        };
    }

    private Map<String, List<String>> hints() {
        return all(metadata.get("hints"), Function.identity()).stream()
                .collect(Collectors.toMap(
                        hint -> hint.get("name").asText(),
                        hint -> all(
                                hint.get("values"), value -> value.get("value").asText())));
    }

    private static Stream<ConfigurationKey> parameters() {
        return Arrays.stream(ConfigurationKey.values());
    }

    private static <T> List<T> all(JsonNode nodes, Function<JsonNode, T> read) {
        return StreamSupport.stream(nodes.spliterator(), false).map(read).toList();
    }
}
