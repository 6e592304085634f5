package dev.meshguard.mockito;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests one mock that many threads call. */
@SuppressWarnings("DirectInvocationOnMock") // The tests are the code that uses the mocks.
class ConcurrentMocksTests {

    private static final int THREADS = 8;
    private static final int ROUNDS = 500;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final UserDevice device = mock(UserDevice.class, withSettings().stubOnly());

    @Test
    void everyBufferIsReportedOnceAndFreedOnce() throws Exception {
        when(device.allocate(anyInt(), anyLong()))
                .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
        doAnswer(freeing(tracker).onDeviceArgument(0)).when(device).free(anyInt(), anyLong());

        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> rounds = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int own = thread % 4;
            rounds.add(threads.submit(() -> allocateAndFree(own)));
        }
        for (Future<?> round : rounds) {
            round.get();
        }
        threads.shutdown();

        assertThat(tracker.history().generations()).hasSize(THREADS * ROUNDS).noneMatch(buffer -> buffer.isLive());
        dev.meshguard.assertions.LeakAssertions.assertThat(tracker).noLeaks().hasBalancedReports();
    }

    private void allocateAndFree(int own) {
        for (int round = 0; round < ROUNDS; round++) {
            device.free(own, device.allocate(own, 64));
        }
    }
}
