package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Lines of the server that counts references. */
class ReferenceCountedLogTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)";
    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)";

    /** Two allocations of one address and three frees; the last free is unknown to the server. */
    private static final String[] MINI_TRACE = {
        ALLOCATED,
        "✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=901152, ref_count=2)",
        "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, ref_count=1 remaining)",
        FREED,
        "⚠ [PID 7] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)"
    };

    @Test
    void equalBuffersOfOneProcessAreOneLeak() {
        ParsedLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 0 (buffer_id=901152)",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 1 (buffer_id=901152)",
                "✓ [PID 8] Allocated 4096 bytes of DRAM on device 2 (buffer_id=901152)",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 3 (buffer_id=109344)",
                Logs.STOPPED);

        assertThat(LeakCheck.create().examine(log.history()).groups(SurvivorStatus.LEAKED))
                .extracting(SurvivorGroup::buffers)
                .containsExactly(3L, 1L);
    }

    @Test
    void freesThatLeaveOtherReferencesCount() {
        ParsedLog log = Logs.of(MINI_TRACE);

        assertThat(log.addresses())
                .containsExactly(new AddressUse(0, 901_152, Optional.of(BufferType.L1), 2, 2, 1, 4096, 1, false, 1, 5));
    }

    @Test
    void eventsKnowTheirLines() {
        ParsedLog log = Logs.of("text", "", ALLOCATED);

        assertThat(log.lineOf(log.history().live().get(0).allocatedAt())).hasValue(3);
        assertThat(log.lineOf(0)).isEmpty();
        assertThat(log.lineOf(99)).isEmpty();
    }
}
