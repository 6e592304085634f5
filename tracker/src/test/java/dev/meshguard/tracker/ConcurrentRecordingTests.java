package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports of many threads are all recorded, with right sums and in the order of each device. */
class ConcurrentRecordingTests {

    private static final int THREADS = 8;
    private static final int ROUNDS = 900;

    /** Fewer, because each free is compared with all open reports of its address. */
    private static final int ROUNDS_AT_ONE_ADDRESS = 300;

    @ParameterizedTest
    @EnumSource(OriginCapture.class)
    void losesNoReportOfThreadsOnOneDevice(OriginCapture capture) throws Exception {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(capture).build();

        together(thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                long address = ((long) thread << 32) + 64L * i;
                tracker.allocated(0, DRAM, address, 64);
                if (i % 3 != 0) {
                    tracker.freed(0, DRAM, address);
                }
            }
        });

        var history = tracker.history();
        long left = (long) THREADS * ROUNDS / 3;
        assertThat(history.events()).hasSize(THREADS * ROUNDS + THREADS * (ROUNDS - ROUNDS / 3));
        assertThat(history.anomalies()).isEmpty();
        assertThat(history.live()).hasSize((int) left);
        assertThat(tracker.liveBytes(0, DRAM)).isEqualTo(64 * left);
        assertThat(history.allocatedBuffers()).isEqualTo(THREADS * ROUNDS);
    }

    @ParameterizedTest
    @EnumSource(OriginCapture.class)
    void countsEveryReferenceOfThreadsAtOneAddress(OriginCapture capture) throws Exception {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(capture).build();

        together(thread -> {
            for (int i = 0; i < ROUNDS_AT_ONE_ADDRESS; i++) {
                tracker.allocated(0, L1, 101_152, 4_096);
            }
        });
        together(thread -> {
            for (int i = 0; i < ROUNDS_AT_ONE_ADDRESS; i++) {
                tracker.freed(0, L1, 101_152);
            }
        });

        assertThat(tracker.history().anomalies()).isEmpty();
        assertThat(tracker.history().allocatedBuffers()).isEqualTo(1);
        assertThat(tracker.liveBuffers()).isZero();
        assertThat(tracker.liveBytes(0, L1)).isZero();
    }

    @ParameterizedTest
    @EnumSource(OriginCapture.class)
    void keepsTheOrderOfEachDeviceWhileOthersMarkAndRead(OriginCapture capture) throws Exception {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(capture).build();

        together(thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                if (thread == 0) {
                    try (Scope phase = tracker.phase("phase " + i)) {
                        tracker.snapshot();
                    }
                } else if (thread == 1) {
                    tracker.liveBytes(i % THREADS, DRAM);
                    if (i % 300 == 0) {
                        assertThat(tracker.history().events()).isNotNull();
                    }
                } else {
                    tracker.allocated(thread, DRAM, 0x1000, i);
                    tracker.freed(thread, DRAM, 0x1000);
                }
            }
        });

        var history = tracker.history();
        assertThat(history.anomalies()).isEmpty();
        assertThat(history.phases()).hasSize(2 * ROUNDS);
        for (int device = 2; device < THREADS; device++) {
            assertThat(sizesOn(history.events(), device)).hasSize(ROUNDS).isSorted();
        }
    }

    @Test
    void opensTheLedgerOfADeviceOnceForAllThreads() throws Exception {
        AllocationTracker tracker = AllocationTracker.create();

        together(thread -> {
            for (int device = 0; device < 500; device++) {
                tracker.allocated(device, DRAM, 64L * thread, 64);
            }
        });

        assertThat(tracker.devices()).hasSize(500);
        assertThat(tracker.liveBuffers()).isEqualTo(500L * THREADS);
    }

    @Test
    void countsEachLeaseThatThreadsTakeAndFree() throws Exception {
        AllocationTracker tracker = AllocationTracker.create();

        together(thread -> {
            for (int i = 0; i < 10_000; i++) {
                tracker.lease(AllocationDetails.user(), OriginFilter.none(), SYSTEM_MEMORY, 64)
                        .freed();
            }
        });

        assertThat(tracker.history().allocatedBuffers()).isEqualTo(10_000 * THREADS);
        assertThat(tracker.history().anomalies()).isEmpty();
        assertThat(tracker.liveBuffers()).isZero();
    }

    private static List<Long> sizesOn(List<HistoryEvent> events, int device) {
        List<Long> sizes = new ArrayList<>();
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.Allocated allocated && allocated.device() == device) {
                sizes.add(allocated.size());
            }
        }
        return sizes;
    }

    private interface Work {
        void by(int thread);
    }

    private static void together(Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Future<Object>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                Callable<Object> task = () -> {
                    start.await();
                    work.by(thread);
                    return thread;
                };
                running.add(threads.submit(task));
            }
            for (Future<Object> done : running) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
