package dev.meshguard.mockito;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests reports of mocks that other code configured. */
@SuppressWarnings("DirectInvocationOnMock") // The tests are the code that uses the mocks.
class MockListenerTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final MockListener listener = MockListener.create()
            .on("allocate", allocating(tracker, DRAM).onDeviceArgument(0))
            .on("free", freeing(tracker).onDeviceArgument(0));

    private interface Accelerator {

        long allocate(int device, long bytes);

        void free(int device, long address);
    }

    static class Heap {
        private long next = 0x100;

        long allocate(int device, long bytes) {
            long address = next;
            next += bytes;
            return address;
        }

        void free(int device, long address) {}
    }

    @Test
    void reportsWhatAMockIsStubbedToReturn() {
        Accelerator accelerator = mock(Accelerator.class);
        when(accelerator.allocate(1, 64)).thenReturn(0x40L);
        listener.attachTo(accelerator);

        accelerator.free(1, accelerator.allocate(1, 64));

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x40 (64) on device 1, 64 B", "#3 freed DRAM 0x40 (64) on device 1");
    }

    @Test
    void reportsWhatASpyDoes() {
        Heap heap = listener.attachTo(spy(new Heap()));

        heap.free(0, heap.allocate(0, 16));

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x100 (256) on device 0, 16 B", "#3 freed DRAM 0x100 (256) on device 0");
    }

    @Test
    void listensToAMockThatIsMadeWithIt() {
        Heap heap = mock(Heap.class, withSettings().invocationListeners(listener));

        heap.free(0, 0x40);

        assertThat(Events.of(tracker)).containsExactly("#2 freed DRAM 0x40 (64) on device 0");
    }

    @Test
    void listensToAMockThatRemembersNothing() {
        Accelerator accelerator =
                listener.attachTo(mock(Accelerator.class, withSettings().stubOnly()));

        accelerator.free(0, 0x40);

        assertThat(Events.of(tracker)).hasSize(1);
    }

    @Test
    void takesNoVerificationForACall() {
        Accelerator accelerator = listener.attachTo(mock(Accelerator.class));
        accelerator.free(0, 0x40);

        verify(accelerator).free(0, 0x40);
        verifyNoMoreInteractions(accelerator);

        assertThat(Events.of(tracker)).hasSize(1);
    }

    @Test
    void takesNoStubbingForACall() {
        Accelerator accelerator = listener.attachTo(mock(Accelerator.class));

        doReturn(0x40L).when(accelerator).allocate(anyInt(), anyLong());

        assertThat(Events.of(tracker)).isEmpty();
    }

    @Test
    void reportsNothingThatFailed() {
        Accelerator accelerator = mock(Accelerator.class);
        when(accelerator.allocate(0, 64)).thenThrow(new IllegalStateException("out of memory"));
        listener.attachTo(accelerator);

        assertThatThrownBy(() -> accelerator.allocate(0, 64)).hasMessage("out of memory");
        assertThat(Events.of(tracker)).isEmpty();
    }

    @Test
    void reportsOnceWhatItWasAttachedToTwice() {
        Accelerator accelerator = listener.attachTo(listener.attachTo(mock(Accelerator.class)));

        accelerator.free(0, 0x40);

        assertThat(Events.of(tracker)).hasSize(1);
    }

    @Test
    void attachesToMocksThatAreMadeLaterUntilItsScopeIsClosed() {
        Accelerator inside;
        try (Scope newMocks = listener.attachToMocksOf(Accelerator.class)) {
            inside = mock(Accelerator.class);
        }
        Accelerator outside = mock(Accelerator.class);

        inside.free(0, 0x40);
        outside.free(0, 0x80);

        assertThat(Events.of(tracker)).containsExactly("#3 freed DRAM 0x40 (64) on device 0");
    }

    @Test
    void aNoteOfTheReportSaysOfWhichThreadsMocksAreListenedTo() throws InterruptedException {
        String covers =
                "mocks of Accelerator that thread \"" + Thread.currentThread().getName() + "\" makes";
        List<Accelerator> ofOther = new ArrayList<>();
        for (int time = 0; time < 2; time++) {
            try (Scope newMocks = listener.attachToMocksOf(Accelerator.class)) {
                Thread other = new Thread(() -> ofOther.add(mock(Accelerator.class)), "other");
                other.start();
                other.join();
            }
        }

        ofOther.forEach(accelerator -> accelerator.allocate(0, 64));

        assertThat(Events.of(tracker)).isEmpty();
        assertThat(Events.verdict(tracker))
                .containsOnlyOnce(
                        "note    the source mocks covers " + covers + "; nothing else is reported through it");
    }

    @Test
    void aMockThatIsListenedToReportsFromEveryThread() throws InterruptedException {
        Accelerator accelerator = listener.attachTo(mock(Accelerator.class));

        Thread other = new Thread(() -> accelerator.free(0, 0x40), "other");
        other.start();
        other.join();

        assertThat(Events.of(tracker)).hasSize(1);
        assertThat(Events.verdict(tracker)).doesNotContain("covers");
    }

    @Test
    void distinguishesOverloadsByTheirParameters() {
        UserDevice device = mock(UserDevice.class);
        MockListener.create().on("free(long)", freeing(tracker)).attachTo(device);

        device.free(0x40);
        device.free(0, 0x80);

        assertThat(Events.of(tracker)).containsExactly("#2 freed DRAM 0x40 (64) on device 0");
    }

    @Test
    void rejectsAMethodThatTheMockDoesNotHave() {
        assertThatThrownBy(() -> MockListener.create()
                        .on("alocate", allocating(tracker, DRAM))
                        .attachTo(mock(Accelerator.class)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot listen to alocate of Accelerator: there is no such method. Name one of"
                        + " allocate(int, long), free(int, long).");
    }

    @Test
    void rejectsAMethodThatIsNotPlain() {
        assertThatThrownBy(() -> MockListener.create()
                        .on("allocate", allocating(tracker, DRAM))
                        .attachTo(mock(Accelerator.class)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Cannot report calls of Accelerator.allocate(int, long): 2 of its arguments are numbers. Say"
                                + " which is the size with sizeArgument(index).");
    }

    @Test
    void rejectsAnObjectThatIsNotAMock() {
        assertThatThrownBy(() -> listener.attachTo(new Heap()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot listen to a Heap that is neither a mock nor a spy. Pass what Mockito made.");
    }

    @Test
    void rejectsListeningToNewMocksTwiceOnOneThread() {
        try (Scope newMocks = listener.attachToMocksOf(Accelerator.class)) {
            assertThatThrownBy(() -> listener.attachToMocksOf(Accelerator.class))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("Cannot listen to new mocks twice on one thread. Close the scope that is open before.");
        }
    }
}
