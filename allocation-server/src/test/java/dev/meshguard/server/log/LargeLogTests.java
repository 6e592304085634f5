package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.Retention;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A log that is larger than the memory can be read if only live buffers are kept. */
class LargeLogTests {

    private static final int LIVE = 1_000;
    private static final int PAIRS = Integer.getInteger("meshguard.pairs", 250_000);
    private static final String HEAP = "-Xmx24m";

    /** Reads standard input in a JVM of its own. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] arguments) throws IOException {
            AllocationLog log = AllocationLogReader.create()
                    .retention(Retention.LIVE_AND_TOTALS)
                    .read(System.in, "standard input");
            System.out.println(log.lines() + " lines, " + Logs.verdictOn(log).sum());
        }
    }

    @Test
    void aLogLargerThanTheHeapIsReadWithinIt() throws IOException, InterruptedException {
        Process reader = new ProcessBuilder(command()).redirectErrorStream(true).start();
        try (OutputStream log = new BufferedOutputStream(reader.getOutputStream(), 1 << 16)) {
            write(log);
        }
        String answer = new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        assertThat(reader.waitFor()).as(answer).isZero();
        assertThat(answer)
                .isEqualTo((LIVE + 2 * PAIRS)
                        + " lines, Sum[allocated=" + (LIVE + PAIRS) + ", freed=" + PAIRS
                        + ", late=0, leaked=" + LIVE + ", misreported=0, expected=0, undecided=0]");
    }

    private static void write(OutputStream log) throws IOException {
        for (int buffer = 0; buffer < LIVE; buffer++) {
            line(log, "✓ [PID 7] Allocated 4096 bytes of DRAM on device %d (buffer_id=%d)", buffer % 8, buffer * 4096L);
        }
        for (int pair = 0; pair < PAIRS; pair++) {
            long address = (LIVE + pair) * 4096L;
            line(log, "✓ [PID 7] Allocated 4096 bytes of DRAM on device %d (buffer_id=%d)", pair % 8, address);
            line(log, "✗ [PID 7] Freed buffer %2$d on device %1$d (4096 bytes, FINAL)", pair % 8, address);
        }
    }

    private static void line(OutputStream log, String form, int device, long address) throws IOException {
        log.write((String.format(Locale.ROOT, form, device, address) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> command() {
        Set<String> path = new LinkedHashSet<>();
        for (String property : List.of("jdk.module.path", "java.class.path", "surefire.test.class.path")) {
            path.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator, -1)));
        }
        for (Class<?> type : List.of(AllocationLog.class, Reader.class)) {
            path.add(new File(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .getPath());
        }
        path.remove("");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(HEAP);
        command.add("-cp");
        command.add(String.join(File.pathSeparator, path));
        command.add(Reader.class.getName());
        return command;
    }
}
