package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.BufferGeneration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The server records lines of JSON as the table {@code line-cases.txt} says; {@code --} in it begins another connection. */
@Timeout(120)
class LineCasesTests extends WithServer {

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void linesShow(String name, List<String> lines, List<String> facts) throws Exception {
        assertThat(factsOf(lines)).as(name).isEqualTo(facts);
    }

    static Stream<Arguments> cases() throws IOException {
        return CaseTable.read(LineCasesTests.class, "line-cases.txt");
    }

    private List<String> factsOf(List<String> lines) throws Exception {
        server = builder().processInspector(process -> Optional.empty()).start();
        for (String connection : (String.join("\n", lines) + "\n").split("(?m)^--\n", -1)) {
            send(connection.getBytes(StandardCharsets.UTF_8));
        }
        List<String> facts = CaseTable.facts(verdict());
        verdict().history().live().forEach(buffer -> facts.add("live " + describe(buffer)));
        verdict().history().events().forEach(event -> describe(event).ifPresent(facts::add));
        server.problems().forEach(problem -> facts.add("problem: " + problem));
        return facts;
    }

    private static String describe(BufferGeneration buffer) {
        AllocationDetails details = buffer.request().details();
        return buffer + " in " + buffer.allocatedIn()
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
