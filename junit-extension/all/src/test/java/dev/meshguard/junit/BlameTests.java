package dev.meshguard.junit;

import dev.meshguard.junit.OrderTests.Releaser;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exactly the test that leaked fails. */
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

        @TestTemplate
        @ExtendWith(Twice.class)
        @Runs(2)
        @MustFail(invocation = 1, verdict = Outcome.LEAKED)
        void onlyTheInvocationOfATemplateThatLeakedFails(TestInfo invocation, MeshDevice mesh) {
            if (invocation.getDisplayName().equals("[1]")) {
                Buffers.take(mesh);
            }
        }
    }

    /** Runs a test twice. */
    static final class Twice implements TestTemplateInvocationContextProvider {
        @Override
        public boolean supportsTestTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
            return Stream.of(new TestTemplateInvocationContext() {}, new TestTemplateInvocationContext() {});
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
}
