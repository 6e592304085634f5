package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.MeshGuardExtension;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The metadata for IDEs and the documented parameters match the code.
 *
 * <p>When a parameter is added or removed, copy the expected text of these tests.
 */
class ConfigurationMetadataTests {

    private static final String RESOURCE = "/META-INF/junit-platform-configuration-metadata.json";
    private static final Path PAGE = Path.of("..", "..", "docs", "configuration.md");

    @Test
    void theMetadataListsEveryParameter() throws IOException {
        try (InputStream resource = MeshGuardExtension.class.getResourceAsStream(RESOURCE)) {
            assertThat(resource).as(RESOURCE).isNotNull();
            assertThat(new String(resource.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(metadata());
        }
    }

    @Test
    void thePageListsEveryParameter() throws IOException {
        List<String> rows = Files.readString(PAGE)
                .lines()
                .dropWhile(line -> !line.equals("| parameter | values | default | what it is |"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2)
                .toList();

        assertThat(rows)
                .containsExactly(Arrays.stream(ConfigurationKey.values())
                        .map(ConfigurationMetadataTests::row)
                        .toArray(String[]::new));
    }

    private static String row(ConfigurationKey parameter) {
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s |",
                parameter.key(),
                values(parameter),
                parameter.defaultValue().isEmpty() ? "" : "`" + parameter.defaultValue() + "`",
                parameter.description());
    }

    private static String values(ConfigurationKey parameter) {
        if (!parameter.allowed().isEmpty()) {
            return parameter.allowed().stream().map(value -> "`" + value + "`").collect(Collectors.joining(", "));
        }
        if (parameter.type() == Duration.class) {
            return "a time up to `10 m`";
        }
        return parameter.type() == Path.class ? "a path" : "a text";
    }

    /** The format is that of Spring Boot's metadata, which JUnit also uses. */
    private static String metadata() {
        return "{\n  \"properties\": [\n"
                + Arrays.stream(ConfigurationKey.values())
                        .map(ConfigurationMetadataTests::property)
                        .collect(Collectors.joining(",\n"))
                + "\n  ],\n  \"hints\": [\n"
                + Arrays.stream(ConfigurationKey.values())
                        .filter(parameter -> !parameter.allowed().isEmpty())
                        .map(ConfigurationMetadataTests::hint)
                        .collect(Collectors.joining(",\n"))
                + "\n  ]\n}\n";
    }

    private static String property(ConfigurationKey parameter) {
        String defaultValue = parameter.defaultValue().isEmpty()
                ? ""
                : ",\n      \"defaultValue\": \"" + parameter.defaultValue() + "\"";
        return String.format(
                Locale.ROOT,
                "    {\n      \"name\": \"%s\",\n      \"type\": \"%s\",\n      \"description\": \"%s\",\n"
                        + "      \"sourceType\": \"%s\"%s\n    }",
                parameter.key(),
                parameter.type().getName(),
                parameter.description(),
                ConfigurationKey.class.getName(),
                defaultValue);
    }

    private static String hint(ConfigurationKey parameter) {
        return String.format(
                Locale.ROOT,
                "    {\n      \"name\": \"%s\",\n      \"values\": [%s]\n    }",
                parameter.key(),
                parameter.allowed().stream()
                        .map(value -> "{ \"value\": \"" + value + "\" }")
                        .collect(Collectors.joining(", ")));
    }
}
