package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lifetime and accounting are resolved separately, like every other setting. */
class LifetimeSettingTests {

    @Test
    void aNearerAnnotationThatOmitsThemHidesNeither() {
        assertThat(run(OuterTestCase.class)).hasTest("leaks").whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void theLifetimeOfAFieldAppliesBesideAnAnnotation() {
        assertThat(run(FieldTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void rejectsTheAccountingOfOneMethod() {
        assertThat(run(OneMethodTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@TrackAllocations on LifetimeSettingTests$OneMethodTestCase#runs: accounting for one method of a mesh"
                                + " with lifetime = CLASS is rejected. All its tests share one tracker: put it on the class.");
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class OuterTestCase {
        @Nested
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        class InnerTestCase {
            @Test
            void leaks(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class FieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().lifetime(TrackingLifetime.CLASS).build();

        private static @Nullable MeshBuffer kept;

        @Test
        void keepsABuffer(MeshDevice mesh) {
            kept = Buffers.take(mesh);
        }

        @AfterAll
        static void freesIt() {
            Objects.requireNonNull(kept).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OneMethodTestCase {
        @Test
        @TrackAllocations(accounting = Accounting.EACH_TEST)
        void runs(MeshDevice mesh) {}
    }
}
