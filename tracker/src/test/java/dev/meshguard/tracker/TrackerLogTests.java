package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.PrintableText;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** The log of a tracker. It runs alone, because there is one logger. */
@Isolated
class TrackerLogTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger(AllocationTracker.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AllocationTracker tracker = AllocationTracker.create();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void writesNothingThatATerminalObeys() {
        String hostile = "a\u001b[2J\u2028\nb";
        tracker.meshOpened(MeshDescription.of(0, hostile, List.of(0)));
        tracker.sourceAttached(hostile);
        tracker.reportsLost(1, hostile);

        assertThat(text()).hasSize(4).allMatch(line -> line.codePoints().allMatch(PrintableText::isPrintable));
    }

    @Test
    void writesALinePerEventAtDebug() {
        tracker.deviceOpened(3);
        tracker.allocated(tracker.request(AllocationDetails.user()), 3, L1, 101_152, 4_096, Ownership.OWNING);
        tracker.freed(3, L1, 101_152);
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), 3, DRAM, 0x1000, IgnoredFreeReason.ALREADY_FREED);

        assertThat(text())
                .filteredOn(line -> line.startsWith("DEBUG"))
                .containsExactly(
                        "DEBUG DeviceOpened[number=1, device=3]",
                        "DEBUG ENTERED: #2 allocated L1 0x18b20 (101152) on device 3, 4 KiB (4096 B)",
                        "DEBUG REMOVED: #3 freed L1 0x18b20 (101152) on device 3",
                        "DEBUG #4 free of DRAM 0x1000 (4096) on device 3 ignored, because it was freed before");
    }

    @Test
    void writesNothingOfAFile() {
        AllocationTracker reader = AllocationTracker.builder().ofFile().build();
        reader.deviceOpened(0);
        reader.freed(0, DRAM, 0x1000);
        reader.reportsLost(1, "the log is cut");

        assertThat(text()).isEmpty();
    }

    @Test
    void warnsOnceOfEachKindOfAnomaly() {
        logger.setLevel(Level.INFO);
        for (int i = 0; i < 3; i++) {
            tracker.freed(0, DRAM, 0x1000);
            tracker.freeIgnored(
                    tracker.release(AllocationDetails.user()), 0, DRAM, 0x2000, IgnoredFreeReason.ALREADY_FREED);
        }
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x1000, 128);
        tracker.allocated(
                tracker.request(AllocationDetails.user().onMesh(1)), 0, DRAM, 0x3000, 64, Ownership.NON_OWNING);
        tracker.allocated(
                tracker.request(AllocationDetails.user().onMesh(2)), 0, DRAM, 0x3000, 64, Ownership.NON_OWNING);

        assertThat(text())
                .containsExactly(
                        "WARN First free of an address that is not live of this tracker: DRAM 0x1000 (4096) on device 0",
                        "WARN First free that the runtime ignored (it was freed before) of this tracker: DRAM 0x2000 (8192) on device 0",
                        "WARN First report of another size at a live address of this tracker: DRAM 0x1000 (4096) on device 0",
                        "WARN First report of an address that another allocator has in the ledger of this tracker: DRAM 0x3000"
                                + " (12288) on device 0");
    }

    @Test
    void warnsOfNothingWhereOneMeshReportsAnAddressAgain() {
        logger.setLevel(Level.WARN);
        for (int report = 0; report < 3; report++) {
            var request = tracker.request(AllocationDetails.user().onMesh(1));
            tracker.allocated(request, 0, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        }
        tracker.allocated(0, DRAM, 0x1000, 64);

        assertThat(lines.list).isEmpty();
    }

    @Test
    void warnsOfNothingForCircularBuffersOfTwoSizes() {
        logger.setLevel(Level.WARN);
        for (int program = 7; program < 9; program++) {
            var request = tracker.request(AllocationDetails.circularBuffer(Owner.program("" + program)));
            tracker.allocated(request, 0, L1, 101_152, 512L * program, Ownership.OWNING);
        }

        assertThat(lines.list).isEmpty();
    }

    @Test
    void warnsOnceOfEachReasonWhyReportsAreLost() {
        logger.setLevel(Level.WARN);
        tracker.reportsLost(5, "the connection was cut");
        tracker.allocated(-1, DRAM, 0x1000, 64);
        tracker.allocated(-1, DRAM, 0x1000, 64);

        assertThat(text())
                .containsExactly(
                        "WARN Reports lost: the connection was cut",
                        "WARN Reports lost: device -1 was reported, and only devices 0 to 65535 can be");
    }

    @Test
    void asksNothingForItsTextWhenItIsOff() {
        logger.setLevel(Level.OFF);

        tracker.meshOpened(MeshDescription.of(1, "1x1 mesh", List.of(0)));
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);
        tracker.freed(0, DRAM, 0x1000);
        tracker.meshClosed(1);

        assertThat(lines.list).isEmpty();
    }

    private List<String> text() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }
}
