package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.program.CircularBufferLayout;
import dev.meshguard.mesh.internal.program.ProgramMessages;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A circular buffer of a program, through which its kernels hand pages to each other.
 *
 * <p>It lies where its program places it when that is enqueued, or in the memory of a buffer in L1
 * ({@linkplain Program#createCircularBuffer(CircularBufferConfig, MeshBuffer) globally allocated}). Its program changes it.
 * Safe for use by several threads. Source: {@code tt_metal/impl/buffers/circular_buffer.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class CircularBuffer {

    private final Program program;
    private final int number;
    /** The program's monitor guards the following fields. */
    private CircularBufferConfig config;

    private @Nullable Home home;
    private OptionalLong stackedAt = OptionalLong.empty();

    CircularBuffer(Program program, int number, CircularBufferConfig config) {
        this.program = program;
        this.number = number;
        this.config = config;
    }

    /** Returns the program it belongs to. */
    public Program program() {
        return program;
    }

    /** Returns the requested configuration, with later changes. */
    public CircularBufferConfig config() {
        synchronized (program) {
            return config;
        }
    }

    /** Returns the bytes on each core. */
    public long size() {
        return config().size();
    }

    /** Returns the number of pages under an index; see {@link CircularBufferConfig#numPages}. */
    public long numPages(int index) {
        return config().numPages(index);
    }

    /** Returns whether it lies in the memory of a buffer. */
    public boolean isGloballyAllocated() {
        synchronized (program) {
            return home != null;
        }
    }

    /**
     * Returns the address, the same on all its cores: that of the latest layout, also when another has become due since.
     *
     * @throws MeshRuntimeException if its program has not placed it yet
     */
    public long address() {
        synchronized (program) {
            if (home != null) {
                return home.address();
            }
            return stackedAt.orElseThrow(() -> new MeshRuntimeException(ProgramMessages.CIRCULAR_BUFFER_NOT_ALLOCATED));
        }
    }

    int number() {
        return number;
    }

    /** Changes the configuration; the caller must notify the program. */
    void change(CircularBufferConfig newConfig) {
        synchronized (program) {
            if (home != null) {
                home.requireRoomFor(newConfig.size());
            }
            config = newConfig;
        }
    }

    /** Moves it into the memory of another buffer. */
    void moveInto(Home newHome, long size) {
        synchronized (program) {
            newHome.requireRoomFor(size);
            config = config.sized(size);
            home = newHome;
        }
    }

    void stackAt(long address) {
        synchronized (program) {
            stackedAt = OptionalLong.of(address);
        }
    }

    /** Returns whether there is a core on which both lie; one without cores lies on all that compute. */
    boolean sharesCoreWith(CircularBuffer other) {
        Optional<CoreRangeSet> own = config().cores();
        Optional<CoreRangeSet> others = other.config().cores();
        return own.isEmpty() || others.isEmpty() || own.get().intersects(others.get());
    }

    /** Checks the page sizes, which could not be checked when the size was changed, because pages may change after it. */
    void requireWholePages() {
        CircularBufferConfig current = config();
        current.indices().forEach(index -> current.numPages(index.number()));
    }

    CircularBufferLayout.Item itemOn(CoreRange computeGrid) {
        synchronized (program) {
            OptionalLong fixed = home == null ? OptionalLong.empty() : OptionalLong.of(home.address());
            CoreRangeSet cores = config.cores().orElseGet(() -> CoreRangeSet.of(computeGrid));
            return new CircularBufferLayout.Item(cores.merge(List.of()), config.size(), fixed);
        }
    }

    /** Returns size, cores and program for a person to read. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "CircularBuffer(%s on each core of %s, %s)",
                Quantities.size(size()),
                config().cores().map(CoreRangeSet::toString).orElse("the compute grid"),
                program);
    }

    /**
     * Memory of another buffer in which circular buffers may lie.
     *
     * @param address the start address on every core
     * @param size the bytes on every core
     */
    record Home(long address, long size) {

        /**
         * Returns the memory of a buffer.
         *
         * @throws MeshRuntimeException if it does not lie in L1
         */
        static Home of(Buffer buffer) {
            if (buffer.type() != BufferType.L1 && buffer.type() != BufferType.L1_SMALL) {
                throw new MeshRuntimeException(ProgramMessages.ONLY_L1_BUFFERS);
            }
            return new Home(buffer.address(), buffer.layout().alignedSizePerBank());
        }

        void requireRoomFor(long wanted) {
            if (wanted > size) {
                throw new MeshRuntimeException(ProgramMessages.largerThanBuffer(wanted, size));
            }
        }
    }
}
