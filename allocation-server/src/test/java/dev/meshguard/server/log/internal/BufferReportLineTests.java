package dev.meshguard.server.log.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.log.internal.BufferReportLine.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The parts of a line about one buffer; rerun a seed with {@code -Dmeshguard.seed=…}. */
class BufferReportLineTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_122);
    private static final int LINES = Integer.getInteger("meshguard.inputs", 200_000);

    private static final Pattern REPORT =
            Pattern.compile("[^\\x00-\\x7f]? ?\\[PID (?<pid>\\d{1,18})\\] (?:Allocated (?<size>\\d{1,18}) bytes of"
                    + " (?<type>DRAM|L1_SMALL|L1|SYSTEM_MEMORY|TRACE) on device (?<device>\\d{1,9})"
                    + " \\(buffer_id=(?<id>0x[0-9a-f]{1,16}|\\d{1,18})(?:, ref_count=(?<references>\\d{1,18}))?\\)"
                    + "|Freed buffer (?<freed>0x[0-9a-f]{1,16}|\\d{1,18}) on device (?<freedOn>\\d{1,9})"
                    + " \\((?<freedSize>\\d{1,18}) bytes, (?:FINAL|ref_count=(?<left>\\d{1,18}) remaining)\\))");

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

    @Test
    void readsWhateverBecameOfALineAsARegularExpressionDoes() {
        Random random = new Random(SEED);

        for (int i = 0; i < LINES; i++) {
            String line = spoilt(random);
            String read = read(line);
            expected(line)
                    .ifPresent(expected -> assertThat(read)
                            .as("seed %d, line <%s>", SEED, line)
                            .isEqualTo(expected));
        }
    }

    /** Returns the parts of a line that has exactly the form of the server. */
    private static Optional<String> expected(String line) {
        Matcher report = REPORT.matcher(line);
        if (!report.matches()) {
            return Optional.empty();
        }
        boolean isFree = report.group("freed") != null;
        String id = report.group(isFree ? "freed" : "id");
        boolean isHexadecimal = id.startsWith("0x");
        String address =
                Long.toHexString(Long.parseUnsignedLong(isHexadecimal ? id.substring(2) : id, isHexadecimal ? 16 : 10));
        String references = Optional.ofNullable(report.group(isFree ? "left" : "references"))
                .map(digits -> String.valueOf(Long.parseLong(digits)))
                .orElse(isFree ? "0" : "-1");
        String subject = Long.parseLong(report.group("pid"))
                + " "
                + Long.parseLong(report.group(isFree ? "freedOn" : "device"))
                + " "
                + address
                + " "
                + Long.parseLong(report.group(isFree ? "freedSize" : "size"));
        return Optional.of(
                isFree
                        ? "FREED " + subject + " " + references
                        : "ALLOCATED " + subject + " " + report.group("type") + " " + references);
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

    private static String read(String text) {
        BufferReportLine report = new BufferReportLine();
        report.begin(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1), 1);
        Kind kind = report.next();
        String subject = " " + report.pid + " " + report.device + " " + Long.toHexString(report.id);
        if (kind == null) {
            return report.next() == null && report.isDamaged() ? "DAMAGED" : "";
        }
        return kind
                + switch (kind) {
                    case ALLOCATED -> subject + " " + report.size + " " + report.type + " " + report.references;
                    case FREED -> subject + " " + report.size + " " + report.references;
                    case UNKNOWN_FREE -> subject;
                    case OTHER_SIZE, REJECTED -> "";
                };
    }
}
