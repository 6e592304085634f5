package dev.meshguard.junit;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One mesh for all tests of a class is checked after the last test. */
class ClassLifetimeTests implements WithFixtures {

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class InstanceFieldTestCase {
        @Nested
        @MustFail(verdict = Outcome.LEAKED)
        class LeakingTestCase {
            @RegisterExtension
            final MeshGuardExtension guard = MeshGuardExtension.create();

            @Test
            void aNestedClassWithAnExtensionOfItsOwnIsItsOwner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class FieldsTestCase {
        @Test
        void outer(MeshDevice mesh) {}

        @Nested
        @MustFail(verdict = Outcome.LEAKED)
        class LeakingTestCase {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.create();

            @Test
            void aNestedClassWithAnExtensionOfItsOwnIsItsOwner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }

        @Nested
        class KeepingTestCase {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.builder()
                    .expecting(Expectation.because("kept").label("weights"))
                    .build();

            @Test
            void keeps(MeshDevice mesh) {
                Buffers.take(mesh, "weights");
            }

            @Nested
            class SharingTestCase {
                @Test
                void keepsToo(MeshDevice mesh, AllocationTracker tracker) {
                    Assertions.assertThat(tracker.history().meshes()).hasSize(1);
                    Buffers.take(mesh, "weights");
                }
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class SharedTestCase {
        private MeshBuffer buffer;

        @Test
        @Order(1)
        void takes(MeshDevice mesh) {
            buffer = Buffers.take(mesh);
        }

        @Test
        @Order(2)
        void whatOneTestTakesAnotherMayFree(AllocationTracker tracker) {
            Assertions.assertThat(tracker.liveBuffers()).isEqualTo(8);
            buffer.deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(verdict = Outcome.LEAKED, text = "rerun mvn test -Dtest='ClassLifetimeTests$LeakTestCase'")
    static class LeakTestCase {
        @Test
        void aLeakFailsTheClassAndNoTest(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class NestingTestCase {
        @BeforeAll
        static void opens(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
        }

        @Test
        void aTestSharesTheMeshOfItsClass(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
        }

        @Nested
        class InnerTestCase {
            @Test
            void aNestedClassThatAsksForTheSameSharesIt(MeshDevice mesh, AllocationTracker tracker) {
                Assertions.assertThat(tracker.history().phases()).hasSizeGreaterThan(3);
                Assertions.assertThat(tracker.history().meshes()).hasSize(1);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class NestedOwnTestCase {
        @Nested
        @TrackAllocations
        class InnerTestCase {
            @MustLeak
            void aNestedClassWithAnAnnotationHasItsOwnLifetime(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class MethodOwnTestCase {
        @MustLeak
        @TrackAllocations(lifetime = TrackingLifetime.TEST)
        void aMethodWithAMeshOfItsOwnNeedsNoAccounting(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }
}
