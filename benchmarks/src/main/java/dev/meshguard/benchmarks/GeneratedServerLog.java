package dev.meshguard.benchmarks;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Writes a log like a server with hexadecimal ids: buffers on all devices and on one, reused addresses, shared ones, and
 * occasional frees without an allocation.
 */
final class GeneratedServerLog {

    private static final int DEVICES = 8;
    private static final int ADDRESSES = 5_000;
    private static final int MAX_LIVE = 300;
    private static final long[] SIZES = {2048, 4096, 12_288, 24_576, 98_304, 524_288, 1_048_576, 4_194_304};

    private record Buffer(long id, String type, long size, int device, int references) {}

    private final Random random = new Random(7);
    private final List<Buffer> live = new ArrayList<>();
    private final boolean[][] allocated = new boolean[DEVICES][ADDRESSES];
    private final Writer log;
    private long lines;

    private GeneratedServerLog(Writer log) {
        this.log = log;
    }

    /** Writes a log of so many lines, and prints where it is. */
    public static void main(String[] arguments) throws IOException {
        System.out.println(write(Long.parseLong(arguments[0])));
    }

    static Path write(long lines) throws IOException {
        Path file = Files.createTempFile("server", ".log");
        try (Writer writer = Files.newBufferedWriter(file)) {
            GeneratedServerLog log = new GeneratedServerLog(writer);
            while (log.lines < lines) {
                log.step();
            }
        }
        return file;
    }

    private void step() throws IOException {
        if (live.size() < MAX_LIVE || (live.size() < MAX_LIVE * 2 && random.nextBoolean())) {
            int place = random.nextInt(ADDRESSES);
            int only = random.nextInt(2 * DEVICES);
            String type = place % 5 < 3 ? "DRAM" : "L1";
            long size = SIZES[random.nextInt(SIZES.length)];
            for (int device = 0; device < DEVICES; device++) {
                if ((only >= DEVICES || only == device) && !allocated[device][place]) {
                    allocate(new Buffer(place * 2048L, type, size, device, 1 + random.nextInt(50) / 49));
                    allocated[device][place] = true;
                }
            }
        } else {
            free(live.remove(random.nextInt(live.size())));
        }
    }

    private void allocate(Buffer buffer) throws IOException {
        for (int reference = 1; reference <= buffer.references(); reference++) {
            line(
                    "✓ [PID 108740] Allocated %d bytes of %s on device %d (buffer_id=0x%x%s)",
                    buffer.size(),
                    buffer.type(),
                    buffer.device(),
                    buffer.id(),
                    reference > 1 ? ", ref_count=" + reference : "");
        }
        live.add(buffer);
    }

    private void free(Buffer buffer) throws IOException {
        for (int left = buffer.references() - 1; left >= 0; left--) {
            line(
                    "✗ [PID 108740] Freed buffer 0x%x on device %d (%d bytes, %s)",
                    buffer.id(),
                    buffer.device(),
                    buffer.size(),
                    left == 0 ? "FINAL" : "ref_count=" + left + " remaining");
        }
        allocated[buffer.device()][(int) (buffer.id() / 2048)] = false;
        if (random.nextInt(500) == 0) {
            line(
                    "⚠ [PID 108740] Deallocation for unknown buffer 0x%x on device %d (allocated before tracking started)",
                    buffer.id(), buffer.device());
        }
    }

    private void line(String form, Object... words) throws IOException {
        log.write(String.format(Locale.ROOT, form, words));
        log.write('\n');
        lines++;
    }
}
