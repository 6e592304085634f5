package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each test of each invocation of a parameterized class is checked separately.
 *
 * <p>JUnit keeps closeable arguments for all tests of an invocation and closes them afterwards, so after the check of
 * each test. For a mesh of one test this is unavoidable, because the mesh no longer exists then; a mesh of the class is
 * closed after the arguments.
 */
class ParameterizedClassTests {

    @Test
    void eachInvocationIsBlamedForItself() {
        assertThat(run(LeakTestCase.class))
                .hasSingleFailure()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("label \"of 2\"");
    }

    @Test
    void whatOnlyAnArgumentFreesIsLeftOnTheMeshOfATest() {
        assertThat(run(ArgumentTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void whatOnlyAnArgumentFreesIsNoLeakOnTheMeshOfTheClass() {
        assertThat(run(ArgumentOnMeshOfClassTestCase.class)).hasOnlySucceeded(1);
    }

    /** Frees its buffers when it is closed. */
    static final class Releaser implements AutoCloseable {
        private final Deque<MeshBuffer> buffers = new ArrayDeque<>();

        void add(MeshBuffer buffer) {
            buffers.add(buffer);
        }

        @Override
        public void close() {
            buffers.forEach(MeshBuffer::deallocate);
        }
    }

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
        void decodes(MeshDevice mesh) {
            if (number == 2) {
                Buffers.take(mesh, "of " + number);
            }
        }
    }

    @TrackAllocations
    @ParameterizedClass
    @MethodSource("dev.meshguard.junit.ParameterizedClassTests#releasers")
    static class ArgumentTestCase {
        @Parameter
        Releaser releaser;

        @Test
        void takes(MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @ParameterizedClass
    @MethodSource("dev.meshguard.junit.ParameterizedClassTests#releasers")
    static class ArgumentOnMeshOfClassTestCase {
        @Parameter
        Releaser releaser;

        @Test
        void takes(MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }
    }
}
