package dev.meshguard.server.log.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.log.internal.ReportLine.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The short way through the usual lines says what the long way through every line says. */
class ReportLineTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_122);
    private static final int LINES = Integer.getInteger("meshguard.inputs", 200_000);

    private static final String[] USUAL = {
        "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
        "✓ [PID 108740] Allocated 2048 bytes of L1_SMALL on device 31 (buffer_id=101152, ref_count=2)",
        "✓ [PID -3] Allocated 524288 bytes of DRAM on device 1 (buffer_id=0x1a0000)",
        "✓ [PID 8] Allocated 0 bytes of SYSTEM_MEMORY on device 1 (buffer_id=0xffffffffffffffff, ref_count=12)",
        "? [PID 8] Allocated 12503040 bytes of TRACE on device 7 (buffer_id=18446744073709551615)",
        "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)",
        "✗ [PID 7] Freed buffer 0x18b20 on device 0 (4096 bytes, ref_count=1 remaining)",
        "✗ [PID 8] Freed buffer 0x1a0000 on device 1 (524288 bytes)",
        "✗ [PID 12345] Freed buffer 1 (1048576 bytes)"
    };

    private static final String[] PARTS = {
        " ",
        "\t",
        "0x",
        "0X",
        "-",
        "999999999999999999",
        "1000000000000000000",
        "99999999999",
        "[PID 7] ",
        "]",
        "L1",
        "DRAM",
        ", ref_count=3",
        ", FINAL",
        ")",
        " # why",
        "✓ ",
        "Allocated ",
        "Freed buffer ",
        "\u00e9",
        "`",
        "x",
        ""
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
                "✓ [PID 7] Allocated 4096 bytes of L1_SMALL on device 0 (buffer_id=0x18b20, ref_count=2)",
                "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)",
                "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)"
            })
    void aUsualLineIsReadAlike(String line) {
        assertThat(endOfUsual(line)).isEqualTo(line.getBytes(StandardCharsets.UTF_8).length);
        assertThat(read(line, false)).isEqualTo(read(line, true)).doesNotStartWith("NONE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "✗ [PID 8] Freed buffer 0x1a0000 on device 1 (524288 bytes)",
                "✓ [PID -3] Allocated 524288 bytes of DRAM on device 1 (buffer_id=0x1a0000)",
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152",
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 5000000000 (buffer_id=101152)",
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=0x10000000000000000)",
                "⚠ [PID 7] Deallocation for unknown buffer 0x18b20 on device 0 (allocated before tracking started)",
                "✓ [PID 7]",
                "✓ "
            })
    void whatIsNotToTheLetterIsNoUsualLine(String line) {
        assertThat(endOfUsual(line)).isEqualTo(UsualLines.NONE);
    }

    private static int endOfUsual(String line) {
        byte[] bytes = (line + " ".repeat(UsualLines.ROOM)).getBytes(StandardCharsets.UTF_8);
        return new UsualLines(bytes).read(0, bytes.length - UsualLines.ROOM, new ReportLine());
    }

    @Test
    void whateverBecomesOfAUsualLineIsReadAlike() {
        Random random = new Random(SEED);

        for (int i = 0; i < LINES; i++) {
            String line = spoilt(random);
            assertThat(read(line, false)).as("seed %d, line <%s>", SEED, line).isEqualTo(read(line, true));
        }
    }

    private static String spoilt(Random random) {
        StringBuilder line = new StringBuilder(USUAL[random.nextInt(USUAL.length)]);
        for (int changes = random.nextInt(4); changes > 0 && line.length() > 0; changes--) {
            int from = random.nextInt(line.length());
            int to = Math.min(line.length(), from + random.nextInt(4));
            line.replace(from, to, PARTS[random.nextInt(PARTS.length)]);
        }
        return random.nextInt(20) == 0 ? line.substring(0, random.nextInt(line.length() + 1)) : line.toString();
    }

    /** Reads a line between others, so that nothing behind its end helps. */
    private static String read(String text, boolean theLongWay) {
        byte[] line = ("7" + text + ")".repeat(UsualLines.ROOM)).getBytes(StandardCharsets.UTF_8);
        ReportLine report = new ReportLine();
        int to = line.length - UsualLines.ROOM;
        boolean isRead = !theLongWay && new UsualLines(line).read(1, to, report) == to;
        Kind kind = isRead ? report.isFree ? Kind.FREED : Kind.ALLOCATED : report.read(line, 1, to, 1);
        String place = report.device + " " + Long.toHexString(report.id) + " " + report.isHexadecimal;
        return kind
                + switch (kind) {
                    case ALLOCATED ->
                        " " + report.pid + " " + place + " " + report.size + " " + report.type + " "
                                + report.references;
                    case FREED ->
                        " " + report.pid + " " + place + " " + report.size + " " + report.saysWhatIsLeft + " "
                                + report.references;
                    case UNKNOWN_FREE -> " " + report.pid + " " + place;
                    case NONE, BROKEN, OTHER_SIZE, REFUSED -> "";
                };
    }
}
