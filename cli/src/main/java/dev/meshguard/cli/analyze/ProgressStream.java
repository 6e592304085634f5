package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.Printer;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;

/** Shows the reading progress of a long file on a terminal, in one line that is erased at the end. */
final class ProgressStream extends FilterInputStream {

    /** Shorter files are read before anyone sees the progress. */
    static final long SHORTEST = 64L << 20;

    private static final int CELLS = 40;
    private static final int PERCENT = 100;

    private final long size;
    private final Printer terminal;
    private long read;
    private int shown = -1;

    private ProgressStream(InputStream file, long size, Printer terminal) {
        super(file);
        this.size = size;
        this.terminal = terminal;
    }

    /**
     * Returns a stream over a file that shows its progress, or the file itself if it is short or there is no terminal.
     */
    static InputStream over(InputStream file, long size, Optional<Printer> terminal) {
        return terminal.isPresent() && size >= SHORTEST ? new ProgressStream(file, size, terminal.get()) : file;
    }

    @Override
    public int read() throws IOException {
        int one = super.read();
        advance(one < 0 ? 0 : 1);
        return one;
    }

    @Override
    public int read(byte[] target, int from, int most) throws IOException {
        int some = super.read(target, from, most);
        advance(Math.max(0, some));
        return some;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private void advance(int bytes) {
        read += bytes;
        int percent = (int) Math.min(PERCENT, read * PERCENT / size);
        if (percent != shown) {
            shown = percent;
            int full = percent * CELLS / PERCENT;
            terminal.control(
                    String.format(Locale.ROOT, "\r[%s%s] %3d %%", "#".repeat(full), ".".repeat(CELLS - full), percent));
        }
    }

    @Override
    public void close() throws IOException {
        super.close();
        terminal.control("\r" + " ".repeat(CELLS + "[] 100 %".length()) + "\r");
    }
}
