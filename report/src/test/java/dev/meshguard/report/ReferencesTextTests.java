package dev.meshguard.report;

import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.HistoryEvent.NO_DEVICE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.References;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts about memory whose references a source counts. */
class ReferencesTextTests {

    private static final SourceDescription NETTY = SourceDescription.of("netty")
            .speaking(SourceVocabulary.of("Netty memory").freedBy("release", "released"));

    private static final References.Use RETAINED = use("dev.example.Dispatcher", "channelRead0", 17);
    private static final References.Use RELEASED =
            use("io.netty.channel.SimpleChannelInboundHandler", "channelRead", 105);

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    private long last;

    private static References.Use use(String type, String method, int line) {
        return new References.Use(at(type, method, line), Optional.empty());
    }

    private static Origin at(String type, String method, int line) {
        String file = type.substring(type.lastIndexOf('.') + 1) + ".java";
        return Origin.of(new StackTraceElement(type, method, file, line));
    }

    private static References references(long retains, long releases, Optional<References.Use> retained) {
        return new References(
                retains,
                releases,
                retained,
                releases == 0 ? Optional.empty() : Optional.of(RELEASED),
                Optional.empty());
    }

    private void attach(SourceDescription source) {
        tracker.sourceAttached(source);
        tracker.phase(Phase.TEST);
    }

    private MemoryRequest read() {
        MemoryRequest request = MemoryRequest.restored(
                AllocationDetails.user().fromSource("netty"),
                Optional.of(at("io.netty.channel.nio.AbstractNioByteChannel", "read", 150)));
        tracker.allocated(request, NO_DEVICE, SYSTEM_MEMORY, ++last, 256, Ownership.UNKNOWN);
        return request;
    }

    private void count(MemoryRequest request, References references) {
        tracker.reported(number -> new HistoryEvent.ReferencesCounted(number, request, references));
    }

    private static String text(AllocationHistory history) {
        return VerdictReport.of(LeakCheck.create().examine(history)).text();
    }

    private String text() {
        return text(tracker.history());
    }

    @Test
    void nameTheRetainThatNoReleaseAnswers() {
        attach(NETTY);
        MemoryRequest request = read();
        count(request, references(1, 1, Optional.of(RETAINED)));
        tracker.checked();
        tracker.traced(request, Reachability.lost());

        assertThat(text()).isEqualTo("""
                LEAK  256 B of Netty memory in 1 buffer, LOST; retained in Dispatcher.java:17

                1. Netty memory  256 B
                   at dev.example.Dispatcher.channelRead0(Dispatcher.java:17)   retained; no release is known that answers it
                   why   LOST: no handle to it is reachable any more, and of 2 references only 1 was released (event #6)
                   fix   Release the buffer after Dispatcher.java:17, or do not retain it: SimpleChannelInboundHandler releases it once.
                   seen  allocated in TEST (event #3) at
                         io.netty.channel.nio.AbstractNioByteChannel.read(AbstractNioByteChannel.java:150)
                         2 references (allocation, 1 retain), 1 release; retained at
                         dev.example.Dispatcher.channelRead0(Dispatcher.java:17); released at
                         io.netty.channel.SimpleChannelInboundHandler.channelRead(SimpleChannelInboundHandler.java:105) (event #4)

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 256, atMost = 1, origin = "AbstractNioByteChannel.read", because = "…")""");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2 | 1 | true | LOST | of 3 references only 1 was released \
                | Release the buffer 2 times after Dispatcher.java:17, \
                    or retain it less often: SimpleChannelInboundHandler releases it once.
            2 | 2 | true | LOST | of 3 references only 2 were released \
                | Release the buffer after Dispatcher.java:17, or do not retain it.
            1 | 0 | true | LOST | none of its 2 references was released \
                | Release the buffer 2 times after Dispatcher.java:17, or retain it less often.
            1 | 1 | false | LOST | of 2 references only 1 was released \
                | Release the buffer before the test ends on every path: in a finally block.
            2 | 0 | true | HELD | 3 references (allocation, 2 retains), no release; retained at \
                | Release the buffer 3 times after Dispatcher.java:17, or retain it less often.
            """)
    void areCounted(int retains, int releases, boolean isUnanswered, Cause cause, String counted, String fix) {
        attach(NETTY);
        MemoryRequest request = read();
        count(request, references(retains, releases, isUnanswered ? Optional.of(RETAINED) : Optional.empty()));
        tracker.traced(
                request,
                cause == Cause.LOST ? Reachability.lost() : Reachability.heldBy(List.of("DispatcherTest.last")));

        assertThat(text())
                .startsWith("LEAK  256 B of Netty memory in 1 buffer, " + cause)
                .contains(
                        isUnanswered
                                ? "; retained in Dispatcher.java:17"
                                : "; allocated in AbstractNioByteChannel.java:150")
                .containsIgnoringWhitespaces(counted)
                .containsIgnoringWhitespaces("fix   " + fix);
    }

    @Test
    void nameTheLastTouchIfNoRetainExplainsMore() {
        attach(NETTY);
        MemoryRequest request = read();
        References.Use touched = new References.Use(RETAINED.origin(), Optional.of("the decoder has it"));
        count(request, new References(0, 0, Optional.empty(), Optional.empty(), Optional.of(touched)));
        tracker.traced(request, Reachability.lost());

        assertThat(text())
                .contains("no handle to it is reachable any more, and no release of it was reported")
                .contains(
                        "last touched at dev.example.Dispatcher.channelRead0(Dispatcher.java:17), \"the decoder has it\"")
                .doesNotContain("references");
    }

    @Test
    void keepBuffersOfTwoRetainsApart() {
        attach(NETTY);
        for (int line : List.of(17, 17, 30)) {
            MemoryRequest request = read();
            count(request, references(1, 1, Optional.of(use("dev.example.Dispatcher", "channelRead0", line))));
            tracker.traced(request, Reachability.lost());
        }

        assertThat(text())
                .contains("LEAK  768 B of Netty memory in 3 buffers, 2 findings", "Netty memory  512 B: 2 x 256 B")
                .contains("at dev.example.Dispatcher.channelRead0(Dispatcher.java:17)")
                .contains("at dev.example.Dispatcher.channelRead0(Dispatcher.java:30)");
    }

    @Test
    void sayHowToSeeMoreWhereNothingElseExplainsTheLeak() {
        attach(NETTY.notSeeing("its retains are seen with an agent only"));
        tracker.traced(read(), Reachability.lost());

        assertThat(text()).contains("its retains are seen with an agent only");
    }

    @Test
    void doNotSayHowToSeeMoreWhereTheHolderIsKnown() {
        attach(NETTY.notSeeing("its retains are seen with an agent only"));
        tracker.traced(read(), Reachability.heldBy(List.of("DispatcherTest.last")));

        assertThat(text()).contains("HELD").doesNotContain("agent");
    }
}
