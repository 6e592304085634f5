package dev.meshguard.benchmarks.server;

import dev.meshguard.server.protocol.RecordFields;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The simplest server: one thread for each connection, which reads records and enters them. */
public final class BlockingServer implements AutoCloseable {

    private static final int RECORD = 112;
    private static final int READ_AT_ONCE = 1 << 18;
    private static final byte QUERY = 3;

    /** The treatment of a record. */
    public interface LedgerWriter {
        /** Enters the record at a place. */
        void enter(ByteBuffer records, int at);
    }

    private final Path socket;
    private final LedgerWriter ledger;
    private final ServerSocketChannel server;

    /** Starts to listen. */
    public BlockingServer(Path socket, LedgerWriter books) throws IOException {
        this.socket = socket;
        this.ledger = books;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        daemon(this::accept);
    }

    /** Returns books that count and do nothing else. */
    public static LedgerWriter counting() {
        return new LedgerWriter() {
            private long records;

            @Override
            public void enter(ByteBuffer buffer, int at) {
                records++;
            }

            @Override
            public String toString() {
                return records + " records";
            }
        };
    }

    /** Returns a ledger as tt-metal's server has one: a map of entries under one lock, and sums. */
    public static LedgerWriter entering() {
        return new MapLedger();
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
        ByteBuffer in = ByteBuffer.allocateDirect(READ_AT_ONCE).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer answer = ByteBuffer.allocateDirect(RECORD);
        try (client) {
            while (client.read(in) >= 0) {
                in.flip();
                int at = 0;
                for (; in.limit() - at >= RECORD; at += RECORD) {
                    if (in.get(at) == QUERY) {
                        client.write(answer.rewind());
                    } else {
                        ledger.enter(in, at);
                    }
                }
                in.position(at);
                in.compact();
            }
        } catch (IOException e) {
            // The program went away.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
    }

    private record Key(int device, long id) {}

    private static final class Entry {
        private final long size;
        private final int type;
        private int references = 1;

        private Entry(long size, int type) {
            this.size = size;
            this.type = type;
        }
    }

    /** A map of entries. */
    private static final class MapLedger implements LedgerWriter {
        private final Map<Key, Entry> entries = new HashMap<>();
        private final long[][] sums = new long[8][8];

        @Override
        public synchronized void enter(ByteBuffer records, int at) {
            int device = records.getInt(at + RecordFields.DEVICE);
            Key key = new Key(device, records.getLong(at + RecordFields.BUFFER));
            Entry there = entries.get(key);
            if (records.get(at) == 1) {
                if (there == null) {
                    Entry entry =
                            new Entry(records.getLong(at + RecordFields.SIZE), records.get(at + RecordFields.MEMORY));
                    entries.put(key, entry);
                    sums[device][entry.type] += entry.size;
                } else {
                    there.references++;
                }
            } else if (there != null && --there.references == 0) {
                entries.remove(key);
                sums[device][there.type] -= there.size;
            }
        }
    }
}
