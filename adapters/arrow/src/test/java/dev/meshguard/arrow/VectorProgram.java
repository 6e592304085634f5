package dev.meshguard.arrow;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.util.TransferPair;

/** Small programs that use memory of Arrow, and how many buffers each leaks; at most one run of each in a Java machine. */
enum VectorProgram {
    CLOSES("closes its vector", 0) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            try (IntVector scores = new IntVector("scores", allocator)) {
                scores.allocateNew(1024);
            }
        }
    },
    KEEPS("keeps its vector in a field", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            IntVector scores = new IntVector("scores", allocator);
            scores.allocateNew(1024);
            field.add(scores);
        }
    },
    DROPS("drops its buffer", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            allocator.buffer(8192).setInt(0, 7);
        }
    },
    KEEPS_SLICE("keeps a slice, and closes nothing", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            field.add(allocator.buffer(8192).slice(0, 16));
        }
    },
    KEEPS_RETAINED_SLICE("keeps a retained slice, and closes the buffer", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            ArrowBuf whole = allocator.buffer(8192);
            ArrowBuf part = whole.slice(0, 16);
            part.getReferenceManager().retain();
            whole.close();
            field.add(part);
        }
    },
    CLOSES_RETAINED_SLICE("closes its buffer first, and a retained slice last", 0) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            ArrowBuf whole = allocator.buffer(8192);
            ArrowBuf part = whole.slice(0, 16);
            part.getReferenceManager().retain();
            whole.close();
            part.close();
        }
    },
    TRANSFERS("transfers its vector to another allocator, which closes it", 0) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            try (BufferAllocator writer = allocator.newChildAllocator("writer", 0, Long.MAX_VALUE);
                    IntVector scores = new IntVector("scores", allocator)) {
                scores.allocateNew(1024);
                TransferPair pair = scores.getTransferPair(writer);
                pair.transfer();
                pair.getTo().close();
            }
        }
    },
    TRANSFERS_TO_DROPPED("transfers its vector to another allocator, and drops both", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            BufferAllocator writer = allocator.newChildAllocator("writer", 0, Long.MAX_VALUE);
            IntVector scores = new IntVector("scores", allocator);
            scores.allocateNew(1024);
            scores.getTransferPair(writer).transfer();
        }
    },
    CLOSES_TWICE("closes its buffer twice", 0) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            ArrowBuf buffer = allocator.buffer(8192);
            buffer.close();
            buffer.close();
        }
    },
    KEEPS_OF_THREAD("keeps a buffer that another thread allocates", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) throws Exception {
            ExecutorService other = Executors.newSingleThreadExecutor();
            field.add(other.submit(() -> allocator.buffer(8192)).get());
            other.shutdown();
        }
    },
    CLOSES_ON_THREAD("lets another thread close its buffer", 0) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) throws Exception {
            ArrowBuf buffer = allocator.buffer(8192);
            Thread other = new Thread(buffer::close);
            other.start();
            other.join();
        }
    },
    USES_CONSTANT("uses a constant of a static initializer", 0) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            Constant.ZEROS.getInt(0);
        }
    },
    FAILS_TO_CLOSE("logs an exception of a close, and skips its own close", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            AutoCloseable reader = () -> {
                throw new IllegalStateException("The file is truncated.");
            };
            ArrowBuf buffer = allocator.buffer(8192);
            try {
                reader.close();
                buffer.close();
            } catch (Exception logged) {
                field.add(logged);
            }
        }
    },
    LOGS_LEAK("logs what the close of its child allocator throws", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            try (BufferAllocator reader = allocator.newChildAllocator("reader", 0, Long.MAX_VALUE)) {
                field.add(reader.buffer(8192));
            } catch (IllegalStateException logged) {
                field.add(logged);
            }
        }
    },
    OPENS_ALLOCATOR("opens a root allocator, and closes nothing", 1) {
        @Override
        void run(BufferAllocator allocator, List<Object> field) {
            field.add(new RootAllocator().buffer(8192));
        }
    };

    private static final Pattern FRAME = Pattern.compile("[\\w.$]+\\(\\w+\\.java:\\d+\\)");

    private final String description;
    private final int leaks;

    VectorProgram(String description, int leaks) {
        this.description = description;
        this.leaks = leaks;
    }

    /** Runs the program; what it adds to the list is held. */
    abstract void run(BufferAllocator allocator, List<Object> field) throws Exception;

    String description() {
        return description;
    }

    /** Returns how many buffers are never closed, although no code waits to do so. */
    int leaks() {
        return leaks;
    }

    /** Returns whether the first frame of a text outside of the library is one of this program. */
    boolean isCalledFirst(String text) {
        return text.lines()
                .map(frame -> frame.strip().replaceFirst("^at ", ""))
                .filter(frame -> FRAME.matcher(frame).matches() && !frame.startsWith("org.apache.arrow."))
                .findFirst()
                .filter(frame -> frame.startsWith(getClass().getName() + "."))
                .isPresent();
    }

    /** Lasts as long as its class, in an allocator that nobody closes. */
    private static final class Constant {

        static final ArrowBuf ZEROS = new RootAllocator().buffer(64);
    }
}
