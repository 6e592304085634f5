package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.FrameWriter.Details;
import dev.meshguard.server.FrameWriter.Memory;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that reports in frames of MeshGuard's clients are judged like the reports of a test. */
@Timeout(120)
class FramedReportsTests extends WithServer {

    private static final int USER = 0;
    private static final int SYSTEM = 1;
    private static final int PROGRAM = 0;
    private static final int DISPATCH = 3;
    private static final int CLOSE_BEGUN = 0;

    // The connection

    @Test
    void aClientIsAnsweredWithTheVersionAndTheLargestFrame() throws Exception {
        startAuto();

        try (RawClient client = framed().send(FrameWriter.hello(7).bytes())) {
            ByteBuffer answer = ByteBuffer.wrap(client.receive(24)).order(ByteOrder.LITTLE_ENDIAN);

            assertThat(answer.getInt()).isEqualTo(16);
            assertThat(answer.get()).isEqualTo((byte) 2);
            assertThat(answer.getShort(8)).isEqualTo((short) 1);
            assertThat(answer.getInt(12)).isEqualTo(1 << 20);
            assertThat(answer.getLong(16)).isEqualTo(1);
        }
    }

    @Test
    void theSourceOfTheHistoryNamesTheProgram() throws Exception {
        startAuto();

        send(FrameWriter.hello(7).bye());

        assertThat(closedHistory().events(HistoryEvent.SourceAttached.class))
                .singleElement()
                .satisfies(attached -> assertThat(attached.source().name())
                        .isEqualTo("allocation server, connection 1 (process 7), program"));
    }

    @Test
    void framesMayArriveByteByByte() throws Exception {
        startAuto();
        byte[] bytes = FrameWriter.hello(7)
                .text(1, "kv-cache")
                .allocate(Memory.dram(0, 4096), Details.of(64).labelled(1))
                .bye()
                .bytes();

        try (RawClient client = framed()) {
            for (byte one : bytes) {
                client.send(one);
            }
        }

        assertThat(closedHistory().live())
                .singleElement()
                .satisfies(
                        buffer -> assertThat(buffer.request().details().label()).contains("kv-cache"));
    }

    /** A program may end before the server answers its first frame. */
    @Test
    void framesCountThoughTheAnswerCannotBeSent() throws Exception {
        startAuto();
        int begin = FrameWriter.hello(7).bytes().length;
        byte[] bytes =
                FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64).bye().bytes();

        try (RawClient client = framed().receivesNothing()) {
            client.send(Arrays.copyOf(bytes, begin));
            server.awaitQuiet(LONG);
            client.send(Arrays.copyOfRange(bytes, begin, bytes.length));
        }

        assertThat(closedHistory().live()).hasSize(1);
        assertThat(closedVerdict().inconclusiveReasons()).isEmpty();
    }

    @Test
    void recordsAndFramesReachOneServerSideBySide() throws Exception {
        start(RecordSize.BYTES_112);
        runs(8);

        try (RawClient client = framed();
                RawClient old = client()) {
            client.send(FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64).bytes());
            client.receive(24);
            old.send(Request.allocation(8, 0, BufferType.DRAM, 8192, 32));
            server.awaitQuiet(LONG);

            MemoryUsage usage = old.query(0);

            assertThat(usage.dram()).isEqualTo(96);
            assertThat(server.connections().stream().map(ConnectionSnapshot::reports))
                    .containsExactly(1L, 1L);
        }
    }

    @Test
    void theLogHasTheMemoryThatFramesReport() throws Exception {
        start(RecordSize.BYTES_112);

        send(FrameWriter.hello(7)
                .allocate(Memory.l1(0, 4096), 64)
                .free(Memory.l1(0, 4096))
                .bye());

        assertThat(lines())
                .containsExactly(
                        "✓ [PID 7] Allocated 64 bytes of L1 on device 0 (buffer_id=4096)",
                        "✗ [PID 7] Freed buffer 4096 on device 0 (64 bytes, FINAL)");
    }

    // What frames can say

    @Test
    void aCallStackNamesTheLine() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .text(1, "models/decode.py")
                .text(2, "Decoder.load")
                .stack(1, 1, 2, 41)
                .allocate(Memory.dram(0, 4096), Details.of(64).at(1))
                .bye());

        assertThat(closedHistory().live())
                .singleElement()
                .satisfies(buffer -> assertThat(
                                buffer.request().origin().orElseThrow().frames())
                        .containsExactly(new StackTraceElement("decode", "Decoder.load", "models/decode.py", 41)));
    }

    @Test
    void memoryOfTheRuntimeIsNamedByItsOwner() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .text(1, "prefetcher")
                .owner(1, DISPATCH, SYSTEM, 1)
                .allocate(Memory.l1(0, 4096).ownedBy(1), 64)
                .bye());

        assertThat(closedVerdict().survivors()).singleElement().satisfies(survivor -> {
            assertThat(survivor.diagnosis().cause()).isEqualTo(Cause.SYSTEM);
            assertThat(survivor.buffer().lifetime()).isEqualTo(BufferLifetime.SYSTEM);
            assertThat(survivor.buffer().owner()).contains(new Owner(Owner.Kind.DISPATCH, "prefetcher"));
        });
    }

    @Test
    void memoryOfACachedProgramIsCached() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .text(1, "1 (add)")
                .text(2, "program cache")
                .owner(1, PROGRAM, USER, 1)
                .allocate(Memory.dram(0, 4096).ownedBy(1), 64)
                .ownerCached(1, 2)
                .bye());

        assertThat(causes(closedVerdict())).containsExactly(Cause.CACHED);
    }

    @Test
    void aCircularBufferOfAnEndedProgramIsOnlyUnreported() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .text(1, "1 (add)")
                .owner(1, PROGRAM, USER, 1)
                .allocate(Memory.l1(0, 4096).ownedBy(1).flagged(FrameWriter.CIRCULAR_BUFFER), 64)
                .ownerEnded(1)
                .bye());

        assertThat(causes(closedVerdict())).containsExactly(Cause.CIRCULAR_BUFFER_UNREPORTED);
    }

    @Test
    void oneRequestThatIsReportedByOwnerAndViewIsReportedTwice() throws Exception {
        startAuto();
        Memory memory = Memory.dram(0, 4096);

        send(FrameWriter.hello(7)
                .allocate(memory.with(FrameWriter.OWNING), Details.of(64).inRequest(5))
                .allocate(memory.with(FrameWriter.NON_OWNING), Details.of(64).inRequest(5))
                .free(memory.with(FrameWriter.OWNING))
                .bye());

        assertThat(causes(closedVerdict())).containsExactly(Cause.REPORTED_TWICE);
    }

    @Test
    void aViewIsRecordedAsOne() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .allocate(Memory.dram(0, 4096).flagged(FrameWriter.VIEW), 64)
                .bye());

        assertThat(closedHistory().live())
                .singleElement()
                .satisfies(
                        buffer -> assertThat(buffer.request().details().view()).isTrue());
    }

    @Test
    void theAllocatorsOwnCountShowsThatOnlyTheReportIsMissing() throws Exception {
        startAuto();
        Memory memory = Memory.dram(0, 4096).onMesh(1);

        send(FrameWriter.hello(7)
                .text(1, "1x1 mesh")
                .meshOpened(1, 1, List.of(0))
                .allocate(memory, 64)
                .meshClosing(1)
                .state(memory, CLOSE_BEGUN, true)
                .state(memory.ofType(1), CLOSE_BEGUN, false)
                .meshClosed(1)
                .bye());

        LeakVerdict verdict = closedVerdict();
        assertThat(causes(verdict)).containsExactly(Cause.FREE_UNREPORTED);
        assertThat(verdict.history().witnessSnapshots()).hasSize(1);
        assertThat(verdict.history().meshes())
                .singleElement()
                .satisfies(mesh -> assertThat(mesh.name()).isEqualTo("1x1 mesh"));
    }

    @Test
    void memoryThatIsFreedAfterTheCloseBeganIsLate() throws Exception {
        startAuto();
        Memory memory = Memory.dram(0, 4096).onMesh(1);

        send(FrameWriter.hello(7)
                .meshOpened(1, 0, List.of(0))
                .allocate(memory, 64)
                .meshClosing(1)
                .state(memory, CLOSE_BEGUN, false, 4096)
                .free(memory)
                .meshClosed(1)
                .bye());

        LeakVerdict verdict = closedVerdict();
        assertThat(verdict.outcome()).isEqualTo(Outcome.FREED_LATE);
        assertThat(causes(verdict)).containsExactly(Cause.LATE);
    }

    @Test
    void oneDeviceThatKeepsWhatTheOthersFreedIsNamed() throws Exception {
        startAuto();
        FrameWriter frames = FrameWriter.hello(7);
        IntStream.range(0, 8)
                .forEach(device -> frames.allocate(
                        Memory.dram(device, 4096 + 64L * device).with(FrameWriter.OWNING),
                        Details.of(64).inRequest(1)));
        IntStream.range(0, 7)
                .forEach(device ->
                        frames.free(Memory.dram(device, 4096 + 64L * device).with(FrameWriter.OWNING)));

        send(frames.bye());

        assertThat(causes(closedVerdict())).containsExactly(Cause.FREED_ON_OTHER_DEVICES);
    }

    @Test
    void aFreeThatTheRuntimeIgnoredKeepsItsReason() throws Exception {
        startAuto();

        send(FrameWriter.hello(7).free(Memory.dram(0, 4096), 3, 0).bye());

        assertThat(closedHistory().events(HistoryEvent.FreeIgnored.class))
                .singleElement()
                .satisfies(ignored -> assertThat(ignored.reason()).isEqualTo(IgnoredFreeReason.DEVICE_CLOSED));
    }

    @Test
    void phasesOfTheProgramArePhasesOfTheHistory() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .text(1, "warm-up")
                .phase(1)
                .allocate(Memory.dram(0, 4096), 64)
                .phase(0)
                .bye());

        AllocationHistory history = closedHistory();
        assertThat(history.live())
                .singleElement()
                .satisfies(buffer -> assertThat(buffer.allocatedIn()).isEqualTo(new Phase("warm-up")));
        assertThat(history.events(HistoryEvent.PhaseBegan.class).stream().map(HistoryEvent.PhaseBegan::phase))
                .containsExactly(new Phase("warm-up"), Phase.START);
    }

    @Test
    void ownersOfTwoProgramsDiffer() throws Exception {
        startAuto();
        FrameWriter ended = FrameWriter.hello(7).text(1, "1 (add)").owner(1, PROGRAM, USER, 1);
        FrameWriter cached = FrameWriter.hello(8).text(1, "1 (add)").owner(1, PROGRAM, USER, 1);

        send(ended.ownerEnded(1).bye());
        send(cached.allocate(Memory.dram(0, 4096).ownedBy(1), 64)
                .ownerCached(1, 1)
                .bye());

        assertThat(causes(closedVerdict())).containsExactly(Cause.CACHED);
    }

    @Test
    void meshesOfTwoProgramsHaveNumbersOfTheirOwn() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .meshOpened(1, 0, List.of(0))
                .meshClosing(1)
                .meshClosed(1)
                .bye());
        send(FrameWriter.hello(8)
                .meshOpened(1, 0, List.of(0))
                .meshClosing(1)
                .meshClosed(1)
                .bye());

        assertThat(closedHistory().events(HistoryEvent.MeshOpened.class).stream()
                        .map(opened -> opened.mesh().id()))
                .containsExactly(1, 2);
    }

    // The end

    @Test
    void aClientWithoutALastFrameHasDied() throws Exception {
        startAuto();

        send(FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64));

        LeakVerdict verdict = closedVerdict();
        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(causes(verdict)).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void aClientThatDiesWithoutMemoryMayNotHaveSentAllOfIt() throws Exception {
        startAuto();

        send(FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64).free(Memory.dram(0, 4096)));

        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(losses())
                .containsExactly(
                        "connection 1 (process 7) ended without its last frame, so reports that it had not sent are missing");
    }

    @Test
    void aClientThatSaidByeIsNotDeadWhateverBecomesOfItsProcess() throws Exception {
        startAuto();

        send(FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64).bye());
        server.checkProcesses();

        assertThat(causes(closedVerdict())).containsExactly(Cause.UNEXPLAINED);
        assertThat(server.activeAllocations()).isZero();
    }

    @Test
    void aClientWhoseProcessCannotBeSeenIsAliveAsLongAsItIsConnected() throws Exception {
        startAuto();

        try (RawClient client = framed().send(
                        FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64).bytes())) {
            client.receive(24);
            server.awaitQuiet(LONG);
            server.checkProcesses();

            assertThat(server.activeAllocations()).isEqualTo(1);
            assertThat(closedHistory().events(HistoryEvent.ProcessDied.class)).isEmpty();
        }
    }

    @Test
    void aGapInTheNumbersCountsTheLostReports() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .allocate(Memory.dram(0, 4096), 64)
                .skip(3)
                .free(Memory.dram(0, 4096))
                .bye());

        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(closedHistory().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.count()).isEqualTo(3));
        assertThat(losses())
                .containsExactly(
                        "connection 1 (process 7) numbers its reports, and 3 reports after number 1 did not arrive");
    }

    @Test
    void reportsThatAreMissingAtTheEndCountToo() throws Exception {
        startAuto();

        send(FrameWriter.hello(7).skip(2).bye());

        assertThat(closedHistory().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.count()).isEqualTo(2));
    }

    @Test
    void framesOfUnknownTypesAreSkippedAndCounted() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .frame(99, 3, (byte) 1, (byte) 2, (byte) 3)
                .frame(200, 0)
                .allocate(Memory.dram(0, 4096), 64)
                .free(Memory.dram(0, 4096))
                .bye());

        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 7) sent 2 frames of types that this server does not know (99, 200), which were skipped");
    }

    @Test
    void fieldsThatALaterVersionAddsAreSkipped() throws Exception {
        startAuto();
        byte[] longer = Arrays.copyOf(new byte[] {1, 0, 0, 0, 'a'}, 5);
        ByteBuffer bye = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(0);

        send(FrameWriter.hello(7).frame(3, longer.length, longer).frame(31, bye));

        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    // What is rejected

    @Test
    void aVersionThatTheServerDoesNotSpeakIsNamed() throws Exception {
        startAuto();

        assertThat(isRejected(new FrameWriter().magic().hello(2, 3, 7, "later")))
                .isTrue();

        assertThat(server.problems())
                .containsExactly(
                        "connection 1 speaks versions 2 to 3 of the protocol, and this server speaks version 1."
                                + " Use the client of this MeshGuard, so it was closed");
        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFrameThatIsTooLongClosesTheConnection() throws Exception {
        startAuto();

        assertThat(isRejected(FrameWriter.hello(7).frame(3, (1 << 20) + 1))).isTrue();

        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 7) sent a frame of 1048577 bytes, and 1048576 are the most, so it was closed");
        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFrameThatIsTooShortClosesTheConnection() throws Exception {
        startAuto();

        assertThat(isRejected(FrameWriter.hello(7).frame(16, 2, (byte) 0, (byte) 0)))
                .isTrue();

        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 7) sent a frame of type 16 with 2 bytes, and its fields take 72, so it was closed");
    }

    @Test
    void theMemoryOfARejectedClientLeavesTheLedgerAndStaysInTheHistory() throws Exception {
        startAuto();

        assertThat(isRejected(
                        FrameWriter.hello(7).allocate(Memory.dram(0, 4096), 64).frame(16, 2, (byte) 0, (byte) 0)))
                .isTrue();

        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(closedHistory().live()).hasSize(1);
        assertThat(server.activeAllocations()).isZero();
    }

    @Test
    void bytesThatOnlyBeginLikeAClientCloseTheConnection() throws Exception {
        startAuto();

        try (RawClient client = framed()) {
            assertThat(client.isRejectedAfter("MESSAGE ".getBytes(StandardCharsets.US_ASCII)))
                    .isTrue();
        }

        assertThat(server.problems())
                .containsExactly("connection 1 begins with an M, as MeshGuard's clients do, and not with the rest of"
                        + " MESHGRD1, so it was closed");
    }

    @Test
    void reportsInTheWrongOrderCloseTheConnection() throws Exception {
        startAuto();

        assertThat(isRejected(FrameWriter.hello(7).skip(5).phase(0).skip(-3).phase(0)))
                .isTrue();

        assertThat(server.problems())
                .containsExactly("connection 1 (process 7) sent report 4 after report 6, so it was closed");
    }

    @Test
    void memoryThatCannotBeJudgedCountsAsLost() throws Exception {
        startAuto();

        send(FrameWriter.hello(7)
                .allocate(Memory.dram(0, 1).ofType(9), 64)
                .allocate(Memory.dram(-1, 2), 64)
                .allocate(Memory.dram(0, 3), -64)
                .allocate(Memory.dram(0, 4).ownedBy(12), 64)
                .allocate(Memory.dram(0, 5).onMesh(3), 64)
                .bye());

        assertThat(closedHistory().live()).isEmpty();
        assertThat(losses())
                .containsExactly(
                        "connection 1 (process 7) reported buffer type 9, and only 0 to 4 are one",
                        "connection 1 (process 7) reported memory on device -1, and only 1024 devices from 0 to 65535 can be"
                                + " recorded",
                        "connection 1 (process 7) reported a size of 18446744073709551552 bytes, which cannot be",
                        "connection 1 (process 7) reported owner 12, which it did not define",
                        "connection 1 (process 7) reported mesh 3, which it did not open");
    }

    @Test
    void moreIdsThanTheLimitAreNotShownAndLoseNoReport() throws Exception {
        startAuto();
        FrameWriter frames = FrameWriter.hello(7);
        IntStream.rangeClosed(1, 65_537).forEach(id -> frames.text(id, "label"));

        send(frames.allocate(Memory.dram(0, 4096), Details.of(64).labelled(65_537))
                .free(Memory.dram(0, 4096))
                .bye());

        assertThat(closedVerdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 7) defined more than 65536 texts, call stacks or owners, which is the limit, so later"
                                + " ones are not shown. Use ids again");
    }

    // Helpers

    private void startAuto() throws IOException {
        server = builder().start();
    }

    private RawClient framed() throws IOException {
        return new RawClient(server.socketPath(), RecordSize.BYTES_112);
    }

    /** Sends frames over a connection of its own, and returns when the server has seen its end. */
    private void send(FrameWriter frames) throws Exception {
        int before = server.connections().size();
        try (RawClient client = framed()) {
            client.send(frames.bytes());
        }
        server.await(all -> all.size() > before && all.stream().noneMatch(ConnectionSnapshot::isOpen), LONG);
    }

    private boolean isRejected(FrameWriter frames) throws IOException {
        try (RawClient client = framed()) {
            byte[] bytes = frames.bytes();
            if (server.problems().isEmpty()) {
                client.send(bytes);
            }
            return hasEnded(client);
        }
    }

    /** A client that was greeted has an answer to read first. */
    private static boolean hasEnded(RawClient client) throws IOException {
        try {
            client.receive(24);
            return client.isRejected();
        } catch (IOException e) {
            return e instanceof EOFException || RawClient.isClosedByServer(e);
        }
    }

    private AllocationHistory closedHistory() throws InterruptedException {
        server.awaitQuiet(LONG);
        return server.tracker().history();
    }

    private LeakVerdict closedVerdict() throws InterruptedException {
        return verdict();
    }

    private static List<Cause> causes(LeakVerdict verdict) {
        return verdict.survivors().stream()
                .map(survivor -> survivor.diagnosis().cause())
                .toList();
    }
}
