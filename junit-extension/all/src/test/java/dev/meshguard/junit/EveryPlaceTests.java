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

/** A leak is found at every location in a test or class, and attributed to the one that lasts as long as its mesh. */
class EveryPlaceTests {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "Constructor,     test(),            Constructor.<init>,        Constructor#test",
        "BeforeEachTest,  test(),            BeforeEachTest.takes,      BeforeEachTest#test",
        "AfterEachTest,   test(),            AfterEachTest.takes,       AfterEachTest#test",
        "OtherExtension,  test(),            TakingExtension.afterEach, OtherExtension#test",
        "AutoClosed,      test(),            Taker.close,               AutoClosed#test",
        "BeforeAllTests,  EveryPlaceTests$BeforeAllTests, BeforeAllTests.takes, BeforeAllTests",
        "AfterAllTests,   EveryPlaceTests$AfterAllTests,  AfterAllTests.takes,  AfterAllTests",
        "InnerAnnotation, inner(MeshDevice), Inner.inner,               InnerAnnotation$Inner#inner"
    })
    void isFoundOnceWithItsLineAndACommand(String place, String failed, String frame, String rerun)
            throws ClassNotFoundException {
        assertThat(run(Class.forName(EveryPlaceTests.class.getName() + "$" + place)))
                .hasOnlyLeakOf(failed)
                .withFirstFrameIn(frame)
                .withTextContaining("rerun mvn test -Dtest='EveryPlaceTests$" + rerun + "'");
    }

    @TrackAllocations
    abstract static class Place {

        @Test
        void test() {}
    }

    static class Constructor extends Place {

        Constructor(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class BeforeEachTest extends Place {

        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class AfterEachTest extends Place {

        @AfterEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class TakingExtension implements AfterEachCallback {

        @Override
        public void afterEach(ExtensionContext context) {
            Buffers.take(((OtherExtension) context.getRequiredTestInstance()).mesh);
        }
    }

    @ExtendWith(TakingExtension.class)
    static class OtherExtension extends Place {

        private MeshDevice mesh;

        @BeforeEach
        void keeps(MeshDevice ofTest) {
            mesh = ofTest;
        }
    }

    /** Allocates a buffer when it is closed. */
    static final class Taker implements AutoCloseable {

        private MeshDevice mesh;

        @Override
        public void close() {
            Buffers.take(mesh);
        }
    }

    static class AutoClosed extends Place {

        @AutoClose
        private final Taker taker = new Taker();

        @BeforeEach
        void keeps(MeshDevice mesh) {
            taker.mesh = mesh;
        }
    }

    static class BeforeAllTests extends Place {

        @BeforeAll
        static void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class AfterAllTests extends Place {

        @AfterAll
        static void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class InnerAnnotation {

        @Test
        void outer() {}

        @Nested
        @TrackAllocations
        class Inner {

            @Test
            void inner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }
}
