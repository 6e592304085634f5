import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A program that allocates buffers without end, with a client of its own; run as a separate process. */
public final class ReportingProgram {

    private static final int RECORD = 112;

    public static void main(String[] arguments) throws Exception {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(Path.of(arguments[0])));
            int pid = (int) ProcessHandle.current().pid();
            for (long id = 1; ; id++) {
                ByteBuffer record = ByteBuffer.allocate(RECORD).order(ByteOrder.LITTLE_ENDIAN);
                record.put(0, (byte) 1).putLong(8, 64).put(16, (byte) 1).putInt(20, pid).putLong(24, id);
                while (record.hasRemaining()) {
                    channel.write(record);
                }
            }
        }
    }
}
