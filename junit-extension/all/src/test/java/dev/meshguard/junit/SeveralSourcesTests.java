package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;

/** A test may examine the memory of several sources, each with a session of its own. */
class SeveralSourcesTests implements WithFixtures {

    /** A source may use what began before it, and one that cannot be closed must not keep another open. */
    @Test
    void closesAllSessionsInReverseOrderEvenIfOneThrows() {
        ClosedCase.CLOSED.get().clear();

        Throwable failure = run(ClosedCase.class).events().testEvents().failed().stream()
                .flatMap(failed -> failed.getPayload(TestExecutionResult.class).stream())
                .flatMap(result -> result.getThrowable().stream())
                .findFirst()
                .orElseThrow();

        Assertions.assertThat(ClosedCase.CLOSED.get()).containsExactly("third", "second", "first");
        // JUnit wraps what closing a store throws.
        Assertions.assertThat(failure)
                .rootCause()
                .hasMessage("third cannot be closed")
                .satisfies(root -> Assertions.assertThat(root.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("first cannot be closed"));
    }

    @Test
    void rejectsTheSettingsOfOneSourceTwice() {
        MeshGuardExtension.Builder builder = MeshGuardExtension.builder();
        SourceSettings mesh = FakeMeshSource.builder().build();

        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> builder.source(mesh, mesh))
                .withMessage("MeshGuardExtension: the source \"mesh\" twice is rejected. Give its settings once.");
    }

    @Test
    void testsWithTheSameSettingsMayShareASession() {
        SourceSettings ofParameter = ofParameter(new LibrarySource("one"));

        Assertions.assertThat(ofParameter)
                .isEqualTo(ofParameter(new LibrarySource("other")))
                .hasSameHashCodeAs(ofParameter(new LibrarySource("other")))
                .isNotEqualTo(ofParameter(new FakeMeshSource()));
    }

    @Test
    void aSourceBeginsWithTheTestUnlessTheParameterIsAllThereIs() {
        LibrarySource source = new LibrarySource("one");
        SourceSettings ofEachTest = SourceSettings.withoutOptions(source, SeveralSourcesTests::session);

        Assertions.assertThat(ofEachTest.beginsOnRequest()).isFalse();
        Assertions.assertThat(ofParameter(source).beginsOnRequest()).isTrue();
        Assertions.assertThat(ofEachTest).isNotEqualTo(ofParameter(source));
    }

    private static SourceSettings ofParameter(AllocationSource source) {
        return SourceSettings.ofParameter(source, context -> session(context));
    }

    private static SourceSession session(SourceContext context) {
        throw new IllegalStateException("no session is begun here");
    }

    /** A library that reports a leak when its session begins, and logs its close. */
    private record Library(String id, boolean leaks, boolean isClosable, ThreadLocal<List<String>> closed)
            implements SourceSettings {

        @Override
        public AllocationSource source() {
            return new LibrarySource(id);
        }

        @Override
        public boolean isShareable() {
            return true;
        }

        @Override
        public SourceSession begin(SourceContext context) {
            context.tracker().sourceAttached(id);
            if (leaks) {
                context.tracker().allocated(9, BufferType.SYSTEM_MEMORY, 0x1000, 64);
            }
            return new SourceSession() {
                @Override
                public void close() {
                    closed.get().add(id);
                    if (!isClosable) {
                        throw new IllegalStateException(id + " cannot be closed");
                    }
                }
            };
        }
    }

    private static final class LibrarySource extends FixtureSource {

        LibrarySource(String id) {
            super(id);
        }
    }

    static class LeakBesideMeshTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(
                        FakeMeshSource.builder().mesh(1, 1).build(),
                        new Library("library", true, true, ThreadLocal.withInitial(ArrayList::new)))
                .build();

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "64 B in 1 SYSTEM_MEMORY buffer")
        void freesItsBuffer(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "2 allocated = 0 freed + 2 leaked")
        void leaksItsBufferToo(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class ClosedCase {

        /** A run executes its tests on the thread of its caller. */
        static final ThreadLocal<List<String>> CLOSED = ThreadLocal.withInitial(ArrayList::new);

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(
                        new Library("first", false, false, CLOSED),
                        new Library("second", false, true, CLOSED),
                        new Library("third", false, false, CLOSED))
                .build();

        @Test
        void allocatesNothing() {}
    }
}
