package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.on;
import static dev.meshguard.verdict.Judgement.judged;

import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

class FixesTests {

    @Test
    void ofALostBufferThatIsNotCloseableNeedsAFinallyBlock() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.sourceAttached(
                SourceDescription.of("pool").speaking(SourceVocabulary.PROGRAM.freedBy("release", "released")));

        judged(on(tracker)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .traced(Reachability.lost())
                        .recorded())
                .hasFix("Release the buffer before the program ends on every path: in a finally block.");
    }

    @Stories("""
            of a buffer that a view shares is a free of the view
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, STILL_SHARED; handle lost; close
                fix Free the view that shares it too, or free it with force.
            of a free that failed is the call that failed
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, FAILED; handle held; close
                fix Correct the call that failed: the buffer stays until a free succeeds.
            of memory of a program that was never closed names the program
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; handle held; close
                fix Close the workload, or a program that is in none, before close_mesh_device: program 7 keeps its
                    memory until then.
            of memory of the runtime is with its owner
                allocate DRAM 0x1000 on 0, of dispatch prefetcher, lifetime SYSTEM
                fix Free it where its owner shuts down, or expect it with a reason.
            of a cached trace is its release
                cached trace 3; allocate DRAM 0x1000 on 0, of trace 3
                fix Release the trace before ttnn.closeMeshDevice(mesh): closing a mesh does not.
            of a trace that was released comes before the release
                mesh 0 over 0; cached trace 3; allocate DRAM 0x1000 on 0, of trace 3; end trace 3;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                fix Drop the references to the trace's buffer before the trace is released: the trace is gone, and a
                    second release does nothing.
            of a buffer that was freed on other devices is a free there too
                allocate DRAM 0x1000 on 0..3, each, owning; free DRAM 0x1000 on 0+1+3, owning
                fix Free the buffer on every device it was allocated on.
            of a buffer that its allocator freed on other devices is a report
                allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0+1+3, view
                fix Report the free of every device.
            is missing for memory of a program that ended
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; end program 7; close
                = no fix
            is missing where the free could not be reported
                mesh 0 over 0; allocate DRAM 0x1000 on 0; stopped the runtime shut its tracker down; started;
                witness CLOSE_BEGUN DRAM on 0; close
                = no fix
            is missing for an undecided buffer
                mesh 0 over 0; allocate DRAM 0x1000 on 0
                = no fix
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void isMissingForMemoryThatTheRuntimeAllocatedInAnOperation() {
        judged(history()
                        .phase(new Phase("ttnn.matmul (operation 2)"))
                        .allocate(L1, device(0), 0x1000, 64)
                        .ownedBy(new Owner(Owner.Kind.OTHER, "ttnn.matmul"))
                        .recorded())
                .hasFix("");
    }
}
