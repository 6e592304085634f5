package dev.meshguard.capture.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.Chip;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.Totals;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The statistics of a device in {@code /dev/shm}. */
class SharedMemoryStatisticsTests {

    private static final Instant UPDATED = Instant.parse("2026-09-01T12:00:00.000000001Z");

    @Test
    void theyHaveTheTotalsOfTheDeviceItsChipsAndProcesses() throws IOException {
        SharedMemoryStatistics memory = read(new WrittenSharedMemory(4, 3, UPDATED)
                .total(2_113_536, 65_536, 1_024, 4_096, 8_192)
                .chip(0, false, 2_113_536, 0, 0, 0, 0)
                .chip(1, true, 0, 65_536, 1_024, 4_096, 8_192)
                .process(4_711, "python3", UPDATED, 2_113_536, 65_536, 1_024, 4_096, 8_192));

        assertThat(memory)
                .isEqualTo(new SharedMemoryStatistics(
                        "tt_device_1_memory",
                        3,
                        UPDATED,
                        new Totals(2_113_536, 65_536, 1_024, 4_096, 8_192),
                        List.of(
                                new Chip(0, false, new Totals(2_113_536, 0, 0, 0, 0)),
                                new Chip(1, true, new Totals(0, 65_536, 1_024, 4_096, 8_192))),
                        List.of(new ProcessMemory(
                                4_711,
                                "python3",
                                UPDATED,
                                new Totals(2_113_536, 65_536, 1_024, 4_096, 8_192),
                                ProcessStatus.UNKNOWN)),
                        List.of()));
        assertThat(memory.hasAllocatedMemory()).isTrue();
    }

    @Test
    void aSlotWithoutARunningProcessIsNamed() throws IOException {
        SharedMemoryStatistics memory = read(new WrittenSharedMemory(4, 0, UPDATED)
                        .total(0, 4_096, 0, 0, 0)
                        .process(4_711, "python3", UPDATED, 0, 0, 0, 0, 0)
                        .process(4_712, "pytest\u001b[31m", UPDATED, 0, 4_096, 0, 0, 0)
                        .process(-1, "", UPDATED, 0, 0, 0, 0, 0))
                .inspected(processId -> processId == 4_711 ? Optional.of(UPDATED.minusSeconds(60)) : Optional.empty());

        assertThat(memory.processes())
                .extracting(ProcessMemory::status)
                .containsExactly(ProcessStatus.RUNNING, ProcessStatus.MISSING, ProcessStatus.UNKNOWN);
        assertThat(memory.notes())
                .containsExactly(
                        "Process 4712 (pytest\\u001b[31m) does not run, and its slot still has 4 KiB (4096 B): it was killed or"
                                + " crashed, or runs in another container.");
    }

    @Test
    void aProcessThatWasStartedAfterTheLastUpdateHasTakenOverTheNumber() throws IOException {
        SharedMemoryStatistics memory = read(new WrittenSharedMemory(4, 0, UPDATED).process(7, "python3", UPDATED));

        assertThat(memory.inspected(processId -> Optional.of(UPDATED.plusSeconds(60)))
                        .processes())
                .extracting(ProcessMemory::status)
                .containsExactly(ProcessStatus.MISSING);
        assertThat(memory.inspected(processId -> Optional.of(Instant.EPOCH)).processes())
                .extracting(ProcessMemory::status)
                .containsExactly(ProcessStatus.RUNNING);
    }

    @Test
    void valuesThatCannotBeAreCountedAndTheFirstIsNamed() throws IOException {
        SharedMemoryStatistics memory = read(new WrittenSharedMemory(4, -3, UPDATED)
                .total(0, -64)
                .chip(-2, false, 1)
                .process(-7, "python3", UPDATED, -1));

        assertThat(memory.notes()).containsExactly("5 values of it cannot be, the first is device -3.");
    }

    @Test
    void memoryThatAProcessWasSettingUpIsNotWhole() throws IOException {
        byte[] content = new WrittenSharedMemory(4, 0, UPDATED).bytes();
        content[8_536] = 1;

        assertThat(read(content).notes()).containsExactly("It was not ready: a process was setting it up.");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void anotherVersionIsAnErrorWithAWayOut(int version) {
        assertThatThrownBy(() -> read(new WrittenSharedMemory(version, 0, UPDATED)))
                .isInstanceOf(IOException.class)
                .hasMessage("it is shared memory of version " + version
                        + ", and only version 4 is read. Use the memory reports of the device");
    }

    @Test
    void anotherSizeIsAnErrorWithAWayOut() {
        byte[] whole = new WrittenSharedMemory(4, 0, UPDATED).bytes();

        assertThatThrownBy(() -> read(Arrays.copyOf(whole, 4_096)))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "it begins like the shared memory of a device, which has 8576 bytes, and has 4096. Copy the whole"
                                + " /dev/shm/tt_device_…_memory");
        assertThatThrownBy(() -> read(Arrays.copyOf(whole, 8_577)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("and has more");
    }

    @Test
    void itIsKnownByItsFirstBytes() throws IOException {
        byte[] whole = new WrittenSharedMemory(2, 0, UPDATED).bytes();

        assertThat(formatOf(whole)).contains(OutputFormat.SHARED_MEMORY);
        assertThat(formatOf(new byte[8_576])).isEmpty();
        assertThat(formatOf(new byte[] {'a', 0, 0, 0})).isEmpty();
    }

    private static Optional<OutputFormat> formatOf(byte[] content) throws IOException {
        return OutputFormat.of(new ByteArrayInputStream(content));
    }

    private static SharedMemoryStatistics read(WrittenSharedMemory memory) throws IOException {
        return read(memory.bytes());
    }

    private static SharedMemoryStatistics read(byte[] content) throws IOException {
        return (SharedMemoryStatistics) RuntimeEvidence.read(new ByteArrayInputStream(content), "tt_device_1_memory");
    }
}
