package dev.meshguard.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Any number of JVMs can write to a folder, and its index lists the runs of all. */
class SuiteFolderTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @Test
    void theIndexListsEachRunWithItsFiguresAndItsPage() throws IOException {
        SuiteFolder suite = SuiteFolder.at(folder).writtenBy(Optional.of("ci-7"), "2");
        RunPage page = leaking("KvCacheTest.decode()");
        suite.add("decode-1", page);

        Path index = suite.writeIndex();

        assertThat(dataOf(index).toPrettyString()).isEqualTo("""
                {
                  "format" : "meshguard-suite",
                  "version" : 1,
                  "minor" : 0,
                  "runs" : [ {
                    "id" : "decode-1",
                    "title" : "KvCacheTest.decode()",
                    "outcome" : "LEAKED",
                    "headline" : "LEAK  32 B in 1 DRAM buffer, UNEXPLAINED",
                    "leaks" : 1,
                    "leakedBytes" : 32,
                    "buffers" : 1,
                    "peakByType" : {
                      "DRAM" : 32
                    },
                    "devicePeakByType" : {
                      "DRAM" : 32
                    },
                    "durationMillis" : 1000,
                    "day" : "2026-11-20",
                    "machine" : "ci-7",
                    "fork" : "2",
                    "causes" : {
                      "UNEXPLAINED" : 1
                    },
                    "findings" : [ {
                      "fingerprint" : "7ca687b413f0f8677874755ebca5822075b4791bd440320ad7845895605defe9",
                      "cause" : "UNEXPLAINED",
                      "status" : "LEAKED",
                      "type" : "DRAM",
                      "buffers" : 1,
                      "bytes" : 32
                    } ],
                    "expectationsUsed" : [ ],
                    "page" : "runs/decode-1.html"
                  } ],
                  "warnings" : [ ]
                }""");
        assertThat(folder.resolve("runs/decode-1.html"))
                .as("one file that needs no other")
                .hasContent(Pages.of(page));
        assertThat(drafts()).isEmpty();
    }

    @Test
    void aRunThatIsRunAgainIsListedOnceAndOneThatIsTakenAwayNoMore() throws IOException {
        SuiteFolder suite = SuiteFolder.at(folder);
        suite.add("one", leaking("one"));
        suite.add("one", leaking("one"));
        suite.add("two", leaking("two"));

        boolean wasThere = suite.remove("two");

        assertThat(wasThere).isTrue();
        assertThat(suite.remove("two")).isFalse();
        assertThat(titles(suite.writeIndex())).containsExactly("one");
    }

    @Test
    void whatAnotherMachineWroteMayLieInAFolderOfItsOwn() throws IOException {
        SuiteFolder.at(folder).add("one", leaking("one"));
        SuiteFolder.at(folder.resolve("machine-b")).add("one", leaking("one on b"));

        JsonNode runs = dataOf(SuiteFolder.at(folder).writeIndex()).at("/runs");

        assertThat(runs.findValuesAsText("page")).containsExactly("runs/one.html", "machine-b/runs/one.html");
    }

    @Test
    void whatCannotBeReadIsAWarningOnThePage() throws IOException {
        SuiteFolder suite = SuiteFolder.at(folder);
        suite.add("one", leaking("one"));
        Files.writeString(folder.resolve("runs/half.json"), "{\"format\":\"meshguard-run-record\",\"ver");
        Files.writeString(folder.resolve("runs/other.json"), "{\"format\":\"something\"}");
        Files.delete(folder.resolve("runs/one.html"));

        JsonNode data = dataOf(suite.writeIndex());

        assertThat(data.at("/warnings").toString())
                .isEqualTo("[\"runs/half.json cannot be read, and is omitted.\","
                        + "\"runs/other.json is no record of version 1, and is omitted.\"]");
        assertThat(data.at("/runs/0/title").textValue()).isEqualTo("one");
        assertThat(data.at("/runs/0").has("page")).isFalse();
    }

    @Test
    void hostileRecordsStayText() throws IOException {
        Files.createDirectories(folder.resolve("runs"));
        Files.writeString(
                folder.resolve("runs/evil.json"),
                "{\"format\":\"meshguard-run-record\",\"version\":1,\"title\":\"</script><script>alert(1)</script>\"}");

        String html = Files.readString(SuiteFolder.at(folder).writeIndex());

        assertThat(html).doesNotContain("<script>alert(1)").contains("\\u003Cscript\\u003Ealert(1)");
    }

    @Test
    void namesAreStableDistinctAndSafe() {
        assertThat(SuiteFolder.nameOf("dev.example.KvCacheTest#decode", "[engine]/[method:decode()]"))
                .isEqualTo("dev.example.KvCacheTest.decode-78e3f2e6");
        assertThat(SuiteFolder.nameOf("a:b/c\\d*e?\"f\" [ğ]", "1")).isEqualTo("a.b.c.d.e.f-6b86b273");
        assertThat(SuiteFolder.nameOf("Decode", "1")).isNotEqualToIgnoringCase(SuiteFolder.nameOf("decode", "2"));
        assertThat(SuiteFolder.nameOf("x".repeat(500), "1")).hasSizeLessThan(100);
        assertThat(SuiteFolder.nameOf("../..", "1")).isEqualTo("6b86b273");
    }

    @Test
    void manyWritersAtOnceNeverMakeEachOtherFailAndTheLastIndexListsAll() throws Exception {
        int writers = 8;
        int runsOfEach = 5;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        CountDownLatch all = new CountDownLatch(writers);
        List<Future<?>> ends = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            int number = writer;
            ends.add(threads.submit(() -> {
                SuiteFolder suite = SuiteFolder.at(folder);
                all.countDown();
                all.await();
                for (int run = 0; run < runsOfEach; run++) {
                    suite.add("run-" + number + "-" + run, leaking("run " + number + "." + run));
                    suite.writeIndex();
                }
                return null;
            }));
        }
        for (Future<?> end : ends) {
            end.get();
        }
        threads.shutdown();

        assertThat(titles(folder.resolve("index.html"))).hasSize(writers * runsOfEach);
        assertThat(drafts()).isEmpty();
    }

    private List<Path> drafts() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".draft")).toList();
        }
    }

    private static List<String> titles(Path index) throws IOException {
        return dataOf(index).at("/runs").findValuesAsText("title");
    }

    private static JsonNode dataOf(Path index) throws IOException {
        String data = Pages.scripts(Files.readString(index)).stream()
                .filter(script -> script.attributes().contains("id=\"data\""))
                .findFirst()
                .orElseThrow()
                .text();
        return JSON.readTree(data);
    }

    private static RunPage leaking(String title) {
        Instant[] now = {Instant.parse("2026-11-20T12:00:00Z")};
        AllocationTracker tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.NONE)
                .clock(() -> {
                    Instant before = now[0];
                    now[0] = before.plusSeconds(1);
                    return before;
                })
                .build();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.allocated(0, BufferType.DRAM, 64, 32);
        tracker.meshClosed(0);
        tracker.checked();
        return RunPage.of(title, VerdictReport.of(LeakCheck.create().examine(tracker.history())));
    }
}
