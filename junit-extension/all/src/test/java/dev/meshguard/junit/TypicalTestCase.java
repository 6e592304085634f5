package dev.meshguard.junit;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.opentest4j.TestAbortedException;

/** Small classes whose results are known, for tests of what a run writes, prints and keeps. */
final class TypicalTestCase {

    /** The line of a baseline that knows the leak of {@link Leak}. */
    static final String KNOWN_LEAK = "6777fb7dabbc 8 DRAM 4096 Leak.leaks\n";

    private TypicalTestCase() {}

    @TrackAllocations
    static class Clean {
        @Test
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class Leak {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class Weights {
        @Test
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class CleanAndLeak {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void freesAll(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class Shared {
        @Test
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class Aborted {
        @Test
        void aborts(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new TestAbortedException("no hardware");
        }
    }

    /** Tests of which only one completes. */
    @TrackAllocations
    static class Incomplete {
        @Test
        void passes(MeshDevice mesh) {}

        @Test
        void fails(MeshDevice mesh) {
            Assertions.fail("before it allocates");
        }

        @Test
        void aborts(MeshDevice mesh) {
            Assumptions.abort("before it allocates");
        }

        @Test
        @Disabled("for now")
        void isDisabled(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }
    }

    /** Says itself what it leaks. */
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class Asserted {
        @Test
        void asserts(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            LeakAssertions.assertThat(tracker).noLeaks();
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class OverBudget {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 16)
        void takesTooMuch(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class Growing {
        @RepeatUntilStable(atLeast = 3, atMost = 3)
        void grows(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class Flaky {
        static boolean leaks;

        @Test
        void decodes(MeshDevice mesh) {
            if (leaks) {
                Buffers.take(mesh);
            }
        }
    }
}
