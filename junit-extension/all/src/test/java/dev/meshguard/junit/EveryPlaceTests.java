package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A leak is found at every location in a test or class, and attributed to the one that lasts as long as its mesh. */
class EveryPlaceTests {

    @Test
    void inTheConstructor() {
        assertBlamesTest(ConstructorTestCase.class, "ConstructorTestCase", "<init>");
    }

    @Test
    void inBeforeEach() {
        assertBlamesTest(BeforeEachTestCase.class, "BeforeEachTestCase", "takes");
    }

    @Test
    void inAfterEach() {
        assertBlamesTest(AfterEachTestCase.class, "AfterEachTestCase", "takes");
    }

    @Test
    void inAnExtensionAfterTheTest() {
        assertThat(run(ExtensionTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void whenAFieldIsClosed() {
        assertThat(run(AutoCloseTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void inBeforeAllOfTheClass() {
        assertThat(run(BeforeAllTestCase.class)).hasSingleTest().whichSucceeded();
        assertThat(run(BeforeAllTestCase.class))
                .hasFailedContainerCalled("EveryPlaceTests$BeforeAllTestCase")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(BeforeAllTestCase.class, "takes");
    }

    @Test
    void inAfterAllOfTheClass() {
        assertThat(run(AfterAllTestCase.class)).hasSingleTest().whichSucceeded();
        assertThat(run(AfterAllTestCase.class))
                .hasFailedContainerCalled("EveryPlaceTests$AfterAllTestCase")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(AfterAllTestCase.class, "takes");
    }

    @Test
    void inANestedClassThatAloneIsAnnotated() {
        assertThat(run(InnerAnnotationTestCase.class))
                .hasTest("inner")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining(
                        "rerun   mvn test" + " -Dtest='EveryPlaceTests$InnerAnnotationTestCase$InnerTestCase#inner'");
        assertThat(run(InnerAnnotationTestCase.class)).hasOnlyFailed("inner(MeshDevice)");
    }

    private static void assertBlamesTest(Class<?> testCase, String name, String method) {
        assertThat(run(testCase))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(testCase, method)
                .withTextContaining("rerun   mvn test -Dtest='EveryPlaceTests$" + name + "#test'");
    }

    @TrackAllocations
    static class ConstructorTestCase {
        ConstructorTestCase(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void test() {}
    }

    @TrackAllocations
    static class BeforeEachTestCase {
        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void test() {}
    }

    @TrackAllocations
    static class AfterEachTestCase {
        @Test
        void test() {}

        @AfterEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class TakingExtension implements AfterEachCallback {
        @Override
        public void afterEach(ExtensionContext context) {
            Buffers.take(((ExtensionTestCase) context.getRequiredTestInstance()).mesh);
        }
    }

    @ExtendWith(TakingExtension.class)
    @TrackAllocations
    static class ExtensionTestCase {
        private MeshDevice mesh;

        @BeforeEach
        void keeps(MeshDevice ofTest) {
            mesh = ofTest;
        }

        @Test
        void test() {}
    }

    /** Allocates a buffer when it is closed. */
    static final class Taker implements AutoCloseable {
        private MeshDevice mesh;

        @Override
        public void close() {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class AutoCloseTestCase {
        @AutoClose
        private final Taker taker = new Taker();

        @Test
        void test(MeshDevice mesh) {
            taker.mesh = mesh;
        }
    }

    @TrackAllocations
    static class BeforeAllTestCase {
        @BeforeAll
        static void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void test() {}
    }

    @TrackAllocations
    static class AfterAllTestCase {
        @Test
        void test() {}

        @AfterAll
        static void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class InnerAnnotationTestCase {
        @Test
        void outer() {}

        @Nested
        @TrackAllocations
        class InnerTestCase {
            @Test
            void inner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }
}
