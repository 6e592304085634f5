package dev.meshguard.arrow;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.ProgramThat;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.util.TransferPair;

/** Small programs that use memory of Arrow. */
@TrackAllocations
class VectorProgramTestCase {

    private final List<Object> kept = new ArrayList<>();

    @ProgramThat("closes its vector")
    void closes(BufferAllocator allocator) {
        try (IntVector scores = new IntVector("scores", allocator)) {
            scores.allocateNew(1024);
        }
    }

    @ProgramThat(value = "keeps its vector in a field", leaks = 1)
    void keeps(BufferAllocator allocator) {
        IntVector scores = new IntVector("scores", allocator);
        scores.allocateNew(1024);
        kept.add(scores);
    }

    @ProgramThat(value = "drops its buffer", leaks = 1)
    void drops(BufferAllocator allocator) {
        allocator.buffer(8192).setInt(0, 7);
    }

    @ProgramThat(value = "keeps a slice, and closes nothing", leaks = 1)
    void keepsSlice(BufferAllocator allocator) {
        kept.add(allocator.buffer(8192).slice(0, 16));
    }

    @ProgramThat(value = "keeps a retained slice, and closes the buffer", leaks = 1)
    void keepsRetainedSlice(BufferAllocator allocator) {
        ArrowBuf whole = allocator.buffer(8192);
        ArrowBuf part = whole.slice(0, 16);
        part.getReferenceManager().retain();
        whole.close();
        kept.add(part);
    }

    @ProgramThat("closes its buffer first, and a retained slice last")
    void closesRetainedSlice(BufferAllocator allocator) {
        ArrowBuf whole = allocator.buffer(8192);
        ArrowBuf part = whole.slice(0, 16);
        part.getReferenceManager().retain();
        whole.close();
        part.close();
    }

    @ProgramThat("transfers its vector to another allocator, which closes it")
    void transfers(BufferAllocator allocator) {
        try (BufferAllocator writer = allocator.newChildAllocator("writer", 0, Long.MAX_VALUE);
                IntVector scores = new IntVector("scores", allocator)) {
            scores.allocateNew(1024);
            TransferPair pair = scores.getTransferPair(writer);
            pair.transfer();
            pair.getTo().close();
        }
    }

    @ProgramThat(value = "transfers its vector to another allocator, and drops both", leaks = 1)
    void transfersToDropped(BufferAllocator allocator) {
        BufferAllocator writer = allocator.newChildAllocator("writer", 0, Long.MAX_VALUE);
        IntVector scores = new IntVector("scores", allocator);
        scores.allocateNew(1024);
        scores.getTransferPair(writer).transfer();
    }

    @ProgramThat("closes its buffer twice")
    void closesTwice(BufferAllocator allocator) {
        ArrowBuf buffer = allocator.buffer(8192);
        buffer.close();
        buffer.close();
    }

    @ProgramThat(value = "keeps a buffer that another thread allocates", leaks = 1)
    void keepsOfThread(BufferAllocator allocator) throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        kept.add(other.submit(() -> allocator.buffer(8192)).get());
        other.shutdown();
    }

    @ProgramThat("lets another thread close its buffer")
    void closesOnThread(BufferAllocator allocator) throws Exception {
        ArrowBuf buffer = allocator.buffer(8192);
        Thread other = new Thread(buffer::close);
        other.start();
        other.join();
    }

    @ProgramThat("uses a constant of a static initializer")
    void usesConstant(BufferAllocator allocator) {
        Constant.ZEROS.getInt(0);
    }

    @ProgramThat(value = "logs an exception of a close, and skips its own close", leaks = 1)
    void failsToClose(BufferAllocator allocator) {
        AutoCloseable reader = () -> {
            throw new IllegalStateException("The file is truncated.");
        };
        ArrowBuf buffer = allocator.buffer(8192);
        try {
            reader.close();
            buffer.close();
        } catch (Exception logged) {
            kept.add(logged);
        }
    }

    @ProgramThat(value = "logs what the close of its child allocator throws", leaks = 1)
    void logsLeak(BufferAllocator allocator) {
        try (BufferAllocator reader = allocator.newChildAllocator("reader", 0, Long.MAX_VALUE)) {
            kept.add(reader.buffer(8192));
        } catch (IllegalStateException logged) {
            kept.add(logged);
        }
    }

    @ProgramThat(value = "opens a root allocator, and closes nothing", leaks = 1)
    void opensAllocator(BufferAllocator allocator) {
        kept.add(new RootAllocator().buffer(8192));
    }

    /** Lasts as long as its class, in an allocator that nobody closes. */
    private static final class Constant {

        static final ArrowBuf ZEROS = new RootAllocator().buffer(64);
    }
}
