package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Each invocation of a test template has a mesh of its own and is checked separately. */
class TestTemplateTests {

    @Test
    void eachInvocationIsBlamedForItself() {
        assertThat(run(TemplateTestCase.class)).hasInvocation("decodes", 1).whichSucceeded();
        assertThat(run(TemplateTestCase.class))
                .hasInvocation("decodes", 2)
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    /** Runs a test twice; the second time with an extension that makes it leak. */
    static final class Twice implements TestTemplateInvocationContextProvider {
        @Override
        public boolean supportsTestTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
            return Stream.of(invocation(false), invocation(true));
        }

        private static TestTemplateInvocationContext invocation(boolean leaks) {
            return new TestTemplateInvocationContext() {
                @Override
                public List<Extension> getAdditionalExtensions() {
                    BeforeEachCallback choice =
                            context -> ((TemplateTestCase) context.getRequiredTestInstance()).leaks = leaks;
                    return List.of(choice);
                }
            };
        }
    }

    @TrackAllocations
    static class TemplateTestCase {
        private boolean leaks;

        @TestTemplate
        @ExtendWith(Twice.class)
        void decodes(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.liveBuffers()).isZero();
            if (leaks) {
                Buffers.take(mesh);
            }
        }
    }
}
