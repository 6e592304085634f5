package dev.meshguard.arrow;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * Allocates and frees memory as Arrow does: by two methods of {@code MemoryUtil} since Arrow 18, before by those of its public
 * field {@code UNSAFE}.
 */
final class ArrowMemoryCalls {

    static final ArrowMemoryCalls OF_ARROW = new ArrowMemoryCalls(MemoryUtil.class);

    private final LongUnaryOperator allocate;
    private final LongConsumer free;

    /** Uses the methods of a {@code MemoryUtil}. */
    ArrowMemoryCalls(Class<?> memoryUtil) {
        MethodType ofAllocate = MethodType.methodType(long.class, long.class);
        MethodType ofFree = MethodType.methodType(void.class, long.class);
        this.allocate = MethodHandleProxies.asInterfaceInstance(
                LongUnaryOperator.class, method(memoryUtil, "allocateMemory", ofAllocate));
        this.free =
                MethodHandleProxies.asInterfaceInstance(LongConsumer.class, method(memoryUtil, "freeMemory", ofFree));
    }

    private static MethodHandle method(Class<?> memoryUtil, String name, MethodType type) {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        try {
            try {
                return lookup.findStatic(memoryUtil, name, type);
            } catch (NoSuchMethodException beforeArrow18) {
                return lookup.bind(memoryUtil.getField("UNSAFE").get(null), name, type);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Arrow allocates its memory in another way.", e);
        }
    }

    /** Returns the address of a new block of so many bytes. */
    long allocate(long size) {
        return allocate.applyAsLong(size);
    }

    /** Frees the block at an address. */
    void free(long address) {
        free.accept(address);
    }
}
