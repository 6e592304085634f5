package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests that share a mesh and are each responsible may have policies of their own, and still share the mesh. */
class SharedMeshPoliciesTests implements WithFixtures {

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class OfEachTestTestCase {
        private static final Set<MeshDevice> meshes = ConcurrentHashMap.newKeySet();

        @Test
        @MustFail(error = IllegalStateException.class, message = "the test itself", suppressed = Outcome.LEAKED)
        void attached(MeshDevice mesh) {
            leak(mesh);
            throw new IllegalStateException("the test itself");
        }

        @Test
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                check = AllocationCheck.NONE)
        void unchecked(MeshDevice mesh) {
            leak(mesh);
        }

        @Nested
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                check = AllocationCheck.NONE)
        class Inner {
            @Test
            void ofNestedClass(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @AfterAll
        static void allShareTheMesh() {
            Assertions.assertThat(meshes).hasSize(1);
        }

        private static void leak(MeshDevice mesh) {
            meshes.add(mesh);
            Buffers.take(mesh);
        }
    }

    @Configured("meshguard.check=clean")
    @TrackAllocations(
            lifetime = TrackingLifetime.CLASS,
            accounting = Accounting.EACH_TEST,
            check = AllocationCheck.NONE)
    static class ClassSaysNoneTestCase {
        @BeforeAll
        static void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                check = AllocationCheck.CLEAN)
        void test() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MustFail(verdict = Outcome.LEAKED)
    static class ClassSaysNothingTestCase {
        @BeforeAll
        static void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                check = AllocationCheck.CLEAN)
        void test() {}
    }

    @Configured("meshguard.check=none")
    static class RunSaysNoneTestCase extends ClassSaysNothingTestCase {}

    @TrackAllocations(check = AllocationCheck.NONE)
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class OfRunTestCase extends UnownedMemoryTestCase {}

    @Configured("meshguard.check=none")
    static class OfUncheckedRunTestCase extends OfRunTestCase {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(error = IllegalStateException.class, message = "the class itself", suppressed = Outcome.LEAKED)
    static class BrokenClassTestCase {
        @BeforeAll
        static void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the class itself");
        }

        @Test
        @Runs(0)
        void isNeverReached() {}
    }
}
