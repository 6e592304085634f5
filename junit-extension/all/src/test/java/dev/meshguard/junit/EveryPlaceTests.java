package dev.meshguard.junit;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
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
class EveryPlaceTests implements WithFixtures {

    @TrackAllocations
    static class ConstructorTestCase {
        ConstructorTestCase(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                frame = "ConstructorTestCase.<init>",
                text = "rerun mvn test -Dtest='EveryPlaceTests$ConstructorTestCase#test'")
        void test() {}
    }

    @TrackAllocations
    static class BeforeEachTestCase {
        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                frame = "BeforeEachTestCase.takes",
                text = "rerun mvn test -Dtest='EveryPlaceTests$BeforeEachTestCase#test'")
        void test() {}
    }

    @TrackAllocations
    static class AfterEachTestCase {
        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                frame = "AfterEachTestCase.takes",
                text = "rerun mvn test -Dtest='EveryPlaceTests$AfterEachTestCase#test'")
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
        @MustFail(
                verdict = Outcome.LEAKED,
                frame = "TakingExtension.afterEach",
                text = "rerun mvn test -Dtest='EveryPlaceTests$ExtensionTestCase#test'")
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
        @MustFail(
                verdict = Outcome.LEAKED,
                frame = "Taker.close",
                text = "rerun mvn test -Dtest='EveryPlaceTests$AutoCloseTestCase#test'")
        void test() {}
    }

    @TrackAllocations
    @MustFail(verdict = Outcome.LEAKED, frame = "BeforeAllTestCase.takes")
    static class BeforeAllTestCase {
        @BeforeAll
        static void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void test() {}
    }

    @TrackAllocations
    @MustFail(verdict = Outcome.LEAKED, frame = "AfterAllTestCase.takes")
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
            @MustFail(
                    verdict = Outcome.LEAKED,
                    text = "rerun mvn test -Dtest='EveryPlaceTests$InnerAnnotationTestCase$InnerTestCase#inner'")
            void inner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }
}
