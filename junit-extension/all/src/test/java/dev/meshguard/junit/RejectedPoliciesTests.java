package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginCapture;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
                "check|CLEAN|It is clean, no-leaks, only-expected-system-buffers or none.",
                "origins|always|It is none, allocations or allocations-and-frees.",
                "grace|soon|Give a number with ms, s or m, for example \"250 ms\" or \"2 s\"; at most 10 m.",
                "grace|11 m|Give a number with ms, s or m, for example \"250 ms\" or \"2 s\"; at most 10 m."
            })
    void aParameter(String name, String value, String allowed) {
        assertRejected(
                run(PlainTestCase.class, Map.of("meshguard." + name, value)),
                "meshguard." + name + " = " + value + " is rejected. " + allowed);
    }

    @Test
    void aPathThatIsNone() {
        assertRejected(
                run(PlainTestCase.class, Map.of("meshguard.baseline", "known\0.txt")),
                "meshguard.baseline = known\0.txt is rejected. It is no path here: Nul character not allowed.");
    }

    @ParameterizedTest(name = "{0}#{1}")
    @CsvSource(delimiter = '|', textBlock = """
            OfClassTestCase                 | test                   | OfClassTestCase                 | check = CLEAN
            OfEachTestTestCase              | test                   | OfEachTestTestCase              | origins = ALLOCATIONS
            LeavesOutOriginsTestCase        | test                   | LeavesOutOriginsTestCase        | origins = ALLOCATIONS_AND_FREES
            LeavesOutCheckAndGraceTestCase  | test                   | LeavesOutCheckAndGraceTestCase  | check = NO_LEAKS, grace = "2 s"
            OneMethodTestCase               | test                   | OneMethodTestCase               | accounting = AT_THE_END
            SharedTestCase                  | leavesOutBoth          | Shared                          | lifetime = CLASS, accounting = EACH_TEST
            SharedTestCase                  | leavesOutTheLifetime   | Shared                          | lifetime = CLASS
            SharedTestCase                  | leavesOutTheAccounting | Shared                          | accounting = EACH_TEST
            """)
    void aMethodThatLeavesOutOrReplacesWhatItsClassSets(String testCase, String test, String setter, String attributes)
            throws ClassNotFoundException {
        String tests = RejectedPoliciesTests.class.getName() + "$";

        assertRejected(
                runTest(Class.forName(tests + testCase), test, Map.of()),
                "@TrackAllocations on RejectedPoliciesTests$" + testCase + "#" + test + ": leaving out " + attributes
                        + " of @TrackAllocations on RejectedPoliciesTests$" + setter
                        + " is rejected. The annotation of a method counts as a whole: repeat " + attributes
                        + " there, or give the test a mesh of its own with lifetime = TEST.");
    }

    @Test
    void noPolicyOfAMethodThatIsThatOfItsClass() {
        assertThat(run(SamePoliciesTestCase.class)).hasOnlySucceeded(1);
        assertThat(run(DefaultLifetimeTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void asThePageOnConfigurationShows(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("junit-platform.properties"), "meshguard.orgins = none\n");

        assertRejected(run(PlainTestCase.class, Map.of("meshguard.check", "all")), shown("meshguard.check = "));
        assertRejected(
                runTest(AttributesTestCase.class, "graceWithoutNumber", Map.of()),
                shown("@TrackAllocations on KvCacheTest#decode: ")
                        .replace("KvCacheTest#decode", "RejectedPoliciesTests$AttributesTestCase#graceWithoutNumber"));
        assertRejected(
                runTest(SharedTestCase.class, "leavesOutBoth", Map.of()),
                shown("@TrackAllocations on KvCacheTest#decode: leaving out")
                        .replace("KvCacheTest#decode", "RejectedPoliciesTests$SharedTestCase#leavesOutBoth")
                        .replace("KvCacheTest", "RejectedPoliciesTests$Shared"));
        assertRejected(
                runWith(folder, Map.of("meshguard.orgins", "none")), shown("junit-platform.properties: meshguard"));
    }

    private static void assertRejected(RunAssert.Results results, String message) {
        assertThat(results).hasSingleTest().whichFailed().with(ExtensionConfigurationException.class, message);
    }

    private static String shown(String start) throws IOException {
        return Files.readString(Path.of("..", "..", "docs").resolve("configuration.md"))
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
        @TrackAllocations(grace = "soon")
        void graceWithoutNumber() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OfClassTestCase {
        @Test
        @TrackAllocations(lifetime = TrackingLifetime.CLASS, check = AllocationCheck.NONE)
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class OfEachTestTestCase {
        @Test
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                origins = OriginCapture.NONE)
        void test() {}
    }

    @TrackAllocations(
            lifetime = TrackingLifetime.CLASS,
            accounting = Accounting.EACH_TEST,
            origins = OriginCapture.ALLOCATIONS_AND_FREES)
    static class LeavesOutOriginsTestCase {
        @Test
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                check = AllocationCheck.NONE)
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, check = AllocationCheck.NO_LEAKS, grace = "2 s")
    static class LeavesOutCheckAndGraceTestCase {
        @Test
        @TrackAllocations(lifetime = TrackingLifetime.CLASS)
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, grace = "2 s")
    static class SamePoliciesTestCase {
        @Test
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.AT_THE_END,
                check = AllocationCheck.CLEAN,
                grace = "2000 ms")
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.TEST, accounting = Accounting.AT_THE_END)
    static class DefaultLifetimeTestCase {
        @Test
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OneMethodTestCase {
        @Test
        @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
        void test(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    interface Shared {}

    static class SharedTestCase implements Shared {
        @Test
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        void leavesOutBoth(MeshDevice mesh) {}

        @Test
        @TrackAllocations(accounting = Accounting.EACH_TEST)
        void leavesOutTheLifetime(MeshDevice mesh) {}

        @Test
        @TrackAllocations(lifetime = TrackingLifetime.CLASS)
        void leavesOutTheAccounting(MeshDevice mesh) {}
    }
}
