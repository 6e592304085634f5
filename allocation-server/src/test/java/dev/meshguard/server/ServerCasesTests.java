package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.tracker.script.TableCase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The server records and answers what programs send as the tables {@code record-cases.txt} and {@code line-cases.txt} say; the head of
 * the first describes the steps.
 */
@Timeout(120)
class ServerCasesTests extends WithServer implements ProcessInspector {

    private static final Pattern REPETITION = Pattern.compile("(.)\\1{99,}");

    private final Map<String, RawClient> clients = new TreeMap<>();
    private final List<String> facts = new ArrayList<>();
    private final AtomicReference<Runnable> lastReport = new AtomicReference<>();
    private final Set<Long> failed = new HashSet<>();

    /** The connection over which lines are sent. */
    private String ofLines = "lines";

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void programsShow(TableCase one) throws Exception {
        if (!one.lines().get(0).startsWith("server ")) {
            serve("auto", "");
        }
        for (String step : one.lines()) {
            play(step);
            server.awaitQuiet(LONG);
            server.awaitQuiet(LONG);
        }
        addFacts();

        assertThat(facts).as(one.name()).isEqualTo(one.facts());
    }

    static Stream<TableCase> cases() {
        return Stream.concat(
                TableCase.of(ServerCasesTests.class, "record-cases.txt"),
                TableCase.of(ServerCasesTests.class, "line-cases.txt"));
    }

    @AfterEach
    void disconnect() throws IOException {
        for (RawClient client : clients.values()) {
            client.close();
        }
    }

    private void play(String step) throws IOException {
        String[] words = (step + "  ").split(" ", 3);
        String object = words[1];
        String rest = words[2].stripTrailing();
        switch (words[0]) {
            case "server" -> serve(object, rest);
            case "check" -> server.checkProcesses();
            case "runs" -> runs(Long.parseLong(object));
            case "replaced" -> processes.put(Long.parseLong(object), NOON.plusSeconds(60));
            case "dies" -> processes.remove(Long.parseLong(object));
            case "fails" -> failed.add(Long.parseLong(object));
            case "dying" -> lastReport.set(() -> die(object, requests(rest)));
            case "end" -> clients.remove(object).close();
            case "deaf" -> client(object).receivesNothing();
            case "bytes" -> client(object).send(bytes(rest));
            case "ask" -> client(object).send(requests(rest));
            case "receive" -> addAnswer(object, Request.query(0));
            case "hear" -> facts.add(object + " hears " + client(object).receiveLine());
            case "send" -> {
                client(object).send(requests(rest));
                for (Request request : requests(rest)) {
                    addAnswer(object, request);
                }
            }
            case "over" -> ofLines = object;
            case "part" -> client(ofLines).send(step.substring(5).getBytes(StandardCharsets.UTF_8));
            default -> client(ofLines).send((step + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private void serve(String kind, String options) throws IOException {
        if (kind.equals("closes")) {
            server.close();
            return;
        }
        AllocationServer.Builder builder = builder().processInspector(this);
        if (!kind.equals("auto")) {
            size = RecordSize.of(Integer.parseInt(kind)).orElseThrow();
            builder.recordSize(size);
        }
        if (options.equals("devices")) {
            builder.devices(3);
        }
        server = builder.start();
    }

    @Override
    public Optional<Instant> inspect(long process) {
        Optional.ofNullable(lastReport.getAndSet(null)).ifPresent(Runnable::run);
        return Optional.ofNullable(processes.get(process));
    }

    @Override
    public boolean hasFailed(long process) {
        return failed.contains(process);
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
                .map(ServerCasesTests::request)
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
        facts.addAll(VerdictFacts.of(verdict()));
        verdict().history().live().forEach(buffer -> facts.add("live " + describe(buffer)));
        verdict().history().events().forEach(event -> describe(event).ifPresent(facts::add));
        facts.replaceAll(fact -> REPETITION
                .matcher(fact)
                .replaceAll(found -> found.group(1) + "*" + found.group().length()));
    }

    private static String describe(BufferGeneration buffer) {
        AllocationDetails details = buffer.request().details();
        return buffer + " in " + buffer.allocatedIn()
                + (buffer.openPeriod() > 1 ? ", open period " + buffer.openPeriod() : "")
                + details.label().map(label -> ", label " + label).orElse("")
                + details.owner()
                        .map(owner -> ", owner " + owner.kind() + " " + owner.name())
                        .orElse("")
                + (details.lifetime() == BufferLifetime.USER ? "" : ", lifetime " + details.lifetime())
                + (details.extent().isPresent() ? ", extent " + details.extent().getAsLong() : "")
                + details.allocator()
                        .map(allocator -> ", allocator " + allocator)
                        .orElse("")
                + (details.view() ? ", view" : "")
                + buffer.request()
                        .origin()
                        .map(origin -> ", at "
                                + origin.frames().stream()
                                        .map(StackTraceElement::toString)
                                        .collect(Collectors.joining(" < ")))
                        .orElse("");
    }

    private static Optional<String> describe(HistoryEvent event) {
        String text = null;
        if (event instanceof HistoryEvent.SourceAttached attached) {
            text = "source " + attached.source().name();
        } else if (event instanceof HistoryEvent.PhaseBegan began) {
            text = "phase " + began.phase();
        } else if (event instanceof HistoryEvent.FreeIgnored ignored) {
            text = "ignored " + ignored.reason();
        } else if (event instanceof HistoryEvent.MeshOpened opened) {
            text = "mesh " + opened.mesh().id() + " opened, " + opened.mesh().name();
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            text = "mesh " + closing.mesh() + " closing";
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            text = "mesh " + closed.mesh() + " closed";
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            text = "device " + closed.device() + " closed";
        } else if (event instanceof HistoryEvent.Witnessed witnessed) {
            text = "snapshot" + allocated(witnessed.snapshot());
        }
        return Optional.ofNullable(text);
    }

    private static String allocated(WitnessSnapshot snapshot) {
        return snapshot.devices().stream()
                .flatMap(device -> Arrays.stream(BufferType.values())
                        .filter(type ->
                                snapshot.allocatedAddresses(device, type).size() > 0)
                        .map(type -> " " + type + " " + snapshot.allocatedAddresses(device, type)))
                .collect(Collectors.joining());
    }
}
