package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.history.AllocationHistory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sums of a group; a source may report sizes of any magnitude. */
class SurvivorGroupTests {

    private static final long HALF_OF_ALL = 1L << 62;

    private static SurvivorGroup group(AllocationHistory history) {
        List<SurvivorGroup> groups = LeakCheck.create().examine(history).groups();
        assertThat(groups).hasSize(1);
        return groups.get(0);
    }

    private static SurvivorGroup onDevices(int count, long size) {
        return group(historyOf("allocate DRAM 0x1000 on 0..%d, size %d".formatted(count - 1, size)));
    }

    /** A program's binary, and one circular buffer as its consequence. */
    private static SurvivorGroup programOf(long binary, long circularBuffer) {
        return group(historyOf("""
                allocate DRAM 0x1000 on 0, size %d, of program 7;
                allocate L1 101152 on 0, size %d, circular buffer of program 7""".formatted(binary, circularBuffer)));
    }

    @Test
    void addsUpTheBytesOfItsSurvivors() {
        SurvivorGroup group = onDevices(3, 64);

        assertThat(group.buffers()).isEqualTo(3);
        assertThat(group.bytes()).isEqualTo(192);
        assertThat(group.totalBytes()).isEqualTo(192);
        assertThat(onDevices(2, 0).bytes()).isZero();
        assertThat(onDevices(2, HALF_OF_ALL).bytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(onDevices(3, Long.MAX_VALUE).bytes())
                .as("wraps around twice")
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void addsTheBytesOfWhatIsLeftBecauseOfIt() {
        SurvivorGroup program = programOf(1_024, 4_096);

        assertThat(program.buffers()).isEqualTo(2);
        assertThat(program.bytes()).isEqualTo(1_024);
        assertThat(program.totalBytes()).isEqualTo(5_120);
    }

    @Test
    void saysTheMostThatALongHoldsOfItselfAndWhatIsLeftBecauseOfIt() {
        assertThat(programOf(Long.MAX_VALUE - 4_096, 4_096).totalBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(programOf(Long.MAX_VALUE - 4_096, 4_097).totalBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(programOf(HALF_OF_ALL, HALF_OF_ALL).totalBytes()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void namesItsDevicesOnceAndInOrder() {
        SurvivorGroup group = group(historyOf("allocate DRAM 0x1000 on 5+2+7, and 0x2000 on 2"));

        assertThat(group.devices()).containsExactly(2, 5, 7);
        assertThat(group)
                .hasToString("UNEXPLAINED (" + SurvivorStatus.LEAKED.description()
                        + "): DRAM 64 B x 4 on devices [2, 5, 7]");
    }

    @Test
    void hasTheLabelAndTheOriginOfItsBuffers() {
        SurvivorGroup known = group(historyOf("allocate DRAM 0x1000 on 0, label weights"));
        SurvivorGroup unknown = group(historyOf("without origins; allocate DRAM 0x1000 on 0"));

        assertThat(known.label()).hasValue("weights");
        assertThat(known.origin()).isPresent();
        assertThat(unknown.label()).isEmpty();
        assertThat(unknown.origin()).isEmpty();
    }

    @Test
    void rejectsAnEmptyGroup() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SurvivorGroup(List.of(), List.of(), List.of()))
                .withMessage("A group of survivors has at least one: none was given");
    }
}
