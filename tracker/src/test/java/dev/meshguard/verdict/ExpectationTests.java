package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import dev.meshguard.verdict.expectation.ExpectationResult.Kind;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.expectation.SourceLine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExpectationTests {

    private static final Expectation ANY = Expectation.because("it is known");

    @Stories("""
            lets a buffer stay that fits every condition
                phase SETUP; allocate L1 0x1000 on 3, size 4096, of program 7, label kv-cache
                expecting [because "it is known" | L1 | device 3 | devices 0-3,7 | owner 7 | count exactly 1
                    | count between 1-2 | count atLeast 1 | size 4096 | owner "program 7" | label kv-cache
                    | origin HistoryTests.story | count atMost 1
                    | L1 device 3 size 4096 label kv-cache count atMost 1]
                = EXPECTED_ONLY, UNEXPLAINED EXPECTED, leak free
                entry MATCHED: 1 of 4096 B matched
            is red for a buffer that fits not every condition
                phase SETUP; allocate L1 0x1000 on 3, size 4096, of program 7, label kv-cache
                expecting [DRAM | device 2 | devices 0,4 | owner 8 | size 4095 | size 4097 | owner "program 8"
                    | label kv | label KV-CACHE | origin HistoryTests.anotherMethod
                    | L1 device 3 size 4096 label weights]
                = LEAKED
                entry UNMATCHED: 0 of 0 B matched
            never fits an origin or owner that is not known
                without origins; allocate DRAM 0x1000 on 0
                expecting [origin HistoryTests | owner program]
                = LEAKED
            is red for more buffers than allowed and reports how many it rejected
                allocate DRAM 0x1000 on 0..2
                expecting count [atMost 0 | atMost 1 | atMost 2 | exactly 2]
                = LEAKED
                entry OVER_ITS_BOUND: [0 of 0 | 1 of 64 | 2 of 128 | 2 of 128] B matched, [3 | 2 | 1 | 1] rejected
                sum 3 allocated, [3 leaked | 2 leaked, 1 expected | 1 leaked, 2 expected | 1 leaked, 2 expected]
            is green for exactly what is allowed over all devices
                allocate DRAM 0x1000 on 0..2
                expecting count atMost 3
                = EXPECTED_ONLY
            is out of date where less is left than it promises
                allocate DRAM 0x1000 on 0..2
                expecting count [exactly 4 | between 4-9 | atLeast 4]
                = STALE_EXPECTATION, leak free, not as expected
                entry UNDER_ITS_BOUND: 3 of 192 B matched
            of a file is for several checks and one may have nothing that fits
                source binding
                expecting count [exactly 4 | between 4-9 | atLeast 4]
                = LEAK_FREE, as expected
                entry UNMATCHED: 0 of 0 B matched
            holds on its last day and where the day of the check is not known
                allocate DRAM 0x1000 on 0[; checked 2026-12-31 | ]
                expecting until 2026-12-31
                = EXPECTED_ONLY
                entry MATCHED: 1 of 64 B matched, deadline [AHEAD | UNKNOWN]
            lets nothing stay after its last day
                allocate DRAM 0x1000 on 0; checked 2027-01-01
                expecting until 2026-12-31
                = LEAKED
                entry EXPIRED: 0 of 0 B matched, 1 rejected, deadline PASSED
                because no free was reported
                because it was expected until 2026-12-31, and the check was made on 2027-01-01
            says nothing of a day that is still to come where the entry is full
                allocate DRAM 0x1000 on 0..1; checked
                expecting count exactly 1 until 2026-12-31
                youngest because no free was reported
            fills the first entry that has room first
                allocate DRAM 0x1000 on 0..2
                expecting DRAM count atMost 1
                expecting count atMost 2
                = EXPECTED_ONLY
                entry MATCHED: 1 of 64 B matched
                entry MATCHED: 2 of 128 B matched
            reports that an entry has expired though another one expects its buffers
                allocate DRAM 0x1000 on 0; checked 2027-01-01
                expecting until 2026-12-31
                expecting DRAM
                = EXPECTED_ONLY
                entry EXPIRED: 0 of 0 B matched, 1 rejected, deadline PASSED
                entry MATCHED: 1 of 64 B matched
            is red in the wrong order too
                allocate L1 0x1000 on 0; allocate DRAM 0x1000 on 0
                expecting [count atMost 1 | L1 count atMost 1]
                expecting [L1 count atMost 1 | count atMost 1]
                = [LEAKED | EXPECTED_ONLY]
            leaves its room to what may not stay anyway
                allocate DRAM 0x1000 on 0, lifetime PERSISTENT; allocate DRAM 0x2000 on 0
                expecting count atMost 1
                = EXPECTED_ONLY
                entry MATCHED: 1 of 64 B matched
            applies to leaks before misreported buffers
                allocate L1 0x1000 on 3; allocate L1 0x2000 on 3; witness CLOSE_BEGUN L1 on 3: 0x2000; close
                expecting L1 count atMost 1
                survivor FREE_UNREPORTED (misreported): L1 0x1000 (4096) on device 3, generation 1
                survivor UNEXPLAINED (expected): L1 0x2000 (8192) on device 3, generation 1
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    static Stream<Expectation> promisingMore() {
        return Stream.of(ANY.exactly(4), ANY.between(4, 9), ANY.atLeast(4));
    }

    @ParameterizedTest
    @MethodSource("promisingMore")
    void isOutOfDateWhereNothingIsLeftAndItPromisesSomething(Expectation expectation) {
        LeakVerdict verdict = check(historyOf("source binding"), expectation);

        assertThat(verdict.outcome()).isEqualTo(Outcome.STALE_EXPECTATION);
        assertThat(verdict.meetsExpectations()).isFalse();
        assertThat(verdict.staleExpectations())
                .containsExactly(new ExpectationResult(expectation, 0, 0, 0, Deadline.NONE));
    }

    static Stream<Expectation> keptByNone() {
        return Stream.of(
                ANY.exactly(0),
                ANY.atMost(8),
                ANY.atLeast(0),
                ANY.between(0, 8),
                ANY.exactly(2).until("1999-12-31"));
    }

    @ParameterizedTest
    @MethodSource("keptByNone")
    void promisesNothingWithoutALowerBoundOrAfterItsLastDay(Expectation expectation) {
        LeakVerdict verdict = check(historyOf("source binding; checked"), expectation);

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict.expectations()).singleElement().matches(ExpectationResult::neverMatched);
        assertThat(verdict.expectations().get(0).kind()).isEqualTo(Kind.UNMATCHED);
    }

    @Test
    void isAddedToOthersAndNamedByWhatItLetsStay() {
        LeakCheck check = LeakCheck.create()
                .expecting(ExpectedBuffers.of(ANY.devices(DeviceSet.of(0))))
                .expecting(ExpectedBuffers.none().and(ANY.devices(DeviceSet.of(1))));

        LeakVerdict verdict = check.examine(historyOf("allocate DRAM 0x1000 on 0..1"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.survivors())
                .extracting(Survivor::expectation)
                .containsExactly(Optional.of(ANY.devices(DeviceSet.of(0))), Optional.of(ANY.devices(DeviceSet.of(1))));
        assertThat(verdict.expectations())
                .extracting(ExpectationResult::expectation)
                .containsExactly(ANY.devices(DeviceSet.of(0)), ANY.devices(DeviceSet.of(1)));
    }

    @Test
    void doesNotCarryWhatItAdmittedToTheNextExamination() {
        LeakCheck check = LeakCheck.create().expecting(ExpectedBuffers.of(ANY.atMost(1)));
        var history = historyOf("allocate L1 0x1000 on 3");

        assertThat(check.examine(history).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(check.examine(history).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void onlySurvivorsThatNeitherTheirLifetimeNorAnEntryCoversAreUnexpected() {
        AllocationHistory history = historyOf("""
                allocate L1 0x1000 on 3, size 4096; allocate L1 0x2000 on 3, size 4096;
                allocate L1 0x3000 on 3, size 4096, lifetime SYSTEM
                """);

        assertThat(LeakCheck.create()
                        .expecting(ExpectedBuffers.of(ANY.atMost(1)))
                        .unexpectedSurvivors(history))
                .extracting(BufferGeneration::address)
                .containsExactly(0x2000L);
    }

    @Test
    void fitsABufferThatIsGoneByItsFirstReport() {
        var history = historyOf("allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0");
        var gone = history.generations().get(0);

        assertThat(ANY.size(64).fits(gone)).isTrue();
        assertThat(ANY.size(65).fits(gone)).isFalse();
    }

    @Test
    void makesALeakOfABufferOfAStaticInitializerWhoseTimeIsOver() {
        var tracker = trackerOn("2027-01-01");
        allocateInStaticInitializer(tracker, 0x1000);
        tracker.checked();

        LeakVerdict verdict = check(tracker.history(), ANY.until("2026-12-31"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .endsWith("it was expected until 2026-12-31, and the check was made on 2027-01-01");
    }

    @Test
    void boundsBuffersOfStaticInitializersWhereItMeansThem() {
        var tracker = AllocationTracker.create();
        allocateInStaticInitializer(tracker, 0x1000);
        allocateInStaticInitializer(tracker, 0x2000);

        LeakVerdict verdict =
                check(tracker.history(), Expectation.because("one table").atMost(1));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors().get(1).diagnosis().evidence())
                .extracting(Evidence::text)
                .contains("more of them survived than the expectations allow");
    }

    static Stream<Arguments> invalidConditions() {
        return Stream.of(
                invalid(
                        () -> Expectation.because(" "),
                        "needs a reason: say in \"because\" why it is expected; a blank one was given."),
                invalid(
                        () -> ANY.until("31.12.2026"),
                        "'s until is the last day on which it is expected, as an ISO date like 2026-12-31: \"31.12.2026\" was given."),
                invalid(() -> ANY.between(8, 2), "'s count goes from less to more: 8 to 2 was given."),
                invalid(() -> ANY.atMost(-1), "'s count is 0 or more: -1 was given. Leave it out to allow any."),
                invalid(() -> ANY.between(-1, 2), "'s count is 0 or more: -1 was given. Leave it out to allow any."),
                invalid(() -> ANY.size(-3), "'s size is 0 or more: -3 was given. Leave it out to allow any."),
                invalid(
                        () -> ANY.devices(DeviceSet.of(-4)),
                        "'s device is 0 or more: -4 was given. Leave it out to allow any."),
                blank("owner", () -> ANY.owner(" ")),
                blank("label", () -> ANY.label("")),
                blank("origin", () -> ANY.origin(" ")));
    }

    private static Arguments blank(String name, ThrowingCallable condition) {
        return invalid(
                condition, "'s " + name + " is a text to look for: a blank one was given. Leave it out to allow any.");
    }

    private static Arguments invalid(ThrowingCallable condition, String message) {
        return arguments(condition, "An expected buffer" + (message.startsWith("'") ? "" : " ") + message);
    }

    @ParameterizedTest
    @MethodSource("invalidConditions")
    void rejectsWhatNoBufferOrEveryBufferWouldFit(ThrowingCallable condition, String message) {
        assertThatIllegalArgumentException().isThrownBy(condition).withMessage(message);
    }

    @Test
    void describesItsConditionsBoundsAndReason() {
        assertThat(ANY).hasToString("every buffer, because \"it is known\"");
        assertThat(ANY.type(L1)
                        .devices(DeviceSet.of(3))
                        .size(64)
                        .owner("dispatch")
                        .label("ring")
                        .origin("Model.load")
                        .atMost(1))
                .hasToString("L1, device 3, 64 B each, owner \"dispatch\", label \"ring\", origin"
                        + " \"Model.load\", at most 1 buffer, because \"it is known\"");
        assertThat(ANY.devices(DeviceSet.of(0, 1, 2, 5))
                        .between(2, 8)
                        .until("2026-12-31")
                        .writtenAt(new SourceLine("expected.txt", 3)))
                .hasToString(
                        "devices 0-2,5, 2 to 8 buffers, until 2026-12-31, because \"it is known\" at expected.txt:3");
    }

    private static LeakVerdict check(AllocationHistory history, Expectation... entries) {
        return LeakCheck.create().expecting(ExpectedBuffers.of(entries)).examine(history);
    }

    private static AllocationTracker trackerOn(String today) {
        return AllocationTracker.builder()
                .clock(() -> Instant.parse(today + "T12:00:00Z"))
                .build();
    }

    private static void allocateInStaticInitializer(AllocationTracker tracker, long address) {
        Origin initializer =
                new Origin(List.of(new StackTraceElement("dev.example.Tables", "<clinit>", "Tables.java", 7)));
        tracker.allocated(
                MemoryRequest.restored(AllocationDetails.user(), Optional.of(initializer)),
                HistoryEvent.NO_DEVICE,
                BufferType.SYSTEM_MEMORY,
                address,
                64,
                Ownership.OWNING);
    }
}
