package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A tracked field holds the same value as a parameter.
 *
 * <p>An instance field is set before the {@code @BeforeEach} methods of each test with that test's values, a static one
 * before the {@code @BeforeAll} methods with the class's. A test that does not run opens nothing.
 */
class TrackedFieldTests {

    @Test
    void fieldsHoldWhatParametersAreGiven() {
        assertThat(run(EveryTypeTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void rejectsAFieldOfAnUntrackedTest() {
        assertThat(run(ForgottenTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@Tracked on TrackedFieldTests$ForgottenTestCase.mesh: a field of a test that nothing tracks is rejected."
                                + " Annotate TrackedFieldTests$ForgottenTestCase with @TrackAllocations.");
        assertThat(run(ForgottenStaticTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(ExtensionConfigurationException.class);
    }

    @Test
    void anAnnotationOnTheMethodFillsTheFieldToo() {
        assertThat(run(MethodTestCase.class)).hasOnlySucceeded(1);
        assertThat(run(MethodOfOneInstanceTestCase.class)).hasOnlySucceeded(1);
    }

    static class ForgottenTestCase {
        @Tracked
        private MeshDevice mesh;

        @BeforeEach
        void usesIt() {
            mesh.close();
        }

        @Test
        void runs() {}
    }

    static class ForgottenStaticTestCase {
        @Tracked
        private static MeshDevice mesh;

        @Test
        void runs() {
            mesh.close();
        }
    }

    static class MethodTestCase {
        @Tracked
        private MeshDevice mesh;

        @Test
        @TrackAllocations
        void runs() {
            mesh.close();
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class MethodOfOneInstanceTestCase extends MethodTestCase {}

    @Test
    void whatIsTakenThroughAFieldIsTheTests() {
        assertThat(run(LeakTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void eachTestOfOneInstanceFindsItsOwn() {
        assertThat(run(OneInstanceTestCase.class)).hasOnlyFailed("leaks()");
    }

    @Test
    void aNestedTestFillsTheFieldsAroundItToo() {
        assertThat(run(NestingTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aStaticFieldHoldsTheClasss() {
        assertThat(run(StaticTestCase.class)).hasTest("leavesNothingItself").whichSucceeded();
        assertThat(run(StaticTestCase.class)).hasFailedClass().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void aFieldOfASuperclassIsFilled() {
        assertThat(run(InheritingTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void itMayBePartOfAnAnnotationOfOnesOwn() {
        assertThat(run(ComposedTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void registeredTwiceItFillsOnce() {
        assertThat(run(TwiceTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void rejectsAFieldOfAnotherType() {
        assertRejected(
                WrongTypeTestCase.class,
                "@Tracked on TrackedFieldTests$WrongTypeTestCase.mesh: type String is rejected. There is AllocationServer, AllocationTracker,"
                        + " MemorySnapshots, MeshDevice, NativeHandles, Phases, StaticFactories, TrackedProcesses, Ttnn.");
    }

    @Test
    void rejectsAFinalField() {
        assertRejected(
                FinalTestCase.class,
                "@Tracked on TrackedFieldTests$FinalTestCase.mesh: a final field is rejected. It is filled for each test: let"
                        + " it not be final.");
    }

    @Test
    void rejectsAFieldOfTestsThatRunConcurrently() {
        assertRejected(
                MeetingTestCase.class,
                "@Tracked on TrackedFieldTests$MeetingTestCase.mesh: a field of an instance whose tests run at the same time"
                        + " is rejected. Ask for a parameter, or let the tests of the class run one after the other.");
    }

    private static void assertRejected(Class<?> testCase, String message) {
        assertThat(run(testCase)).hasSingleTest().whichFailed().with(ExtensionConfigurationException.class, message);
    }

    @TrackAllocations
    static class EveryTypeTestCase {
        @Tracked
        private MeshDevice mesh;

        @Tracked
        private Ttnn ttnn;

        @Tracked
        private AllocationTracker tracker;

        @Tracked
        private MemorySnapshots snapshots;

        @Tracked
        private Phases phases;

        @BeforeEach
        void areThere(MeshDevice asParameter) {
            Assertions.assertThat(mesh).isSameAs(asParameter);
        }

        @Test
        void test(Ttnn asParameter, AllocationTracker trackerAsParameter) {
            Assertions.assertThat(ttnn).isSameAs(asParameter);
            Assertions.assertThat(tracker).isSameAs(trackerAsParameter);
            Assertions.assertThat(snapshots.take()).isEqualTo(tracker.snapshot());
            Assertions.assertThat(phases.current()).isEqualTo(tracker.currentPhase());
        }
    }

    @TrackAllocations
    static class LeakTestCase {
        @Tracked
        private MeshDevice mesh;

        @Test
        void leaks() {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class OneInstanceTestCase {
        @Tracked
        private MeshDevice mesh;

        @Test
        void leaks() {
            Buffers.take(mesh);
        }

        @Test
        void isClean(MeshDevice asParameter) {
            Assertions.assertThat(mesh).isSameAs(asParameter);
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class NestingTestCase {
        @Tracked
        private MeshDevice outer;

        @Nested
        class InnerTestCase {
            @Tracked
            private MeshDevice inner;

            @Test
            void test() {
                Assertions.assertThat(outer).isNotNull().isSameAs(inner);
            }
        }
    }

    @TrackAllocations
    static class StaticTestCase {
        @Tracked
        private static MeshDevice mesh;

        @BeforeAll
        static void loads() {
            Buffers.take(mesh);
        }

        @Test
        void leavesNothingItself(MeshDevice ofTest) {
            Assertions.assertThat(mesh).isNotNull().isNotSameAs(ofTest);
        }
    }

    abstract static class SuperTestCase {
        @Tracked
        private MeshDevice mesh;

        MeshDevice mesh() {
            return mesh;
        }
    }

    @TrackAllocations
    static class InheritingTestCase extends SuperTestCase {
        @Test
        void test(MeshDevice asParameter) {
            Assertions.assertThat(mesh()).isSameAs(asParameter);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @Tracked
    @interface Injected {}

    @TrackAllocations
    static class ComposedTestCase {
        @Injected
        private MeshDevice mesh;

        @Test
        void test(MeshDevice asParameter) {
            Assertions.assertThat(mesh).isSameAs(asParameter);
        }
    }

    @TrackAllocations
    static class TwiceTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.create();

        @Tracked
        private MemorySnapshots snapshots;

        @BeforeEach
        void remembers(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void test() {
            Assertions.assertThat(snapshots.first().isEmpty()).isTrue();
        }
    }

    @SuppressWarnings("UnusedVariable") // This is an error.
    @TrackAllocations
    static class WrongTypeTestCase {
        @Tracked
        private String mesh;

        @Test
        void test() {}
    }

    @SuppressWarnings("UnusedVariable") // This is an error.
    @TrackAllocations
    static class FinalTestCase {
        @Tracked
        private final MeshDevice mesh = null;

        @Test
        void test() {}
    }

    @SuppressWarnings("UnusedVariable") // This is an error.
    @TrackAllocations
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    static class MeetingTestCase {
        @Tracked
        private MeshDevice mesh;

        @Test
        void test() {}
    }
}
