package dev.meshguard.junit;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.OrderTests.Releaser;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/**
 * Exactly the test that leaked fails: an invocation, a test of a class with parameters, or a dynamic test.
 *
 * <p>The survivors of a dynamic test on its factory's mesh are its failure, at any depth of the container tree, and are reported once.
 * Allocations of the factory itself, or of no test, belong to the factory.
 */
class BlameTests implements WithFixtures {

    @TrackAllocations
    static class InvocationsTestCase {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        @Runs(3)
        @MustFail(
                invocation = 2,
                verdict = Outcome.LEAKED,
                text = "rerun mvn test -Dtest='BlameTests$InvocationsTestCase#onlyTheInvocationThatLeakedFails'")
        void onlyTheInvocationThatLeakedFails(int number, MeshDevice mesh) {
            if (number == 2) {
                Buffers.take(mesh);
            }
        }

        @RepeatedTest(2)
        @MustFail(invocation = 1, verdict = Outcome.LEAKED)
        void onlyTheRepetitionThatLeakedFails(RepetitionInfo repetition, MeshDevice mesh) {
            if (repetition.getCurrentRepetition() == 1) {
                Buffers.take(mesh);
            }
        }
    }

    // A class with parameters: JUnit keeps closeable arguments for all tests of an invocation and closes them
    // afterwards,
    // so after the check of each test. For a mesh of one test this is unavoidable, because the mesh no longer exists
    // then;
    // a mesh of the class is closed after the arguments.

    static Stream<Releaser> releasers() {
        return Stream.of(new Releaser());
    }

    @TrackAllocations
    @ParameterizedClass
    @ValueSource(ints = {1, 2, 3})
    static class LeakTestCase {
        @Parameter
        int number;

        @Test
        @Runs(3)
        @MustFail(invocation = 2, verdict = Outcome.LEAKED, text = "label \"of 2\"")
        void onlyTheTestOfTheInvocationOfAClassThatLeakedFails(MeshDevice mesh) {
            if (number == 2) {
                Buffers.take(mesh, "of " + number);
            }
        }
    }

    @TrackAllocations
    @ParameterizedClass
    @MethodSource("dev.meshguard.junit.BlameTests#releasers")
    static class ArgumentTestCase {
        @Parameter
        Releaser releaser;

        @MustLeak
        void whatOnlyAnArgumentFreesIsLeftOnTheMeshOfATest(MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @ParameterizedClass
    @MethodSource("dev.meshguard.junit.BlameTests#releasers")
    static class ArgumentOnMeshOfClassTestCase {
        @Parameter
        Releaser releaser;

        @Test
        void whatOnlyAnArgumentFreesIsNoLeakOnTheMeshOfTheClass(MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }
    }

    // Dynamic tests: callbacks surround only the factory, so only an interceptor sees them

    @TrackAllocations
    static class FactoriesTestCase {
        @TestFactory
        @Runs(3)
        @MustFail(
                invocation = 2,
                verdict = Outcome.LEAKED,
                frame = "FactoriesTestCase.lambda$decode$1",
                text = {
                    "LEAK  32 KiB in 8 DRAM buffers, LOST",
                    "note    checked at the end of BlameTests$FactoriesTestCase#decode [leaks], whose mesh stays open",
                    "rerun   mvn test -Dtest='BlameTests$FactoriesTestCase#decode'"
                })
        Stream<DynamicNode> decode(MeshDevice mesh) {
            return Stream.of(
                    dynamicTest("is clean", () -> Buffers.take(mesh).deallocate()),
                    dynamicTest("leaks", () -> Buffers.take(mesh)),
                    dynamicTest("is clean too", () -> Buffers.take(mesh).deallocate()));
        }

        @TestFactory
        @MustFail(verdict = Outcome.LEAKED)
        @MustFail(
                container = true,
                verdict = Outcome.LEAKED,
                text = {
                    "sum     16 allocated = 0 freed + 8 leaked + 8 expected\n",
                    "Expected and present: 8 buffers, 32 KiB (32768 B) (at most 8 buffers, because \"reported by"
                            + " BlameTests$FactoriesTestCase#aLeakOfTheFactoryRepeatsNoneOfItsTests [leaks]\")"
                })
        DynamicNode aLeakOfTheFactoryRepeatsNoneOfItsTests(MeshDevice mesh) {
            Buffers.take(mesh);
            return dynamicTest("leaks", () -> Buffers.take(mesh));
        }

        @TestFactory
        @Runs(2)
        @MustFail(invocation = 1, verdict = Outcome.LEAKED)
        Stream<DynamicNode> whatOneTakesTheNextMayNotFree(MeshDevice mesh) {
            return steps(mesh);
        }

        @TestFactory
        @MustFail(error = IllegalStateException.class, message = "the test itself", suppressed = Outcome.LEAKED)
        DynamicNode aFailureOfTheDynamicTestItselfComesFirst(MeshDevice mesh) {
            return dynamicTest("fails", () -> {
                Buffers.take(mesh);
                throw new IllegalStateException("the test itself");
            });
        }

        @TestFactory
        @MustFail(
                aborted = true,
                error = TestAbortedException.class,
                message = "no hardware",
                suppressed = Outcome.LEAKED)
        DynamicNode anAbortedDynamicTestStaysAborted(MeshDevice mesh) {
            return dynamicTest("aborts", () -> {
                Buffers.take(mesh);
                throw new TestAbortedException("no hardware");
            });
        }
    }

    private static Stream<DynamicNode> steps(MeshDevice mesh) {
        List<MeshBuffer> held = new ArrayList<>();
        return Stream.of(
                dynamicTest("takes", () -> held.add(Buffers.take(mesh))),
                dynamicTest("frees", () -> held.get(0).deallocate()));
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class StepsOnMeshOfClassTestCase {
        @TestFactory
        @Runs(2)
        Stream<DynamicNode> stepsOfOneStoryNeedAMeshThatIsCheckedWhenTheClassIsOver(MeshDevice mesh) {
            return steps(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedMeshTestCase {
        @TestFactory
        @MustFail(container = true, verdict = Outcome.LEAKED, text = """
                note    checked at the end of BlameTests$SharedMeshTestCase#onASharedMeshAFactoryAnswersForItself, whose \
                mesh stays open
                sum     8 allocated = 0 freed + 8 leaked
                """)
        DynamicNode onASharedMeshAFactoryAnswersForItself(MeshDevice mesh) {
            Buffers.take(mesh);
            return dynamicTest("is clean", () -> Buffers.take(mesh).deallocate());
        }

        @TestFactory
        @Runs(2)
        @MustFail(invocation = 1, verdict = Outcome.LEAKED)
        @MustFail(container = true, verdict = Outcome.LEAKED, text = "sum     8 allocated = 0 freed + 8 leaked")
        Stream<DynamicNode> onASharedMeshAFactoryRepeatsNoLeakOfItsTests(MeshDevice mesh) {
            Buffers.take(mesh);
            return Stream.of(
                    dynamicTest("leaks", () -> Buffers.take(mesh)),
                    dynamicTest("is clean", () -> Buffers.take(mesh).deallocate()));
        }
    }

    @TrackAllocations
    static class TwiceTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.create();

        @TestFactory
        @MustFail(verdict = Outcome.LEAKED, alone = true)
        DynamicNode registeredTwiceItChecksOnce(MeshDevice mesh) {
            return dynamicTest("leaks", () -> Buffers.take(mesh));
        }
    }
}
