package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.script.TableCase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything that is read from short captures, by the table in {@code capture-cases.txt}. */
class CaptureCasesTests {

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void aCaptureShows(TableCase one) throws IOException {
        byte[] json = OutputCases.json(one.lines()).getBytes(StandardCharsets.UTF_8);

        RuntimeOutput output = read(RuntimeOutputReader.create(), json);
        RuntimeOutput atEnd = read(RuntimeOutputReader.create().judgedAtEnd(), json);

        assertThat(OutputCases.facts(output, atEnd)).as(one.name()).isEqualTo(one.facts());
    }

    static Stream<TableCase> cases() {
        return TableCase.of(CaptureCasesTests.class, "capture-cases.txt");
    }

    private static RuntimeOutput read(RuntimeOutputReader reader, byte[] json) throws IOException {
        return reader.read(new ByteArrayInputStream(json), "graph.json");
    }
}
