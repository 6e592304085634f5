package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTogether;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A mesh for the whole run is checked after the last test.
 *
 * <p>All tests of all classes with the same settings share it. A leak fails the engine, and with it the build, unless
 * each test is responsible for its own survivors.
 */
class SuiteLifetimeTests {

    @Test
    void classesThatAskForTheSameShareOneMesh() {
        assertThat(runTogether(FirstTestCase.class, SecondTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void classesThatAskForSomethingElseHaveAnother() {
        assertThat(runTogether(FirstTestCase.class, OtherShapeTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void everyRunHasItsOwn() {
        assertThat(run(LeakTestCase.class))
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed();
        assertThat(run(FirstTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aLeakFailsTheEngineAndNoTest() {
        assertThat(run(LeakTestCase.class)).hasSingleTest().whichSucceeded();
        assertThat(run(LeakTestCase.class))
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(LeakTestCase.class, "leaks")
                .withTextContaining("\nrerun   mvn test");
    }

    @Test
    void aLeakFailsItsTestAloneWhereEachAnswersForItself() {
        assertThat(runTogether(AccountedLeakTestCase.class, AccountedTestCase.class))
                .hasOnlyFailed("leaks(MeshDevice)");
    }

    @Test
    void rejectsAnEntryOnAMethod() {
        assertRejected(
                EntryOnMethodTestCase.class,
                "@ExpectBuffers on SuiteLifetimeTests$EntryOnMethodTestCase#keeps: an entry for one method of a mesh with"
                        + " lifetime = SUITE is rejected. Let each test answer for itself with accounting = EACH_TEST, or put"
                        + " the entry into the file of the run, meshguard.expected-buffers.");
    }

    @Test
    void rejectsAnEntryOnAClass() {
        assertRejected(
                EntryOnClassTestCase.class,
                "@ExpectBuffers on SuiteLifetimeTests$EntryOnClassTestCase: an entry for one class of a mesh with lifetime ="
                        + " SUITE is rejected. Let each test answer for itself with accounting = EACH_TEST, or put the entry"
                        + " into the file of the run, meshguard.expected-buffers.");
    }

    @Test
    void rejectsABudgetOnAClass() {
        assertRejected(
                BudgetOnClassTestCase.class,
                "@MemoryBudget on SuiteLifetimeTests$BudgetOnClassTestCase: a budget for one class of a mesh with lifetime ="
                        + " SUITE is rejected. Let each test keep to it with accounting = EACH_TEST.");
    }

    @Test
    void rejectsExpectationsOfAField() {
        assertRejected(
                EntryInFieldTestCase.class,
                "MeshGuardExtension in SuiteLifetimeTests$EntryInFieldTestCase: what one class expects or allows of a mesh"
                        + " with lifetime = SUITE is rejected. Let each test answer for itself with accounting(EACH_TEST).");
    }

    @Test
    void rejectsTheLifetimeOnAMethod() {
        assertRejected(
                MethodTestCase.class,
                "@TrackAllocations on SuiteLifetimeTests$MethodTestCase#keeps: lifetime = SUITE is rejected. On a method only"
                        + " TEST has a meaning: put SUITE on the class.");
    }

    private static void assertRejected(Class<?> testCase, String message) {
        assertThat(run(testCase)).hasSingleTest().whichFailed().with(ExtensionConfigurationException.class, message);
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class FirstTestCase {
        @Test
        void opens(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class SecondTestCase {
        @Test
        void usesTheSame(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    @FakeMesh(rows = 1, columns = 1)
    static class OtherShapeTestCase {
        @Test
        void opensAnother(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 1);
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class LeakTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE, accounting = Accounting.EACH_TEST)
    static class AccountedLeakTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE, accounting = Accounting.EACH_TEST)
    static class AccountedTestCase {
        @Test
        void isClean(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class EntryOnMethodTestCase {
        @Test
        @ExpectBuffers(because = "of this test")
        void keeps(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    @ExpectBuffers(because = "of this class")
    static class EntryOnClassTestCase {
        @Test
        void keeps(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    @MemoryBudget(type = BufferType.DRAM, buffers = 1)
    static class BudgetOnClassTestCase {
        @Test
        void keeps(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class EntryInFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(Expectation.because("of this class"))
                .build();

        @Test
        void keeps(MeshDevice mesh) {}
    }

    static class MethodTestCase {
        @Test
        @TrackAllocations(lifetime = TrackingLifetime.SUITE)
        void keeps(MeshDevice mesh) {}
    }
}
