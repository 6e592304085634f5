package dev.meshguard.junit.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The file of the findings of one JVM. */
class FindingsFileTests {

    private static final Instant BEGAN = Instant.parse("2026-03-01T10:15:30Z");

    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    @TempDir
    private Path folder;

    @BeforeEach
    void listen() {
        warnings.start();
        logger().addAppender(warnings);
        logger().setLevel(Level.WARN);
        logger().setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger().detachAppender(warnings);
        logger().setAdditive(true);
        logger().setLevel(null);
    }

    @Test
    void hasWholeLinesOfThreadsThatWriteAtTheSameTime() throws IOException {
        FindingsFile file = file("7", "4f1d2c", "host-a");

        IntStream.range(0, 400).parallel().forEach(number -> file.add(check("T#t" + number, finding(number))));

        assertThat(file.end(new RunTally())).isEmpty();
        assertThat(Files.readAllLines(onlyFile()))
                .hasSize(802)
                .allSatisfy(
                        line -> assertThat(line).startsWith("{\"schema\":1,").endsWith("}"))
                .endsWith(Files.readAllLines(onlyFile()).get(801));
        assertThat(Files.readAllLines(onlyFile()).get(801)).endsWith("\"checks\":400,\"findings\":400,\"lines\":801}");
    }

    @Test
    void thatDisappearsIsReportedOnceAndLacksTheChecksAfterwards() throws IOException {
        FindingsFile file = file("7", "4f1d2c", "host-a");
        file.add(check("T#a"));
        Files.delete(onlyFile());

        file.add(check("T#b"));
        file.add(check("T#c"));

        assertThat(file.end(new RunTally()))
                .singleElement()
                .asString()
                .startsWith("The findings lack 2 checks: a line could not be written to " + folder
                        + " (meshguard.findings): ");
        assertThat(warnings.list).hasSize(1);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void withoutCommitAndMachineSaysSoOnce() throws IOException {
        FindingsFile file = file("7", "", "");

        file.add(check("T#a"));
        file.add(check("T#b"));

        String notice = "The findings lack the commit and the machine, for which no variable of a CI is set.";
        assertThat(warnings.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(notice);
        assertThat(file.end(new RunTally())).containsExactly(notice);
        assertThat(Files.readString(onlyFile())).doesNotContain("\"commit\"", "\"machine\"", "null");
    }

    @Test
    void withoutANameOfTheRunIsARunOfItsOwn() throws IOException {
        FindingsFile file = file("", "4f1d2c", "a");

        file.add(check("T#a"));

        assertThat(warnings.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("The findings lack the run, for which no variable of a CI is set. Until it has a"
                        + " name, each JVM is a run of its own. If you name it with meshguard.run, call RunVerifier after the"
                        + " tests: no JVM judges the run then (docs/baseline.md).");
        assertThat(Files.readString(onlyFile())).contains("\"run\":\"" + jvm(onlyFile()) + "\"");
    }

    @Test
    void hasANameWithoutCharactersThatFileSystemsReject() throws IOException {
        file("../a:b\n" + "x".repeat(200), "c", "m/n").add(check("T#a"));

        assertThat(onlyFile().getFileName().toString()).matches("findings-\\.\\._a_b_x{73}-m_n-\\d+-[0-9a-z]+\\.jsonl");
    }

    private FindingsFile file(String run, String commit, String machine) {
        RunSettings settings = RunSettings.of(
                name -> Optional.of(name.equals("meshguard.findings") ? folder.toString() : ""),
                Map.of("BUILD_TAG", run, "GIT_COMMIT", commit, "NODE_NAME", machine));
        return FindingsFile.of(settings, BEGAN).orElseThrow();
    }

    private static CheckRecord check(String test, FindingRecord... findings) {
        return new CheckRecord(
                test, "TEST", Optional.of("mesh"), Outcome.LEAK_FREE, "PASSED", true, 0, List.of(findings));
    }

    private static FindingRecord finding(int number) {
        return new FindingRecord(
                String.format("%064x", number),
                "LOST",
                "LEAKED",
                BufferType.DRAM,
                Optional.of("T.t(T.java:" + number + ")"),
                false,
                1,
                4_096);
    }

    private static String jvm(Path file) {
        return file.getFileName().toString().replaceAll("findings-(7-)?(.+)\\.jsonl", "$2");
    }

    private Path onlyFile() throws IOException {
        assertThat(files()).hasSize(1);
        return files().get(0);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(FindingsFile.class);
    }
}
