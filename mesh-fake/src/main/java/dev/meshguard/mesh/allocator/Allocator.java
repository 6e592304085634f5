package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.BankManager.HighWaterMarks;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Lends out the memory of one device, one mesh or one sub-device.
 *
 * <p>DRAM banks are divided into what is lent for buffers and, at the top, the trace region; the L1 of each compute
 * core into buffers and, at the top, the region for small sharded buffers. Host memory is not lent. Memory is known by
 * its address alone: whoever gives back an address that has been lent anew frees the new owner's memory, as in the
 * runtime, which keeps its list of buffers elsewhere. Allocators know nothing of each other, even over the same chips.
 *
 * <p>All sizes and addresses are bytes. Safe for use by several threads: one lock guards the whole allocator. Sources:
 * {@code tt_metal/impl/allocator/allocator.cpp} and {@code l1_banking_allocator.cpp}, in the mode the runtime calls
 * lock-step.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Allocator {

    private final AllocatorConfig config;
    private final UnsafeAllocationWarning unsafeAllocationWarning;
    private final Object lock = new Object();
    private final Map<BufferType, BankManager> managers = new EnumMap<>(BufferType.class);
    /** Empty unless addresses are withheld; the managers then know places, and programs the addresses under which they are lent. */
    private final Map<BufferType, StrictAddresses> strictAddresses = new EnumMap<>(BufferType.class);

    private volatile boolean allocationsUnsafe;

    private Allocator(AllocatorConfig config, UnsafeAllocationWarning unsafeAllocationWarning) {
        this.config = config;
        this.unsafeAllocationWarning = unsafeAllocationWarning;
        managers.put(BufferType.DRAM, dramManager(BufferType.DRAM, config.dramRegion()));
        managers.put(BufferType.TRACE, dramManager(BufferType.TRACE, config.traceRegion()));
        managers.put(BufferType.L1, l1Manager(BufferType.L1, config.l1Region(), config.l1BankCount()));
        int smallBanks = config.l1SmallSize() > 0 ? config.l1BankCount() : 0;
        managers.put(BufferType.L1_SMALL, l1Manager(BufferType.L1_SMALL, config.l1SmallRegion(), smallBanks));
        if (config.withheldAddresses() > 0) {
            withhold(BufferType.DRAM, config.dramRegion(), config.dramBankSize());
            withhold(BufferType.TRACE, config.traceRegion(), beyondOtherNames(config.dramBankSize()));
            withhold(BufferType.L1, config.l1Region(), config.l1Size());
            withhold(BufferType.L1_SMALL, config.l1SmallRegion(), beyondOtherNames(config.l1Size()));
        }
    }

    /**
     * Creates an allocator that has lent nothing.
     *
     * @param config how the memory is divided
     * @param warning warns of allocations while a trace exists; shared by the allocators of what stands for one process
     * @return the allocator
     * @throws MeshRuntimeException if interleaving over the configured number of banks is not possible
     * @throws IllegalArgumentException if a region does not start at a multiple of the DRAM alignment
     */
    public static Allocator create(AllocatorConfig config, UnsafeAllocationWarning warning) {
        return new Allocator(config, warning);
    }

    /**
     * Lends memory of one kind.
     *
     * <p>While allocations are marked unsafe the calling thread may be warned, but nothing is refused.
     *
     * @param type the kind of memory
     * @param request how much, spread how, and from which end
     * @return the address, which is the same in every bank
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the kind is not lent, must be sharded and is not, or the request has too many
     *     shards
     */
    public long allocate(BufferType type, BankRequest request) {
        if (allocationsUnsafe) {
            unsafeAllocationWarning.warnThisThread();
        }
        requireSpreadAllowed(type, request);
        BankManager manager = manager(type);
        synchronized (lock) {
            long place = manager.allocate(request);
            StrictAddresses strict = strictAddresses.get(type);
            return strict == null ? place : strict.allocate(place, manager.blockSize(place), request.direction());
        }
    }

    /**
     * Returns the error of a request for which there is no room, with the figures of the bank as it is; nothing is lent.
     *
     * <p>For whoever stands in for a full memory.
     *
     * @param type the kind of memory
     * @param request what is asked for
     * @return the error, not thrown
     * @throws MeshRuntimeException if the request would be refused whatever room there is
     */
    public DeviceOutOfMemoryException outOfMemory(BufferType type, BankRequest request) {
        requireSpreadAllowed(type, request);
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.outOfMemory(request);
        }
    }

    /**
     * Takes memory back.
     *
     * @param type the kind of memory
     * @param address the address it was lent at; an unknown one is ignored
     * @throws MeshRuntimeException if the kind is not lent
     */
    public void deallocate(BufferType type, long address) {
        BankManager manager = manager(type);
        synchronized (lock) {
            StrictAddresses strict = strictAddresses.get(type);
            if (strict == null) {
                manager.deallocate(address);
            } else {
                strict.free(address).ifPresent(manager::deallocate);
            }
        }
    }

    /**
     * Returns where memory lies that is lent: at its address, unless addresses are withheld and another name was given to it.
     *
     * @param type the kind of memory
     * @param address the address it was lent at
     * @return the place, which is what high water marks and the lowest occupied address are told in
     */
    public long physicalAddressOf(BufferType type, long address) {
        synchronized (lock) {
            StrictAddresses strict = strictAddresses.get(type);
            return strict == null ? address : strict.physicalAddressOf(address).orElse(address);
        }
    }

    /** Takes back everything that is lent, without telling those who have it. */
    public void deallocateBuffers() {
        synchronized (lock) {
            managers.values().forEach(BankManager::deallocateAll);
            strictAddresses.values().forEach(StrictAddresses::clear);
        }
    }

    /** Makes every kind of memory as new, except for the lowest occupied address, see {@link FreeListOpt#clear()}. */
    public void clear() {
        synchronized (lock) {
            managers.values().forEach(BankManager::clear);
            strictAddresses.values().forEach(StrictAddresses::clear);
        }
    }

    /** Says that a trace exists, which may overwrite what is allocated from now on. */
    public void markAllocationsUnsafe() {
        allocationsUnsafe = true;
    }

    /** Says that no trace exists, or that one is being captured. */
    public void markAllocationsSafe() {
        allocationsUnsafe = false;
    }

    /** {@return whether allocations are marked unsafe} */
    public boolean allocationsUnsafe() {
        return allocationsUnsafe;
    }

    /**
     * Gives up the lowest bytes of every bank of a kind.
     *
     * @param type the kind of memory
     * @param size the bytes to give up, in addition to those given up before; 0 does nothing
     * @throws MeshRuntimeException if the kind is not lent, or for a reason of {@link FreeListOpt#shrinkSize(long)}
     * @throws IllegalArgumentException if the size is negative
     */
    public void shrinkSize(BufferType type, long size) {
        shrinkSize(type, size, true);
    }

    /**
     * Gives up the lowest bytes of every bank of a kind.
     *
     * @param type the kind of memory
     * @param size the bytes to give up, in addition to those given up before; 0 does nothing
     * @param bottomUp must be true unless the size is 0; the runtime has no shrinking from the top
     * @throws MeshRuntimeException if the kind is not lent, or for a reason of
     *     {@link FreeListOpt#shrinkSize(long, boolean)}
     * @throws IllegalArgumentException if the size is negative
     */
    public void shrinkSize(BufferType type, long size, boolean bottomUp) {
        BankManager manager = manager(type);
        synchronized (lock) {
            manager.shrinkSize(size, bottomUp);
            if (strictAddresses.containsKey(type)) {
                strictAddresses.get(type).shrink(size);
            }
        }
    }

    /**
     * Takes back every shrink of a kind.
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public void resetSize(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            manager.resetSize();
            if (strictAddresses.containsKey(type)) {
                strictAddresses.get(type).resetSize();
            }
        }
    }

    /**
     * Starts to note, from zero, how far up memory of a kind is taken and given back.
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public void beginHighWaterMarkTracking(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            manager.beginHighWaterMarkTracking();
        }
    }

    /**
     * Stops noting high water marks of a kind.
     *
     * @param type the kind of memory
     * @return the last marks
     * @throws MeshRuntimeException if the kind is not lent
     */
    public HighWaterMarks endHighWaterMarkTracking(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.endHighWaterMarkTracking();
        }
    }

    /**
     * {@return the high water marks of a kind, of the tracking that is going on, or else of the last one}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public HighWaterMarks highWaterMarks(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.highWaterMarks();
        }
    }

    /**
     * {@return how full each bank of a kind is}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public Statistics statistics(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.statistics();
        }
    }

    /**
     * Returns the addresses of a kind that are lent.
     *
     * @param type the kind of memory
     * @return a new array in ascending order, so that two readings can be compared
     * @throws MeshRuntimeException if the kind is not lent
     */
    public long[] liveAddresses(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            StrictAddresses strict = strictAddresses.get(type);
            return strict == null ? manager.liveAddresses() : strict.allocated();
        }
    }

    /**
     * {@return the block table of a kind}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public List<MemoryBlock> memoryBlockTable(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.memoryBlockTable();
        }
    }

    /**
     * Returns the lowest L1 address that is taken in a bank; small sharded buffers do not count.
     *
     * @param bank the number of the bank
     * @return the address, empty if nothing is taken
     * @throws MeshRuntimeException if something is taken and there is no such bank
     */
    public OptionalLong lowestOccupiedL1Address(int bank) {
        BankManager manager = manager(BufferType.L1);
        synchronized (lock) {
            return manager.lowestOccupiedAddress(bank);
        }
    }

    /**
     * {@return the bytes of a kind that are managed in each bank, less what was given up by shrinking}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public long bankSize(BufferType type) {
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.bankSize();
        }
    }

    /**
     * {@return the bytes that a request takes in each bank: its share of the pages, rounded up as the free list does; 0 where
     * there is no bank}
     *
     * @param type the kind of memory
     * @param request what is asked for
     * @throws MeshRuntimeException if the kind is not lent
     */
    public long reservedPerBank(BufferType type, BankRequest request) {
        BankManager manager = manager(type);
        synchronized (lock) {
            return manager.reservedPerBank(request);
        }
    }

    /**
     * {@return what is added to an address of a kind in a bank, in bytes}
     *
     * @param type the kind of memory
     * @param bank the number of the bank
     * @throws MeshRuntimeException if the kind is not lent or has no such bank
     */
    public long bankOffset(BufferType type, int bank) {
        return manager(type).bankOffset(bank);
    }

    /**
     * {@return the number of banks of a kind; L1_SMALL has none unless it has a region}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public int numBanks(BufferType type) {
        return manager(type).numBanks();
    }

    /**
     * {@return what the pages of a kind are rounded up to, in bytes}
     *
     * @param type the kind of memory
     * @throws MeshRuntimeException if the kind is not lent
     */
    public long alignment(BufferType type) {
        return switch (type) {
            case DRAM, TRACE -> config.dramAlignment();
            case L1, L1_SMALL -> config.l1Alignment();
            case SYSTEM_MEMORY -> throw unsupportedType();
        };
    }

    /**
     * {@return the first address of a memory that may be lent out, whatever was given up by shrinking}
     *
     * @param memory the physical memory
     * @throws MeshRuntimeException if it is host memory
     */
    public long baseAllocatorAddress(BufferType.Memory memory) {
        return switch (memory) {
            case DRAM -> config.dramUnreservedBase();
            case L1 -> config.l1UnreservedBase();
            case SYSTEM -> throw new MeshRuntimeException(AllocatorMessages.memoryWithoutAllocation("HOST"));
        };
    }

    private void requireSpreadAllowed(BufferType type, BankRequest request) {
        if (request.isSharded()) {
            return;
        }
        if (!config.interleaved()) {
            throw new MeshRuntimeException(AllocatorMessages.INTERLEAVED_DISABLED);
        }
        if (type == BufferType.L1_SMALL) {
            throw new MeshRuntimeException(AllocatorMessages.L1_SMALL_SHARDED_ONLY);
        }
    }

    private BankManager manager(BufferType type) {
        BankManager manager = managers.get(type);
        if (manager == null) {
            throw unsupportedType();
        }
        return manager;
    }

    private static MeshRuntimeException unsupportedType() {
        return new MeshRuntimeException(AllocatorMessages.UNSUPPORTED_BUFFER_TYPE);
    }

    private void withhold(BufferType type, AddressRange region, long end) {
        strictAddresses.put(type, new StrictAddresses(config.withheldAddresses(), region, end, config.dramAlignment()));
    }

    /** Two kinds share a memory, and so must not share the addresses that lie beyond it. */
    private static long beyondOtherNames(long end) {
        return end + 2 * StrictAddresses.ROOM_BEYOND;
    }

    private BankManager dramManager(BufferType kind, AddressRange region) {
        long[] offsets = new long[config.dramBankOffsets().size()];
        for (int bank = 0; bank < offsets.length; bank++) {
            offsets[bank] = config.dramBankOffsets().get(bank);
        }
        return newManager(kind, region)
                .bankOffsets(offsets)
                .pageAlignment(config.dramAlignment())
                .build();
    }

    private BankManager l1Manager(BufferType kind, AddressRange region, int banks) {
        return newManager(kind, region)
                .banks(banks)
                .pageAlignment(config.l1Alignment())
                .interleavedLimit(config.l1UnreservedBase())
                .build();
    }

    private BankManager.Builder newManager(BufferType kind, AddressRange region) {
        BankManager.Builder builder = BankManager.builder(kind)
                .region(region)
                .dramAlignment(config.dramAlignment())
                .computeCores(config.l1BankCount());
        return config.interleaved() ? builder : builder.withoutInterleaving();
    }
}
