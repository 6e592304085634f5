package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpectationTests {

    private static final Expectation ANY = Expectation.because("it is known");

    private static AllocationHistory oneBuffer() {
        return historyOf("phase SETUP; allocate L1 0x1000 on 3, size 4096, of program 7, label kv-cache");
    }

    static Stream<Expectation> fitting() {
        return Stream.of(
                ANY,
                ANY.type(L1),
                ANY.device(3),
                ANY.devices(DeviceSet.parse("0-3,7")),
                ANY.owner("7"),
                ANY.exactly(1),
                ANY.between(1, 2),
                ANY.atLeast(1),
                ANY.size(4_096),
                ANY.owner("program 7"),
                ANY.label("kv-cache"),
                ANY.origin("HistoryTests.story"),
                ANY.atMost(1),
                ANY.type(L1).device(3).size(4_096).label("kv-cache").atMost(1));
    }

    @ParameterizedTest
    @MethodSource("fitting")
    void letsABufferStayThatFitsEveryCondition(Expectation expectation) {
        LeakVerdict verdict = check(oneBuffer(), expectation);

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.survivors().get(0).expectation()).contains(expectation);
        assertThat(verdict.expectations())
                .containsExactly(new ExpectationResult(expectation, 1, 4_096, 0, Deadline.NONE));
    }

    static Stream<Expectation> notFitting() {
        return Stream.of(
                ANY.type(DRAM),
                ANY.device(2),
                ANY.devices(DeviceSet.of(0, 4)),
                ANY.owner("8"),
                ANY.size(4_095),
                ANY.size(4_097),
                ANY.owner("program 8"),
                ANY.label("kv"),
                ANY.label("KV-CACHE"),
                ANY.origin("HistoryTests.anotherMethod"),
                ANY.type(L1).device(3).size(4_096).label("weights"));
    }

    @ParameterizedTest
    @MethodSource("notFitting")
    void isRedForABufferThatFitsNotEveryCondition(Expectation expectation) {
        LeakVerdict verdict = check(oneBuffer(), expectation);

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.expectations()).singleElement().satisfies(result -> {
            assertThat(result.neverMatched()).isTrue();
            assertThat(result.rejectedBuffers()).isZero();
        });
    }

    static Stream<Expectation> oneTooFew() {
        return Stream.of(ANY.atMost(2), ANY.atMost(0));
    }

    @ParameterizedTest
    @MethodSource("oneTooFew")
    void isRedForOneBufferMoreThanAllowed(Expectation expectation) {
        var history = history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        assertThat(check(history, expectation).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void isGreenForExactlyWhatIsAllowedOverAllDevices() {
        var history = history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        assertThat(check(history, ANY.atMost(3)).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    static Stream<Expectation> promisingMore() {
        return Stream.of(ANY.exactly(4), ANY.between(4, 9), ANY.atLeast(4));
    }

    @ParameterizedTest
    @MethodSource("promisingMore")
    void isOutOfDateWhereLessIsLeftThanItPromises(Expectation expectation) {
        var history = history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        LeakVerdict verdict = check(history, expectation);

        assertThat(verdict.outcome()).isEqualTo(Outcome.STALE_EXPECTATION);
        assertThat(verdict.isLeakFree()).isTrue();
        assertThat(verdict.meetsExpectations()).isFalse();
        assertThat(verdict.staleExpectations())
                .containsExactly(new ExpectationResult(expectation, 3, 192, 0, Deadline.NONE));
    }

    @ParameterizedTest
    @MethodSource("promisingMore")
    void isOutOfDateWhereNothingIsLeftAndItPromisesSomething(Expectation expectation) {
        LeakVerdict verdict = check(history().source("binding").recorded(), expectation);

        assertThat(verdict.outcome()).isEqualTo(Outcome.STALE_EXPECTATION);
        assertThat(verdict.meetsExpectations()).isFalse();
        assertThat(verdict.staleExpectations())
                .containsExactly(new ExpectationResult(expectation, 0, 0, 0, Deadline.NONE));
    }

    @ParameterizedTest
    @MethodSource("promisingMore")
    void ofSeveralChecksOneMayHaveNothingThatFits(Expectation expectation) {
        Expectation shared = expectation.forSeveralChecks();

        LeakVerdict nothing = check(history().source("binding").recorded(), shared);
        LeakVerdict tooLittle =
                check(history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded(), shared);

        assertThat(nothing.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(nothing.meetsExpectations()).isTrue();
        assertThat(nothing.expectations()).extracting(ExpectationResult::kind).containsExactly(Kind.UNMATCHED);
        assertThat(tooLittle.outcome()).isEqualTo(Outcome.STALE_EXPECTATION);
    }

    static Stream<Expectation> keptByNone() {
        return Stream.of(ANY.exactly(0), ANY.atMost(8), ANY.atLeast(0), ANY.between(0, 8));
    }

    @ParameterizedTest
    @MethodSource("keptByNone")
    void promisesNothingWithoutALowerBound(Expectation expectation) {
        assertThat(check(history().source("binding").recorded(), expectation).outcome())
                .isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void promisesNothingAfterItsLastDay() {
        var over = historyOf("source binding; allocate L1 0x1000 on 0; checked");

        LeakVerdict verdict = check(over, ANY.type(DRAM).exactly(2).until("1999-12-31"));

        assertThat(verdict.expectations()).extracting(ExpectationResult::kind).containsExactly(Kind.UNMATCHED);
    }

    @Test
    void entriesOfAFileAreForSeveralChecks() {
        ExpectedBuffers file = ExpectedBuffers.parse("DRAM count exactly 2 because \"shared\"\n", "expected.txt");

        assertThat(file.entries()).noneMatch(Expectation::isBrokenByNone);
    }

    @Test
    void countsOneMoreThanExactlyAsALeak() {
        var history = history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        LeakVerdict verdict = check(history, ANY.exactly(2));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.expectations()).extracting(ExpectationResult::kind).containsExactly(Kind.OVER_ITS_BOUND);
    }

    @Test
    void holdsOnItsLastDay() {
        LeakVerdict verdict = check(checkedOn("2026-12-31"), ANY.until("2026-12-31"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.expectations())
                .containsExactly(new ExpectationResult(ANY.until("2026-12-31"), 1, 64, 0, Deadline.AHEAD));
    }

    @Test
    void letsNothingStayAfterItsLastDay() {
        LeakVerdict verdict = check(checkedOn("2027-01-01"), ANY.until("2026-12-31"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.expectations())
                .containsExactly(new ExpectationResult(ANY.until("2026-12-31"), 0, 0, 1, Deadline.PASSED));
        assertThat(verdict.expectations().get(0).kind()).isEqualTo(Kind.EXPIRED);
        assertThat(verdict.survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .contains("it was expected until 2026-12-31, and the check was made on 2027-01-01");
    }

    @Test
    void holdsWhereTheDayOfTheCheckIsNotKnownAndSaysSo() {
        LeakVerdict verdict = check(oneBuffer(), ANY.until("1999-12-31"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.expectations().get(0).deadline()).isEqualTo(Deadline.UNKNOWN);
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

    private static AllocationTracker trackerOn(String today) {
        return AllocationTracker.builder()
                .clock(() -> Instant.parse(today + "T12:00:00Z"))
                .build();
    }

    private static AllocationHistory checkedOn(String today) {
        var tracker = trackerOn(today);
        allocate(tracker, BufferLifetime.USER, 0x1000);
        tracker.checked();
        return tracker.history();
    }

    @Test
    void rejectsAnInvalidDate() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.until("31.12.2026"))
                .withMessage(
                        "An expected buffer's until is the last day on which it is expected, as an ISO date like 2026-12-31:"
                                + " \"31.12.2026\" was given.");
    }

    @Test
    void rejectsInverseBounds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.between(8, 2))
                .withMessage("An expected buffer's count goes from less to more: 8 to 2 was given.");
    }

    @Test
    void reportsHowManyItRejected() {
        var history = history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        LeakVerdict verdict = check(history, ANY.atMost(1));

        assertThat(verdict.expectations())
                .containsExactly(new ExpectationResult(ANY.atMost(1), 1, 64, 2, Deadline.NONE));
        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(3, 0, 0, 2, 0, 1, 0));
    }

    @Test
    void fillsTheFirstEntryThatHasRoomFirst() {
        Expectation first = ANY.type(DRAM).atMost(1);
        Expectation second = ANY.atMost(2);
        var history = history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        LeakVerdict verdict = check(history, first, second);

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.expectations())
                .extracting(ExpectationResult::matchedBuffers)
                .containsExactly(1L, 2L);
    }

    @Test
    void isRedInTheWrongOrderToo() {
        Expectation wide = ANY.atMost(1);
        Expectation narrow = ANY.type(L1).atMost(1);
        var history = historyOf("allocate L1 0x1000 on 0; allocate DRAM 0x1000 on 0");

        assertThat(check(history, wide, narrow).outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(check(history, narrow, wide).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void isAddedToOthers() {
        LeakCheck check = LeakCheck.create()
                .expecting(ExpectedBuffers.of(ANY.device(0)))
                .expecting(ExpectedBuffers.none().and(ANY.device(1)));
        var history = history().allocate(DRAM, devices(0, 1), 0x1000, 64).recorded();

        assertThat(check.examine(history).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void doesNotCarryWhatItAdmittedToTheNextExamination() {
        LeakCheck check = LeakCheck.create().expecting(ExpectedBuffers.of(ANY.atMost(1)));

        assertThat(check.examine(oneBuffer()).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(check.examine(oneBuffer()).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
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
    void keepsTheCauseOfExpectedBuffers() {
        LeakVerdict verdict = check(oneBuffer(), ANY);

        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(Cause.UNEXPLAINED);
        assertThat(verdict.isLeakFree()).isTrue();
    }

    @Test
    void neverFitsAnOriginOrOwnerThatIsNotKnown() {
        var history =
                historyWithoutOrigins().allocate(DRAM, device(0), 0x1000, 64).recorded();

        assertThat(check(history, ANY.origin("HistoryTests")).outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(check(history, ANY.owner("program")).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void saysThatItNeverMatched() {
        LeakVerdict verdict = check(history().source("binding").recorded(), ANY.atMost(1));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict.expectations().get(0).neverMatched()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void needsAReason(String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Expectation.because(reason))
                .withMessage(
                        "An expected buffer needs a reason: say in \"because\" why it is expected; a blank one was given.");
    }

    @Test
    void rejectsNegativeNumbers() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.atMost(-1))
                .withMessage("An expected buffer's count is 0 or more: -1 was given. Leave it out to allow any.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.size(-3))
                .withMessage("An expected buffer's size is 0 or more: -3 was given. Leave it out to allow any.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.device(-4))
                .withMessage("An expected buffer's device is 0 or more: -4 was given. Leave it out to allow any.");
    }

    @Test
    void describesItsConditionsBoundsAndReason() {
        assertThat(ANY).hasToString("every buffer, because \"it is known\"");
        assertThat(ANY.type(L1)
                        .device(3)
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

    @Test
    void leavesItsRoomToWhatMayNotStayAnyway() {
        var tracker = AllocationTracker.create();
        allocate(tracker, BufferLifetime.PERSISTENT, 0x1000);
        allocate(tracker, BufferLifetime.USER, 0x2000);

        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(Expectation.because("one").atMost(1)))
                .examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.expectations().get(0).matchedBuffers()).isEqualTo(1);
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

    @Test
    void rejectsTextsThatWouldFitEverything() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Expectation.because("why").owner(" "))
                .withMessage("An expected buffer's owner is a text to look for: a blank one was given. Leave it out to"
                        + " allow any.");
    }

    private static void allocate(AllocationTracker tracker, BufferLifetime lifetime, long address) {
        tracker.allocated(
                tracker.request(AllocationDetails.user().withLifetime(lifetime)),
                0,
                BufferType.DRAM,
                address,
                64,
                Ownership.OWNING);
    }

    @Test
    void saysNothingOfADayThatIsStillToComeWhereTheEntryIsFull() {
        var history = historyOf("allocate DRAM 0x1000 on 0..1; checked");

        LeakVerdict verdict = check(history, ANY.exactly(1).until("2026-12-31"));

        assertThat(verdict.survivors().get(1).diagnosis().evidence())
                .extracting(Evidence::text)
                .containsExactly("no free was reported");
    }

    @Test
    void fitsABufferThatIsGoneByItsFirstReport() {
        var history = historyOf("allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0");
        var gone = history.generations().get(0);

        assertThat(ANY.size(64).fits(gone)).isTrue();
        assertThat(ANY.size(65).fits(gone)).isFalse();
    }

    @Test
    void appliesToLeaksBeforeMisreportedBuffers() {
        AllocationHistory history = historyOf("""
                allocate L1 0x1000 on 3; allocate L1 0x2000 on 3; witness CLOSE_BEGUN L1 on 3: 0x2000; close
                """);

        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(ANY.type(L1).atMost(1)))
                .examine(history);

        assertThat(verdict.survivors())
                .extracting(Survivor::toString)
                .containsExactly(
                        "FREE_UNREPORTED (misreported): L1 0x1000 (4096) on device 3, generation 1",
                        "UNEXPLAINED (expected): L1 0x2000 (8192) on device 3, generation 1");
    }
}
