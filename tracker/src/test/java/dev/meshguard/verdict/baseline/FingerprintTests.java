package dev.meshguard.verdict.baseline;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.SurvivorGroup;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTests {

    private static final String HERE = "dev.meshguard.verdict.baseline.FingerprintTests.";

    @Test
    void isTheDigestOfTypeSizeClassAndFrames() throws Exception {
        Fingerprint fingerprint = fingerprint(allocated());

        assertThat(fingerprint.digest())
                .isEqualTo(
                        sha256("DRAM\n4096\n" + HERE + "allocated\n" + HERE + "isTheDigestOfTypeSizeClassAndFrames\n"));
        assertThat(fingerprint.callSite()).isEqualTo("FingerprintTests.allocated");
        assertThat(fingerprint).hasToString(fingerprint.digest().substring(0, 6));
    }

    @Test
    void isTheSameOnEveryJdkThroughStreams() throws Exception {
        AllocationTracker tracker = Stream.of(1, 2)
                .map(number -> number * 2)
                .filter(number -> number > 2)
                .map(number -> allocated())
                .toList()
                .get(0);

        assertThat(fingerprint(tracker).digest())
                .isEqualTo(sha256("DRAM\n4096\n" + HERE + "allocated\n" + HERE
                        + "lambda$isTheSameOnEveryJdkThroughStreams\n" + HERE + "isTheSameOnEveryJdkThroughStreams\n"));
    }

    @Test
    void isTheSameOnEveryJdkThroughReflectionAndProxies() throws Exception {
        Method method = FingerprintTests.class.getDeclaredMethod("allocated");
        @SuppressWarnings("unchecked")
        Supplier<AllocationTracker> proxy = (Supplier<AllocationTracker>) Proxy.newProxyInstance(
                FingerprintTests.class.getClassLoader(),
                new Class<?>[] {Supplier.class},
                (self, called, arguments) -> method.invoke(null));

        assertThat(fingerprint(proxy.get()).digest())
                .isEqualTo(sha256("DRAM\n4096\n" + HERE + "allocated\n" + HERE
                        + "lambda$isTheSameOnEveryJdkThroughReflectionAndProxies\n" + HERE
                        + "isTheSameOnEveryJdkThroughReflectionAndProxies\n"));
    }

    /**
     * Stacks that both JDKs print for the same line, {@code buffers.forEach(…)} in a proxied bean called by
     * reflection.
     */
    @Test
    void isTheSameForTheStacksOfJdk17AndJdk25() {
        Origin onJdk17 = origin(
                "dev.example.Model.lambda$load$3:41",
                "java.util.ArrayList.forEach:1511",
                "dev.example.Model.access$000:12",
                "dev.example.Model.load:40",
                "dev.example.Model$$FastClassBySpringCGLIB$$9a1c.invoke:-1",
                "dev.example.Model$$EnhancerBySpringCGLIB$$77aa.load:-1",
                "jdk.internal.reflect.NativeMethodAccessorImpl.invoke0:-2",
                "jdk.internal.reflect.NativeMethodAccessorImpl.invoke:77",
                "dev.example.KvCacheTest.decode:28");
        Origin onJdk25 = origin(
                "dev.example.Model.lambda$load$0:52",
                "dev.example.Model$$Lambda/0x00007f1c2c0a1000.accept:-1",
                "java.util.ArrayList.forEach:1604",
                "dev.example.Model.load:51",
                "dev.example.Model$$SpringCGLIB$$0.load:-1",
                "jdk.internal.reflect.DirectMethodHandleAccessor.invoke:104",
                "dev.example.KvCacheTest.decode:33");

        assertThat(FingerprintTests.frames(onJdk17))
                .isEqualTo(frames(onJdk25))
                .containsExactly(
                        "dev.example.Model.lambda$load", "dev.example.Model.load", "dev.example.KvCacheTest.decode");
    }

    @Test
    void knowsNeitherDevicesNorAddressesNorLinesNorCauses() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int device = 0; device < 3; device++) {
            tracker.allocated(device, DRAM, 0x1000L * (device + 1), 4_096);
        }
        Fingerprint inALoop = fingerprint(tracker);
        AllocationTracker closed = AllocationTracker.create();
        closed.deviceOpened(0);
        closed.allocated(0, DRAM, 0x7000, 4_000);

        closed.deviceClosed(0);

        assertThat(fingerprint(closed)).isEqualTo(inALoop);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "2, 2",
        "3, 4",
        "4096, 4096",
        "4097, 8192",
        "4611686018427387904, 4611686018427387904",
        "4611686018427387905, 9223372036854775807",
        "9223372036854775807, 9223372036854775807"
    })
    void knowsTheOrderOfTheSize(long size, long sizeClass) {
        var history = historyOf("allocate DRAM 0x1000 on 0, size " + size);

        assertThat(fingerprint(history).sizeClass()).isEqualTo(sizeClass);
    }

    @Test
    void distinguishesMemories() {
        var one = historyOf("allocate DRAM 0x1000 on 0");
        var other = historyOf("allocate L1 0x1000 on 0");

        assertThat(fingerprint(one)).isNotEqualTo(fingerprint(other));
    }

    /** Two objects of one method have the same frames, and no size that differs. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Deflater",
                "Deflater$$Lambda$14/0x0000000800c03000",
                "Deflater$$Lambda/0x000071c3",
                "Deflater$MockitoMock$111",
                "Deflater$ByteBuddy$xyz",
                "Deflater$1"
            })
    void standsOnTheClassOfAnObjectToo(String label) throws Exception {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.lease(AllocationDetails.user().labelled(label), OriginFilter.none(), SYSTEM_MEMORY, 0);

        Fingerprint fingerprint = Fingerprint.of(tracker.history().live().get(0));

        assertThat(fingerprint.digest())
                .isEqualTo(sha256("SYSTEM_MEMORY\n0\n" + HERE + "standsOnTheClassOfAnObjectToo\nlabel Deflater\n"));
        assertThat(fingerprint.callSite()).isEqualTo("FingerprintTests.standsOnTheClassOfAnObjectToo, label Deflater");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7 (add)", "12 (add)", " 9  (add) "})
    void standsOnTheOwnerWithoutItsNumbersWhereThereIsNoOrigin(String program) throws Exception {
        Fingerprint fingerprint = fingerprint(
                historyOf("without origins; allocate L1 0x1000 on 0, of program " + program + ", label kernel 1"));

        assertThat(fingerprint.digest()).isEqualTo(sha256("L1\n64\nowner program (add)\nlabel kernel 1\n"));
        assertThat(fingerprint.callSite()).isEqualTo("owner program (add), label kernel 1");
    }

    @Test
    void isThatOfTypeAndSizeWhereNothingElseIsKnown() throws Exception {
        Fingerprint fingerprint = fingerprint(historyOf("without origins; allocate L1 0x1000 on 0"));

        assertThat(fingerprint.digest()).isEqualTo(sha256("L1\n64\n"));
        assertThat(fingerprint.callSite()).isEqualTo("unknown");
    }

    @Test
    void isPrintedLongerWhereShortOnesAreTheSame() {
        Fingerprint one = new Fingerprint("abcdef01" + "0".repeat(56), DRAM, 64, "A.a");
        Fingerprint other = new Fingerprint("abcdef02" + "0".repeat(56), DRAM, 64, "A.b");
        Fingerprint third = new Fingerprint("123456" + "0".repeat(58), DRAM, 64, "A.c");

        assertThat(Fingerprint.digitsOf(List.of(one, one, third))).isEqualTo(6);
        assertThat(Fingerprint.digitsOf(List.of(one, third, other))).isEqualTo(8);
        assertThat(other.abbreviated(8)).isEqualTo("abcdef02");
    }

    private static AllocationTracker allocated() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, DRAM, 0x1000, 4_096);
        return tracker;
    }

    private static Fingerprint fingerprint(AllocationTracker tracker) {
        return fingerprint(tracker.history());
    }

    private static Fingerprint fingerprint(AllocationHistory history) {
        List<SurvivorGroup> groups = LeakCheck.create().examine(history).groups();
        List<Fingerprint> fingerprints =
                groups.stream().map(Fingerprint::of).distinct().toList();
        assertThat(fingerprints).hasSize(1);
        return fingerprints.get(0);
    }

    private static List<String> frames(Origin origin) {
        return Fingerprint.frames(origin).stream().map(Object::toString).toList();
    }

    private static Origin origin(String... frames) {
        return new Origin(Stream.of(frames)
                .map(text -> {
                    String name = text.substring(0, text.indexOf(':'));
                    int point = name.lastIndexOf('.');
                    return new StackTraceElement(
                            name.substring(0, point),
                            name.substring(point + 1),
                            "Model.java",
                            Integer.parseInt(text.substring(text.indexOf(':') + 1)));
                })
                .toList());
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void takesFourMethodsAndNoneFurtherOut() throws Exception {
        assertThat(fingerprint(third()).digest())
                .isEqualTo(sha256("DRAM\n4096\n" + HERE + "allocated\n" + HERE + "first\n" + HERE + "second\n" + HERE
                        + "third\n"));
    }

    private static AllocationTracker third() {
        return second();
    }

    private static AllocationTracker second() {
        return first();
    }

    private static AllocationTracker first() {
        return allocated();
    }
}
