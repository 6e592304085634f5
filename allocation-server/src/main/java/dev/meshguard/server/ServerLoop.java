package dev.meshguard.server;

import dev.meshguard.server.protocol.Message;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordCodec;
import dev.meshguard.server.protocol.RecordFields;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The only thread of a server: accepts connections, reads reports, answers queries, and checks for dead processes.
 *
 * <p>One thread is enough, because a record costs it less than the sending program, and it keeps the reports of all
 * programs in one order. It reads only as fast as it records reports. A program that is too fast therefore waits in its
 * own write, and nothing is dropped. It does not read from a program that does not read its answers.
 */
final class ServerLoop implements Runnable {

    private static final int READ_AT_ONCE = 1 << 18;
    private static final int MAX_ERRORS = 10;
    private static final int MAX_REMEMBERED = 10_000;
    private static final Duration UNDECIDED_TIMEOUT = Duration.ofSeconds(2);
    private static final long MAX_SLEEP_MILLIS = 1000;

    /**
     * A program that reports records one by one would wake this thread for each, and pay for that in its own write.
     * After a small read without a query, the thread therefore waits for more.
     */
    private static final long COALESCE_NANOS = 50_000;

    private static final int SMALL_READ_BYTES = 1 << 13;

    /** More rounds than the data in a socket's buffers needs. */
    private static final int LAST_ROUNDS = 64;

    /** Guards everything that other threads may ask for. */
    final Object lock = new Object();

    final ServerErrors problems;
    final ServerLog log;
    final ReportDispatcher dispatcher;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final SocketFile file;
    private final ServerLogFormatter lines;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final InstantSource clock;
    private final Duration processCheck;
    private final Duration statistics;

    private ByteBuffer in = inputBuffer();
    private ByteBuffer out = ByteBuffer.allocate(READ_AT_ONCE);

    private @Nullable RecordCodec codec;
    private int recordBytes;
    private int accepted;
    private Instant nextCheck;
    private Instant nextStatistics;

    // Guarded by the lock: requests that wait until everything sent is read.
    private long quietAsked;
    private long quietReached;

    private boolean hasUnflushedLines = true;
    private boolean wasSmallRead;

    /** Whether data that programs sent before the record size was known is still to be read. */
    private boolean isSizeNew;

    /** Whether the last reports of dead processes are being read; a dump among them reads no others. */
    private boolean isReadingLast;

    private volatile boolean isStopping;

    /** The sentence about a full heap; prepared, because it is needed when nothing can be allocated. */
    private final String fullHeap = "the server is out of memory and ends: its heap of "
            + (Runtime.getRuntime().maxMemory() >> 20) + " MiB is full. Allow it more (-Xmx)";

    private @Nullable String failure;

    /** Listens at the socket of the options, and opens the log. */
    ServerLoop(AllocationServer.Builder options, AllocationTracker tracker) throws IOException {
        this.problems = new ServerErrors(options.onProblem);
        this.clock = options.clock;
        this.processCheck = options.processCheck;
        this.statistics = options.statistics;
        this.nextCheck = clock.instant().plus(processCheck);
        this.nextStatistics = clock.instant().plus(statistics);
        try {
            this.file = SocketFile.bind(server, options.socket, options.permissions);
            this.log = openLog(options);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            server.close();
            selector.close();
            throw e;
        }
        this.lines = new ServerLogFormatter(log);
        this.dispatcher = new ReportDispatcher(
                new HistoryReporter(tracker, options.hasHistory), lines, options.devices, options.probe, connections);
        options.recordSize.ifPresent(this::chosen);
        lines.started(options.socket.toString());
    }

    private static ByteBuffer inputBuffer() {
        return ByteBuffer.allocateDirect(READ_AT_ONCE).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ServerLog openLog(AllocationServer.Builder options) throws IOException {
        Path logFile = options.logFile;
        if (logFile == null) {
            return new ServerLog(options.logText, "the log", problems);
        }
        try {
            return new ServerLog(
                    Files.newOutputStream(logFile, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                    "the log " + logFile,
                    problems);
        } catch (IOException e) {
            file.removeOwn();
            throw new IOException("The log cannot be written: " + e + ". Choose another file.", e);
        }
    }

    private void chosen(RecordSize size) {
        codec = RecordCodec.of(size);
        recordBytes = size.bytes();
        dispatcher.recordSize(size);
    }

    // The loop

    @Override
    public void run() {
        try {
            while (!isStopping) {
                turn();
            }
            removeFile();
            // Data sent before the end is still read; a program that continues to send is not waited for.
            for (int rounds = 0; rounds < LAST_ROUNDS && selector.selectNow() > 0; rounds++) {
                serve();
            }
            synchronized (lock) {
                stopped();
            }
        } catch (IOException | RuntimeException | Error e) {
            synchronized (lock) {
                failed(e);
            }
        } finally {
            synchronized (lock) {
                close();
                lock.notifyAll();
            }
        }
    }

    /**
     * Records that the server can accept nothing more.
     *
     * <p>The heap may be full. Until what programs reported is released, nothing is allocated here.
     */
    private void failed(Throwable cause) {
        failure = fullHeap;
        for (int i = 0; i < connections.size(); i++) {
            connections.get(i).lines = null;
        }
        dispatcher.release();
        if (!(cause instanceof OutOfMemoryError)) {
            failure = "the server stopped: " + cause;
        }
        log.cut();
        dispatcher.failed(failure);
        dispatcher.addUp();
        removeFile();
        log.flush();
        problems.add(failure);
    }

    private void removeFile() {
        try {
            file.removeOwn();
        } catch (IOException e) {
            synchronized (lock) {
                problems.add("the socket could not be removed: " + e.getMessage());
            }
        }
    }

    /** Returns why the server ended, unless it was closed. */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    private void turn() throws IOException {
        long asked;
        boolean isAwaited;
        synchronized (lock) {
            asked = quietAsked;
            isAwaited = quietReached < asked || hasUnflushedLines;
        }
        int ready = isAwaited ? selector.selectNow() : selector.select(MAX_SLEEP_MILLIS);
        if (ready == 0 && isAwaited) {
            synchronized (lock) {
                flush();
                quietReached = asked;
                lock.notifyAll();
            }
        }
        if (ready > 0) {
            wasSmallRead = true;
            serve();
            if (wasSmallRead) {
                LockSupport.parkNanos(COALESCE_NANOS);
            }
        }
        synchronized (lock) {
            onTime();
        }
    }

    private void serve() throws IOException {
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
            SelectionKey key = ready.next();
            ready.remove();
            synchronized (lock) {
                if (!key.isValid()) {
                    continue;
                }
                if (key.isAcceptable()) {
                    accept();
                } else if (key.attachment() instanceof ClientConnection connection) {
                    serve(connection);
                }
            }
        }
    }

    private void accept() throws IOException {
        wasSmallRead = false;
        SocketChannel channel;
        try {
            channel = server.accept();
        } catch (IOException e) {
            problems.add("a connection could not be accepted: " + e.getMessage()
                    + ". Allow this process more open files (ulimit -n)");
            return;
        }
        if (channel == null) {
            return;
        }
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        accepted++;
        ClientConnection connection = new ClientConnection(accepted, channel, key);
        forgetOldest();
        connections.add(connection);
        key.attach(connection);
        lock.notifyAll();
    }

    /** A server may run for months, and a monitor may connect each second. */
    private void forgetOldest() {
        if (connections.size() >= MAX_REMEMBERED) {
            connections.stream()
                    .filter(connection -> !connection.isOpen)
                    .findFirst()
                    .ifPresent(connections::remove);
        }
    }

    private void serve(ClientConnection connection) {
        try {
            if (connection.unsent != null) {
                send(connection);
            } else {
                read(connection);
            }
        } catch (IOException e) {
            // The program closed its end, and all that it had sent was read.
            disconnected(connection);
        }
    }

    /**
     * Removes the buffers of dead processes, after it has read their last reports, which may free them.
     *
     * @param asking the connection that is being read, and is read no further here; null if it is none
     */
    void checkProcesses(@Nullable ClientConnection asking) {
        if (isReadingLast) {
            return;
        }
        List<Long> dead = dispatcher.dead();
        List<ClientConnection> ofDead = connections.stream()
                .filter(connection -> connection != asking && dead.stream().anyMatch(connection::isOf))
                .filter(connection -> connection.isOpen)
                .toList();
        if (!ofDead.isEmpty()) {
            ByteBuffer inOfAsking = in;
            ByteBuffer outOfAsking = out;
            in = inputBuffer();
            out = ByteBuffer.allocate(READ_AT_ONCE);
            isReadingLast = true;
            ofDead.forEach(this::readAll);
            isReadingLast = false;
            in = inOfAsking;
            out = outOfAsking;
        }
        dispatcher.removeDead(dead);
        hasUnflushedLines = true;
    }

    /** Checks for dead processes and logs the remaining buffers. */
    void dump(@Nullable ClientConnection asking) {
        dispatcher.dumpAskedFor();
        checkProcesses(asking);
        dispatcher.dump();
    }

    private void readAll(ClientConnection connection) {
        try {
            int reads = 0;
            while (connection.isOpen && connection.unsent == null && reads < LAST_ROUNDS && read(connection) > 0) {
                reads++;
            }
        } catch (IOException e) {
            disconnected(connection);
        }
    }

    private void onTime() {
        Instant now = clock.instant();
        if (!processCheck.isZero() && !now.isBefore(nextCheck)) {
            nextCheck = now.plus(processCheck);
            checkProcesses(null);
        }
        if (log.isOn() && !statistics.isZero() && !now.isBefore(nextStatistics)) {
            nextStatistics = now.plus(statistics);
            dispatcher.statistics();
            hasUnflushedLines = true;
        }
        if (codec == null) {
            connections.forEach(connection -> askForSize(connection, now));
        }
    }

    // Reading

    /** Returns the number of bytes; -1 at the end. */
    private int read(ClientConnection connection) throws IOException {
        in.clear();
        in.put(connection.carry, 0, connection.carried);
        int count = connection.channel.read(in);
        in.flip();
        connection.carried = 0;
        wasSmallRead &= count < SMALL_READ_BYTES;
        hasUnflushedLines = log.isOn();
        if (count < 0) {
            atEnd(connection);
            disconnected(connection);
        } else {
            received(connection);
        }
        return count;
    }

    private void received(ClientConnection connection) {
        if (connection.records == 0 && connection.lines == null && LineReports.areBegunBy(in)) {
            connection.lines = dispatcher.lines(connection);
        }
        if (connection.lines != null) {
            lines(connection, connection.lines);
        } else if (codec != null || decide(connection)) {
            records(connection);
        } else if (connection.isOpen) {
            keep(connection, 0);
        }
        if (connection.isOpen) {
            answer(connection);
        }
        if (isSizeNew) {
            isSizeNew = false;
            connections.forEach(this::reread);
        }
        lock.notifyAll();
    }

    private void lines(ClientConnection connection, LineReports lines) {
        Optional<String> rejection = lines.read(in);
        answer(connection, lines.answers());
        if (rejection.isPresent()) {
            String why = connection.description() + " " + rejection.get() + ", so it was closed";
            reject(connection, why);
            if (!connection.hasReports()) {
                dispatcher.lost(-1, why);
            }
        }
    }

    /** A program need not read the answers to its lines: what its socket does not take is dropped. */
    private void answer(ClientConnection connection, String answers) {
        if (answers.isEmpty()) {
            return;
        }
        wasSmallRead = false;
        try {
            connection.channel.write(ByteBuffer.wrap(answers.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException isGone) {
            // A program that has ended reads no answer. What it sent before is still to be read, up to its end.
        }
    }

    private void records(ClientConnection connection) {
        int at = 0;
        int limit = in.limit();
        int size = recordBytes;
        while (limit - at >= size && connection.isOpen) {
            int type = in.get(at) & 0xff;
            boolean isMessage = type >= 1 && type <= MessageType.MAX_CODE;
            if (!isMessage || !RecordShape.isPlain(in, at, size)) {
                int other = RecordShape.otherSize(in, at, size, connection.followsRecord);
                if (other == RecordShape.MORE_NEEDED) {
                    break;
                }
                if (other != RecordShape.NOTHING) {
                    rejectSize(connection, other);
                    return;
                }
            }
            connection.records++;
            record(type, at, connection);
            at += size;
        }
        if (connection.isOpen) {
            keep(connection, at);
        }
    }

    private void keep(ClientConnection connection, int from) {
        int left = in.limit() - from;
        in.position(from);
        in.get(connection.carry, 0, left);
        connection.carried = left;
    }

    private void record(int code, int at, ClientConnection connection) {
        MessageType type = MessageType.of(code)
                .filter(known -> codec != null && !known.isReply() && known.isKnownTo(codec.size()))
                .orElse(null);
        if (type == null) {
            lines.unknownMessage(code);
            failed(connection);
            return;
        }
        int device = in.getInt(at + RecordFields.DEVICE);
        int process = in.getInt(at + RecordFields.PROCESS);
        int memory = in.get(at + RecordFields.MEMORY) & 0xff;
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        if (type.isReport()) {
            dispatcher.reportedBy(process, connection);
            connection.reports++;
        }
        switch (type) {
            case ALLOC -> dispatcher.allocated(process, memory, device, id, size, connection);
            case FREE -> dispatcher.freed(process, device, id, connection);
            case QUERY -> reply(dispatcher.usage(device));
            case DEVICE_INFO_QUERY -> reply(dispatcher.deviceInfo(device));
            case DUMP_REMAINING -> dump(connection);
            case CB_ALLOC, CB_FREE ->
                dispatcher.circularBuffer(process, type == MessageType.CB_ALLOC, device, id, size, connection);
            case KERNEL_LOAD, KERNEL_UNLOAD ->
                dispatcher.kernel(process, type == MessageType.KERNEL_LOAD, memory, device, id, size);
            case DUMP_KERNELS, RESPONSE, DEVICE_INFO_RESPONSE -> {}
        }
        connection.errors = 0;
        connection.followsRecord = true;
    }

    private void failed(ClientConnection connection) {
        connection.errors++;
        connection.followsRecord = false;
        if (connection.errors < MAX_ERRORS) {
            return;
        }
        lines.tooManyErrors(connection.errors);
        reject(
                connection,
                connection.description() + " sent " + connection.errors
                        + " records in a row that are none, so it was closed");
    }

    private void rejectSize(ClientConnection connection, int theirs) {
        lines.otherSize(connection.number, theirs, recordBytes);
        String fix = RecordSize.of(theirs).isPresent()
                ? "start the server with --record-size " + theirs
                : "no server is known that reads them, so build the program and the server from one version";
        reject(
                connection,
                connection.description() + " sends records of " + theirs + " bytes and this server reads " + recordBytes
                        + ": " + fix);
        if (!connection.hasReports()) {
            dispatcher.lost(-1, connection.view().problem().orElseThrow());
        }
    }

    /** Closes a connection; later reports of a program count as lost, if it ever reported. */
    private void reject(ClientConnection connection, String why) {
        connection.problem(why);
        problems.add(why);
        if (connection.hasReports()) {
            dispatcher.lost(-1, why);
        }
        ended(connection);
        dispatcher.ended(connection);
    }

    // The record size, if it was not configured

    /** Returns whether the size is known now. */
    private boolean decide(ClientConnection connection) {
        if (in.limit() >= RecordFields.END_OF_REQUEST && !RecordShape.mayBegin(in, 0)) {
            reject(
                    connection,
                    connection.description() + " begins with what is no record of any size, so it was closed");
            return false;
        }
        int proved = RecordShape.sizeOfFirst(in);
        if (proved == RecordShape.MORE_NEEDED) {
            if (connection.undecidedSince == 0) {
                connection.undecidedSince = Math.max(1, clock.instant().toEpochMilli());
            }
            return false;
        }
        connection.undecidedSince = 0;
        Optional<RecordSize> size = RecordSize.of(proved);
        if (size.isEmpty()) {
            recordBytes = RecordSize.BYTES_144.bytes();
            rejectSize(connection, proved);
            recordBytes = 0;
            return false;
        }
        chosen(size.get());
        isSizeNew = true;
        return true;
    }

    /** No event would wake data that other programs sent before the size was known. */
    private void reread(ClientConnection waiting) {
        if (waiting.isOpen && waiting.undecidedSince > 0) {
            waiting.undecidedSince = 0;
            in.clear().put(waiting.carry, 0, waiting.carried).flip();
            waiting.carried = 0;
            received(waiting);
        }
    }

    private void askForSize(ClientConnection connection, Instant now) {
        boolean hasWaited = connection.undecidedSince > 0
                && connection.isOpen
                && now.toEpochMilli() - connection.undecidedSince >= UNDECIDED_TIMEOUT.toMillis();
        if (hasWaited && connection.view().problem().isEmpty()) {
            String why = undecided(connection, "waits");
            connection.problem(why);
            problems.add(why);
        }
    }

    private static String undecided(ClientConnection connection, String state) {
        return connection.description() + " sent " + connection.carried
                + " bytes, which may be a whole record or a part of a larger one, and " + state
                + ": say which with recordSize(…), or --record-size 72, 112 or 144";
    }

    // Answers

    /** Adds an answer; the answers of one read always fit, because each follows a record of its size. */
    private void reply(Message message) {
        if (codec == null) {
            return;
        }
        codec.encode(message, out);
        wasSmallRead = false;
    }

    /** Sends answers; if the program does not read them now, they wait, and so do its later records. */
    private void answer(ClientConnection connection) {
        if (out.position() == 0) {
            return;
        }
        out.flip();
        connection.unsent = ByteBuffer.allocate(out.remaining()).put(out).flip();
        out.clear();
        send(connection);
    }

    private void send(ClientConnection connection) {
        ByteBuffer unsent = connection.unsent;
        if (unsent != null) {
            try {
                connection.channel.write(unsent);
                connection.unsent = unsent.hasRemaining() ? unsent : null;
            } catch (IOException isGone) {
                // A program that has ended reads no answer. What it sent before is still to be read, up to its end.
                connection.unsent = null;
            }
        }
        connection.key.interestOps(connection.unsent == null ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
    }

    // The end of a connection

    private void atEnd(ClientConnection connection) {
        int left = in.limit();
        if (left == 0) {
            return;
        }
        String why;
        if (codec == null) {
            connection.carried = left;
            why = undecided(connection, "ended");
        } else {
            why = connection.description() + " ended after " + left + " bytes of a record of " + recordBytes
                    + ": it was killed in the middle, or sends records of another size";
        }
        connection.problem(why);
        problems.add(why);
        int type = in.get(0) & 0xff;
        boolean wasReport = MessageType.of(type).filter(MessageType::isReport).isPresent();
        if (connection.hasReports() || (wasReport && RecordShape.mayBegin(in, 0))) {
            dispatcher.lost(1, why);
        }
    }

    /** Records the end of a connection that the program ended. */
    private void disconnected(ClientConnection connection) {
        LineReports lines = connection.lines;
        if (lines != null) {
            lines.disconnected();
            problemOf(lines, connection);
        }
        ended(connection);
        dispatcher.ended(connection);
    }

    private void problemOf(LineReports lines, ClientConnection connection) {
        lines.problem().ifPresent(what -> {
            String why = connection.description() + " " + what;
            connection.problem(why);
            problems.add(why);
        });
    }

    private void ended(ClientConnection connection) {
        connection.isOpen = false;
        connection.lines = null;
        connection.unsent = null;
        connection.carried = 0;
        out.clear();
        connection.key.cancel();
        close(connection.channel, connection.description());
        lock.notifyAll();
    }

    private void stopped() {
        List<ClientConnection> open =
                connections.stream().filter(connection -> connection.isOpen).toList();
        dispatcher.closedWhileConnected(
                open.stream().filter(ClientConnection::mayReport).toList());
        dispatcher.stopped();
        for (ClientConnection connection : open) {
            LineReports ofClient = connection.lines;
            if (ofClient != null) {
                ofClient.close();
                problemOf(ofClient, connection);
            }
        }
    }

    private void close() {
        for (ClientConnection connection : connections) {
            if (connection.isOpen) {
                ended(connection);
            }
        }
        close(server, "the socket");
        close(selector, "the selector");
        log.close();
    }

    private void close(Closeable channel, String name) {
        try {
            channel.close();
        } catch (IOException e) {
            problems.add(name + " could not be closed: " + e.getMessage());
        }
    }

    private void flush() {
        hasUnflushedLines = false;
        log.flush();
    }

    // For other threads, under the lock

    List<ConnectionSnapshot> views() {
        return connections.stream().map(ClientConnection::view).toList();
    }

    Optional<RecordSize> recordSize() {
        return Optional.ofNullable(codec).map(RecordCodec::size);
    }

    /** Flushes log lines that other threads caused. */
    void logged() {
        hasUnflushedLines = true;
        selector.wakeup();
    }

    /** Requests a notification when nothing remains to be read; returns the argument for {@link #isQuiet}. */
    long askForQuiet() {
        quietAsked++;
        selector.wakeup();
        return quietAsked;
    }

    boolean isQuiet(long asked) {
        return quietReached >= asked;
    }

    /** Must be called without the lock. */
    void stop() {
        isStopping = true;
        selector.wakeup();
    }
}
