package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.internal.summary.OutputMode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputSettingsTests {

    private static OutputSettings settings(String... parameters) {
        Map<String, String> given = new HashMap<>();
        for (String parameter : parameters) {
            String[] parts = parameter.split("=", 2);
            given.put(parts[0], parts[1]);
        }
        return OutputSettings.of(name -> Optional.ofNullable(given.get(name)));
    }

    @Test
    void saysTheSummaryAndAttachesNothingUnlessMoreIsGiven() {
        assertThat(settings())
                .isEqualTo(new OutputSettings(
                        OutputMode.ALWAYS,
                        false,
                        Optional.empty(),
                        OutputMode.FAILURES,
                        Path.of("target", "meshguard")));
    }

    @ParameterizedTest
    @CsvSource({"off,OFF", "failures,FAILURES", "always,ALWAYS", "' ',ALWAYS"})
    void readsWhenTheSummaryIsSaid(String value, OutputMode mode) {
        assertThat(settings("meshguard.summary=" + value).summary()).isEqualTo(mode);
    }

    @ParameterizedTest
    @CsvSource({
        "junit.platform.reporting.open.xml.enabled=true,true",
        "junit.platform.reporting.open.xml.enabled=false,false",
        "junit.platform.reporting.output.dir=target/reports,true"
    })
    void attachesHistoriesWhereReportsAre(String parameter, boolean attaches) {
        assertThat(settings(parameter).attachesHistories()).isEqualTo(attaches);
    }
}
