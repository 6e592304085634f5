package dev.meshguard.history;

import static dev.meshguard.event.BufferLifetime.SYSTEM;
import static dev.meshguard.event.BufferLifetime.USER;
import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TimelineTests {

    private final List<Timeline.Change> changes = new ArrayList<>();
    private final Timeline timeline = new Timeline(changes::forEach);

    @Test
    void hasTheLiveBytesAfterEachEventOfAGroup() {
        add(2, 0, DRAM, USER, 1, 100);
        add(4, 1, L1, USER, 1, 7);
        add(5, 1, DRAM, SYSTEM, 1, 10);
        add(9, 0, DRAM, USER, -1, -100);

        Map<Object, Timeline.Curve> curves = timeline.curvesBy(MemoryKey::type);

        assertThat(curves).containsOnlyKeys(DRAM, L1);
        assertThat(bytes(curves.get(DRAM))).containsExactly(100, 110, 10);
        assertThat(curves.get(DRAM).event(2)).isEqualTo(9);
        assertThat(curves.get(DRAM).between(0, 6).liveBuffers()).isEqualTo(2);
        assertThat(curves.get(DRAM).liveBytes()).isEqualTo(10);
    }

    @Test
    void namesTheFirstEventOfAPeak() {
        add(1, 0, DRAM, USER, 1, 100);
        add(3, 0, DRAM, USER, -1, -100);
        add(4, 0, DRAM, USER, 1, 60);
        add(5, 0, DRAM, USER, 1, 40);

        Timeline.Curve curve = timeline.curve(memory -> true);

        assertThat(curve.peakBytes()).isEqualTo(100);
        assertThat(curve.peakEvent()).isEqualTo(1);
        assertThat(curve.peakBuffers()).isEqualTo(2);
        assertThat(curve.peakBuffersEvent()).isEqualTo(5);
    }

    @Test
    void addsUpTheChangesOfARangeOfEvents() {
        add(1, 0, DRAM, USER, 1, 100);
        add(3, 0, DRAM, USER, 1, 20);
        add(4, 0, DRAM, USER, -1, -100);
        add(6, 0, DRAM, USER, 1, 5);

        Timeline.Curve curve = timeline.curve(memory -> true);

        assertThat(curve.between(3, 6)).isEqualTo(new Timeline.Section(20, 1, 20, 1, 120));
        assertThat(curve.between(4, 5)).isEqualTo(new Timeline.Section(0, 0, 20, 1, 120));
        assertThat(curve.between(7, 9)).isEqualTo(new Timeline.Section(0, 0, 25, 2, 25));
    }

    @Test
    void hasNoStepsForMemoryThatWasNeverUsed() {
        Timeline.Curve curve = timeline.curve(memory -> true);

        assertThat(curve.steps()).isZero();
        assertThat(curve.between(0, 9)).isEqualTo(new Timeline.Section(0, 0, 0, 0, 0));
    }

    @Test
    void rejectsAnEventOutOfOrder() {
        add(2, 0, DRAM, USER, 1, 100);
        add(1, 0, DRAM, USER, 1, 100);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> timeline.curve(memory -> true))
                .withMessage("Event #1 comes after #2");
    }

    @Test
    void countsAnAddressThatIsReportedTwiceOnce() {
        AllocationHistory history = historyOf("""
                allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0;
                allocate L1 0x1000 on 0, size 1; free DRAM 0x1000 on 0
                """);

        assertThat(bytes(history.timeline().curve(memory -> true))).containsExactly(64, 65, 1);
        assertThat(history.allocatedBuffers()).isEqualTo(2);
    }

    private static long[] bytes(Timeline.Curve curve) {
        return IntStream.range(0, curve.steps()).mapToLong(curve::bytes).toArray();
    }

    private void add(long event, int device, BufferType type, BufferLifetime lifetime, int buffers, long bytes) {
        changes.add(new Timeline.Change(event, new MemoryKey(device, type, lifetime), buffers, bytes));
    }
}
