package dev.meshguard.arrow;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.OwnJvm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.util.TransferPair;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Code under test that opens its own root allocators: no test asks for a parameter. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class OwnAllocatorsTests {

    @TrackAllocations
    static class CleanTestCase {

        @Test
        void closesItsVector() {
            try (BufferAllocator root = new RootAllocator();
                    IntVector scores = new IntVector("scores", root)) {
                scores.allocateNew(1000);
                scores.reAlloc();
            }
        }

        @Test
        void movesAVectorToAnotherAllocator() {
            try (BufferAllocator root = new RootAllocator();
                    BufferAllocator reader = root.newChildAllocator("reader", 0, Long.MAX_VALUE);
                    BufferAllocator writer = root.newChildAllocator("writer", 0, Long.MAX_VALUE);
                    IntVector read = new IntVector("read", reader)) {
                read.allocateNew(100);
                TransferPair transfer = read.getTransferPair(writer);
                transfer.transfer();
                ((IntVector) transfer.getTo()).close();
            }
        }

        @Test
        void opensAnAllocatorWithoutMemory() {
            assertThat(new RootAllocator().getAllocatedMemory()).isZero();
        }
    }

    /** Its memory is allocated for no test. */
    @TrackAllocations
    static class TransferTestCase {

        private static final BufferAllocator ROOT = new RootAllocator();
        private static final BufferAllocator READER = ROOT.newChildAllocator("reader", 0, Long.MAX_VALUE);
        private static ArrowBuf moved;

        @BeforeAll
        static void allocates() {
            moved = ROOT.buffer(64);
        }

        @Test
        void movesIt() {
            ArrowBuf before = moved;
            moved = before.getReferenceManager()
                    .transferOwnership(before, READER)
                    .getTransferredBuffer();
            before.close();
        }

        @AfterAll
        static void closes() {
            moved.close();
            READER.close();
            ROOT.close();
        }
    }

    @TrackAllocations
    static class HeldTestCase {

        private final List<ArrowBuf> kept = new ArrayList<>();

        @Test
        void keepsABuffer() {
            BufferAllocator query = new RootAllocator().newChildAllocator("query", 0, Long.MAX_VALUE);
            kept.add(query.buffer(8192));
        }
    }

    @TrackAllocations
    static class FailedCloseTestCase {

        private ArrowBuf kept;

        @Test
        void ignoresTheErrorOfArrow() {
            BufferAllocator root = new RootAllocator();
            kept = root.buffer(64);
            assertThatThrownBy(root::close).isInstanceOf(IllegalStateException.class);
        }
    }

    @TrackAllocations
    static class LibraryThreadTestCase {

        private ArrowBuf kept;

        /** The task is a method of Arrow, so no frame is the user's. */
        @Test
        void allocatesOnAThreadOfALibrary() {
            BufferAllocator scan = new RootAllocator().newChildAllocator("scan", 0, Long.MAX_VALUE);
            ExecutorService library = Executors.newSingleThreadExecutor();
            kept = CompletableFuture.completedFuture(256L)
                    .thenApplyAsync(scan::buffer, library)
                    .join();
            library.shutdown();
        }
    }

    /** A test that is run where no Java agent may be attached. */
    @TrackAllocations
    static class UnseenTestCase {

        @Test
        void leaksBuffersOfItsOwnAllocator() {
            assertThat(new RootAllocator().buffer(64).capacity()).isEqualTo(64);
        }

        @Test
        void closesABufferOfTheParameter(BufferAllocator allocator) {
            allocator.buffer(64).close();
        }

        /** Prints the failures. */
        public static void main(String... unused) {
            System.out.println(failuresOf(UnseenTestCase.class));
        }
    }

    /** Run in a JVM of its own, in which nothing is woven yet. */
    @TrackAllocations
    static class BeforeAllTestCase {

        private static ArrowBuf kept;

        @BeforeAll
        static void allocate() {
            kept = new RootAllocator().buffer(64);
        }

        @Test
        void reads() {}

        /** Prints the failures. */
        public static void main(String... unused) {
            System.out.println(failuresOf(BeforeAllTestCase.class));
        }
    }

    @Test
    void passWhereAllMemoryIsFreed() {
        assertThat(failuresOf(CleanTestCase.class)).isEmpty();
    }

    @Test
    void passIfMemoryThatWasAllocatedEarlierIsTransferred() {
        assertThat(failuresOf(TransferTestCase.class)).isEmpty();
    }

    @Test
    void nameTheLineTheFieldAndTheAllocator() {
        assertThat(onlyFailureOf(HeldTestCase.class))
                .startsWith("LEAK 8 KiB of Arrow memory in 1 buffer, HELD by HeldTestCase.kept")
                .contains("label \"query\"")
                .contains(
                        "at dev.meshguard.arrow.OwnAllocatorsTests$HeldTestCase.keepsABuffer(OwnAllocatorsTests.java:")
                .contains("note the allocator \"query\" was created at"
                        + " dev.meshguard.arrow.OwnAllocatorsTests$HeldTestCase.keepsABuffer(OwnAllocatorsTests.java:")
                .doesNotContain("nothing else is reported");
    }

    @Test
    void quoteAFailedCloseOfTheAllocator() {
        assertThat(onlyFailureOf(FailedCloseTestCase.class))
                .contains("fix Close the buffer before the test ends.")
                .contains(
                        "and its close failed: java.lang.IllegalStateException: Memory was leaked by query. Memory leaked:"
                                + " (64) ");
    }

    @Test
    void nameTheLineThatCreatedTheAllocatorIfALibraryAllocates() {
        assertThat(onlyFailureOf(LibraryThreadTestCase.class))
                .startsWith("LEAK 256 B of Arrow memory in 1 buffer, HELD by LibraryThreadTestCase.kept 1.")
                .contains(" at org.apache.arrow.memory.")
                .contains("the allocator \"scan\" was created at"
                        + " dev.meshguard.arrow.OwnAllocatorsTests$LibraryThreadTestCase.allocatesOnAThreadOfALibrary("
                        + "OwnAllocatorsTests.java:");
    }

    @Test
    void areInconclusiveWithoutAnAgentUnlessTheTestAsksForTheParameter() throws Exception {
        assertThat(outputOf(UnseenTestCase.class, "-XX:+DisableAttachMechanism"))
                .startsWith("[INCONCLUSIVE")
                .contains("memory of allocators that the code under test opens is not seen")
                .contains("-javaagent:")
                .containsOnlyOnce("UnseenTestCase#")
                .contains("UnseenTestCase#leaksBuffersOfItsOwnAllocator");
    }

    @Test
    void belongToTheRunIfTheFirstClassAllocatesBeforeItsTests() throws Exception {
        assertThat(outputOf(BeforeAllTestCase.class))
                .contains(
                        "LEAK 64 B of Arrow memory in 1 buffer, HELD; ", "still referenced by BeforeAllTestCase.kept");
    }

    /** Returns the output of a program in a JVM of its own, in one line. */
    private static String outputOf(Class<?> program, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
        return inOneLine(OwnJvm.outputOf(program, all.toArray(String[]::new)));
    }

    /** Returns the text of the failure, in one line. */
    private static String onlyFailureOf(Class<?> testClass) {
        List<String> failures = failuresOf(testClass);
        assertThat(failures).hasSize(1);
        return inOneLine(failures.get(0));
    }

    private static String inOneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
