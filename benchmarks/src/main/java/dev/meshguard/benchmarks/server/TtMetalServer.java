package dev.meshguard.benchmarks.server;

import dev.meshguard.server.protocol.RecordFields;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server that works as tt-metal's is described to work: a thread for each program, one read for each record, a map of entries
 * under one lock, and a line of the log for each record, which is written at once.
 *
 * <p>Like tt-metal's server, it treats the bytes of one read as a record, complete or not.
 */
public final class TtMetalServer implements AutoCloseable {

    private static final int RECORD = 112;
    private static final byte ALLOCATION = 1;
    private static final byte QUERY = 3;
    private static final String[] MEMORIES = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};

    private record Key(int device, long id) {}

    private static final class Entry {
        private final long size;
        private final int memory;
        private final int process;
        private int references = 1;

        private Entry(long size, int memory, int process) {
            this.size = size;
            this.memory = memory;
            this.process = process;
        }
    }

    private final Path socket;
    private final @Nullable OutputStream log;
    private final ServerSocketChannel server;
    private final Map<Key, Entry> entries = new HashMap<>();
    private final long[][] sums = new long[8][8];

    /**
     * Starts to listen.
     *
     * @param log where lines go; they are made all the same if nobody wants them
     */
    public TtMetalServer(Path socket, @Nullable OutputStream log) throws IOException {
        this.socket = socket;
        this.log = log;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        daemon(this::accept);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                daemon(() -> read(client));
            }
        } catch (IOException e) {
            // Closed.
            return;
        }
    }

    private void read(SocketChannel client) {
        ByteBuffer in = ByteBuffer.allocateDirect(RECORD).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer answer = ByteBuffer.allocateDirect(RECORD);
        try (client) {
            while (client.read(in.clear()) > 0) {
                if (in.get(0) == QUERY) {
                    client.write(answer.rewind());
                } else {
                    enter(in);
                }
            }
        } catch (IOException e) {
            // The program went away.
            return;
        }
    }

    private synchronized void enter(ByteBuffer record) throws IOException {
        int device = record.getInt(RecordFields.DEVICE);
        long id = record.getLong(RecordFields.BUFFER);
        int process = record.getInt(RecordFields.PROCESS);
        Key key = new Key(device, id);
        Entry there = entries.get(key);
        if (record.get(0) == ALLOCATION) {
            allocated(record, key, there, process);
        } else if (there == null) {
            line("⚠ [PID " + process + "] Deallocation for unknown buffer " + id + " on device " + device
                    + " (allocated before tracking started)\n");
        } else if (--there.references > 0) {
            line("✗ [PID " + there.process + "] Freed buffer " + id + " on device " + device + " (" + there.size
                    + " bytes, ref_count=" + there.references + " remaining)\n");
        } else {
            entries.remove(key);
            sums[device][there.memory] -= there.size;
            line("✗ [PID " + there.process + "] Freed buffer " + id + " on device " + device + " (" + there.size
                    + " bytes, FINAL)\n");
        }
    }

    private void allocated(ByteBuffer record, Key key, @Nullable Entry there, int process) throws IOException {
        long size = record.getLong(RecordFields.SIZE);
        int memory = record.get(RecordFields.MEMORY);
        String references = "";
        if (there == null) {
            entries.put(key, new Entry(size, memory, process));
            sums[key.device()][memory] += size;
        } else {
            there.references++;
            references = ", ref_count=" + there.references;
        }
        line("✓ [PID " + process + "] Allocated " + size + " bytes of " + MEMORIES[memory] + " on device "
                + key.device() + " (buffer_id=" + key.id() + references + ")\n");
    }

    private void line(String text) throws IOException {
        if (log != null) {
            log.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (log != null) {
            log.close();
        }
        Files.deleteIfExists(socket);
    }
}
