package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class StackOverflowTests {

    private static final int RECURSIONS = 100;
    /** A report with its stack takes long so deep, and only the last ones fail. */
    private static final int FRAMES_PER_REPORT = 16;

    private static final long SIZE = 64;

    @ParameterizedTest
    @EnumSource(names = {"NONE", "ALLOCATIONS", "ALLOCATIONS_AND_FREES"})
    void reportsThatReturnAreRecordedAndNoOthers(OriginCapture capture) throws InterruptedException {
        for (int stack = 0; stack < RECURSIONS; stack++) {
            AllocationTracker tracker =
                    AllocationTracker.builder().originCapture(capture).build();
            List<Long> returned = deepReports(stack, address -> tracker.allocated(0, BufferType.DRAM, address, SIZE));

            assertThat(tracker.liveBytes()).as("stack %d", stack).isEqualTo(returned.size() * SIZE);
            assertThat(tracker.history().live()).hasSize(returned.size());

            List<Long> freed = deepReports(stack, address -> tracker.freed(0, BufferType.DRAM, address));

            assertThat(tracker.liveBuffers()).isEqualTo(Math.max(0, returned.size() - freed.size()));
        }
    }

    @Test
    void sourceThatBeginsItsRequestFirstLosesNoReport() throws InterruptedException {
        for (int stack = 0; stack < RECURSIONS; stack++) {
            AllocationTracker tracker = AllocationTracker.create();
            List<Long> allocated = new ArrayList<>();
            List<Long> reported = deepReports(stack, address -> {
                MemoryRequest request = tracker.request(AllocationDetails.user());
                allocated.add(address);
                tracker.allocated(request, 0, BufferType.DRAM, address, SIZE, Ownership.OWNING);
            });

            assertThat(reported).as("stack %d", stack).isEqualTo(allocated);
            assertThat(tracker.liveBuffers()).isEqualTo(allocated.size());
            assertThat(tracker.history().lostReports()).isEmpty();
        }
    }

    @Test
    void namesReportOfAllocatedMemoryThatWasLost() throws InterruptedException {
        AllocationTracker tracker = AllocationTracker.create();
        deepReports(0, address -> {
            try {
                tracker.allocated(0, BufferType.DRAM, address, SIZE);
            } catch (StackOverflowError caughtByTheTest) {
                tracker.history(); // May find the stack at its end, too.
            }
        });

        assertThat(tracker.history().lostReports())
                .isNotEmpty()
                .allSatisfy(lost -> assertThat(lost.reason())
                        .startsWith("a report failed with java.lang.StackOverflowError in ")
                        .contains("StackOverflowTests"));
        assertThat(tracker.history().lostReports())
                .hasSameSizeAs(tracker.history().lostReports());
    }

    @Test
    void recordsOnAfterMemoryRanOutInReport() {
        AllocationTracker tracker = AllocationTracker.create();
        OutOfMemoryError none = new OutOfMemoryError("Java heap space");
        Throwable thrown = catchThrowable(() -> tracker.reported(number -> {
            throw none;
        }));
        tracker.allocated(0, BufferType.DRAM, 0, SIZE);

        assertThat(thrown).isSameAs(none);
        assertThat(tracker.liveBuffers()).isEqualTo(1);
        assertThat(tracker.history().lostReports())
                .extracting(HistoryEvent.ReportsLost::reason)
                .singleElement()
                .asString()
                .contains("OutOfMemoryError: Java heap space");
    }

    /** Returns the addresses of the reports that returned, until the stack ends; the larger it is, the more of them that prove nothing. */
    private static List<Long> deepReports(int stack, LongConsumer report) throws InterruptedException {
        List<Long> returned = new ArrayList<>(100_000);
        Thread thread = new Thread(null, () -> recurseToTheEnd(report, returned), "deep", 200_000 + stack * 1_117L);
        thread.start();
        thread.join();
        assertThat(returned).isNotEmpty();
        return returned;
    }

    private static void recurseToTheEnd(LongConsumer report, List<Long> returned) {
        try {
            assertThat(recurse(0, report, returned)).isNegative();
        } catch (StackOverflowError expected) {
            assertThat(expected).hasNoCause();
        }
    }

    private static long recurse(long depth, LongConsumer report, List<Long> returned) {
        if (depth % FRAMES_PER_REPORT == 0) {
            report.accept(depth * SIZE);
            returned.add(depth * SIZE);
        }
        return depth < 0 ? depth : recurse(depth + 1, report, returned) + 1;
    }
}
