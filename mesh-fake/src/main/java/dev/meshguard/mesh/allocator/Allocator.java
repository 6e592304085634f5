package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.shortage.MemoryShortage;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Allocates the memory of one device, one mesh or one sub-device.
 *
 * <p>Each DRAM bank has a region for buffers and, at its top, the trace region. The L1 of each compute core has a region for
 * buffers and, at its top, the region for small sharded buffers. Host memory is not managed. The allocator identifies memory
 * only by its address. Freeing an address that has been reused therefore frees the new owner's memory, as in the runtime, which
 * keeps its list of buffers elsewhere. Allocators are independent of each other, even over the same chips.
 *
 * <p>All sizes and addresses are bytes. Safe for use by several threads: a lock for each kind of memory guards it. Sources:
 * {@code tt_metal/impl/allocator/allocator.cpp} and {@code l1_banking_allocator.cpp}, in the mode that the runtime calls
 * lock-step.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Allocator {

    private final AllocatorConfig config;
    private final UnsafeAllocationWarner unsafeAllocationWarning;
    private final Map<BufferType, BankManager> managers = new EnumMap<>(BufferType.class);

    private volatile boolean allocationsUnsafe;

    private Allocator(AllocatorConfig config, UnsafeAllocationWarner unsafeAllocationWarning) {
        this.config = config;
        this.unsafeAllocationWarning = unsafeAllocationWarning;
        add(BufferType.DRAM, config.dram().banks(), config.dramRegion());
        add(BufferType.TRACE, config.dram().banks(), config.traceRegion());
        add(BufferType.L1, config.l1().banks(), config.l1Region());
        add(BufferType.L1_SMALL, config.l1().smallSize() > 0 ? config.l1().banks() : 0, config.l1SmallRegion());
    }

    /**
     * Creates an allocator without allocations.
     *
     * @param config how the memory is divided
     * @param warning warns of allocations while a trace exists; shared by the allocators of one simulated process
     * @return the allocator
     * @throws MeshRuntimeException if interleaving over the configured number of banks is not possible
     * @throws IllegalArgumentException if a region does not start at a multiple of the DRAM alignment
     */
    public static Allocator create(AllocatorConfig config, UnsafeAllocationWarner warning) {
        return new Allocator(config, warning);
    }

    /**
     * Allocates memory of one kind.
     *
     * <p>While allocations are marked unsafe, the calling thread may be warned, but the allocation succeeds.
     *
     * @param type the kind of memory
     * @param request the size, the distribution over the banks and the end to allocate from
     * @return the address, which is the same in every bank
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the allocator does not manage the kind, the kind must be sharded and the request is not,
     *     or the request has too many shards
     */
    public long allocate(BufferType type, BankRequest request) {
        if (allocationsUnsafe) {
            unsafeAllocationWarning.warnThisThread();
        }
        requireSpreadAllowed(type, request);
        return manager(type).allocate(request);
    }

    /**
     * Creates the error of a request for which there is no room, with the current figures of the bank. It allocates nothing.
     *
     * <p>Use it to simulate a full memory.
     *
     * @param type the kind of memory
     * @param request the requested memory
     * @return the error, not thrown
     * @throws MeshRuntimeException if the request is invalid even in an empty memory
     */
    public DeviceOutOfMemoryException outOfMemory(BufferType type, BankRequest request) {
        requireSpreadAllowed(type, request);
        return manager(type).outOfMemory(request);
    }

    /**
     * Returns the state of a bank for a request that was just rejected.
     *
     * @param requestAt the request that was reported for the memory at an address
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public MemoryShortage shortageOf(
            BufferType type, BankRequest request, LongFunction<Optional<MemoryRequest>> requestAt) {
        BankManager manager = manager(type);
        synchronized (manager) {
            AddressRange range = manager.managedRange();
            return MemoryShortage.anywhere(
                    type,
                    manager.reservedPerBank(request),
                    Math.max(range.start(), manager.addressLimitFor(request)),
                    range.end(),
                    blocks(type, requestAt));
        }
    }

    /** Returns the allocated blocks of a bank of a kind, in any order. */
    @API(status = Status.INTERNAL, since = "0.1")
    public List<MemoryShortage.Block> blocks(BufferType type, LongFunction<Optional<MemoryRequest>> requestAt) {
        return manager(type).allocatedRanges().stream()
                .map(range -> new MemoryShortage.Block(range.start(), range.end(), requestAt.apply(range.start())))
                .toList();
    }

    /** Returns the managed addresses of a bank of a kind, without those removed by shrinking. */
    @API(status = Status.INTERNAL, since = "0.1")
    public AddressRange managedRange(BufferType type) {
        return manager(type).managedRange();
    }

    /**
     * Frees memory.
     *
     * @param type the kind of memory
     * @param address the address at which it was allocated; an unknown one is ignored
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public void deallocate(BufferType type, long address) {
        manager(type).deallocate(address);
    }

    /** Frees everything that is allocated, without notifying the owners. */
    public void deallocateBuffers() {
        managers.values().forEach(BankManager::deallocateAll);
    }

    /** Resets every kind of memory, except for the lowest occupied address, as in the runtime (quirk Q1). */
    public void clear() {
        managers.values().forEach(BankManager::clear);
    }

    /** Marks later allocations as unsafe because a trace exists that may overwrite them. */
    public void markAllocationsUnsafe() {
        allocationsUnsafe = true;
    }

    /** Marks later allocations as safe because no trace exists, or because one is being captured. */
    public void markAllocationsSafe() {
        allocationsUnsafe = false;
    }

    /** {@return whether allocations are marked unsafe} */
    public boolean allocationsUnsafe() {
        return allocationsUnsafe;
    }

    /**
     * Removes the lowest bytes of every bank of a kind.
     *
     * @param type the kind of memory
     * @param size the bytes to remove, in addition to those removed before, not negative; 0 does nothing
     * @throws MeshRuntimeException if the allocator does not manage the kind, if the size is larger than the managed range, or
     *     if memory is allocated in the removed part
     */
    public void shrinkSize(BufferType type, long size) {
        manager(type).shrinkSize(size);
    }

    /**
     * Undoes every shrink of a kind.
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public void resetSize(BufferType type) {
        manager(type).resetSize();
    }

    /**
     * Starts to record, from zero, the highest addresses at which memory of a kind is allocated and freed.
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public void beginHighWaterMarkTracking(BufferType type) {
        manager(type).beginHighWaterMarkTracking();
    }

    /**
     * Stops recording high water marks of a kind.
     *
     * @param type the kind of memory
     * @return the last marks
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public HighWaterMarks endHighWaterMarkTracking(BufferType type) {
        return manager(type).endHighWaterMarkTracking();
    }

    /**
     * {@return the high water marks of a kind, from the current tracking or else from the last one}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public HighWaterMarks highWaterMarks(BufferType type) {
        return manager(type).highWaterMarks();
    }

    /**
     * {@return how full each bank of a kind is}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public Statistics statistics(BufferType type) {
        return manager(type).statistics();
    }

    /**
     * Returns the allocated addresses of a kind.
     *
     * @param type the kind of memory
     * @return a new array in ascending order, so that two results can be compared
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public long[] liveAddresses(BufferType type) {
        return manager(type).liveAddresses();
    }

    /**
     * Returns the lowest allocated L1 address, the same in each bank; small sharded buffers do not count.
     *
     * @return the address, empty if nothing is allocated
     */
    public OptionalLong lowestOccupiedL1Address() {
        return manager(BufferType.L1).lowestOccupiedAddress();
    }

    /**
     * {@return the managed bytes of a kind in each bank, without those removed by shrinking}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public long bankSize(BufferType type) {
        return manager(type).bankSize();
    }

    /**
     * {@return the lowest address of a kind that can be reserved, the same in each bank, before any shrinking}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public long bankBase(BufferType type) {
        return manager(type).bankBase();
    }

    /**
     * {@return the bytes that a request needs in each bank: its share of the pages, rounded up as the free list does; 0 without
     * banks}
     *
     * @param type the kind of memory
     * @param request the requested memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public long reservedPerBank(BufferType type, BankRequest request) {
        return manager(type).reservedPerBank(request);
    }

    /**
     * {@return the number of banks of a kind; L1_SMALL has none unless it has a region}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public int numBanks(BufferType type) {
        return manager(type).numBanks();
    }

    /**
     * {@return the bytes to a multiple of which the pages of a kind are rounded up}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the allocator does not manage the kind
     */
    public long alignment(BufferType type) {
        return config.alignment(type);
    }

    private void requireSpreadAllowed(BufferType type, BankRequest request) {
        if (request.isSharded()) {
            return;
        }
        if (!config.interleaved()) {
            throw new MeshRuntimeException("Interleaved allocation is disabled, see validate_num_banks");
        }
        if (type == BufferType.L1_SMALL) {
            throw new MeshRuntimeException("L1_SMALL only supports sharded allocations, see validate_num_banks");
        }
    }

    private BankManager manager(BufferType type) {
        BankManager manager = managers.get(type);
        if (manager == null) {
            throw new MeshRuntimeException(AllocatorConfig.UNSUPPORTED_BUFFER_TYPE);
        }
        return manager;
    }

    private void add(BufferType kind, int banks, AddressRange region) {
        managers.put(kind, new BankManager(kind, banks, region, config.l1().unreservedBase(), config));
    }
}
