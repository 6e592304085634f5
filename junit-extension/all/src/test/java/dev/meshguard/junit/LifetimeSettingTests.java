package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lifetime and accounting are those of the nearest annotation; a method must not leave out what its class asks for. */
class LifetimeSettingTests {

    @Test
    void aNestedClassWithAnAnnotationHasItsOwnLifetime() {
        assertThat(run(OuterTestCase.class)).hasTest("leaks").whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void rejectsTheAccountingOfOneMethod() {
        assertThat(run(OneMethodTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@TrackAllocations on LifetimeSettingTests$OneMethodTestCase#runs: leaving out accounting = AT_THE_END of"
                                + " @TrackAllocations on LifetimeSettingTests$OneMethodTestCase is rejected. The annotation of a"
                                + " method counts as a whole: repeat accounting = AT_THE_END there, or give the test a mesh of its"
                                + " own with lifetime = TEST.");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "leavesOutBoth|lifetime = CLASS, accounting = EACH_TEST",
                "leavesOutTheLifetime|lifetime = CLASS",
                "leavesOutTheAccounting|accounting = EACH_TEST"
            })
    void rejectsAMethodThatLeavesOutWhatItsClassSets(String method, String leftOut) {
        assertThat(runTest(SharedTestCase.class, method, Map.of()))
                .hasTest(method)
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@TrackAllocations on LifetimeSettingTests$SharedTestCase#" + method + ": leaving out "
                                + leftOut
                                + " of @TrackAllocations on LifetimeSettingTests$Shared is rejected. The annotation of a"
                                + " method counts as a whole: repeat " + leftOut
                                + " there, or give the test a mesh of its own with lifetime = TEST.");
    }

    @Test
    void asThePageOnPoliciesShows() throws IOException {
        String shown = Files.readString(Path.of("..", "..", "docs").resolve("configuration.md"))
                .lines()
                .filter(line -> line.startsWith("@TrackAllocations on KvCacheTest#decode: leaving out"))
                .findFirst()
                .orElseThrow();

        assertThat(runTest(SharedTestCase.class, "leavesOutBoth", Map.of()))
                .hasTest("leavesOutBoth")
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        shown.replace("KvCacheTest#decode", "LifetimeSettingTests$SharedTestCase#leavesOutBoth")
                                .replace("KvCacheTest", "LifetimeSettingTests$Shared"));
    }

    @Test
    void aMethodWithAMeshOfItsOwnNeedsNoAccounting() {
        assertThat(runTest(SharedTestCase.class, "hasItsOwn", Map.of()))
                .hasTest("hasItsOwn")
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OuterTestCase {
        @Nested
        @TrackAllocations
        class InnerTestCase {
            @Test
            void leaks(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OneMethodTestCase {
        @Test
        @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
        void runs(MeshDevice mesh) {}
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

        @Test
        @TrackAllocations(lifetime = TrackingLifetime.TEST)
        void hasItsOwn(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }
}
