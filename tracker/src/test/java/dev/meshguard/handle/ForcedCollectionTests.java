package dev.meshguard.handle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ForcedCollectionTests {

    private final List<Thread> waiting = new ArrayList<>();
    private final AtomicInteger collections = new AtomicInteger();

    private final ForcedCollection shared = new ForcedCollection(() -> {
        if (collections.incrementAndGet() == 1) {
            waiting.forEach(Thread::start);
            waiting.forEach(ForcedCollectionTests::awaitLock);
        }
    });

    private static void awaitLock(Thread thread) {
        while (thread.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
    }

    /** The first one may not have found what became garbage while it ran. */
    @Test
    void isSharedByThoseWhoRequestItWhileAnotherOneRuns() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            waiting.add(new Thread(shared::run));
        }

        shared.run();
        for (Thread thread : waiting) {
            thread.join();
        }

        assertThat(collections).hasValue(2);
    }

    @Test
    void isOneOfItsOwnForEachLaterRequest() {
        shared.run();
        shared.run();

        assertThat(collections).hasValue(2);
    }
}
