package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Block;
import dev.meshguard.event.shortage.MemoryShortage.Reason;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class MemoryShortageAssertTests {

    private static final Block CACHE = new Block(
            64, 128, Optional.of(MemoryRequest.of(AllocationDetails.user().labelled("kv-cache"))));

    private final MemoryShortage fragmented = MemoryShortage.anywhere(BufferType.DRAM, 96, 0, 192, List.of(CACHE));

    private final MemoryShortage full = MemoryShortage.anywhere(BufferType.DRAM, 160, 0, 192, List.of(CACHE));

    @Test
    void passesForItsReasonAndItsHolders() {
        assertThat(fragmented).isFragmented().isHeldBy("kv-cache");
        assertThat(full).isFull().hasReason(Reason.FULL);
    }

    @Test
    void printsTheMemoryIfTheReasonIsAnother() {
        Assertions.assertThat(textOf(() -> assertThat(fragmented).isFull())).isEqualToIgnoringNewLines("""

                Expecting the memory to be FULL but it was:
                  fragmented: each bank has to store 96 B in one piece, and has 128 B free in pieces of at most 64 B
                  held in each bank:
                    64 B  1 buffer, label "kv-cache"
                  to make room, free 64 B of each bank, all that is listed""");
        Assertions.assertThat(textOf(() -> assertThat(full).isFragmented()))
                .contains("Expecting the memory to be FRAGMENTED but it was:\n  full: ");
    }

    @Test
    void aPartOfALabelIsNotTheLabel() {
        Assertions.assertThat(textOf(() -> assertThat(fragmented).isHeldBy("kv")))
                .contains("Expecting the memory to be held by \"kv\" but it was:\n  fragmented: ");
    }

    @Test
    void collectsSoftFailures() {
        LeakSoftAssertions softly = new LeakSoftAssertions();

        softly.assertThat(full).isFragmented().isHeldBy("weights");

        Assertions.assertThat(softly.assertionErrorsCollected()).hasSize(2);
    }
}
