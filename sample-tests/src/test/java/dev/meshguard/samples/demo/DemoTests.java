package dev.meshguard.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.demo.DemoScenario.LanguageModelTestCase;
import dev.meshguard.samples.demo.DemoScenario.ThirtySixKilobytesTestCase;
import dev.meshguard.samples.demo.DemoScenario.ThreeL1BuffersTestCase;
import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;

/** Compares the whole output of the demo. */
class DemoTests {

    @Test
    void thirtySixKilobytesAreTheBinariesOfCachedPrograms() {
        assertThat(Fixtures.failureOf(ThirtySixKilobytesTestCase.class)).satisfies(Fixtures.message("""
                LEAK  300 KiB in 19 buffers, 2 findings; largest 192 KiB CACHED (MeshAllocation.java:51)

                1. DRAM  192 KiB: 8 x 24 KiB, one on each of devices 0-7, owned by program 2 (matmul)
                   at dev.meshguard.samples.support.MeshAllocation.multiply(MeshAllocation.java:51)
                   at dev.meshguard.samples.demo.DemoScenario$ThirtySixKilobytesTestCase.closesTheMeshWithItsProgramsStillCached(DemoScenario.java:28)
                   why   CACHED: program 2 (matmul) has been in the program cache since {last owner cached} and never left it
                   seen  allocated in TEST (events #94 to #108)
                         at 0x3ffff000 (1073737728) on device 0: allocated 2 times, freed 1 time
                2. DRAM  96 KiB: 8 x 12 KiB, one on each of devices 0-7, owned by program 1 (add), and 3 buffers (12 KiB) with them
                   at dev.meshguard.samples.support.MeshAllocation.add(MeshAllocation.java:44)
                   at dev.meshguard.samples.demo.DemoScenario$ThirtySixKilobytesTestCase.closesTheMeshWithItsProgramsStillCached(DemoScenario.java:28)
                   why   CACHED: program 1 (add) has been in the program cache since {owner cached 1} and never left it
                   seen  allocated in TEST (events #42 to #56)
                         at 0x3ffff800 (1073739776) on device 0: allocated 2 times, freed 1 time
                   with  L1  3 x 4 KiB (12 KiB) on device 0, owned by program 1 (add), program 2 (matmul)
                fix     Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh), and release every trace: closing a
                        mesh does neither.

                sum     67 allocated = 48 freed + 19 leaked
                expect  one of them: @ExpectBuffers(type = DRAM, size = 24576, atMost = 8, origin = "MeshAllocation.multiply", because = "…")
                rerun   mvn test -Dtest='DemoScenario$ThirtySixKilobytesTestCase#closesTheMeshWithItsProgramsStillCached'"""));
    }

    /**
     * The five open questions at the end of seed 000, answered by the text.
     *
     * <ol>
     *   <li>Are these buffers allocated during {@code open_mesh_device()}? No: in TEST, by add and matmul.
     *   <li>Do they have a corresponding deallocation in {@code close_mesh_device()}? No: CLOSE gives back nothing; they
     *       go with their programs, which ended when the cache was cleared.
     *   <li>Why only device 0 and not devices 1 to 7? This source reports circular buffers of the whole mesh under it.
     *   <li>Are they tracked in {@code allocator->allocated_buffers_}? No: they lie outside the allocator.
     *   <li>Should they be freed in {@code Allocator::deallocate_buffers()}? No, for the same reason: only the report of
     *       their programs' end is missing.
     * </ol>
     */
    @Test
    void threeL1BuffersAreCircularBuffersOfProgramsThatEnded() {
        assertThat(Fixtures.failureOf(ThreeL1BuffersTestCase.class)).satisfies(Fixtures.message("""
                MISREPORTED  no memory leaked; 3 L1 buffers (12 KiB) lack a free report: CIRCULAR_BUFFER_UNREPORTED

                1. L1  3 x 4 KiB on device 0, owned by program 1 (add), program 2 (matmul)
                   at dev.meshguard.samples.support.MeshAllocation.add(MeshAllocation.java:44)
                   at dev.meshguard.samples.demo.DemoScenario$ThreeL1BuffersTestCase.runsEveryStepOnARuntimeThatForgetsCircularBuffers(DemoScenario.java:42)
                   why   CIRCULAR_BUFFER_UNREPORTED: program 1 (add) ended at {owner ended 1}, program 2 (matmul) ended at {last owner ended}, and
                         its free was never reported
                   fix   Report the end of a program's circular buffers when the program ends; they take no allocator memory.
                   seen  allocated in TEST (events #39 to #41)
                         circular buffers lie outside the allocator, so closing the device cannot free it (the allocator held nothing
                         there at {witnessed 1})
                         it shows on device 0 only because this source reports circular buffers of the whole mesh under that device
                         at 0x18b20 (101152) on device 0: allocated 2 times, freed 0 times

                sum     67 allocated = 64 freed + 3 misreported
                expect  until the reports are right: @ExpectBuffers(type = L1, device = 0, size = 4096, atMost = 3, origin = "MeshAllocation.add", because = "…")
                rerun   mvn test -Dtest='DemoScenario$ThreeL1BuffersTestCase#runsEveryStepOnARuntimeThatForgetsCircularBuffers'"""));
    }

    @Test
    void aLanguageModelLeavesWeightsAndCaches() {
        assertThat(Fixtures.failureOf(LanguageModelTestCase.class)).satisfies(Fixtures.message("""
                LEAK  403.84 MiB in 381 buffers, 2 findings; largest 355.37 MiB "weights" HELD by LanguageModelRun.weights

                both at dev.meshguard.samples.support.LanguageModelRun.allocate(LanguageModelRun.java:128), called from:
                1. DRAM  355.37 MiB: 163 buffers on devices 0-7, unevenly, label "weights"
                   at dev.meshguard.samples.support.LanguageModelRun.loadModel(LanguageModelRun.java:70)
                   why   HELD: still referenced by LanguageModelTestCase.model -> LanguageModelRun.weights -> ArrayList[0..162] (events
                         #166486 to #166648)
                   seen  allocated in TEST (events #14 to #176)
                2. L1  48.47 MiB: 218 buffers on devices 0-7, unevenly, label "kv-cache"
                   at dev.meshguard.samples.support.LanguageModelRun.loadModel(LanguageModelRun.java:71)
                   why   HELD: still referenced by LanguageModelTestCase.model -> LanguageModelRun.caches -> ArrayList[0..217] (events
                         #166649 to #166866)
                   seen  allocated in TEST (events #177 to #394)
                fix     Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.

                sum     83416 allocated = 83035 freed + 381 leaked
                expect  one of them: @ExpectBuffers(type = DRAM, atMost = 163, label = "weights", origin = "LanguageModelRun.allocate", because = "…")
                rerun   mvn test -Dtest='DemoScenario$LanguageModelTestCase#closesTheMeshWhileTheModelIsHeld'"""));
    }
}
