package dev.meshguard.server;

import dev.meshguard.server.ledger.internal.LogLineBuffer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The target of a server's log. */
interface LogTarget {

    /** An open log. */
    interface Open extends LogLineBuffer.Target, Closeable {

        /** Returns the subject of a sentence about it. */
        String description();
    }

    /** Opens it. */
    Open open() throws IOException;

    /** Returns a log that is appended to a file. */
    static LogTarget to(Path file) {
        return () -> to(
                "the log " + file, Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Returns a log that is appended to a target that stays open. */
    static LogTarget to(Appendable text) {
        return () -> new Open() {
            @Override
            public void take(byte[] bytes, int length) throws IOException {
                text.append(new String(bytes, 0, length, StandardCharsets.UTF_8));
            }

            @Override
            public void close() {}

            @Override
            public String description() {
                return "the log";
            }
        };
    }

    private static Open to(String words, OutputStream file) {
        return new Open() {
            @Override
            public void take(byte[] bytes, int length) throws IOException {
                file.write(bytes, 0, length);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }

            @Override
            public String description() {
                return words;
            }
        };
    }
}
