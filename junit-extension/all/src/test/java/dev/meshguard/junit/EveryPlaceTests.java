package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A leak is found at every location in a test or class, and attributed to the one that lasts as long as its mesh. */
class EveryPlaceTests {

    @ParameterizedTest
    @CsvSource({
        "ConstructorTestCase, ConstructorTestCase, <init>",
        "BeforeEachTestCase, BeforeEachTestCase, takes",
        "AfterEachTestCase, AfterEachTestCase, takes",
        "ExtensionTestCase, TakingExtension, afterEach",
        "AutoCloseTestCase, Taker, close"
    })
    void aLeakOfATestFailsIt(String testCase, String type, String method) throws ClassNotFoundException {
        assertThat(run(typeOf(testCase)))
                .hasOnlyLeakOf("test()")
                .withFirstFrameIn(typeOf(type), method)
                .withTextContaining("rerun mvn test -Dtest='EveryPlaceTests$" + testCase + "#test'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BeforeAllTestCase", "AfterAllTestCase"})
    void aLeakOfAClassFailsIt(String testCase) throws ClassNotFoundException {
        assertThat(run(typeOf(testCase)))
                .hasOnlyLeakOf("EveryPlaceTests$" + testCase)
                .withFirstFrameIn(typeOf(testCase), "takes");
    }

    @Test
    void inANestedClassThatAloneIsAnnotated() {
        assertThat(run(InnerAnnotationTestCase.class))
                .hasOnlyLeakOf("inner(MeshDevice)")
                .withTextContaining(
                        "rerun mvn test -Dtest='EveryPlaceTests$InnerAnnotationTestCase$InnerTestCase#inner'");
    }

    private static Class<?> typeOf(String testCase) throws ClassNotFoundException {
        return Class.forName(EveryPlaceTests.class.getName() + "$" + testCase);
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

        @BeforeEach
        void keeps(MeshDevice mesh) {
            taker.mesh = mesh;
        }

        @Test
        void test() {}
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
