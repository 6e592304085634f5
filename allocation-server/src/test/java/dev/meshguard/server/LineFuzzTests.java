package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.script.TableCase;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Arbitrary bytes can be sent as lines, without an exception, an invented report or a clean verdict about what was not read;
 * {@code -Dmeshguard.inputs=…} sets the number of inputs, {@code -Dmeshguard.seed=…} reruns a seed.
 */
class LineFuzzTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_125);
    private static final int INPUTS = Integer.getInteger("meshguard.inputs", 5_000);

    private static final String LEAK = """
            {"op":"hello","version":1,"pid":7,"name":"program"}
            {"op":"stack","id":1,"frames":["f (a.py:3)"]}
            {"op":"alloc","n":1,"device":0,"type":"DRAM","address":"0x1000","size":4096,"label":"kv","stack":1}
            {"op":"alloc","n":2,"device":0,"type":"DRAM","address":8192,"size":4096,"owner":{"kind":"PROGRAM","name":"add"}}
            {"op":"free","n":3,"device":0,"type":"DRAM","address":8192}
            {"op":"bye","n":3}
            """;

    private static final String HELLO = LEAK.lines().findFirst().orElseThrow();

    /** Lines of each kind; their numbers are chosen anew. */
    private static final List<String> LINES = TableCase.of(LineFuzzTests.class, "line-cases.txt")
            .flatMap(one -> one.lines().stream())
            .filter(line -> line.startsWith("{"))
            .distinct()
            .toList();

    private static final Pattern NUMBER = Pattern.compile("\"(\\w+)\":(-?\\d+)");

    private final Random random = new Random(SEED);
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
                    .isLessThanOrEqualTo(bytes.length / 60);
            assertThat(history.events().size())
                    .as("seed %d, input %d: events", SEED, input)
                    .isLessThanOrEqualTo(bytes.length / 4 + 10);
        }
    }

    @Test
    void aLeakWithAnyByteChangedOrRemovedIsNeverClean() {
        byte[] leak = LEAK.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < leak.length; at++) {
            for (byte[] bytes :
                    List.of(changed(leak, at, random.nextInt(256)), changed(leak, at, 1), without(leak, at))) {
                assertThat(LeakCheck.create().examine(read(bytes).history()).outcome())
                        .as("seed %d: %s", SEED, new String(bytes, StandardCharsets.UTF_8))
                        .isIn(Outcome.LEAKED, Outcome.INCONCLUSIVE);
            }
        }
    }

    @Test
    void moreIdsThanTheLimitAreErrors() {
        String stacks = IntStream.rangeClosed(1, 65_537)
                .mapToObj(id -> "{'op':'stack','id':" + id + ",'frames':['f (a.py:3)']}\n")
                .collect(Collectors.joining())
                .replace('\'', '"');

        AllocationHistory history =
                read((LEAK + stacks).getBytes(StandardCharsets.UTF_8)).history();

        assertThat(history.lostReports().get(0).reason())
                .isEqualTo("connection 1 (process 7): line 65543 defines more than 65536 ids, which is the limit."
                        + " Use ids again");
    }

    private static byte[] changed(byte[] bytes, int at, int bits) {
        byte[] result = bytes.clone();
        result[at] ^= (byte) bits;
        return result;
    }

    private static byte[] without(byte[] bytes, int at) {
        byte[] result = Arrays.copyOf(bytes, bytes.length - 1);
        System.arraycopy(bytes, at + 1, result, at, bytes.length - at - 1);
        return result;
    }

    // The server's side of one connection

    private AllocationTracker read(byte... bytes) {
        AllocationTracker tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.NONE)
                .bankedAddresses()
                .build();
        LineReports reports = reports(tracker);
        ByteBuffer unread = ByteBuffer.allocate(bytes.length);
        if (feed(reports, unread, bytes)) {
            reports.disconnected(unread.flip());
        } else {
            reports.closed();
        }
        return tracker;
    }

    private LineReports reports(AllocationTracker tracker) {
        ReportDispatcher dispatcher =
                new ReportDispatcher(new ServerHistory(tracker), 8, process -> Optional.empty(), List.of());
        return dispatcher.lines(new ClientConnection(1, channel, key));
    }

    /** Returns whether the connection can still be read. */
    private boolean feed(LineReports reports, ByteBuffer unread, byte... bytes) {
        int at = 0;
        while (at < bytes.length) {
            int count = random.nextInt(4) == 0 ? bytes.length - at : 1 + random.nextInt(bytes.length - at);
            Optional<String> rejection =
                    reports.read(unread.put(bytes, at, count).flip());
            unread.compact();
            assertThat(new String(reports.answers(), StandardCharsets.UTF_8))
                    .matches("(?s)(\\{\"(ok\":1|error\":\".+\",\"line\":[0-9]+)}\\R)*");
            if (rejection.isPresent()) {
                return false;
            }
            at += count;
        }
        return true;
    }

    // Inputs

    private byte[] bytes() {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        add(lines, HELLO);
        int count = random.nextInt(25);
        int number = 0;
        for (int line = 0; line < count; line++) {
            number += random.nextInt(20) == 0 ? random.nextInt(3) : 1;
            add(lines, line(number));
        }
        byte[] bytes = lines.toByteArray();
        int changes = random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(4);
        for (int change = 0; change < changes; change++) {
            int at = random.nextInt(bytes.length);
            bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : bytes[at] ^ 1 << random.nextInt(8));
        }
        return random.nextInt(10) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    /** Most numbers are from a small pool, so that ids and addresses of different lines meet. */
    private String line(int number) {
        return NUMBER.matcher(LINES.get(random.nextInt(LINES.size())))
                .replaceAll(field -> "\"" + field.group(1) + "\":"
                        + (field.group(1).equals("n") ? number : number(field.group(1), field.group(2))));
    }

    private Object number(String name, String before) {
        return switch (random.nextInt(20)) {
            case 0 -> random.nextInt();
            case 1, 2, 3 -> before;
            default -> name.equals("address") ? 64 * random.nextInt(4) : random.nextInt(4);
        };
    }

    private static void add(ByteArrayOutputStream lines, String line) {
        lines.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
