package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opentest4j.TestAbortedException;

/**
 * Each dynamic test is responsible for its own survivors.
 *
 * <p>Its survivors on its factory's mesh are its failure, at any depth of the container tree, and are reported once.
 * Allocations of the factory itself, or of no test, belong to the factory. Callbacks surround only the factory, so only
 * an interceptor sees dynamic tests.
 */
class DynamicTestsTests {

    @Test
    void aLeakFailsTheDynamicTestThatMadeItAndNothingElse() {
        assertThat(run(LeakTestCase.class)).hasOnlyFailed("leaks");
        assertThat(run(LeakTestCase.class))
                .hasTestCalled("leaks")
                .whichFailed()
                .withFirstFrameIn(LeakTestCase.class, "lambda$decode$1")
                .withFinding(Cause.LOST, 8, 4096, LeakTestCase.class, "lambda$decode$1")
                .withTextContaining(
                        "note    checked at the end of DynamicTestsTests$LeakTestCase#decode [leaks], whose mesh stays open\n")
                .withReport("mvn test -Dtest='DynamicTestsTests$LeakTestCase#decode'");
    }

    @Test
    void dynamicTestsInContainersAreCheckedToo() {
        assertThat(run(ContainerTestCase.class)).hasOnlyFailed("leaks");
    }

    @Test
    void whatTheFactoryLeavesIsTheFactorys() {
        assertThat(run(FactoryLeakTestCase.class)).hasTestCalled("is clean").whichSucceeded();
        assertThat(run(FactoryLeakTestCase.class))
                .hasFailedContainerCalled("decode(MeshDevice)")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("sum     16 allocated = 8 freed + 8 leaked\n");
    }

    @Test
    void reportsALeakOfTheFactoryWithoutRepeatingThoseOfItsTests() {
        assertThat(run(BothLeakTestCase.class))
                .hasTestCalled("leaks")
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
        assertThat(run(BothLeakTestCase.class))
                .hasFailedContainerCalled("decode(MeshDevice)")
                .whichFailed()
                .withTextContaining("sum     16 allocated = 0 freed + 8 leaked + 8 expected\n")
                .withTextContaining(
                        "Expected and present: 8 buffers, 32 KiB (32768 B) (at most 8 buffers, because \"reported by"
                                + " DynamicTestsTests$BothLeakTestCase#decode [leaks]\")");
    }

    @Test
    void whatOneTakesTheNextMayNotFree() {
        assertThat(run(StepsTestCase.class)).hasOnlyFailed("takes");
    }

    @Test
    void stepsOfOneStoryNeedAMeshThatIsCheckedWhenTheClassIsOver() {
        assertThat(run(StepsOnMeshOfClassTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void eachAnswersForItselfWhereTheyRunAtTheSameTime() {
        assertThat(runConcurrently(ConcurrentTestCase.class)).hasOnlyFailed("3", "7", "11", "15");
    }

    @Test
    void onASharedMeshFactoryAndDynamicTestsAnswerForThemselves() {
        assertThat(run(SharedMeshTestCase.class))
                .hasTestCalled("leaks")
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
        assertThat(run(SharedMeshTestCase.class)).hasTestCalled("is clean").whichSucceeded();
        assertThat(run(SharedMeshTestCase.class))
                .hasFailedContainerCalled("decode(MeshDevice)")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("""
                        note    checked at the end of DynamicTestsTests$SharedMeshTestCase#decode, whose mesh stays open
                        sum     8 allocated = 0 freed + 8 leaked
                        """);
    }

    @Test
    void aFailureOfTheDynamicTestItselfComesFirst() {
        assertThat(run(FailingTestCase.class))
                .hasTestCalled("fails")
                .whichFailed()
                .with(IllegalStateException.class, "the test itself")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void anAbortedDynamicTestStaysAborted() {
        assertThat(run(FailingTestCase.class))
                .hasTestCalled("aborts")
                .whichWasAborted()
                .with(TestAbortedException.class, "no hardware")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void registeredTwiceItChecksOnce() {
        assertThat(run(TwiceTestCase.class))
                .hasTestCalled("leaks")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withNothingSuppressed();
    }

    @Test
    void withoutCheckNothingFails() {
        assertThat(run(UncheckedTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void appliesExpectationsOfTheFactoryToEachDynamicTest() {
        assertThat(run(ExpectingTestCase.class)).hasOnlySucceeded(1);
    }

    @TrackAllocations
    static class LeakTestCase {
        @TestFactory
        Stream<DynamicNode> decode(MeshDevice mesh) {
            return Stream.of(
                    dynamicTest("is clean", () -> Buffers.take(mesh).deallocate()),
                    dynamicTest("leaks", () -> Buffers.take(mesh)),
                    dynamicTest("is clean too", () -> Buffers.take(mesh).deallocate()));
        }
    }

    @TrackAllocations
    static class ContainerTestCase {
        @TestFactory
        DynamicNode decode(MeshDevice mesh) {
            return dynamicContainer(
                    "outer",
                    Stream.of(
                            dynamicContainer("inner", Stream.of(dynamicTest("leaks", () -> Buffers.take(mesh)))),
                            dynamicTest("is clean", () -> Buffers.take(mesh).deallocate())));
        }
    }

    @TrackAllocations
    static class FactoryLeakTestCase {
        @TestFactory
        DynamicNode decode(MeshDevice mesh) {
            Buffers.take(mesh);
            return dynamicTest("is clean", () -> Buffers.take(mesh).deallocate());
        }
    }

    @TrackAllocations
    static class BothLeakTestCase {
        @TestFactory
        DynamicNode decode(MeshDevice mesh) {
            Buffers.take(mesh);
            return dynamicTest("leaks", () -> Buffers.take(mesh));
        }
    }

    static Stream<DynamicNode> steps(MeshDevice mesh) {
        List<MeshBuffer> held = new ArrayList<>();
        return Stream.of(
                dynamicTest("takes", () -> held.add(Buffers.take(mesh))),
                dynamicTest("frees", () -> held.get(0).deallocate()));
    }

    @TrackAllocations
    static class StepsTestCase {
        @TestFactory
        Stream<DynamicNode> decode(MeshDevice mesh) {
            return steps(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class StepsOnMeshOfClassTestCase {
        @TestFactory
        Stream<DynamicNode> decode(MeshDevice mesh) {
            return steps(mesh);
        }
    }

    @TrackAllocations
    static class ConcurrentTestCase {
        @TestFactory
        Stream<DynamicNode> decode(MeshDevice mesh) {
            return IntStream.range(0, 16)
                    .mapToObj(number -> dynamicTest("" + number, () -> {
                        for (int i = 0; i < 20; i++) {
                            Buffers.take(mesh).deallocate();
                        }
                        if (number % 4 == 3) {
                            Buffers.take(mesh);
                        }
                    }));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedMeshTestCase {
        @TestFactory
        Stream<DynamicNode> decode(MeshDevice mesh) {
            Buffers.take(mesh);
            return Stream.of(
                    dynamicTest("leaks", () -> Buffers.take(mesh)),
                    dynamicTest("is clean", () -> Buffers.take(mesh).deallocate()));
        }
    }

    @TrackAllocations
    static class FailingTestCase {
        @TestFactory
        Stream<DynamicNode> decode(MeshDevice mesh) {
            return Stream.of(
                    dynamicTest("fails", () -> {
                        Buffers.take(mesh);
                        throw new IllegalStateException("the test itself");
                    }),
                    dynamicTest("aborts", () -> {
                        Buffers.take(mesh);
                        throw new TestAbortedException("no hardware");
                    }));
        }
    }

    @TrackAllocations
    static class TwiceTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.create();

        @TestFactory
        DynamicNode decode(MeshDevice mesh) {
            return dynamicTest("leaks", () -> Buffers.take(mesh));
        }
    }

    @TrackAllocations(check = AllocationCheck.NONE)
    static class UncheckedTestCase {
        @TestFactory
        DynamicNode decode(MeshDevice mesh) {
            return dynamicTest("leaks", () -> Buffers.take(mesh));
        }
    }

    @TrackAllocations
    static class ExpectingTestCase {
        @TestFactory
        @ExpectBuffers(label = "weights", because = "kept for the other tests")
        DynamicNode decode(MeshDevice mesh) {
            return dynamicTest("loads", () -> Buffers.take(mesh, "weights"));
        }
    }
}
