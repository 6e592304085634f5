package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.tracker.OriginCapture;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An invalid policy is rejected with its location, the value and the allowed values. */
class RejectedPoliciesTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "check|all|It is clean, no-leaks, only-expected-system-buffers or none.",
                "check|CLEAN|It is clean, no-leaks, only-expected-system-buffers or none.",
                "origins|always|It is none, allocations or allocations-and-frees.",
                "on-failure|ignore|It is attach, report or skip.",
                "on-abort|fail|It is attach, report or skip.",
                "grace|soon|Give a number with ms, s or m, for example \"250 ms\" or \"2 s\"; at most 10 m.",
                "grace|11 m|Give a number with ms, s or m, for example \"250 ms\" or \"2 s\"; at most 10 m."
            })
    void aParameter(String name, String value, String allowed) {
        assertThat(run(PlainTestCase.class, Map.of("meshguard." + name, value)))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "meshguard." + name + " = " + value + " is refused. " + allowed);
    }

    @Test
    void aPathThatIsNone() {
        assertThat(run(PlainTestCase.class, Map.of("meshguard.baseline", "known\0.txt")))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "meshguard.baseline = known\0.txt is refused. It is no path here: Nul character not allowed.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "twoChecks|@AllocationPolicy on %s: check = [CLEAN, NONE] is refused. Give at most one.",
                "twoOrigins|@AllocationPolicy on %s: origins = [NONE, ALLOCATIONS] is refused. Give at most one.",
                "twoOnFailure|@AllocationPolicy on %s: onFailure = [SKIP, REPORT] is refused. Give at most one.",
                "twoOnAbort|@AllocationPolicy on %s: onAbort = [SKIP, REPORT] is refused. Give at most one.",
                "twoChecksOfTheMesh|@TrackAllocations on %s: check = [CLEAN, NONE] is refused. Give at most one.",
                "graceWithoutNumber|@AllocationPolicy on %s: grace = \"soon\" is refused. Give a number with ms, s or m, for"
                        + " example \"250 ms\" or \"2 s\"; at most 10 m.",
                "twoAnnotations|@AllocationPolicy and @TrackAllocations on %s: check = NONE and check = CLEAN is refused."
                        + " Say it once."
            })
    void anAttribute(String test, String message) {
        assertThat(runTest(AttributesTestCase.class, test, Map.of()))
                .hasTest(test)
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        message.replace("%s", "RejectedPoliciesTests$AttributesTestCase#" + test));
    }

    @Test
    void theGraceOfABuilder() {
        MeshGuardExtension.Builder builder = MeshGuardExtension.builder();

        Assertions.assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> builder.grace(Duration.ofHours(1)))
                .withMessage("MeshGuardExtension: grace = PT1H is refused. Give 0 or more, at most 10 m.");
    }

    @Test
    void aPolicyForOneMethodOfAMeshThatOthersAreJudgedWith() {
        assertThat(run(OfClassTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@AllocationPolicy on RejectedPoliciesTests$OfClassTestCase#test: a policy for one method of a mesh with"
                                + " lifetime = CLASS is refused. Put it on the class, or let each test answer for itself with"
                                + " accounting = EACH_TEST.");
    }

    @Test
    void theOriginsOfOneMethodOfATrackerThatOthersShare() {
        assertThat(run(OfEachTestTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@AllocationPolicy on RejectedPoliciesTests$OfEachTestTestCase#test: origins for one method of a mesh with"
                                + " lifetime = CLASS is refused. All its tests share one tracker: put it on the class.");
    }

    @Test
    void aParameterOfTheFileThatNobodyReads(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("junit-platform.properties"), "meshguard.on-faliure = skip\n");

        assertThat(runWith(folder, Map.of("meshguard.on-faliure", "skip")))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "junit-platform.properties: meshguard.on-faliure is refused. There is no such parameter; did you mean"
                                + " meshguard.on-failure?");
    }

    @Test
    void asThePageOnConfigurationShows(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("junit-platform.properties"), "meshguard.on-faliure = skip\n");

        assertRejected(
                run(PlainTestCase.class, Map.of("meshguard.on-failure", "ignore")), shown("meshguard.on-failure = "));
        assertRejected(
                runTest(AttributesTestCase.class, "graceWithoutNumber", Map.of()),
                shown("@AllocationPolicy on KvCacheTest#decode: ")
                        .replace("KvCacheTest#decode", "RejectedPoliciesTests$AttributesTestCase#graceWithoutNumber"));
        assertRejected(
                runWith(folder, Map.of("meshguard.on-faliure", "skip")), shown("junit-platform.properties: meshguard"));
    }

    private static void assertRejected(RunAssert.Results results, String message) {
        assertThat(results).hasSingleTest().whichFailed().with(ExtensionConfigurationException.class, message);
    }

    private static String shown(String start) throws IOException {
        return Files.readString(Path.of("..", "docs").resolve("configuration.md"))
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow();
    }

    private static RunAssert.Results runWith(Path classPath, Map<String, String> parameters)
            throws MalformedURLException, IOException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classPath.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            return run(PlainTestCase.class, parameters);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @TrackAllocations
    static class PlainTestCase {
        @Test
        void test() {}
    }

    static class AttributesTestCase {
        @Test
        @AllocationPolicy(check = {AllocationCheck.CLEAN, AllocationCheck.NONE})
        void twoChecks() {}

        @Test
        @AllocationPolicy(origins = {OriginCapture.NONE, OriginCapture.ALLOCATIONS})
        void twoOrigins() {}

        @Test
        @AllocationPolicy(onFailure = {IncompleteTestPolicy.SKIP, IncompleteTestPolicy.REPORT})
        void twoOnFailure() {}

        @Test
        @AllocationPolicy(onAbort = {IncompleteTestPolicy.SKIP, IncompleteTestPolicy.REPORT})
        void twoOnAbort() {}

        @Test
        @TrackAllocations(check = {AllocationCheck.CLEAN, AllocationCheck.NONE})
        void twoChecksOfTheMesh() {}

        @Test
        @AllocationPolicy(grace = "soon")
        void graceWithoutNumber() {}

        @Test
        @AllocationPolicy(check = AllocationCheck.NONE)
        @TrackAllocations(check = AllocationCheck.CLEAN)
        void twoAnnotations() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OfClassTestCase {
        @Test
        @AllocationPolicy(onFailure = IncompleteTestPolicy.SKIP)
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class OfEachTestTestCase {
        @Test
        @AllocationPolicy(origins = OriginCapture.NONE)
        void test() {}
    }
}
