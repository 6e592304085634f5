package dev.meshguard.samples.reported;

import static dev.meshguard.samples.support.Fixtures.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Workloads of one's own that nobody closes, and a free that has no effect: what is said about each. */
@TestInstance(Lifecycle.PER_CLASS) // The programs run once.
class UnclosedWorkloadsTests {

    private final Map<String, Optional<Throwable>> failures = Fixtures.run(UnclosedWorkloadsTestCase.class);

    @Test
    void saysThatAWorkloadWasNeverClosed() {
        assertThat(failures.get("dropsAWorkload")).hasValueSatisfying(message("""
                LEAK  512 KiB in 8 L1 buffers, LOST; allocated in UnclosedWorkloadsTestCase.java:28

                1. L1  8 x 64 KiB, one on each of devices 0-7, owned by program 1 (ring_mla)
                   at dev.meshguard.samples.reported.UnclosedWorkloadsTestCase.dropsAWorkload(UnclosedWorkloadsTestCase.java:28)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported (event #42)
                   fix   Close the workload, or a program that is in none, before close_mesh_device: program 1 (ring_mla) keeps its
                         memory until then.
                   seen  allocated in TEST (events #14 to #21)
                         circular buffers lie outside the allocator: they remain until their program or its workload is closed

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     8 allocated = 0 freed + 8 leaked
                expect  @ExpectBuffers(type = L1, size = 65536, atMost = 8, origin = "UnclosedWorkloadsTestCase.dropsAWorkload", because = "…")
                rerun   mvn test -Dtest=UnclosedWorkloadsTestCase#dropsAWorkload"""));
        assertThat(failures.get("keepsAWorkload")).hasValueSatisfying(message("""
                LEAK  512 KiB in 8 L1 buffers, HELD; allocated in UnclosedWorkloadsTestCase.java:34

                1. L1  8 x 64 KiB, one on each of devices 0-7, owned by program 1 (ring_mla)
                   at dev.meshguard.samples.reported.UnclosedWorkloadsTestCase.keepsAWorkload(UnclosedWorkloadsTestCase.java:34)
                   why   HELD: still referenced by UnclosedWorkloadsTestCase.kept (event #42)
                   fix   Close the workload, or a program that is in none, before close_mesh_device: program 1 (ring_mla) keeps its
                         memory until then.
                   seen  allocated in TEST (events #14 to #21)
                         circular buffers lie outside the allocator: they remain until their program or its workload is closed

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     8 allocated = 0 freed + 8 leaked
                expect  @ExpectBuffers(type = L1, size = 65536, atMost = 8, origin = "UnclosedWorkloadsTestCase.keepsAWorkload", because = "…")
                rerun   mvn test -Dtest=UnclosedWorkloadsTestCase#keepsAWorkload"""));
    }

    @Test
    void isOneFindingForAllProgramsOfAWorkload() {
        assertThat(failures.get("dropsAWorkloadOfTwoPrograms")).hasValueSatisfying(message("""
                LEAK  80 KiB in 16 buffers, LOST; allocated in UnclosedWorkloadsTestCase.java:39

                1. DRAM  8 x 6 KiB, one on each of devices 0-7, owned by program 3 (workload of 2 programs), and 8 buffers (32 KiB) with
                   them
                   at dev.meshguard.samples.reported.UnclosedWorkloadsTestCase.dropsAWorkloadOfTwoPrograms(UnclosedWorkloadsTestCase.java:39)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported (event #60)
                   fix   Close the workload, or a program that is in none, before close_mesh_device: program 3 (workload of 2 programs)
                         keeps its memory until then.
                   seen  allocated in TEST (events #30 to #37)
                         the allocator reported 0x3ffff800 (1073739776) as allocated when close began (event #43)
                   with  L1  8 x 4 KiB (32 KiB) on devices 0-7, owned by program 1 (send), program 2 (receive)

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     16 allocated = 0 freed + 16 leaked
                expect  @ExpectBuffers(type = DRAM, size = 6144, atMost = 8, origin = "UnclosedWorkloadsTestCase.dropsAWorkloadOfTwoPrograms", because = "…")
                rerun   mvn test -Dtest=UnclosedWorkloadsTestCase#dropsAWorkloadOfTwoPrograms"""));
    }

    @Test
    void findsNothingOfAWorkloadThatWasClosed() {
        assertThat(failures.get("closesAWorkloadOfTwoPrograms")).isEmpty();
    }

    @Test
    void findsNothingOfAWorkloadThatWasRejected() {
        assertThat(failures.get("dropsARejectedWorkload")).isEmpty();
    }

    @Test
    void saysThatAFreeHadNoEffect() {
        assertThat(failures.get("freesTheSourceOfAView")).hasValueSatisfying(message("""
                LEAK  512 KiB in 8 DRAM buffers, LOST; allocated in UnclosedWorkloadsTestCase.java:56

                1. DRAM  8 x 64 KiB, one on each of devices 0-7
                   at dev.meshguard.samples.reported.UnclosedWorkloadsTestCase.freesTheSourceOfAView(UnclosedWorkloadsTestCase.java:56)
                   why   LOST: no handle to it is reachable any more, and no free of it had an effect (event #50)
                   fix   Free the view that shares it too, or free it with force.
                   seen  allocated in TEST (events #14 to #21)
                         the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #35)
                         a free of it was ignored (event #22), because another handle shares it, at
                         dev.meshguard.samples.reported.UnclosedWorkloadsTestCase.freesTheSourceOfAView(UnclosedWorkloadsTestCase.java:58)

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     8 allocated = 0 freed + 8 leaked
                expect  @ExpectBuffers(type = DRAM, size = 65536, atMost = 8, origin = "UnclosedWorkloadsTestCase.freesTheSourceOfAView", because = "…")
                rerun   mvn test -Dtest=UnclosedWorkloadsTestCase#freesTheSourceOfAView"""));
    }
}
