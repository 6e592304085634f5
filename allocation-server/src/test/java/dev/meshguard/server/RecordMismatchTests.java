package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordCodec;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of another size are detected and never misread. */
class RecordMismatchTests extends WithServer {

    private static final long NOW = 1_772_366_400_123_456_789L;

    @ParameterizedTest
    @CsvSource({
        "BYTES_72, BYTES_112, 28",
        "BYTES_72, BYTES_144, 28",
        "BYTES_112, BYTES_72, 28",
        "BYTES_112, BYTES_144, 28",
        "BYTES_144, BYTES_72, 28",
        "BYTES_144, BYTES_112, 28",
        "BYTES_72, BYTES_112, 1",
        "BYTES_72, BYTES_144, 1",
        "BYTES_112, BYTES_72, 1",
        "BYTES_112, BYTES_144, 1",
        "BYTES_144, BYTES_72, 1",
        "BYTES_144, BYTES_112, 1"
    })
    void recordsOfAnotherSizeAreNamedHoweverManyComeTogether(RecordSize theirs, RecordSize ours, int together)
            throws IOException, InterruptedException {
        start(ours);
        Request[] requests = allocations(28);
        try (RawClient program = client(theirs)) {
            for (int i = 0; i < requests.length && areAllOpen(); i += together) {
                program.send(Arrays.copyOfRange(requests, i, i + together));
                server.awaitQuiet(LONG);
            }

            assertThat(program.isRejected()).isTrue();
        }

        assertThat(server.problems())
                .singleElement()
                .asString()
                .matches("connection 1( \\(process 2657333\\))? sends records of " + theirs.bytes()
                        + " bytes and this server reads " + ours.bytes() + ": start the server with --record-size "
                        + theirs.bytes());
        assertThat(lines())
                .contains("⚠️  Invalid size of records: connection 1 sends " + theirs.bytes()
                        + " bytes each, this server reads " + ours.bytes()
                        + " - closing connection (protocol mismatch)");
        assertThat(losses()).isEqualTo(server.problems());
        assertThat(server.activeAllocations()).isLessThanOrEqualTo(1);
        assertThat(verdict().outcome()).isIn(Outcome.INCONCLUSIVE, Outcome.LEAKED);
    }

    @Test
    void recordsOfASizeThatNoServerReadsAreNamed() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        try (RawClient program = client()) {
            byte[] record = new byte[128];
            byte[] first = RecordCodec.of(RecordSize.BYTES_72)
                    .encode(allocations(1)[0])
                    .array();
            System.arraycopy(first, 0, record, 0, first.length);
            program.send(record).send(record).send(record);

            assertThat(program.isRejected()).isTrue();
        }
        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 2657333) sends records of 128 bytes and this server reads 112: no"
                                + " server is known that reads them, so build the program and the server from one version");
    }

    @ParameterizedTest
    @EnumSource
    void oddBytesBehindARecordAreNoProof(RecordSize size) throws IOException, InterruptedException {
        start(size);
        byte[] record = RecordCodec.of(size).encode(allocations(1)[0]).array();
        Arrays.fill(record, 41, record.length, (byte) 0xee);

        try (RawClient program = client()) {
            program.send(record).query(0);
        }

        assertThat(server.problems()).isEmpty();
        assertThat(server.activeAllocations()).isEqualTo(1);
    }

    // The detected size

    @ParameterizedTest
    @EnumSource
    void theSizeIsTakenFromWhatTheBytesProve(RecordSize size) throws IOException, InterruptedException {
        server = builder().start();
        try (RawClient program = client(size)) {
            program.send(allocations(2));
            program.query(0);
        }

        assertThat(server.recordSize()).contains(size);
        assertThat(server.activeAllocations()).isEqualTo(2);
    }

    @Test
    void recordsOfNoKnownSizeAreLost() throws IOException, InterruptedException {
        server = builder().start();
        try (RawClient program = client(RecordSize.BYTES_72)) {
            byte[] first = RecordCodec.of(RecordSize.BYTES_72)
                    .encode(allocations(1)[0])
                    .array();
            byte[] record = Arrays.copyOf(first, 96);
            program.send(record).send(record).send(record);

            assertThat(program.isRejected()).isTrue();
        }

        assertThat(losses()).containsExactly("connection 1 sends records of no known size, so it was closed");
        assertThat(server.problems()).isEqualTo(losses());
    }

    @Test
    void oneRecordProvesNothingAndTheOptionIsAskedFor() throws IOException, InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(NOON);
        server = builder().clock(now::get).start();
        try (RawClient program = client(RecordSize.BYTES_72)) {
            program.send(Request.query(0));
            server.awaitQuiet(LONG);
            assertThat(server.recordSize()).isEmpty();
            now.set(NOON.plusSeconds(3));
            server.awaitQuiet(LONG);
            server.awaitQuiet(LONG);

            assertThat(server.problems())
                    .containsExactly(
                            "connection 1 sent 72 bytes, which may be a whole record or a part of a larger one, and"
                                    + " waits: say which with recordSize(…), or --record-size 72, 112 or 144");
        }
    }

    @Test
    void whoWaitedIsAnsweredWhenAnotherProgramProvesTheSize() throws IOException, InterruptedException {
        server = builder().start();
        try (RawClient first = client(RecordSize.BYTES_72);
                RawClient second = client(RecordSize.BYTES_72)) {
            first.send(Request.query(3));
            server.awaitQuiet(LONG);
            second.send(allocations(2));

            assertThat(first.receive()).isEqualTo(MemoryUsage.none(3));
        }
    }

    @Test
    void anOnlyRecordThatEndsItsConnectionIsLost() throws IOException, InterruptedException {
        server = builder().start();
        try (RawClient program = client(RecordSize.BYTES_72)) {
            program.send(allocations(1));
        }

        assertThat(losses())
                .containsExactly(
                        "connection 1 sent 72 bytes, which may be a whole record or a part of a larger one, and"
                                + " ended: say which with recordSize(…), or --record-size 72, 112 or 144");
    }

    @Test
    void rejectsBytesThatAreNotARecordOfAnySize() throws IOException {
        server = builder().start();
        try (RawClient program = client(RecordSize.BYTES_72)) {
            byte[] text = new byte[1 << 12];
            Arrays.fill(text, (byte) 'Q');
            program.send(text);

            assertThat(program.isRejected()).isTrue();
        }
    }

    private boolean areAllOpen() {
        return server.connections().stream().allMatch(ConnectionSnapshot::isOpen);
    }

    private static Request[] allocations(int count) {
        Request[] requests = new Request[count];
        for (int i = 0; i < count; i++) {
            requests[i] = Request.allocation(2_657_333, i % 8, BufferType.L1, 101_152 + 4096L * i, 4096)
                    .at(NOW + i);
        }
        return requests;
    }
}
