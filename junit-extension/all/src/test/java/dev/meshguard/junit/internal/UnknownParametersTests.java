package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnknownParametersTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "meshguard.basline|There is no such parameter; did you mean meshguard.baseline?",
                "meshguard.expected_buffers|There is no such parameter; did you mean meshguard.expected-buffers?",
                "meshguard.expectedBuffers|There is no such parameter; did you mean meshguard.expected-buffers?",
                "meshguard.colour|There is no such parameter; there are meshguard.baseline, meshguard.baseline.update,"
                        + " meshguard.check, meshguard.expected-buffers, meshguard.findings, meshguard.grace,"
                        + " meshguard.origins, meshguard.page, meshguard.page.folder, meshguard.record, meshguard.run,"
                        + " meshguard.summary."
            })
    void rejectsANameOfTheFileThatIsUnknown(String name, String instead) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UnknownParameters.reject(file(name + " = x\n"), given(Map.of(name, "x"))))
                .withMessage("junit-platform.properties: " + name + " is rejected. " + instead);
    }

    @ParameterizedTest
    @ValueSource(strings = {"meshguard.grace", "junit.jupiter.execution.parallel.enabled", "meshguardian.mode"})
    void letsAnyOtherNameOfTheFilePass(String name) {
        UnknownParameters.reject(file(name + " = x\n"), given(Map.of(name, "x")));
    }

    @Test
    void letsAFilePassThatJUnitDidNotReadEither() {
        UnknownParameters.reject(file("meshguard.basline = x\n"), given(Map.of()));
    }

    @Test
    void namesASystemPropertyThatLooksLikeASlip() {
        Properties system = new Properties();
        system.setProperty("meshguard.garce", "2 s");
        system.setProperty("meshguard.seed", "42");
        system.setProperty("meshguard.grace", "2 s");
        Map<String, String> read = new HashMap<>();
        system.stringPropertyNames().forEach(name -> read.put(name, system.getProperty(name)));

        assertThat(UnknownParameters.misspelt(system, given(read)))
                .containsExactly(
                        "The system property meshguard.garce is not read: there is no such parameter. Did you mean"
                                + " meshguard.grace?");
    }

    private static Function<String, Optional<String>> given(Map<String, String> parameters) {
        return name -> Optional.ofNullable(parameters.get(name));
    }

    private static ClassLoader file(String text) {
        return new ClassLoader(null) {
            @Override
            public InputStream getResourceAsStream(String name) {
                assertThat(name).isEqualTo("junit-platform.properties");
                return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
            }
        };
    }
}
