package dev.meshguard.samples.errorpaths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each failing run names the allocation that failed; {@code docs/mesh-fake.md} shows the messages. */
class ErrorPathMessagesTests {

    @Test
    void eachRunThatLeaksNamesTheAllocationThatFailed() {
        Map<String, Optional<Throwable>> runs = Fixtures.runByDisplayName(CarelessDecoderTestCase.class);

        assertThat(runs.keySet())
                .containsExactly(
                        "without faults",
                        "allocation 1 of 4 fails: CarelessDecoder.decode:18",
                        "allocation 2 of 4 fails: CarelessDecoder.decode:19",
                        "allocation 3 of 4 fails: CarelessDecoder.decode:20",
                        "allocation 4 of 4 fails: CarelessDecoder.decode:20");
        assertThat(runs.get("without faults")).isEmpty();
        assertThat(runs.get("allocation 1 of 4 fails: CarelessDecoder.decode:18"))
                .isEmpty();
        assertThat(runs.get("allocation 2 of 4 fails: CarelessDecoder.decode:19"))
                .hasValueSatisfying(failure -> assertThat(failure)
                        .hasMessageStartingWith(
                                "LEAK  2 MiB in 2 DRAM buffers, LOST; allocated in CarelessDecoder.java:18\n")
                        .hasMessageContaining("note    allocation 2 of 4 failed by injection: DRAM at\n"));
    }
}
