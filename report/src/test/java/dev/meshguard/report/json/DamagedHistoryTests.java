package dev.meshguard.report.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Line 1 of each history is the header, lines 2 to 7 are events #1 to #6, line 8 the end. */
class DamagedHistoryTests {

    /** {@code 4=text} replaces line 4, {@code +4=text} comes before it, and {@code -4..5} removes lines. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            4={"kind":"fre \
                | 1 report is missing (event #3: history.jsonl: line 4 cannot be read, because it is no JSON object).
            3=[1,2]; 4=null; 5={} {} \
                | 3 reports are missing (event #2: history.jsonl: 3 lines from line 3 to line 5 cannot be read, \
                    the first because it is no JSON object).
            +4=Killed \
                | An unknown number of reports is missing (event #7: history.jsonl: line 4 cannot be read, \
                    because it is no JSON object).
            -3..4 | 2 reports are missing (event #2: history.jsonl: events #2 to #3 are missing before line 3).
            -7 | 1 report is missing (event #6: history.jsonl: line 7 counts 6 events, and 5 could be read).
            -6..8 \
                | An unknown number of reports is missing (event #5: history.jsonl: it ends with line 5 and has no end line, \
                    so the rest is missing).
            +9={"kind":"end"} \
                | An unknown number of reports is missing (event #7: history.jsonl: line 9 cannot be read, \
                    because it comes after the end line).
            """)
    void isALossWhereItWas(String damage, String loss) {
        assertThat(inconclusiveReasons(damaged(lines -> {
                    for (String change : damage.split("; ", -1)) {
                        String[] placeAndText = change.split("=", 2);
                        String[] range =
                                placeAndText[0].replaceFirst("[+-]", "").split("\\.\\.", 2);
                        int line = Integer.parseInt(range[0]) - 1;
                        if (change.startsWith("-")) {
                            lines.subList(line, Integer.parseInt(range[range.length - 1]))
                                    .clear();
                        } else if (change.startsWith("+")) {
                            lines.add(line, placeAndText[1]);
                        } else {
                            lines.set(line, placeAndText[1]);
                        }
                    }
                })))
                .singleElement()
                .asString()
                .isEqualToNormalizingWhitespace(loss);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"number":3}                                                           | it has no "kind"
            {"kind":"weather","number":3}                                          | kind "weather" is not known here
            {"kind":"deviceOpened"}                                                | it has no "number"
            {"kind":"deviceOpened","number":3,"device":1.5}                        | "device" is no whole number
            {"kind":"deviceOpened","number":3,"device":4294967296} \
                | "device" is 4294967296, and only devices 0 to 65535 can be
            {"kind":"deviceOpened","number":9223372036854775808,"device":1}        | it is no JSON object
            {"kind":"deviceOpened","number":9223372036854775807,"device":1} \
                | event #9223372036854775807 has a number above 9223372036854775607
            {"kind":"deviceOpened","number":3,"device":1,"device":2}               | it has "device" twice
            {"kind":"sourceAttached","number":3,"source":7}                        | "source" is no text
            {"kind":"ownerEnded","number":3,"owner":{"kind":"TRACE","name":""}}    | "owner" has a value that it cannot have
            {"kind":"checked","number":3,"today":"tomorrow"}                       | a value is none that it can have
            {"kind":"allocated","number":3,"device":0,"address":64,"type":"L3\\n","size":64} \
                | "type" is "L3\\n", which is not known here
            {"kind":"allocated","number":3,"device":0,"address":64,"type":"L1","size":-64}             | "size" is -64
            {"kind":"allocated","number":3,"device":0,"address":64,"type":"L1","size":64,"request":4} \
                | request 4 was not described before it
            {"kind":"meshOpened","number":3,"at":"2026-03-01T10:15:30Z","mesh":0,"name":"mesh","devices":[1,"2"]} \
                | "devices" is no list of whole numbers
            {"kind":"sourceAttached","number":3,"source":"\uFFFD"}                  | it is not UTF-8
            """)
    void saysWhatIsWrongWithALine(String line, String wrong) {
        assertThat(damaged(lines -> lines.set(3, line)).lostReports().get(0).reason())
                .endsWith("because " + wrong);
    }

    @Test
    void aRequestWhoseOriginWasLostIsThereAllTheSame() {
        var history = damaged(lines -> {
            lines.add(2, "{\"kind\":\"request\",\"id\":1,\"label\":\"kv-cache\",\"origin\":1}");
            lines.set(
                    3,
                    "{\"kind\":\"allocated\",\"number\":2,\"request\":1,\"device\":0,\"type\":\"DRAM\",\"address\":64,"
                            + "\"size\":64}");
        });

        assertThat(history.generations().get(0).label()).contains("kv-cache");
        assertThat(inconclusiveReasons(history))
                .containsExactly(
                        "An unknown number of reports is missing (event #7: history.jsonl: line 3 cannot be read,"
                                + " because origin 1 was not described before it).");
    }

    @Test
    void eventsOutOfOrderAreALoss() {
        assertThat(inconclusiveReasons(damaged(lines -> lines.add(2, lines.remove(3)))))
                .containsExactly(
                        "1 report is missing (event #2: history.jsonl: event #2 is missing before line 3).",
                        "An unknown number of reports is missing (event #7: history.jsonl: line 4 cannot be read,"
                                + " because event #2 comes after event #3).");
    }

    @Test
    void aFileThatWasCutInTheMiddleOfALineIsALoss() {
        String whole = String.join("\n", lines());

        assertThat(inconclusiveReasons(read(whole.substring(0, whole.length() - 1))))
                .containsExactly(
                        "An unknown number of reports is missing (event #7: history.jsonl: it ends in the middle of"
                                + " line 8 and has no end line, so the rest is missing).");
    }

    @Test
    void aFileThatWasCutAnywhereIsInconclusiveOrNoHistory() {
        String whole = String.join("\n", lines());
        int header = lines().get(0).length();

        for (int length = header; length < whole.length(); length++) {
            AllocationHistory history = read(whole.substring(0, length));

            assertThat(examined(history).outcome()).isGreaterThanOrEqualTo(Outcome.INCONCLUSIVE);
            assertThat(inconclusiveReasons(history))
                    .hasSize(1)
                    .allMatch(doubt -> doubt.contains("the rest is missing"));
        }
    }

    /** Compressed, the fields of an event may be wrong where the data is spoilt, also if there is an end line. */
    @Test
    void compressedDataThatBreaksOffOrIsSpoiltIsALoss() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write((String.join("\n", lines()) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        byte[] file = compressed.toByteArray();
        int checksum = file.length - 8;

        assertThat(inconclusiveReasons(readCompressed(Arrays.copyOf(file, checksum - 20))))
                .singleElement()
                .asString()
                .containsPattern("its compressed data breaks off or is spoilt after line \\d, so the rest is missing");
        file[checksum]++;
        assertThat(inconclusiveReasons(readCompressed(file)))
                .containsExactly("An unknown number of reports is missing (event #7: history.jsonl: its compressed data"
                        + " breaks off or is spoilt after line 8, so the rest is missing).");
        assertThatExceptionOfType(HistoryFormatException.class)
                .isThrownBy(() -> readCompressed(Arrays.copyOf(file, 20)))
                .withMessageContaining("its compressed data breaks off or is spoilt");
    }

    private static AllocationHistory readCompressed(byte[] file) throws IOException {
        InputStream plain = new GZIPInputStream(new ByteArrayInputStream(file)) {
            /** So that a reader hands out what it has before it reads on. */
            @Override
            public int available() {
                return 0;
            }
        };
        return HistoryJson.read(new InputStreamReader(plain, StandardCharsets.UTF_8), "history.jsonl");
    }

    @Test
    void aLaterMinorVersionIsNamedWhereItsEventsAreNotKnown() {
        var history = damaged(lines -> {
            lines.set(0, lines.get(0).replace("\"minor\":1", "\"minor\":3"));
            lines.set(2, "{\"kind\":\"weather\",\"number\":2}");
        });

        assertThat(inconclusiveReasons(history))
                .containsExactly("1 report is missing (event #2: history.jsonl: line 3 cannot be read, because kind"
                        + " \"weather\" is not known here, because the history is of version 2.3).");
    }

    @Test
    void whatIsWrittenOfADamagedHistoryIsReadAsTheSame() throws IOException {
        var history = damaged(lines -> {
            lines.subList(2, 4).clear();
            lines.add("rubbish");
        });
        StringWriter written = new StringWriter();
        HistoryJson.write(history, written);

        assertThat(inconclusiveReasons(read(written.toString()))).isEqualTo(inconclusiveReasons(history));
    }

    /** Its numbers skip anyway, so only the count at the end shows the loss. */
    @Test
    void aLineMissingFromThePartOfATestIsALoss() throws IOException {
        String part = part();
        String freed = part.lines()
                .filter(line -> line.contains("\"kind\":\"freed\""))
                .findFirst()
                .orElseThrow();

        assertThat(inconclusiveReasons(read(part))).isEmpty();
        assertThat(inconclusiveReasons(read(part.replace(freed + "\n", ""))))
                .containsExactly(
                        "1 report is missing (event #5: history.jsonl: line 8 counts 3 events, and 2 could be read).");
        assertThat(inconclusiveReasons(read(part.replace(freed, "rubbish"))))
                .containsExactly(
                        "1 report is missing (event #5: history.jsonl: line 6 cannot be read, because it is no JSON"
                                + " object).");
    }

    @Test
    void describesAFileOfOnlyDamageInABoundedNumberOfSentences() {
        var history = damaged(lines -> {
            List<String> many = new ArrayList<>();
            for (int event = 1; event < 2_000; event += 2) {
                many.add("rubbish");
                many.add("{\"kind\":\"deviceOpened\",\"number\":" + (event + 1) + ",\"device\":" + event % 3 + "}");
            }
            lines.subList(1, 7).clear();
            lines.addAll(1, many);
        });

        assertThat(history.lostReports()).hasSize(101);
        assertThat(history.lostReports().get(100).reason())
                .isEqualTo("history.jsonl: more is missing in 901 other places");
    }

    @Test
    void bytesThatAreNoUtf8SpoilTheirLineOnly(@TempDir Path folder) throws IOException {
        List<String> lines = new ArrayList<>(lines());
        lines.set(3, "{\"kind\":\"sourceAttached\",\"number\":3,\"source\":\"é\"}");
        Path file = folder.resolve("history.jsonl");
        Files.write(file, String.join("\n", lines).getBytes(StandardCharsets.ISO_8859_1));

        assertThat(HistoryJson.read(file).lostReports())
                .extracting(HistoryEvent.ReportsLost::reason)
                .containsExactly(file + ": line 4 cannot be read, because it is not UTF-8");
    }

    @Test
    void anyDamageIsSurvivedAndNeverPassedOver() {
        long seed = Long.getLong("meshguard.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (int run = 0; run < 120; run++) {
            StringWriter written = new StringWriter();
            try {
                HistoryJson.write(RandomHistory.of(random, 60), written);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            List<String> lines = new ArrayList<>(written.toString().lines().toList());
            if (lines.size() < 3) {
                continue;
            }
            lines.remove(1 + random.nextInt(lines.size() - 1));

            AllocationHistory history = read(String.join("\n", lines));

            assertThat(examined(history).outcome())
                    .as("repeat with -Dmeshguard.seed=%d", seed)
                    .isGreaterThanOrEqualTo(Outcome.INCONCLUSIVE);
            assertThat(history.lostReports())
                    .as("repeat with -Dmeshguard.seed=%d", seed)
                    .isNotEmpty();
        }
    }

    @Test
    void rejectsAFileThatIsNotAHistoryAndSaysHowToFixIt() {
        assertThat(rejectionOf(""))
                .isEqualTo(
                        "Cannot read history.jsonl: it is empty, and a history begins with a header. Whoever should have"
                                + " written it did not, or was stopped before; run it again.");
        assertThat(rejectionOf("Tests run: 3\n"))
                .isEqualTo(
                        "Cannot read history.jsonl: its first line is no header of a history (it is no JSON object). Give"
                                + " a file that HistoryJson.write made.");
        assertThat(rejectionOf("{\"format\":\"meshguard-verdict\"}"))
                .isEqualTo("Cannot read history.jsonl: its first line is no header of a history (its \"format\" is"
                        + " \"meshguard-verdict\" and not \"meshguard-history\"). Give a file that HistoryJson.write"
                        + " made.");
        assertThat(rejectionOf(lines().get(0).replace("\"version\":2", "\"version\":3")))
                .isEqualTo("Cannot read history.jsonl: it is a history of version 3, and only version 2 can be read"
                        + " here. Read it with the MeshGuard that wrote it or a newer one.");
        assertThat(rejectionOf(lines().get(0).replace("\"version\":2", "\"version\":1")))
                .isEqualTo("Cannot read history.jsonl: it is a history of version 1, and only version 2 can be read"
                        + " here. Read it with the MeshGuard that wrote it.");
    }

    private static String rejectionOf(String text) {
        List<String> messages = new ArrayList<>();
        assertThatExceptionOfType(HistoryFormatException.class)
                .isThrownBy(() -> HistoryJson.read(new StringReader(text), "history.jsonl"))
                .satisfies(refusal -> messages.add(refusal.getMessage()));
        return messages.get(0);
    }

    private static AllocationHistory whole() {
        return HistoryScript.historyOf("""
                without origins; source a source; allocate DRAM 64 on 0; free DRAM 64 on 0; allocate DRAM 128 on 0;
                free DRAM 128 on 0; died 4711
                """);
    }

    /** Returns the part of one test: an allocation, its free, and another allocation. */
    private static String part() throws IOException {
        StringWriter written = new StringWriter();
        HistoryJson.write(HistoryScript.scriptOf("""
                        allocate DRAM 64 on 0; for decode; allocate DRAM 128 on 0; free DRAM 128 on 0; allocate DRAM 192 on 0
                        """).partOf("decode"), written);
        return written.toString();
    }

    private static List<String> lines() {
        StringWriter text = new StringWriter();
        try {
            HistoryJson.write(whole(), text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return text.toString().lines().toList();
    }

    /** Changes the lines of a history. */
    private interface Damage {
        void to(List<String> lines);
    }

    private static AllocationHistory damaged(Damage damage) {
        List<String> lines = new ArrayList<>(lines());
        damage.to(lines);
        return read(String.join("\n", lines) + "\n");
    }

    private static AllocationHistory read(String text) {
        try {
            return HistoryJson.read(new StringReader(text), "history.jsonl");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static LeakVerdict examined(AllocationHistory history) {
        return LeakCheck.create().examine(history);
    }

    private static List<String> inconclusiveReasons(AllocationHistory history) {
        return examined(history).inconclusiveReasonTexts();
    }
}
