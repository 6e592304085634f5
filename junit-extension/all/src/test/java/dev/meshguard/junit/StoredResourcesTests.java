package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.AssertionFailedError;

/**
 * The values of JUnit's stores are closed once, even if JUnit does not close a mere {@link AutoCloseable}.
 *
 * <p>That is the case with a configuration parameter, and was before 5.13.
 */
class StoredResourcesTests {

    private static final Map<String, String> PARAMETERS =
            Map.of("meshguard.page", "off", "junit.jupiter.extensions.store.close.autocloseable.enabled", "false");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "OfTestCase, leaks(MeshDevice)",
        "OfClassCase, StoredResourcesTests$OfClassCase",
        "OfNoTestCase, JUnit Jupiter",
        "OfEachTestCase, leaks(MeshDevice)",
        "DynamicCase, leaks"
    })
    void memoryIsChecked(String testCase, String failed) throws ClassNotFoundException {
        Class<?> type = Class.forName(StoredResourcesTests.class.getName() + "$" + testCase);

        RunAssert.assertThat(run(type)).hasOnlyLeakOf(failed);
    }

    @Test
    void theRoundsOfATestAreJudged() {
        RunAssert.assertThat(run(TypicalTestCase.Growing.class))
                .hasInvocation("grows", 3)
                .whichFailed()
                .with(AssertionFailedError.class);
    }

    @Test
    void theAccountOfTheRunIsJudged() throws IOException {
        Path file = Files.writeString(folder.resolve("expected.txt"), "label \"nowhere\" because \"gone\"\n");

        Map<String, String> parameters = new HashMap<>(PARAMETERS);
        parameters.put("meshguard.expected-buffers", file.toString());
        parameters.put("meshguard.run", "1");

        RunAssert.assertThat(JupiterRun.run(TypicalTestCase.Clean.class, parameters))
                .hasFailedContainer("JUnit Jupiter")
                .withTextContaining("STALE  1 of 1 expectation matched nothing in the whole run");
    }

    /** A second close would be a second check. */
    @Test
    void eachIsClosedOnceAndTheRunSummedUp() {
        assertThat(LaunchedRun.launcher().run(PARAMETERS, OfTestCase.class).printed())
                .singleElement()
                .asString()
                .startsWith("MeshGuard  1 test tracked · 8 buffers · 1 failed\n");
    }

    /** Memory of no test. */
    static class OfNoTestCase extends UnownedMemoryTestCase {}

    private static RunAssert.Results run(Class<?> testClass) {
        return JupiterRun.run(testClass, PARAMETERS);
    }

    static class OfTestCase extends TypicalTestCase.Leak {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OfClassCase extends OfTestCase {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class OfEachTestCase extends OfTestCase {}

    @TrackAllocations
    static class DynamicCase {
        @TestFactory
        Stream<DynamicTest> both(MeshDevice mesh) {
            return Stream.of(
                    DynamicTest.dynamicTest("frees", () -> Buffers.take(mesh).deallocate()),
                    DynamicTest.dynamicTest("leaks", () -> Buffers.take(mesh)));
        }
    }
}
