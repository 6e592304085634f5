package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import java.io.Serial;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Thrown when an allocator cannot allocate the requested device memory.
 *
 * <p>Each of the three texts begins with {@code Out of Memory:}. Sources: {@code tt_metal/impl/allocator/bank_manager.cpp} and
 * {@code tt_metal/impl/allocator/algorithms/free_list_opt.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class DeviceOutOfMemoryException extends InsufficientMemoryException {

    @Serial
    private static final long serialVersionUID = 1L;

    private DeviceOutOfMemoryException(String message) {
        super(message);
    }

    static DeviceOutOfMemoryException belowLimit(long limit, long address) {
        return new DeviceOutOfMemoryException(InvariantText.of(
                "Out of Memory: Cannot allocate at an address below %d. Allocation at %d", limit, address));
    }

    static DeviceOutOfMemoryException notEnoughSpace(
            BufferType kind, long size, int banks, long sizePerBank, Statistics bank) {
        return new DeviceOutOfMemoryException(InvariantText.of(
                "Out of Memory: Not enough space to allocate %d B %s buffer across %d banks,"
                        + " where each bank needs to store %d B, but bank size is %d B %s",
                size, kind, banks, sizePerBank, bank.totalAllocatable(), describe(bank)));
    }

    private static String describe(Statistics bank) {
        return InvariantText.of(
                "(allocated: %d B, free: %d B, largest free block: %d B)",
                bank.totalAllocated(), bank.totalFree(), bank.largestFree());
    }
}
