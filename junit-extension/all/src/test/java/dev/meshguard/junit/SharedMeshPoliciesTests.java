package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.ReportChannel;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests that share a mesh and are each responsible may have policies of their own, and still share the mesh. */
class SharedMeshPoliciesTests {

    @Test
    void eachTestIsJudgedByItsOwnPolicies() {
        OfEachTestTestCase.meshes.clear();

        RunAssert.Results results = run(OfEachTestTestCase.class);

        Assertions.assertThat(ReportChannel.of(results, "attached")).isEqualTo(ReportChannel.SUPPRESSED);
        Assertions.assertThat(ReportChannel.of(results, "unchecked")).isEqualTo(ReportChannel.NOWHERE);
        Assertions.assertThat(ReportChannel.of(results, "ofNestedClass")).isEqualTo(ReportChannel.NOWHERE);
        Assertions.assertThat(OfEachTestTestCase.meshes).hasSize(1);
    }

    @Test
    void whatTheClassLeavesIsJudgedByThePoliciesOfTheClass() {
        assertThat(run(ClassSaysNoneTestCase.class, Map.of("meshguard.check", "clean")))
                .hasOnlySucceeded(1);
        assertThat(run(ClassSaysNothingTestCase.class, Map.of("meshguard.check", "none")))
                .hasOnlySucceeded(1);
        assertThat(run(ClassSaysNothingTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void whatTheRunLeavesIsJudgedByTheParameters() {
        assertThat(run(OfRunTestCase.class, Map.of("meshguard.check", "none"))).hasOnlySucceeded(1);
        assertThat(run(OfRunTestCase.class))
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void whatAMeshOfTheClassLeavesIsSuppressedInWhatTheClassThrew() {
        assertThat(run(BrokenClassTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .with(IllegalStateException.class, "the class itself")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class OfEachTestTestCase {
        private static final Set<MeshDevice> meshes = ConcurrentHashMap.newKeySet();

        @Test
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

        private static void leak(MeshDevice mesh) {
            meshes.add(mesh);
            Buffers.take(mesh);
        }
    }

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

    @TrackAllocations(check = AllocationCheck.NONE)
    static class OfRunTestCase extends UnownedMemoryTestCase {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class BrokenClassTestCase {
        @BeforeAll
        static void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the class itself");
        }

        @Test
        void isNeverReached() {}
    }
}
