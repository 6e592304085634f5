package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.FrameWriter.Details;
import dev.meshguard.server.FrameWriter.Memory;
import dev.meshguard.server.frame.internal.InvalidFrameException;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Arbitrary bytes can be sent as frames, without an exception, an invented report or unbounded memory;
 * {@code -Dmeshguard.inputs=…} sets the number of inputs, {@code -Dmeshguard.seed=…} reruns a seed.
 */
class FrameFuzzTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_125);
    private static final int INPUTS = Integer.getInteger("meshguard.inputs", 5_000);

    private final Random random = new Random(SEED);
    private final List<String> problems = new ArrayList<>();
    private Selector selector;
    private SocketChannel channel;
    private SelectionKey key;

    @BeforeEach
    void open() throws IOException {
        selector = Selector.open();
        channel = SocketChannel.open();
        channel.configureBlocking(false);
        key = channel.register(selector, SelectionKey.OP_CONNECT);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        selector.close();
    }

    @Test
    void everyInputIsReadAndNothingIsInvented() {
        for (int input = 0; input < INPUTS; input++) {
            byte[] bytes = bytes();

            AllocationHistory history = read(bytes).history();

            LeakCheck.create().examine(history);
            assertThat(history.events(HistoryEvent.Allocated.class).size())
                    .as("seed %d, input %d: allocations", SEED, input)
                    .isLessThanOrEqualTo(bytes.length / 80);
            assertThat(history.events().size())
                    .as("seed %d, input %d: events", SEED, input)
                    .isLessThanOrEqualTo(bytes.length / 8 + 10);
        }
    }

    // The server's side of one connection

    private static AllocationTracker tracker() {
        return AllocationTracker.builder()
                .originCapture(OriginCapture.NONE)
                .bankedAddresses()
                .build();
    }

    private FramedReports reports(AllocationTracker tracker) {
        ServerErrors errors = new ServerErrors(problems::add);
        ReportDispatcher dispatcher = new ReportDispatcher(
                new HistoryReporter(tracker, true),
                new ServerLogFormatter(new ServerLog(null, null, "the log", errors)),
                List.of(),
                process -> Optional.empty(),
                List.of());
        return dispatcher.framed(new ClientConnection(1, channel, key));
    }

    private AllocationTracker read(byte... bytes) {
        AllocationTracker tracker = tracker();
        FramedReports reports = reports(tracker);
        if (feed(reports, bytes)) {
            reports.disconnected();
        } else {
            reports.rejected();
        }
        reports.problems();
        return tracker;
    }

    /** Returns whether the connection can still be read. */
    private boolean feed(FramedReports reports, byte... bytes) {
        int at = 0;
        try {
            while (at < bytes.length) {
                int count = random.nextInt(4) == 0 ? bytes.length - at : 1 + random.nextInt(bytes.length - at);
                ByteBuffer part = ByteBuffer.wrap(bytes, at, count).slice().order(ByteOrder.LITTLE_ENDIAN);
                reports.read(part);
                assertThat(part.remaining()).isZero();
                at += count;
            }
            return true;
        } catch (InvalidFrameException invalid) {
            assertThat(invalid).hasMessageMatching("(?s).{5,300}");
            return false;
        }
    }

    // Inputs

    private byte[] bytes() {
        FrameWriter frames =
                new FrameWriter().magic().hello(random.nextInt(20) == 0 ? random.nextInt(3) : 1, 1, 7, "program");
        int count = random.nextInt(25);
        for (int frame = 0; frame < count; frame++) {
            add(frames);
        }
        byte[] bytes = frames.bytes();
        int changes = random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(4);
        for (int change = 0; change < changes; change++) {
            int at = random.nextInt(bytes.length);
            bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : bytes[at] ^ 1 << random.nextInt(8));
        }
        return random.nextInt(10) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private void add(FrameWriter frames) {
        switch (random.nextInt(18)) {
            case 0 -> frames.text(number(), random.nextBoolean() ? "label" : " ");
            case 1 -> frames.stack(number(), number(), number(), random.nextInt());
            case 2 -> frames.owner(number(), random.nextInt(12), random.nextInt(3), number());
            case 3, 4, 5, 6 ->
                frames.allocate(
                        memory(), new Details(number(), random.nextInt(9000) - 10, number(), number(), number()));
            case 7, 8, 9 -> frames.free(memory(), random.nextInt(40) == 0 ? 9 : random.nextInt(5), number());
            case 10 -> frames.phase(number());
            case 11 -> frames.ownerCached(number(), number());
            case 12 -> frames.ownerEnded(number());
            case 13 -> frames.meshOpened(number(), number(), List.of(number(), number() + 4));
            case 14 -> frames.meshClosing(number()).meshClosed(number());
            case 15 -> frames.state(memory(), random.nextInt(4), random.nextBoolean(), number(), number());
            case 16 -> frames.frame(random.nextInt(256), 2, (byte) 0, (byte) 1);
            default -> frames.skip(random.nextInt(3)).bye();
        }
    }

    private Memory memory() {
        return new Memory(
                random.nextInt(6),
                64L * number(),
                random.nextInt(30) == 0 ? random.nextInt() : number(),
                number(),
                number(),
                random.nextInt(4),
                random.nextInt(5),
                random.nextInt(4));
    }

    /** Returns a small number, so that ids and addresses meet. */
    private int number() {
        return random.nextInt(4);
    }
}
