package dev.meshguard.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client never fails while reporting, and counts unsent reports. */
class AllocationClientTests {

    @TempDir
    Path folder;

    private final List<String> warnings = new ArrayList<>();
    private AllocationServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatItReportsTheServerRecords(RecordSize size) throws Exception {
        start(size);

        try (AllocationClient client = builder(size).connect()) {
            client.allocated(3, BufferType.L1, 101_152, 4096);
            client.allocated(3, BufferType.DRAM, 101_152 * 2, 64);
            client.freed(3, 101_152 * 2);

            assertThat(liveL1(3)).isEqualTo(4096);
            assertThat(server.tracker().liveBuffers()).isOne();
            assertThat(client.unsent()).isZero();
        }
    }

    @Test
    void aReportIsTheRecordOfTheLibrary() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
            try (AllocationClient client =
                            builder(RecordSize.BYTES_72).processId(108_740).connect();
                    SocketChannel heard = listener.accept()) {
                client.send(new Request(MessageType.ALLOC, 0, 4096, 1, 108_740, 101_152, 1_000_000_002));
                client.freed(0, 101_152);

                ByteBuffer records = ByteBuffer.allocate(144);
                while (records.hasRemaining()) {
                    heard.read(records);
                }
                assertThat(HexFormat.of().formatHex(records.array()))
                        .isEqualTo("01000000000000000010000000000000" + "01000000c4a80100" + "208b010000000000"
                                + "02ca9a3b00000000" + "00".repeat(32) + "02000000000000000000000000000000"
                                + "00000000c4a80100" + "208b010000000000" + "00".repeat(40));
            }
        }
    }

    @Test
    void asAListenerItSendsWhatHasADevice() throws Exception {
        start(RecordSize.BYTES_112);
        try (AllocationClient client = builder(RecordSize.BYTES_112).connect()) {
            MemoryRequest request = client.request(AllocationDetails.user());
            for (int device : List.of(HistoryEvent.NO_DEVICE, 3)) {
                client.allocated(request, device, BufferType.L1, 64, 32, Ownership.OWNING);
                client.allocated(request, device, BufferType.L1, 128, 32, Ownership.OWNING);
                client.freed(client.release(AllocationDetails.user()), device, BufferType.L1, 64, Ownership.OWNING);
            }

            assertThat(liveL1(3)).isEqualTo(32);
            assertThat(server.tracker().history().lostReports()).isEmpty();
        }
    }

    @Test
    void withoutAServerItWarnsOnceAndGoesOn() {
        try (AllocationClient client = builder(RecordSize.BYTES_72).connect()) {
            client.allocated(0, BufferType.L1, 64, 64);
            client.freed(0, 64);

            assertThat(client.isConnected()).isFalse();
            assertThat(client.unsent()).isEqualTo(2);
        }
        assertThat(warnings)
                .containsExactly("[MeshGuard] Warning: Allocation tracking enabled but server not available at "
                        + folder.resolve("s"));
    }

    @Test
    void aServerThatComesLaterOrIsStartedAgainIsFoundAndWhatWasLostIsSaid() throws Exception {
        try (AllocationClient client = builder(RecordSize.BYTES_112).connect()) {
            client.allocated(0, BufferType.L1, 32, 32);
            start(RecordSize.BYTES_112);
            client.allocated(0, BufferType.L1, 64, 64);
            assertThat(liveL1(0)).isEqualTo(64);
            assertThat(warnings.get(1))
                    .isEqualTo("[MeshGuard] Connected to the allocation server at " + folder.resolve("s")
                            + " again: 1 report was not sent");
            server.close();
            client.allocated(0, BufferType.L1, 128, 32);
            start(RecordSize.BYTES_112);
            client.freed(0, 64);

            assertThat(liveL1(0)).isZero();
            assertThat(client.unsent()).isEqualTo(2);
        }
        assertThat(server.tracker().history().anomalies()).hasSize(1);
    }

    @Test
    void anInterruptedProgramReportsAllTheSame() throws Exception {
        start(RecordSize.BYTES_112);
        try (AllocationClient client = builder(RecordSize.BYTES_112).connect()) {
            Thread.currentThread().interrupt();
            client.allocated(0, BufferType.L1, 1, 1);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(liveL1(0)).isEqualTo(1);
        }
    }

    @Test
    void whatIsAnsweredIsNotSent() {
        try (AllocationClient client = builder(RecordSize.BYTES_72).connect()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.send(Request.query(0)))
                    .withMessage("QUERY has an answer, and a client that reports reads none");
        }
    }

    @Test
    void aClosedClientCountsWhatItIsStillGiven() {
        AllocationClient client = builder(RecordSize.BYTES_72).connect();
        client.close();
        client.freed(0, 64);

        assertThat(client.unsent()).isEqualTo(1);
    }

    /** Returns the live bytes of L1 on a device, once all that was sent is recorded. */
    private long liveL1(int device) throws InterruptedException {
        server.awaitQuiet(Duration.ofSeconds(30));
        return server.tracker().liveBytes(device, BufferType.L1);
    }

    private void start(RecordSize size) throws IOException {
        server = AllocationServer.builder()
                .socket(folder.resolve("s"))
                .recordSize(size)
                .start();
    }

    private AllocationClient.Builder builder(RecordSize size) {
        return AllocationClient.builder()
                .socket(folder.resolve("s"))
                .recordSize(size)
                .onWarning(warnings::add);
    }
}
