package dev.meshguard.closeables.weave;

import static dev.meshguard.closeables.weave.RecordingWatcher.reportsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.weave.Weaver;
import java.io.ByteArrayOutputStream;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.logging.FileHandler;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes of the JDK report as others do, those in packages that it keeps to itself too. */
class JdkClassesTests {

    @Test
    void deflatersAndInflaters() {
        RecordingWatcher recorder =
                RecordingWatcher.watching(Set.of("end"), Deflater.class.getName(), Inflater.class.getName());

        assertThat(recorder.reportsOf(() -> {
                    new Deflater().end();
                    new Inflater(true).end();
                }))
                .containsExactly("constructed Deflater", "closed Deflater", "constructed Inflater", "closed Inflater");
    }

    @Test
    void packagesOfTheJdkStayClosedToOtherCode() {
        RecordingWatcher.watching(Set.of("end"), Deflater.class.getName());

        assertThat(Object.class.getModule().isOpen(Object.class.getPackageName(), Weaver.class.getModule()))
                .isFalse();
    }

    @Test
    void aDeflaterThatWasPassedStaysOpen() {
        RecordingWatcher recorder = RecordingWatcher.watching(Set.of("end"), Deflater.class.getName());

        assertThat(recorder.reportsOf(() -> {
                    new GZIPOutputStream(new ByteArrayOutputStream()).close();
                    new DeflaterOutputStream(new ByteArrayOutputStream(), new Deflater(9)).close();
                }))
                .containsExactly("constructed Deflater", "closed Deflater", "constructed Deflater");
    }

    /** It rotates its files by {@code super.close()}, once in its constructor. */
    @Test
    void fileHandlers(@TempDir Path folder) {
        RecordingWatcher recorder = RecordingWatcher.watching(FileHandler.class);

        assertThat(recorder.reportsOf(() -> {
                    FileHandler handler = new FileHandler(folder.resolve("log").toString());
                    recorder.record("kept");
                    handler.close();
                }))
                .containsExactly("constructed FileHandler", "kept", "closed FileHandler");
    }

    @Test
    void fileChannels(@TempDir Path folder) {
        assertThat(reportsOf(
                        FileChannel.class,
                        () -> FileChannel.open(
                                        folder.resolve("file"),
                                        Set.of(
                                                java.nio.file.StandardOpenOption.CREATE,
                                                java.nio.file.StandardOpenOption.WRITE))
                                .close()))
                .containsExactly("constructed FileChannelImpl", "closed FileChannelImpl");
    }

    @Test
    void sockets() {
        RecordingWatcher recorder = RecordingWatcher.watching(ServerSocket.class, SocketChannel.class);

        assertThat(recorder.reportsOf(() -> {
                    new ServerSocket().close();
                    SocketChannel.open().close();
                }))
                // File channels have their closing method from the same class.
                .filteredOn(report -> report.contains("Socket"))
                .containsExactly(
                        "constructed ServerSocket",
                        "closed ServerSocket",
                        "constructed SocketChannelImpl",
                        "closed SocketChannelImpl");
    }
}
