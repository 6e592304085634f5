package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the references to a leaked buffer are drawn one a line, with the suspect marked. */
@InChromium
class HolderChainTests {

    @Test
    void marksTheLastFieldOfTheUsersCode(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 1024, Ownership.OWNING);
        tracker.traced(request, Reachability.heldBy(List.of("ModelTest.model", "Model.weights", "ArrayList[0]")));
        tracker.meshClosed(0);

        chromium.open(SampleRun.of("ModelTest.loads()", tracker).file());

        assertThat(chromium.texts("#finding-1 + .detail .chain li code"))
                .containsExactly("ModelTest.model", "Model.weights", "ArrayList[0]");
        assertThat(chromium.texts("#finding-1 + .detail .chain mark")).containsExactly("weights");
        assertThat(chromium.text("#finding-1 + .detail .chain li.suspect"))
                .isEqualTo("Model.weightssuspect: the last field of your code that leads to the buffer");
        assertThat(chromium.text("#finding-1 + .detail .chain li:last-child")).isEqualTo("the handle of the buffer");
    }
}
