package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/**
 * A {@code @Suite} class is a run of its own: its tests are checked as usual, and memory of no test fails the suite.
 */
class PlatformSuiteTests {

    @Test
    void aTestOfASuiteIsBlamedForItsLeak() {
        assertThat(JupiterRun.runSuites(SuiteOfLeakingTest.class)).hasOnlyFailed("leaks(MeshDevice)");
    }

    @Test
    void memoryOfNoTestFailsTheSuite() {
        assertThat(JupiterRun.runSuites(LeakingSuite.class))
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn("UnownedMemoryTestCase.leaks");
    }

    @Test
    void theNextSuiteIsNotResponsibleForIt() {
        RunAssert.Results both = JupiterRun.runSuites(LeakingSuite.class, CleanSuite.class);

        assertThat(both)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withFirstFrameIn("UnownedMemoryTestCase.leaks");
    }

    @Suite
    @SelectClasses(TypicalTestCase.CleanAndLeak.class)
    static class SuiteOfLeakingTest {}

    @Suite
    @SelectClasses(UnownedMemoryTestCase.class)
    static class LeakingSuite {}

    @Suite
    @SelectClasses(UnownedMemoryTestCase.FreeingTestCase.class)
    static class CleanSuite {}
}
