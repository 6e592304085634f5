package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

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
                .isThrownBy(() ->
                        UnknownParameters.reject(file(name + " = x\n"), new Properties(), given(Map.of(name, "x"))))
                .withMessage("junit-platform.properties: " + name + " is rejected. " + instead);
    }

    @ParameterizedTest
    @ValueSource(strings = {"meshguard.grace", "junit.jupiter.execution.parallel.enabled", "meshguardian.mode"})
    void letsAnyOtherNameOfTheFilePass(String name) {
        UnknownParameters.reject(file(name + " = x\n"), new Properties(), given(Map.of(name, "x")));
    }

    @Test
    void letsAFilePassThatJUnitDidNotReadEither() {
        UnknownParameters.reject(file("meshguard.basline = x\n"), new Properties(), given(Map.of()));
    }

    @Test
    void letsAClassPathWithoutFilePass() {
        UnknownParameters.reject(file(null), new Properties(), given(Map.of()));
    }

    @Test
    void warnsOfASystemPropertyThatLooksLikeASlip() {
        Properties system = new Properties();
        system.setProperty("meshguard.garce", "2 s");
        system.setProperty("meshguard.seed", "42");
        system.setProperty("meshguard.grace", "2 s");
        Map<String, String> read = new HashMap<>();
        system.stringPropertyNames().forEach(name -> read.put(name, system.getProperty(name)));
        Logger logger = (Logger) LoggerFactory.getLogger(UnknownParameters.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.WARN);

        try {
            UnknownParameters.reject(file(null), system, given(read));
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }

        assertThat(lines.list)
                .map(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "The system property meshguard.garce is not read: there is no such parameter. Did you mean"
                                + " meshguard.grace?");
    }

    private static Function<String, Optional<String>> given(Map<String, String> parameters) {
        return name -> Optional.ofNullable(parameters.get(name));
    }

    private static ClassLoader file(@Nullable String text) {
        return new ClassLoader(null) {
            @Override
            public @Nullable InputStream getResourceAsStream(String name) {
                return text != null && name.equals("junit-platform.properties")
                        ? new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1))
                        : null;
            }
        };
    }
}
