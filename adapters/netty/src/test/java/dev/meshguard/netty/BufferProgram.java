package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/** Small programs that use a buffer, and how many buffers each leaks; at most one run of each in a Java machine. */
enum BufferProgram {
    RELEASES("releases its buffer", 0) {
        @Override
        void run(List<Object> field) {
            POOL.directBuffer(128).release();
        }
    },
    KEEPS("keeps its buffer in a field", 1) {
        @Override
        void run(List<Object> field) {
            field.add(POOL.directBuffer(128));
        }
    },
    DROPS("drops its buffer", 1) {
        @Override
        void run(List<Object> field) {
            POOL.directBuffer(128).writeInt(7);
        }
    },
    KEEPS_SLICE("keeps a slice, and releases nothing", 1) {
        @Override
        void run(List<Object> field) {
            field.add(POOL.directBuffer(128).slice(0, 16));
        }
    },
    KEEPS_RETAINED_SLICE("keeps a retained slice, and releases the buffer", 1) {
        @Override
        void run(List<Object> field) {
            ByteBuf whole = POOL.directBuffer(128);
            field.add(whole.retainedSlice(0, 16));
            whole.release();
        }
    },
    RELEASES_RETAINED_SLICE("releases its buffer first, and a retained slice last", 0) {
        @Override
        void run(List<Object> field) {
            ByteBuf whole = POOL.directBuffer(128);
            ByteBuf part = whole.retainedSlice(0, 16);
            whole.release();
            part.release();
        }
    },
    RETAINS_TOO_OFTEN("retains its buffer once too often, and drops it", 1) {
        @Override
        void run(List<Object> field) {
            ByteBuf buffer = POOL.directBuffer(128);
            buffer.retain();
            buffer.release();
        }
    },
    TRANSFERS("transfers its buffer to a composite, which is released", 0) {
        @Override
        void run(List<Object> field) {
            CompositeByteBuf all = POOL.compositeBuffer();
            all.addComponent(POOL.directBuffer(128));
            all.release();
        }
    },
    TRANSFERS_TO_DROPPED("transfers its buffer to a composite, which is dropped", 1) {
        @Override
        void run(List<Object> field) {
            POOL.compositeBuffer().addComponent(POOL.directBuffer(128));
        }
    },
    RELEASES_TWICE("releases its buffer twice", 0) {
        @Override
        void run(List<Object> field) {
            ByteBuf buffer = POOL.directBuffer(128);
            buffer.release();
            buffer.release();
        }
    },
    KEEPS_OF_THREAD("keeps a buffer that another thread allocates", 1) {
        @Override
        void run(List<Object> field) throws Exception {
            ExecutorService other = Executors.newSingleThreadExecutor();
            field.add(other.submit(() -> POOL.directBuffer(128)).get());
            other.shutdown();
        }
    },
    RELEASES_ON_THREAD("lets another thread release its buffer", 0) {
        @Override
        void run(List<Object> field) throws Exception {
            ByteBuf buffer = POOL.directBuffer(128);
            Thread other = new Thread(buffer::release);
            other.start();
            other.join();
        }
    },
    USES_CONSTANT("uses a constant of a static initializer", 0) {
        @Override
        void run(List<Object> field) {
            Constant.CRLF.readableBytes();
        }
    },
    FAILS_TO_CLOSE("logs an exception of a close, and skips its release", 1) {
        @Override
        void run(List<Object> field) {
            AutoCloseable connection = () -> {
                throw new IllegalStateException("The peer has reset the connection.");
            };
            ByteBuf buffer = POOL.directBuffer(128);
            try {
                connection.close();
                buffer.release();
            } catch (Exception logged) {
                field.add(logged);
            }
        }
    },
    DROPS_UNPOOLED_HEAP("drops an unpooled heap buffer", 0) {
        @Override
        void run(List<Object> field) {
            Unpooled.buffer(128).writeInt(7);
        }
    };

    private static final ByteBufAllocator POOL = PooledByteBufAllocator.DEFAULT;

    private static final Pattern FRAME = Pattern.compile("[\\w.$]+\\(\\w+\\.java:\\d+\\)");

    private final String description;
    private final int leaks;

    BufferProgram(String description, int leaks) {
        this.description = description;
        this.leaks = leaks;
    }

    /** Runs the program; what it adds to the list is held. */
    abstract void run(List<Object> field) throws Exception;

    String description() {
        return description;
    }

    /** Returns how many buffers are never released, although no code waits to do so. */
    int leaks() {
        return leaks;
    }

    /** Returns whether the first frame of a text outside of the library is one of this program. */
    boolean isCalledFirst(String text) {
        return text.lines()
                .map(frame -> frame.strip().replaceFirst("^at ", ""))
                .filter(frame -> FRAME.matcher(frame).matches() && !frame.startsWith("io.netty."))
                .findFirst()
                .filter(frame -> frame.startsWith(getClass().getName() + "."))
                .isPresent();
    }

    /** As codecs keep their constants. */
    private static final class Constant {

        static final ByteBuf CRLF =
                Unpooled.unreleasableBuffer(POOL.directBuffer(2).writeShort(0x0d0a));
    }
}
