package dev.meshguard.samples.tutorial;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The summaries that the tests of the tutorial print at the end of a run. */
class TutorialOutput {

    String firstTest() {
        return summaryOf(FirstMeshTests.class);
    }

    String fixed() {
        return summaryOf(PrefixCacheFixedTests.class);
    }

    private static String summaryOf(Class<?> tests) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(selectClass(tests))
                .execute()
                .allEvents()
                .reportingEntryPublished()
                .stream()
                .map(event -> event.getRequiredPayload(ReportEntry.class)
                        .getKeyValuePairs()
                        .get("meshguard.summary"))
                .filter(Objects::nonNull)
                .collect(Collectors.joining());
    }
}
