package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;

/** A connection over which a test sends arbitrary bytes. */
final class RawClient implements AutoCloseable {

    /** The answer of a server to a query. */
    record MemoryUsage(int device, long dram, long l1, long l1Small, long trace) {}

    private final SocketChannel channel;
    private final RecordSize size;

    RawClient(Path socket, RecordSize size) throws IOException {
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        this.size = size;
    }

    RawClient send(Request... requests) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(requests.length * size.bytes());
        Arrays.stream(requests).forEach(request -> records.put(request.toRecord(size)));
        return send(records.flip());
    }

    RawClient send(byte... bytes) throws IOException {
        return send(ByteBuffer.wrap(bytes));
    }

    private RawClient send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return this;
    }

    /** From now on no answer can be sent to it, as after its end. */
    RawClient receivesNothing() throws IOException {
        channel.shutdownInput();
        return this;
    }

    byte[] receive(int length) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(length);
        while (answer.hasRemaining()) {
            if (channel.read(answer) < 0) {
                throw new EOFException("closed after " + answer.position() + " of " + length + " bytes");
            }
        }
        return answer.array();
    }

    /** Receives a line without its line break. */
    String receiveLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (byte next = receive(1)[0]; next != '\n'; next = receive(1)[0]) {
            line.append((char) next);
        }
        return line.toString();
    }

    MemoryUsage receive() throws IOException {
        ByteBuffer record = ByteBuffer.wrap(receive(size.bytes())).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(record.getInt(0)).isEqualTo(4);
        LongBuffer sums = record.position(40).asLongBuffer();
        return new MemoryUsage(record.getInt(4), sums.get(), sums.get(), sums.get(), sums.get());
    }

    /** Sends a query, which also ensures that everything sent before is recorded. */
    MemoryUsage query(int device) throws IOException {
        send(Request.query(device));
        return receive();
    }

    /** Returns whether the server has closed the connection; waits until it has, or until data arrives. */
    boolean isRejected() throws IOException {
        return isRejectedAfter();
    }

    /** Returns whether the server closes the connection because of these bytes, which it need not read completely. */
    boolean isRejectedAfter(byte... bytes) throws IOException {
        try {
            send(bytes);
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            if (isClosedByServer(e)) {
                return true;
            }
            throw e;
        }
    }

    /** The errors of a connection that is closed during a transfer. */
    static boolean isClosedByServer(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains("roken pipe") || message.contains("reset");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
