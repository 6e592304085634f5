package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.RuntimeEvidence;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.ZipException;

/** The lines of a file in UTF-8, of bounded length and number; what is damaged or too long ends them or is cut off. */
final class BoundedLines {

    private static final int MAX_LENGTH = 1 << 16;

    private final InputStream in;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long read;
    private long number;
    private boolean isTerminated = true;
    private Optional<String> damage = Optional.empty();

    BoundedLines(InputStream buffered) {
        this.in = buffered;
    }

    /** Returns the next line without its end; empty at the end of the file. */
    Optional<String> next() throws IOException {
        line.reset();
        try {
            int one = read();
            if (one < 0) {
                return Optional.empty();
            }
            number++;
            for (; one >= 0 && one != '\n'; one = read()) {
                if (line.size() < MAX_LENGTH) {
                    line.write(one);
                }
            }
            isTerminated = one == '\n';
        } catch (EOFException | ZipException e) {
            damage = Optional.of("its compressed data breaks off or is spoilt after line " + number);
            isTerminated = false;
            return Optional.empty();
        }
        return Optional.of(line.toString(StandardCharsets.UTF_8).replace("\r", ""));
    }

    private int read() throws IOException {
        if (read == RuntimeEvidence.MAX_BYTES) {
            damage = Optional.of("only its first GiB was read");
            return -1;
        }
        read++;
        return in.read();
    }

    /** Returns the number of the last line, from 1. */
    long number() {
        return number;
    }

    /** Returns whether the last line has its end. */
    boolean isTerminated() {
        return isTerminated;
    }

    /** Returns why the file was not read to its end, if it was not. */
    Optional<String> damage() {
        return damage;
    }
}
