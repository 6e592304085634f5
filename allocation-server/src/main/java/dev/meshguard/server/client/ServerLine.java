package dev.meshguard.server.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/** One connection to a server; not safe for use by several threads. */
final class ServerLine implements AutoCloseable {

    /** The size that tt-metal's client requests; further data waits in the program's own write. */
    private static final int SEND_BUFFER = 1 << 20;

    private final SocketChannel channel;

    private ServerLine(SocketChannel channel) {
        this.channel = channel;
    }

    static ServerLine to(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return new ServerLine(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends all records, and waits as long as the server needs to read them. */
    void send(ByteBuffer records) throws IOException {
        while (records.hasRemaining()) {
            channel.write(records);
        }
    }

    /** Fills a buffer with the server's answer. */
    void receive(ByteBuffer answer, Duration limit) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            while (answer.hasRemaining()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0
                        || (selector.select(left) == 0 && Thread.currentThread().isInterrupted())) {
                    throw new InterruptedIOException(
                            "no answer within " + limit.toMillis() + " ms; its records may have another size");
                }
                selector.selectedKeys().clear();
                if (channel.read(answer) < 0) {
                    throw new EOFException("the server closed the connection; its records may have another size");
                }
            }
        }
        channel.configureBlocking(true);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
