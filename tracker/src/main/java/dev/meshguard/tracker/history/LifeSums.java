package dev.meshguard.tracker.history;

import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Phase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * What the lives of a history add up to, phase by phase.
 *
 * <p>Filled by one thread in the order of the events; asked afterwards.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class LifeSums {

    /**
     * What came and went while one phase lasted.
     *
     * @param phase the phase
     * @param flows what happened to each memory in which any life began or ended, by device and type
     * @param liveBytes bytes on all devices at the end
     * @param peakBytes the most bytes on all devices at any moment
     */
    public record Stretch(Phase phase, List<Flow> flows, long liveBytes, long peakBytes) {

        /** Creates a stretch with its own copy of the flows. */
        public Stretch {
            flows = List.copyOf(flows);
        }
    }

    /**
     * What came and went in one memory of one device.
     *
     * @param device the device id
     * @param type the memory
     * @param takenBytes bytes of the lives that began
     * @param leftBytes bytes of the lives that went on at the end
     * @param leftBuffers how many went on at the end
     * @param freed the lives that ended
     * @param freedLate those of them that ended after the check
     */
    public record Flow(
            int device,
            BufferType type,
            long takenBytes,
            long leftBytes,
            long leftBuffers,
            Amount freed,
            Amount freedLate) {}

    /**
     * So many buffers and their bytes.
     *
     * @param buffers how many
     * @param bytes their first reported sizes
     */
    public record Amount(long buffers, long bytes) {

        /** Returns what is left of this amount without a part of it. */
        public Amount without(Amount part) {
            return new Amount(buffers - part.buffers, bytes - part.bytes);
        }
    }

    private static final BufferType[] TYPES = BufferType.values();

    // What is added up of one memory of one device, from the beginning of the history.
    static final int CAME_BYTES = 0;
    static final int CAME_BUFFERS = 1;
    static final int LIVE_BYTES = 2;
    static final int LIVE_BUFFERS = 3;
    static final int PEAK_BYTES = 4;
    static final int PEAK_BUFFERS = 5;
    private static final int LATE_BYTES = 6;
    private static final int LATE_BUFFERS = 7;
    static final int SUMS = 8;

    /** The memories of one device. */
    static final class Device {

        final int id;
        /** {@link #SUMS} of each type. */
        final long[] sums = new long[TYPES.length * SUMS];
        /** The same when the stretch began. */
        private final long[] before = new long[TYPES.length * SUMS];

        private boolean moved;

        private Device(int id) {
            this.id = id;
        }
    }

    /** Hears of lives and knows when phases began. */
    private static final class Hearing implements LifeListener {

        private final LifeSums sums = new LifeSums();
        private final List<HistoryEvent.PhaseBegan> phases;
        private final long check;
        private int nextPhase;

        private Hearing(List<HistoryEvent.PhaseBegan> phases, long check) {
            this.phases = phases;
            this.check = check;
        }

        @Override
        public void changed(long event, int device, BufferType type, long size, boolean begins) {
            beginPhasesBefore(event);
            if (event > check) {
                sums.checked();
            }
            if (begins) {
                sums.began(sums.device(device), type, size);
            } else {
                sums.ended(sums.device(device), type, size);
            }
        }

        private void beginPhasesBefore(long event) {
            while (nextPhase < phases.size() && phases.get(nextPhase).number() < event) {
                sums.phaseBegan(phases.get(nextPhase++).phase());
            }
        }

        private LifeSums finished() {
            beginPhasesBefore(Long.MAX_VALUE);
            sums.finish();
            return sums;
        }
    }

    private final TreeMap<Integer, Device> devices = new TreeMap<>();
    private @Nullable Device latest;

    private final List<Stretch> stretches = new ArrayList<>();
    private Phase phase = Phase.START;
    private boolean isFirst = true;
    private boolean isLate;
    private long bytes;
    private long peak;

    LifeSums() {}

    /** Adds up the lives of a history. */
    static LifeSums of(AllocationHistory history) {
        Hearing hearing = new Hearing(
                history.phases(), history.check().map(HistoryEvent::number).orElse(Long.MAX_VALUE));
        history.eachLife(hearing);
        return hearing.finished();
    }

    /** Returns the sums of a device; from now on they are known. */
    Device device(int id) {
        Device known = latest;
        if (known == null || known.id != id) {
            known = devices.computeIfAbsent(id, Device::new);
            latest = known;
        }
        return known;
    }

    /** Takes note of a life that begins. */
    void began(Device device, BufferType type, long size) {
        long[] sums = device.sums;
        int at = type.ordinal() * SUMS;
        sums[at + CAME_BYTES] += size;
        sums[at + CAME_BUFFERS]++;
        sums[at + LIVE_BYTES] += size;
        sums[at + LIVE_BUFFERS]++;
        sums[at + PEAK_BYTES] = Math.max(sums[at + PEAK_BYTES], sums[at + LIVE_BYTES]);
        sums[at + PEAK_BUFFERS] = Math.max(sums[at + PEAK_BUFFERS], sums[at + LIVE_BUFFERS]);
        bytes += size;
        peak = Math.max(peak, bytes);
        device.moved = true;
    }

    /** Takes note of a life that ends. */
    void ended(Device device, BufferType type, long size) {
        long[] sums = device.sums;
        int at = type.ordinal() * SUMS;
        sums[at + LIVE_BYTES] -= size;
        sums[at + LIVE_BUFFERS]--;
        if (isLate) {
            sums[at + LATE_BYTES] += size;
            sums[at + LATE_BUFFERS]++;
        }
        bytes -= size;
        device.moved = true;
    }

    /** What ends from now on ends after the check. */
    void checked() {
        isLate = true;
    }

    void phaseBegan(Phase next) {
        cut();
        phase = next;
        isFirst = false;
    }

    /** Nothing more comes. */
    void finish() {
        cut();
    }

    /** What a history begins with is no stretch if nothing happens before the first phase. */
    private void cut() {
        List<Flow> flows = new ArrayList<>();
        for (Device device : devices.values()) {
            if (device.moved) {
                addFlows(device, flows);
                device.moved = false;
            }
        }
        if (!isFirst || !flows.isEmpty()) {
            stretches.add(new Stretch(phase, flows, bytes, peak));
        }
        peak = bytes;
    }

    private static void addFlows(Device device, List<Flow> flows) {
        for (BufferType type : TYPES) {
            int at = type.ordinal() * SUMS;
            long[] now = device.sums;
            long[] then = device.before;
            long came = now[at + CAME_BYTES] - then[at + CAME_BYTES];
            long cameBuffers = now[at + CAME_BUFFERS] - then[at + CAME_BUFFERS];
            Amount freed = new Amount(
                    cameBuffers - (now[at + LIVE_BUFFERS] - then[at + LIVE_BUFFERS]),
                    came - (now[at + LIVE_BYTES] - then[at + LIVE_BYTES]));
            Amount late = new Amount(
                    now[at + LATE_BUFFERS] - then[at + LATE_BUFFERS], now[at + LATE_BYTES] - then[at + LATE_BYTES]);
            if (cameBuffers > 0 || freed.buffers() > 0) {
                flows.add(new Flow(device.id, type, came, now[at + LIVE_BYTES], now[at + LIVE_BUFFERS], freed, late));
            }
        }
        System.arraycopy(device.sums, 0, device.before, 0, device.sums.length);
    }

    /** Returns the stretches, in order. */
    public List<Stretch> stretches() {
        return Collections.unmodifiableList(stretches);
    }
}
