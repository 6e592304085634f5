package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Histories of random programs are read back from files as their projection; rerun a seed with {@code -Dmeshguard.seed=…}.
 */
class WrittenHistoryTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_127);
    private static final int OPERATIONS = Integer.getInteger("meshguard.operations", 25_000);
    private static final int STEPS = 100;
    private static final BufferType[] TYPES = BufferType.values();

    @TempDir
    private Path folder;

    private final Random random = new Random(SEED);

    @Test
    void aCaptureIsReadBackAsTheProjection() throws Exception {
        for (int program = 0; program < OPERATIONS / STEPS; program++) {
            isReadBackAsTheProjection(RuntimeOutputWriter::graphCapture, program);
        }
    }

    @Test
    void aDatabaseIsReadBackAsTheProjection() throws Exception {
        for (int program = 0; program < OPERATIONS / STEPS / 10; program++) {
            isReadBackAsTheProjection(RuntimeOutputWriter::reportDatabase, program);
        }
    }

    private void isReadBackAsTheProjection(Function<AllocationHistory, RuntimeOutputWriter> writer, int program)
            throws Exception {
        AllocationHistory history = history();
        Path file = folder.resolve("written");
        writer.apply(history).write(file);

        AllocationHistory read = RuntimeOutput.read(file).history();

        assertThat(Projection.reportsOf(read))
                .as("seed %d, program %d", SEED, program)
                .isEqualTo(Projection.of(history));
        assertThat(read.lostReports()).as("seed %d, program %d", SEED, program).isEmpty();
    }

    /** Reports of a few addresses, so that they are reported again, freed too often and used by views. */
    private AllocationHistory history() {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        for (int step = 0; step < STEPS; step++) {
            BufferType type = TYPES[random.nextInt(TYPES.length)];
            // Each type has addresses of its own, as in memory.
            long address = 4096L * (1 + type.code() * 16 + random.nextInt(8));
            List<Integer> devices = random.nextBoolean() ? List.of(0, 1, 2) : List.of(random.nextInt(3));
            if (random.nextInt(5) < 3) {
                MemoryRequest request = tracker.request(details());
                long size = 32L * random.nextInt(100);
                devices.forEach(device -> tracker.allocated(request, device, type, address, size, Ownership.OWNING));
            } else {
                MemoryRequest release = tracker.release(AllocationDetails.user());
                devices.forEach(device -> tracker.freed(release, device, type, address, Ownership.OWNING));
            }
        }
        return tracker.history();
    }

    private AllocationDetails details() {
        return switch (random.nextInt(4)) {
            case 0 -> AllocationDetails.user().asView();
            case 1 -> AllocationDetails.user().labelled("kv-cache");
            case 2 -> AllocationDetails.user();
            default -> AllocationDetails.user().ownedBy(Owner.program(random.nextInt(3) + " (add)"));
        };
    }
}
