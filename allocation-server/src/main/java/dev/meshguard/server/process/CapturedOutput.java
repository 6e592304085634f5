package dev.meshguard.server.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Reads the output of a program on a thread of its own, copies it, and keeps its beginning and its end.
 *
 * <p>It reads until the program and all processes that inherited its output have closed it. Safe for
 * use by several threads.
 */
final class CapturedOutput {

    private static final int MAX_HEAD_BYTES = 64 << 10;
    private static final int MAX_TAIL_BYTES = 192 << 10;

    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private final byte[] tail = new byte[MAX_TAIL_BYTES];
    private final OutputStream copy;
    private long inTail;
    private final Thread reader;

    /**
     * Begins to read.
     *
     * @param copy receives a copy of the output
     */
    CapturedOutput(InputStream output, OutputStream copy, String name) {
        this.copy = copy;
        reader = new Thread(() -> read(output), name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream output) {
        byte[] chunk = new byte[8_192];
        boolean isCopied = true;
        try (output) {
            for (int read = output.read(chunk); read >= 0; read = output.read(chunk)) {
                add(chunk, read);
                isCopied = isCopied && isCopied(chunk, read);
            }
        } catch (IOException closed) {
            // The end of the program may close the stream during a read; the data read before remains.
        }
    }

    /** A program whose output nobody reads any more would be stopped by its own write. */
    private boolean isCopied(byte[] chunk, int count) {
        try {
            copy.write(chunk, 0, count);
            copy.flush();
            return true;
        } catch (IOException | RuntimeException cannotBeCopied) {
            return false;
        }
    }

    private synchronized void add(byte[] bytes, int count) {
        int ofHead = Math.min(count, MAX_HEAD_BYTES - head.size());
        head.write(bytes, 0, ofHead);
        for (int i = ofHead; i < count; i++) {
            tail[(int) (inTail++ % tail.length)] = bytes[i];
        }
    }

    /** Waits until all is read, at most for a second: a process that inherited the output may keep it open for ever. */
    void await() throws InterruptedException {
        reader.join(TimeUnit.SECONDS.toMillis(1));
    }

    /** Returns the output so far; a mark replaces the omitted middle. */
    synchronized String text() {
        String beginning = head.toString(Charset.defaultCharset());
        long leftOut = Math.max(0, inTail - tail.length);
        int kept = (int) (inTail - leftOut);
        byte[] end = new byte[kept];
        for (int i = 0; i < kept; i++) {
            end[i] = tail[(int) ((leftOut + i) % tail.length)];
        }
        String ending = new String(end, Charset.defaultCharset());
        return leftOut == 0
                ? beginning + ending
                : beginning + String.format(Locale.ROOT, "%n… %d bytes omitted …%n", leftOut) + ending;
    }
}
