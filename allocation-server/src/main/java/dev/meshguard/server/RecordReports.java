package dev.meshguard.server;

import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordFields;
import dev.meshguard.server.protocol.RecordSize;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Records what one program reports in records, and answers its queries.
 *
 * <p>The first program whose bytes prove the size of its records decides for all, unless the size was configured. Records of another size
 * are never misread. Guarded by the server's lock.
 */
final class RecordReports implements ConnectionReader {

    private static final int MAX_ERRORS = 10;

    /** The options for the size of the records; a number follows. */
    private static final String OPTIONS = "set it with recordSize(…), or with meshguard record --record-size ";

    private final ReportDispatcher dispatcher;
    private final ClientConnection connection;
    private final Runnable processCheck;
    private final ByteArrayOutputStream answers = new ByteArrayOutputStream(0);

    /** The number of consecutive invalid records. */
    private int errors;

    /** Whether the previous record was valid, so that the next bytes begin at a record boundary. */
    private boolean followsRecord;

    /**
     * Creates a reader.
     *
     * @param processCheck looks for dead processes
     */
    RecordReports(ReportDispatcher dispatcher, ClientConnection connection, Runnable processCheck) {
        this.dispatcher = dispatcher;
        this.connection = connection;
        this.processCheck = processCheck;
    }

    @Override
    public Optional<String> read(ByteBuffer in) {
        Optional<String> rejection = dispatcher.recordSize() == null ? prove(in) : Optional.empty();
        RecordSize size = dispatcher.recordSize();
        while (rejection.isEmpty() && size != null && in.remaining() >= size.bytes()) {
            int at = in.position();
            int code = in.get(at) & 0xff;
            boolean isMessage = code >= 1 && code <= MessageType.MAX_CODE;
            int other = isMessage && RecordSizeDetector.isPlain(in, at, size.bytes())
                    ? RecordSizeDetector.NOTHING
                    : RecordSizeDetector.otherSize(in, at, size.bytes(), followsRecord);
            if (other == RecordSizeDetector.MORE_NEEDED) {
                break;
            }
            if (other != RecordSizeDetector.NOTHING) {
                return Optional.of(otherSize(other, size.bytes()));
            }
            in.position(at + size.bytes());
            connection.records++;
            record(code, size, in, at);
            if (errors == MAX_ERRORS) {
                return Optional.of(tooManyErrors());
            }
        }
        return rejection;
    }

    private String tooManyErrors() {
        String why = connection.description() + " sent " + errors + " records in a row that are none, so it was closed";
        if (connection.hasReports()) {
            dispatcher.history.lost(-1, why);
        }
        return why;
    }

    /** Chooses the record size if the first bytes of this connection prove it. */
    private Optional<String> prove(ByteBuffer in) {
        if (in.limit() >= RecordFields.END_OF_REQUEST && !RecordSizeDetector.mayBegin(in, 0)) {
            return Optional.of(
                    connection.description() + " begins with what is no record of any size, so it was closed");
        }
        int proved = RecordSizeDetector.sizeOfFirst(in);
        if (proved == RecordSizeDetector.MORE_NEEDED) {
            return Optional.empty();
        }
        if (proved == RecordSizeDetector.NOTHING) {
            String why = connection.description() + " sends records of no known size, so it was closed";
            dispatcher.history.lost(-1, why);
            return Optional.of(why);
        }
        Optional<RecordSize> size = RecordSize.of(proved);
        size.ifPresent(dispatcher::recordSize);
        return size.isPresent() ? Optional.empty() : Optional.of(otherSize(proved, RecordSize.BYTES_144.bytes()));
    }

    private String otherSize(int theirs, int ours) {
        String why = connection.description() + " sends records of " + theirs + " bytes and this server reads " + ours
                + ": "
                + (RecordSize.of(theirs).isPresent()
                        ? OPTIONS + theirs
                        : "no server is known that reads them, so build the program and the server from one version");
        dispatcher.history.lost(-1, why);
        return why;
    }

    private void record(int code, RecordSize size, ByteBuffer in, int at) {
        MessageType type = MessageType.of(code)
                .filter(known -> !known.isReply() && size.knows(known))
                .orElse(null);
        followsRecord = type != null;
        if (type == null) {
            errors++;
            return;
        }
        errors = 0;
        int device = in.getInt(at + RecordFields.DEVICE);
        int process = in.getInt(at + RecordFields.PROCESS);
        int memory = in.get(at + RecordFields.MEMORY) & 0xff;
        long id = in.getLong(at + RecordFields.BUFFER);
        long bytes = in.getLong(at + RecordFields.SIZE);
        if (type.isReport()) {
            dispatcher.reportedBy(process, connection);
            connection.reports++;
        }
        switch (type) {
            case ALLOC -> dispatcher.allocated(memory, device, id, bytes, connection);
            case FREE -> dispatcher.freed(device, id, connection);
            case QUERY -> answer(size, MessageType.RESPONSE, device, dispatcher.usage(device));
            // This server knows no chip, so the rest of the record is 0.
            case DEVICE_INFO_QUERY -> answer(size, MessageType.DEVICE_INFO_RESPONSE, device);
            case DUMP_REMAINING, DUMP_KERNELS -> processCheck.run();
            case CB_ALLOC, CB_FREE ->
                dispatcher.circularBuffer(type == MessageType.CB_ALLOC, device, id, bytes, connection);
            // Kernels are no buffers.
            case KERNEL_LOAD, KERNEL_UNLOAD, RESPONSE, DEVICE_INFO_RESPONSE -> {}
        }
    }

    private void answer(RecordSize size, MessageType type, int device, long... sums) {
        ByteBuffer record = ByteBuffer.allocate(size.bytes())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(RecordFields.TYPE, (byte) type.code())
                .putInt(RecordFields.DEVICE, device);
        record.position(RecordFields.USAGE).asLongBuffer().put(sums);
        answers.writeBytes(record.array());
    }

    /** Most reads have no answer. */
    @Override
    public byte[] answers() {
        if (answers.size() == 0) {
            return ClientConnection.NOTHING;
        }
        byte[] result = answers.toByteArray();
        answers.reset();
        return result;
    }

    /** A program that only asks, such as a monitor, reports nothing. */
    @Override
    public boolean mayReport() {
        return connection.hasReports() || connection.rest.length > 0 || connection.records == 0;
    }

    /** A record that is cut counts as lost. */
    @Override
    public Optional<String> disconnected(ByteBuffer rest) {
        if (!rest.hasRemaining()) {
            return Optional.empty();
        }
        RecordSize size = dispatcher.recordSize();
        String why = size == null
                ? undecided(rest.remaining(), "ended")
                : connection.description() + " ended after " + rest.remaining() + " bytes of a record of "
                        + size.bytes() + ": it was killed in the middle, or sends records of another size";
        boolean mayBeReport =
                MessageType.of(rest.get(0) & 0xff).filter(MessageType::isReport).isPresent()
                        && RecordSizeDetector.mayBegin(rest, 0);
        if (connection.hasReports() || mayBeReport) {
            dispatcher.history.lost(1, why);
        }
        return Optional.of(why);
    }

    @Override
    public Optional<String> waiting() {
        return dispatcher.recordSize() == null && connection.rest.length > 0
                ? Optional.of(undecided(connection.rest.length, "waits"))
                : Optional.empty();
    }

    /** Returns the problem of a connection whose bytes do not prove the size. */
    private String undecided(int bytes, String state) {
        return connection.description() + " sent " + bytes
                + " bytes, which may be a whole record or a part of a larger one, and " + state
                + ": " + OPTIONS + "72, 112 or 144";
    }
}
