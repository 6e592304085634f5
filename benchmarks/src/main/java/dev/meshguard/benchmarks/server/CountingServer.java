package dev.meshguard.benchmarks.server;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The simplest server: it reads the records of one program, counts them, and answers its queries. */
final class CountingServer implements AutoCloseable {

    private static final int RECORD = 112;
    private static final int READ_AT_ONCE = 1 << 18;
    private static final byte QUERY = 3;

    private final Path socket;
    private final ServerSocketChannel server;
    private long records;

    CountingServer(Path socket) throws IOException {
        this.socket = socket;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread thread = new Thread(this::read);
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        ByteBuffer in = ByteBuffer.allocateDirect(READ_AT_ONCE);
        ByteBuffer answer = ByteBuffer.allocateDirect(RECORD);
        try (SocketChannel program = server.accept()) {
            while (program.read(in) >= 0) {
                in.flip();
                for (; in.remaining() >= RECORD; in.position(in.position() + RECORD)) {
                    if (in.get(in.position()) == QUERY) {
                        program.write(answer.rewind());
                    } else {
                        records++;
                    }
                }
                in.compact();
            }
        } catch (IOException e) {
            // The program went away, or the server is closed.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
    }

    @Override
    public String toString() {
        return records + " records";
    }
}
