package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tracker of a server receives what programs send. */
class AllocationServerTests extends WithServer {

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, HistoryEvent.MAX_DEVICE + 2})
    void devicesAreAtLeastOneAndAtMostWhatAHistoryDistinguishes(int devices) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllocationServer.builder().devices(devices))
                .withMessage("A server has 1 to 65536 devices: " + devices + " was given");
    }

    @Test
    void canBeAwaitedForever() throws Exception {
        start(RecordSize.BYTES_112);

        assertThat(server.awaitQuiet(ChronoUnit.FOREVER.getDuration())).isTrue();
    }

    @Test
    void buffersCarryTheirProcessAndShareTheirDetails() throws IOException {
        start(RecordSize.BYTES_112);
        report(allocation(7, 4096), allocation(9, 8192), allocation(7, 64), allocation(9, 128));
        report(allocation(8, 256));

        List<AllocationDetails> details = server.tracker().history().events(HistoryEvent.Allocated.class).stream()
                .map(event -> event.request().details())
                .toList();

        assertThat(details).extracting(one -> one.processId().orElseThrow()).containsExactly(7L, 9L, 7L, 9L, 8L);
        assertThat(details.get(2)).isSameAs(details.get(0));
        assertThat(details.get(3)).isSameAs(details.get(1));
    }
}
