package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The server records and answers records as the table {@code record-cases.txt} says; its head describes the steps. */
@Timeout(120)
class RecordCasesTests extends WithServer {

    private final Map<String, RawClient> clients = new TreeMap<>();
    private final List<String> facts = new ArrayList<>();
    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);
    private final AtomicReference<Runnable> lastReport = new AtomicReference<>();

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void recordsShow(String name, List<String> steps, List<String> expected) throws Exception {
        for (String step : steps) {
            String[] words = step.split(" ", 3);
            play(words[0], words.length > 1 ? words[1] : "", words.length > 2 ? words[2] : "");
            server.awaitQuiet(LONG);
            server.awaitQuiet(LONG);
        }
        addFacts();

        assertThat(facts).as(name).isEqualTo(expected);
    }

    static Stream<Arguments> cases() throws IOException {
        return CaseTable.read(RecordCasesTests.class, "record-cases.txt");
    }

    @AfterEach
    void disconnect() throws IOException {
        for (RawClient client : clients.values()) {
            client.close();
        }
    }

    private void play(String verb, String object, String rest) throws IOException {
        switch (verb) {
            case "server" -> serve(object, rest);
            case "check" -> server.checkProcesses();
            case "pass" -> now.set(now.get().plusSeconds(Long.parseLong(object)));
            case "runs" -> runs(Long.parseLong(object));
            case "replaced" -> processes.put(Long.parseLong(object), NOON.plusSeconds(60));
            case "dies" -> processes.remove(Long.parseLong(object));
            case "dying" -> lastReport.set(() -> die(object, requests(rest)));
            case "end" -> client(object).close();
            case "deaf" -> client(object).receivesNothing();
            case "bytes" -> client(object).send(bytes(rest));
            case "ask" -> client(object).send(requests(rest));
            case "receive" -> addAnswer(object, Request.query(0));
            default -> {
                client(object).send(requests(rest));
                for (Request request : requests(rest)) {
                    addAnswer(object, request);
                }
            }
        }
    }

    private void serve(String kind, String options) throws IOException {
        if (kind.equals("closes")) {
            server.close();
            return;
        }
        AllocationServer.Builder builder = builder().clock(now::get).processInspector(this::inspect);
        if (!kind.equals("auto")) {
            size = RecordSize.of(Integer.parseInt(kind)).orElseThrow();
            builder.recordSize(size);
        }
        if (options.equals("devices")) {
            builder.devices(3);
        }
        server = builder.start();
    }

    private Optional<Instant> inspect(long process) {
        Optional.ofNullable(lastReport.getAndSet(null)).ifPresent(Runnable::run);
        return Optional.ofNullable(processes.get(process));
    }

    private void die(String name, Request... last) {
        try {
            client(name).send(last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        processes.remove((long) last[0].processId());
    }

    private RawClient client(String name) throws IOException {
        if (!clients.containsKey(name)) {
            String digits = name.replaceAll("\\D", "");
            clients.put(
                    name,
                    client(
                            digits.isEmpty()
                                    ? size
                                    : RecordSize.of(Integer.parseInt(digits)).orElseThrow()));
        }
        return clients.get(name);
    }

    private static byte[] bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String group : text.split(" ", -1)) {
            String[] repeated = group.split("\\*", -1);
            for (int i = 0; i < (repeated.length > 1 ? Integer.parseInt(repeated[1]) : 1); i++) {
                bytes.writeBytes(HexFormat.of().parseHex(repeated[0]));
            }
        }
        return bytes.toByteArray();
    }

    private static Request[] requests(String text) {
        return Arrays.stream(text.split("; ", -1))
                .map(RecordCasesTests::request)
                .toArray(Request[]::new);
    }

    private static Request request(String text) {
        String[] fields = Arrays.copyOf(text.split(" ", -1), 6);
        return new Request(
                MessageType.valueOf(fields[1]),
                (int) number(fields[2]),
                number(fields[4]),
                fields[5] == null || Character.isDigit(fields[5].charAt(0))
                        ? (int) number(fields[5])
                        : BufferType.valueOf(fields[5]).code(),
                (int) number(fields[0]),
                number(fields[3]),
                0);
    }

    private static long number(String text) {
        return text == null ? 0 : Long.decode(text);
    }

    // Facts

    private void addAnswer(String name, Request request) throws IOException {
        if (request.type() == MessageType.QUERY) {
            facts.add(name + " receives " + client(name).receive());
        } else if (request.type() == MessageType.DEVICE_INFO_QUERY) {
            byte[] record = client(name).receive(size.bytes());
            facts.add(name + " receives " + HexFormat.of().formatHex(record).replaceFirst("(00)*$", ""));
        }
    }

    private void addFacts() throws InterruptedException {
        for (ConnectionSnapshot connection : server.connections()) {
            facts.add(String.format(
                    Locale.ROOT,
                    "connection %d of %s: %d records, %d reports, %s",
                    connection.number(),
                    new TreeSet<>(connection.processes()),
                    connection.records(),
                    connection.reports(),
                    connection.isOpen() ? "open" : "closed"));
        }
        server.problems().forEach(problem -> facts.add("problem: " + problem));
        facts.addAll(CaseTable.facts(verdict()));
        server.tracker()
                .history()
                .events(HistoryEvent.FreeIgnored.class)
                .forEach(event -> facts.add("ignored " + event.reason()));
        openReports().forEach(buffer -> facts.add("live " + buffer));
    }
}
