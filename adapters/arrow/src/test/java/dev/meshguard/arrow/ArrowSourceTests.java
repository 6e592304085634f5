package dev.meshguard.arrow;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests with an allocator of Arrow as a parameter: clean ones pass, and those that leak name the line and the holder. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class ArrowSourceTests {

    @TrackAllocations
    static class CleanTestCase {

        @Test
        void closesItsVector(BufferAllocator allocator) {
            try (IntVector scores = new IntVector("scores", allocator)) {
                scores.allocateNew(1000);
                scores.setSafe(5000, 7);
            }
        }

        @Test
        void closesItsAllocatorItself(BufferAllocator allocator) {
            try (allocator) {
                allocator.buffer(64).close();
            }
        }

        @Test
        void allocatesNothing(BufferAllocator allocator) {
            assertThat(allocator.getEmpty().capacity()).isZero();
        }

        @Test
        void reallocates(BufferAllocator allocator) {
            try (IntVector scores = new IntVector("scores", allocator)) {
                scores.allocateNew(10);
                scores.reAlloc();
                scores.reAlloc();
            }
        }
    }

    @TrackAllocations
    static class HeldTestCase {

        private final List<ArrowBuf> kept = new ArrayList<>();

        @Test
        void keepsABuffer(BufferAllocator allocator) {
            kept.add(allocator.newChildAllocator("reader", 0, Long.MAX_VALUE).buffer(8192));
        }
    }

    @TrackAllocations
    static class ClosedAllocatorTestCase {

        private ArrowBuf kept;

        @Test
        void closesTheAllocatorTooEarly(BufferAllocator allocator) {
            try (allocator) {
                kept = allocator.buffer(64);
            }
        }
    }

    @TrackAllocations
    static class LeakInTearDownTestCase {

        private ArrowBuf kept;

        @Test
        void passes(BufferAllocator allocator) {
            assertThat(allocator.getAllocatedMemory()).isZero();
        }

        @AfterEach
        void leaks(BufferAllocator allocator) {
            kept = allocator.buffer(64);
        }
    }

    @Test
    void passWhereAllMemoryIsFreed() {
        assertThat(failuresOf(CleanTestCase.class)).isEmpty();
    }

    @Test
    void nameTheLineTheAllocatorAndTheFieldOfWhatIsHeld() {
        assertThat(failuresOf(HeldTestCase.class))
                .singleElement()
                .asString()
                .contains("8 KiB")
                .contains("HeldTestCase.keepsABuffer(ArrowSourceTests.java")
                .contains("label \"reader\"")
                .contains("HELD: still referenced by HeldTestCase.kept -> ArrayList[0]")
                .contains("Arrow's allocator counts 8 KiB")
                .doesNotContain("Memory was leaked by query");
    }

    @Test
    void nameTheLineAndNotOnlyTheNumberThatArrowNames() {
        assertThat(failuresOf(ClosedAllocatorTestCase.class))
                .singleElement()
                .asString()
                .startsWith("LEAK  ")
                .contains("ClosedAllocatorTestCase.closesTheAllocatorTooEarly(ArrowSourceTests.java");
    }

    @Test
    void failForWhatIsAllocatedAfterTheTest() {
        assertThat(failuresOf(LeakInTearDownTestCase.class)).hasSize(1);
    }
}
