package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.WitnessSnapshot;
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
        tracker.phase(new Phase(hostile));
        tracker.sourceAttached(hostile);
        tracker.reportsLost(1, hostile);
        tracker.allocated(
                tracker.request(
                        AllocationDetails.user().ownedBy(Owner.program(hostile)).labelled(hostile)),
                0,
                L1,
                101_152,
                4_096,
                Ownership.OWNING);

        assertThat(lines.list)
                .extracting(line -> line.getFormattedMessage() + line.getKeyValuePairs())
                .allMatch(line -> line.codePoints().allMatch(PrintableText::isPrintable))
                .anyMatch(line -> line.contains("label=\"a\\u001b[2J\\u2028\\u000ab\""));
    }

    @Test
    void writesALinePerEventWithItsFactsAtDebug() {
        var request = tracker.request(AllocationDetails.user()
                .ownedBy(Owner.program("7"))
                .labelled("weights")
                .onMesh(2));
        tracker.allocated(request, 3, L1, 101_152, 4_096, Ownership.OWNING);
        tracker.freed(3, L1, 101_152);

        assertThat(lines.list)
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage() + " " + line.getKeyValuePairs())
                .containsExactly(
                        "DEBUG allocated [device=\"3\", type=\"L1\", address=\"101152\", owner=\"program 7\","
                                + " label=\"weights\", mesh=\"2\", size=\"4096\", ownership=\"OWNING\", effect=\"ENTERED\"]",
                        "DEBUG freed [device=\"3\", type=\"L1\", address=\"101152\", ownership=\"UNKNOWN\","
                                + " effect=\"REMOVED\"]");
    }

    @Test
    void saysOfAFreeThatItsHandleWasCollected() {
        tracker.allocated(0, L1, 101_152, 4_096);
        tracker.freed(tracker.release(AllocationDetails.user().ofCollectedHandle()), 0, L1, 101_152, Ownership.OWNING);

        assertThat(lines.list.get(1).getKeyValuePairs())
                .hasToString("[device=\"0\", type=\"L1\", address=\"101152\", handleCollected=\"true\","
                        + " ownership=\"OWNING\", effect=\"REMOVED\"]");
    }

    @Test
    void warnsOnceOfEachKindAndReportsTheCountsWhenAMeshCloses() {
        logger.setLevel(Level.INFO);
        tracker.meshOpened(MeshDescription.of(1, "1x1 mesh", List.of(0)));
        for (int i = 0; i < 3; i++) {
            tracker.freed(0, DRAM, 0x1000);
            tracker.freeIgnored(
                    tracker.release(AllocationDetails.user()), 0, DRAM, 0x2000, IgnoredFreeReason.ALREADY_FREED);
        }
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x1000, 128);
        tracker.meshClosed(1);

        assertThat(text())
                .containsExactly(
                        "INFO Opened mesh 1: 1x1 mesh",
                        "WARN First free of an address that is not live of this tracker; the rest is counted and reported when a mesh closes",
                        "WARN First free that the runtime ignored of this tracker, because it was freed before; the rest is counted and reported when a mesh closes",
                        "WARN First report of another size at a live address of this tracker, 128 B; the rest is counted and reported when a mesh closes",
                        "INFO Closed mesh 1: 1 buffer, 64 B still in the ledger",
                        "WARN 3 times so far: free of an address that is not live",
                        "WARN 3 times so far: free that the runtime ignored");
    }

    @Test
    void acceptsReportsOfAnAppenderWhileAMeshCloses() {
        AppenderBase<ILoggingEvent> reporting = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent line) {
                if (line.getFormattedMessage().contains("times so far")) {
                    tracker.reportsLost(1, "the appender lost a report");
                }
            }
        };
        reporting.start();
        logger.addAppender(reporting);
        tracker.freed(0, DRAM, 0x1000);
        tracker.freed(0, DRAM, 0x1000);

        tracker.meshClosed(1);
        logger.detachAppender(reporting);

        assertThat(tracker.history().lostReports()).hasSize(1);
    }

    @Test
    void warnsOfAnAddressOfAnotherAllocatorAndCallsASubmeshOne() {
        logger.setLevel(Level.INFO);
        tracker.meshOpened(MeshDescription.of(1, "1x1 submesh", List.of(0)).withParent(0));
        for (int mesh = 0; mesh < 3; mesh++) {
            var request = tracker.request(AllocationDetails.user().onMesh(mesh));
            tracker.allocated(request, 0, DRAM, 0x1000, 64L + mesh, Ownership.NON_OWNING);
        }
        tracker.meshClosed(1);

        assertThat(text())
                .containsExactly(
                        "INFO Opened mesh 1: 1x1 submesh of mesh 0",
                        "WARN First report of an address that another allocator has in the ledger of this tracker, 65 B; the rest is counted and reported when a mesh closes",
                        "INFO Closed mesh 1: 3 buffers, 195 B still in the ledger",
                        "WARN 2 times so far: report of an address that another allocator has in the ledger");
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
    void warnsOfReportsThatAreLost() {
        logger.setLevel(Level.WARN);
        tracker.reportsLost(5, "the connection was cut");

        assertThat(text()).containsExactly("WARN Reports lost: the connection was cut");
        assertThat(lines.list.get(0).getKeyValuePairs()).hasToString("[count=\"5\"]");
    }

    @Test
    void warnsOnceOfEachLossAndReportsItsCountWhenAMeshCloses() {
        logger.setLevel(Level.WARN);
        tracker.allocated(-1, DRAM, 0x1000, 64);
        tracker.allocated(-1, DRAM, 0x1000, 64);
        tracker.meshClosed(1);

        assertThat(text())
                .containsExactly(
                        "WARN Reports lost: device -1 was reported, and only devices 0 to 65535 can be",
                        "WARN 2 times so far: reports lost, device -1 was reported, and only devices 0 to 65535 can be");
    }

    @Test
    void writesALineForEveryOtherEventAtDebug() {
        tracker.phase(Phase.TEST).close();
        tracker.deviceOpened(3);
        tracker.ownerCached(Owner.program("7"), "program cache");
        tracker.ownerEnded(Owner.program("7"));
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), 3, DRAM, 0x1000, IgnoredFreeReason.ALREADY_FREED);
        tracker.meshClosing(1);
        tracker.witnessed(
                WitnessSnapshot.of(1, WitnessSnapshot.Moment.CLOSE_BEGUN).build());
        tracker.deviceClosed(3);

        assertThat(lines.list)
                .filteredOn(line -> line.getLevel() == Level.DEBUG)
                .extracting(line -> line.getFormattedMessage() + " " + line.getKeyValuePairs())
                .containsExactly(
                        "phase began [phase=\"TEST\"]",
                        "phase began [phase=\"START\"]",
                        "device opened [device=\"3\"]",
                        "owner cached [owner=\"program 7\"]",
                        "owner ended [owner=\"program 7\"]",
                        "free ignored [device=\"3\", type=\"DRAM\", address=\"4096\", reason=\"ALREADY_FREED\"]",
                        "mesh closing [mesh=\"1\"]",
                        "witnessed [moment=\"CLOSE_BEGUN\"]",
                        "device closed [device=\"3\"]");
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
