package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.budget.BudgetSpec;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AmountAssertionsTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @BeforeEach
    void oneBufferTwiceAndOneFreed() {
        tracker.allocated(0, BufferType.DRAM, 4096, 2048);
        tracker.allocated(0, BufferType.DRAM, 4096, 2048);
        tracker.allocated(1, BufferType.L1, 64, 32);
        tracker.freed(1, BufferType.L1, 64);
    }

    @Test
    void countsTheLiveBuffersOfAllDevices() {
        assertThat(tracker).hasLiveBuffers(1);
    }

    @Test
    void countsThePeak() {
        assertThat(tracker).hasPeakBytes(BufferType.L1, 1, 32);
    }

    @Test
    void anotherNumberOfBuffersIsShownWithAllThatIsAllocated() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasLiveBuffers(2)))
                .isEqualTo("""

                Expecting live buffers on all devices to be:
                  2
                but found:
                  1
                in:
                  device 0 DRAM USER: 2 KiB (2048 B) in 1 buffer""");
    }

    static Stream<Arguments> claimsAboutAllReports() {
        return Stream.of(
                arguments("no double free", (Consumer<TrackerAssert>) TrackerAssert::hasNoDoubleFrees),
                arguments("no overwritten buffer", (Consumer<TrackerAssert>) TrackerAssert::hasNoOverwrittenBuffers),
                arguments("a number of buffers", (Consumer<TrackerAssert>) subject ->
                        subject.hasLiveBuffers(subject.history().live().size())),
                arguments("a peak", (Consumer<TrackerAssert>) subject -> subject.hasPeakBytes(BufferType.TRACE, 0, 0)),
                arguments("a budget", (Consumer<TrackerAssert>) subject ->
                        subject.staysWithin(BudgetSpec.of(BufferType.TRACE).peakBytes(1 << 20))),
                arguments("the usage of the same run", (Consumer<TrackerAssert>)
                        subject -> subject.hasSameUsageAs(subject.history())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void claimsAboutAllReports(String claim, Consumer<TrackerAssert> assertion) {
        assertion.accept(assertThat(tracker));

        AllocationTracker nothingAttached = AllocationTracker.create();
        nothingAttached.checked();
        Assertions.assertThat(textOf(() -> assertion.accept(assertThat(nothingAttached))))
                .contains("Nothing was ever connected to the tracker");
        tracker.reportsLost(1, "the socket was closed");

        Assertions.assertThat(textOf(() -> assertion.accept(assertThat(tracker))))
                .contains("the socket was closed");
    }

    @Test
    void aBudgetWithoutALimitIsRejected() {
        String rejected =
                "A budget without a limit is always met. Give peakBytes, liveBytes, buffers or largestFreeBlock.";

        Assertions.assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(tracker).staysWithin())
                .withMessage(rejected);
        Assertions.assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(tracker).staysWithin(BudgetSpec.of(BufferType.DRAM)))
                .withMessage(rejected);
    }

    @Test
    void aPeakOfMemoryOutsideDevicesIsNamedSo() {
        Assertions.assertThat(textOf(
                        () -> assertThat(tracker).hasPeakBytes(BufferType.SYSTEM_MEMORY, HistoryEvent.NO_DEVICE, 4096)))
                .contains("peak bytes of SYSTEM_MEMORY on no device to be");
    }

    @Test
    void anotherPeakIsShown() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 4096)))
                .startsWith("""

                        Expecting peak bytes of DRAM on device 0 to be:
                          4 KiB (4096 B)
                        but found:
                          2 KiB (2048 B)
                        """);
    }
}
