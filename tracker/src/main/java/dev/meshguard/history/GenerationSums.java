package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/** The sums over the generations of a history, in total and phase by phase. */
@API(status = Status.INTERNAL, since = "0.1")
public final class GenerationSums {

    /**
     * The memory that was allocated and freed during one phase.
     *
     * @param phase the phase
     * @param flows the changes in each memory in which any generation began or ended, by device and type
     * @param liveBytes bytes on all devices at the end
     * @param peakBytes the most bytes on all devices at any moment
     */
    public record PhaseSums(Phase phase, List<Flow> flows, long liveBytes, long peakBytes) {

        /** Creates sums with their own copy of the flows. */
        public PhaseSums {
            flows = List.copyOf(flows);
        }
    }

    /**
     * The changes in one memory of one device.
     *
     * @param device the device id
     * @param type the memory
     * @param allocatedBytes bytes of the generations that began
     * @param liveBytes bytes of the generations that were live at the end
     * @param liveBuffers how many were live at the end
     * @param freed the generations that ended
     * @param freedLate those of them that ended after the check
     */
    public record Flow(
            int device,
            BufferType type,
            long allocatedBytes,
            long liveBytes,
            long liveBuffers,
            Amount freed,
            Amount freedLate) {}

    /**
     * A number of buffers and their bytes.
     *
     * @param buffers how many
     * @param bytes their first reported sizes
     */
    public record Amount(long buffers, long bytes) {

        /** Returns this amount minus a part of it. */
        public Amount without(Amount part) {
            return new Amount(buffers - part.buffers, bytes - part.bytes);
        }
    }

    /**
     * The sums of one memory and lifetime, on all devices.
     *
     * @param type the memory
     * @param lifetime who frees the buffers
     * @param allocated the generations that began
     * @param remaining those of them that did not end
     */
    public record Total(BufferType type, BufferLifetime lifetime, Amount allocated, Amount remaining) {}

    private static final BufferType[] TYPES = BufferType.values();
    private static final BufferLifetime[] LIFETIMES = BufferLifetime.values();

    /** The changes in one memory of one device during a phase. */
    private static final class Memory {

        private final int device;
        private final BufferType type;
        private long leftBytes;
        private long leftBuffers;

        private boolean moved;
        private long allocatedBytes;
        private long freedBytes;
        private long freedBuffers;
        private long lateBytes;
        private long lateBuffers;

        private Memory(int device, BufferType type) {
            this.device = device;
            this.type = type;
        }

        private Flow cut() {
            Flow flow = new Flow(
                    device,
                    type,
                    allocatedBytes,
                    leftBytes,
                    leftBuffers,
                    new Amount(freedBuffers, freedBytes),
                    new Amount(lateBuffers, lateBytes));
            moved = false;
            allocatedBytes = 0;
            freedBytes = 0;
            freedBuffers = 0;
            lateBytes = 0;
            lateBuffers = 0;
            return flow;
        }
    }

    private final List<HistoryEvent.PhaseBegan> phases;
    private final long check;
    private int nextPhase;

    /** By device, then by the ordinal of the type. */
    private final TreeMap<Integer, @Nullable Memory[]> devices = new TreeMap<>();

    private @Nullable Memory @Nullable [] latest;
    private int latestDevice;

    // By the ordinals of type and lifetime: allocated and remaining buffers and bytes.
    private final long[] allocatedBuffers = new long[TYPES.length * LIFETIMES.length];
    private final long[] allocatedBytes = new long[TYPES.length * LIFETIMES.length];
    private final long[] leftBuffers = new long[TYPES.length * LIFETIMES.length];
    private final long[] leftBytes = new long[TYPES.length * LIFETIMES.length];

    private final List<PhaseSums> phaseSums = new ArrayList<>();
    private Phase phase = Phase.START;
    private long bytes;
    private long peak;

    private GenerationSums(List<HistoryEvent.PhaseBegan> phases, long check) {
        this.phases = phases;
        this.check = check;
    }

    /** Adds up the generations of a history. */
    static GenerationSums of(AllocationHistory history) {
        GenerationSums sums = new GenerationSums(
                history.phases(), history.check().map(HistoryEvent::number).orElse(Long.MAX_VALUE));
        history.eachUsageChange(sums::add);
        sums.beginPhasesBefore(Long.MAX_VALUE);
        sums.cut();
        return sums;
    }

    private void add(UsageChange change) {
        beginPhasesBefore(change.event());
        Memory memory = memory(change.device(), change.type());
        int total =
                change.type().ordinal() * LIFETIMES.length + change.lifetime().ordinal();
        if (change.bytes() > 0 || change.buffers() > 0) {
            memory.allocatedBytes += change.bytes();
            allocatedBuffers[total] += change.buffers();
            allocatedBytes[total] += change.bytes();
        } else {
            memory.freedBytes -= change.bytes();
            memory.freedBuffers -= change.buffers();
            if (change.event() > check && change.buffers() < 0) {
                memory.lateBytes -= change.bytes();
                memory.lateBuffers -= change.buffers();
            }
        }
        memory.moved = true;
        memory.leftBytes += change.bytes();
        memory.leftBuffers += change.buffers();
        leftBuffers[total] += change.buffers();
        leftBytes[total] += change.bytes();
        bytes += change.bytes();
        peak = Math.max(peak, bytes);
    }

    private Memory memory(int device, BufferType type) {
        @Nullable Memory[] ofDevice = latest;
        if (ofDevice == null || latestDevice != device) {
            ofDevice = devices.computeIfAbsent(device, unused -> new @Nullable Memory[TYPES.length]);
            latest = ofDevice;
            latestDevice = device;
        }
        Memory known = ofDevice[type.ordinal()];
        if (known == null) {
            known = new Memory(device, type);
            ofDevice[type.ordinal()] = known;
        }
        return known;
    }

    private void beginPhasesBefore(long event) {
        while (nextPhase < phases.size() && phases.get(nextPhase).number() < event) {
            cut();
            phase = phases.get(nextPhase++).phase();
        }
    }

    /** Ends a phase; the time before the first phase counts only if anything happened in it. */
    private void cut() {
        List<Flow> flows = new ArrayList<>();
        for (@Nullable Memory[] ofDevice : devices.values()) {
            for (Memory memory : ofDevice) {
                if (memory != null && memory.moved) {
                    flows.add(memory.cut());
                }
            }
        }
        if (nextPhase > 0 || !flows.isEmpty()) {
            phaseSums.add(new PhaseSums(phase, flows, bytes, peak));
        }
        peak = bytes;
    }

    /** Returns the phases, in order. */
    public List<PhaseSums> phases() {
        return Collections.unmodifiableList(phaseSums);
    }

    /** Returns the allocated and remaining memory by type and lifetime, in the order of both. */
    public List<Total> totals() {
        List<Total> totals = new ArrayList<>();
        for (int i = 0; i < allocatedBuffers.length; i++) {
            if (allocatedBuffers[i] > 0) {
                totals.add(new Total(
                        TYPES[i / LIFETIMES.length],
                        LIFETIMES[i % LIFETIMES.length],
                        new Amount(allocatedBuffers[i], allocatedBytes[i]),
                        new Amount(leftBuffers[i], leftBytes[i])));
            }
        }
        return totals;
    }
}
