package dev.meshguard.server.log.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A file that is still being written, read to its end and further.
 *
 * <p>It is polled every tenth of a second. If a file is truncated and grows beyond the read position between two polls,
 * this is not detected.
 */
public final class GrowingFile extends InputStream {

    private static final long PAUSE_MILLIS = 100;

    private final Path path;
    /** An interrupt would close a channel, but the data read so far is still needed. */
    private final RandomAccessFile file;

    private final @Nullable Object identity;
    private final InstantSource clock;
    private final Predicate<Duration> isOver;
    private final byte[] one = new byte[1];
    private Instant grewAt;
    private @Nullable String damage;

    /** The position at which reading ends; below 0 until it is known. */
    private long end = -1;

    /**
     * Opens a file.
     *
     * @param isOver decides at the end of the file, by the time since it last grew, whether reading ends
     */
    public GrowingFile(Path path, InstantSource clock, Predicate<Duration> isOver) throws IOException {
        this.path = path;
        this.clock = clock;
        this.isOver = isOver;
        this.identity = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        this.file = new RandomAccessFile(path.toFile(), "r");
        this.grewAt = clock.instant();
    }

    /** Returns the damage to the file during reading, if it makes the log incomplete. */
    Optional<String> damage() {
        return Optional.ofNullable(damage);
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int most) throws IOException {
        if (most == 0) {
            return 0;
        }
        int read = readOn(target, from, most);
        while (read <= 0 && end < 0) {
            // Data written before the end was decided, or before the file was replaced, is still read.
            boolean over = isOver.test(Duration.between(grewAt, clock.instant()));
            damage = whatHappened().orElse(null);
            end = over || damage != null || !hasPaused() ? file.length() : end;
            read = readOn(target, from, most);
        }
        return read > 0 ? read : -1;
    }

    /** Data written after the end was decided is not read, even if a program writes fast. */
    private int readOn(byte[] target, int from, int most) throws IOException {
        long left = end < 0 ? most : Math.min(most, end - file.getFilePointer());
        int read = left <= 0 ? 0 : file.read(target, from, (int) left);
        if (read > 0) {
            grewAt = clock.instant();
        }
        return read;
    }

    private Optional<String> whatHappened() throws IOException {
        long size = file.length();
        if (size < file.getFilePointer()) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the file was cut to %d bytes when %d of it had been read",
                    size,
                    file.getFilePointer()));
        }
        try {
            Object now = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            boolean isAnother = identity != null && !identity.equals(now);
            return isAnother ? Optional.of("another file was put in its place") : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.of("the file was removed or renamed");
        }
    }

    /** An interrupt ends the reading. */
    private static boolean hasPaused() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
