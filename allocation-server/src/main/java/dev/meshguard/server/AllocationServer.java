package dev.meshguard.server;

import dev.meshguard.server.books.internal.LogLineBuffer;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Retention;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Hears from real processes what they allocate, in place of the field's allocation server.
 *
 * <p>Programs that report to the old server report to this one unchanged: the same socket, records, answers, rules of bookkeeping and
 * log lines. What they report goes into an {@link AllocationTracker} besides, so that it is judged like what a test allocates itself.
 *
 * <pre>{@code
 * try (AllocationServer server = AllocationServer.builder()
 *         .socket(folder.resolve("server.sock"))
 *         .recordSize(RecordSize.BYTES_112)
 *         .start()) {
 *     runProgram();
 *     server.awaitQuiet(Duration.ofSeconds(10));
 *     server.checkProcesses();
 *     LeakVerdict verdict = LeakCheck.create().examine(server.tracker().history());
 * }
 * }</pre>
 *
 * <h2>What it does that the old one does not</h2>
 *
 * <p>Records that arrive in parts or together are put together and taken apart. Records of another size are noticed and never misread.
 * A dead process's buffers leave the answers and stay in the history. {@link Compatibility} lists the differences and brings each of
 * the old ways back.
 *
 * <h2>What it promises</h2>
 *
 * <p>Nothing that a program sent is dropped unsaid: a program that is faster than the server waits in its own write. A program that sends
 * what is no record, half of one, or nothing at all harms only itself. A socket at which another server answers is never taken.
 *
 * <h2>Limits</h2>
 *
 * <p>What programs can make it keep is bounded: {@link Builder#maxBuffers}, {@link Builder#maxCircularBuffers},
 * {@link Builder#maxProcesses} and {@link Builder#maxEvents}. A report for which there is no room counts as lost.
 *
 * <p>All programs of one server use one record size. A process that this machine does not show, for example of another container,
 * counts as dead; {@link Builder#processCheckEvery} switches the check off. Origins are not reported, so no line of code is known.
 *
 * <p>Safe for use by several threads. One daemon thread does the work.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationServer implements AutoCloseable {

    /** The socket that the field's programs connect to; it is fixed in them. */
    public static final Path DEFAULT_SOCKET = Path.of("/tmp/tt_allocation_server.sock");

    /** A server's thread that ends tells those who wait; this is for one that cannot. */
    private static final long WAIT_MILLIS = 1000;

    private final Object lock = new Object();
    private final ServerOptions options;
    private final ServerErrors problems;
    private final Selector selector;
    private final ServerSocketChannel channel;
    private final SocketFile file;
    private final ReportDispatcher bookkeeper;
    private final @Nullable ServerLog log;
    private final ServerLoop loop;
    private final Thread thread;
    private boolean isClosed;

    private AllocationServer(ServerOptions options) throws IOException {
        this.options = options;
        this.problems = new ServerErrors(options.onProblem());
        this.selector = Selector.open();
        this.channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            this.file = SocketFile.bind(channel, options.socket(), options.permissions());
            this.log = openLog();
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            channel.close();
            selector.close();
            throw e;
        }
        LogLineBuffer lines = log == null ? null : new LogLineBuffer(log);
        this.bookkeeper = new ReportDispatcher(options, lines, problems);
        this.loop = new ServerLoop(lock, selector, channel, bookkeeper, lines, options, problems);
        bookkeeper.started(options.socket().toString(), options.processCheck().toSeconds());
        this.thread = new Thread(loop, "meshguard-allocation-server " + options.socket());
        thread.setDaemon(true);
    }

    private @Nullable ServerLog openLog() throws IOException {
        if (options.log().isEmpty()) {
            return null;
        }
        try {
            return new ServerLog(options.log().get().open(), problems);
        } catch (IOException e) {
            file.removeOwn();
            throw new IOException("The log cannot be written: " + e + ". Choose another file.", e);
        }
    }

    /** Nobody may see a server before it is whole, so its constructor does not start it. */
    private void begin() {
        synchronized (lock) {
            loop.logged();
        }
        thread.start();
    }

    /** Starts a server with other options than the default ones. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the socket that programs connect to. */
    public Path socketPath() {
        return options.socket();
    }

    /** Returns the tracker that everything goes to; with {@link Builder#withoutHistory()} it stays empty. */
    public AllocationTracker tracker() {
        synchronized (lock) {
            bookkeeper.addUp();
        }
        return options.tracker();
    }

    /** Returns the size of the records; empty as long as it was neither chosen nor proved. */
    public Optional<RecordSize> recordSize() {
        synchronized (lock) {
            return loop.recordSize();
        }
    }

    /** Returns what a program would be answered that asks for a device. */
    public MemoryUsage usage(int device) {
        synchronized (lock) {
            return bookkeeper.usage(device);
        }
    }

    /** Returns how many addresses are allocated, by the server's own books: a dead process's are not among them. */
    public long activeAllocations() {
        synchronized (lock) {
            return bookkeeper.entries();
        }
    }

    /** Returns how many records have been read from all programs. */
    public long records() {
        synchronized (lock) {
            return loop.records();
        }
    }

    /** Returns the connections in the order in which they came; of those that are closed, the oldest beyond 10,000 are forgotten. */
    public List<ConnectionSnapshot> connections() {
        synchronized (lock) {
            return loop.views();
        }
    }

    /** Returns what went wrong so far, as sentences without their full stops: connections refused, records cut, a log that is full. */
    public List<String> problems() {
        synchronized (lock) {
            return problems.all();
        }
    }

    /** Looks for dead processes now, and takes off the books what they had; the tracker keeps it as theirs. */
    public void checkProcesses() {
        synchronized (lock) {
            awaitCheck(bookkeeper.askForCheck());
        }
    }

    /** Logs what is left, as if a program had asked for it. */
    public void dump() {
        synchronized (lock) {
            awaitCheck(bookkeeper.askForDump());
            bookkeeper.dump();
            loop.logged();
        }
    }

    /** The server's thread looks for the dead, in parts, so that programs are served meanwhile; where it is gone, this one does. */
    private void awaitCheck(long asked) {
        loop.logged();
        boolean wasInterrupted = false;
        while (!bookkeeper.isChecked(asked)) {
            if (!thread.isAlive() || Thread.currentThread().equals(thread)) {
                bookkeeper.work(Integer.MAX_VALUE);
                continue;
            }
            try {
                lock.wait(WAIT_MILLIS);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until everything is read and entered that programs had sent when this was called.
     *
     * <p>What a process sent that has ended, or whose write has returned, is then in the history.
     *
     * @return whether it came to that within the time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean awaitQuiet(Duration limit) throws InterruptedException {
        synchronized (lock) {
            long asked = loop.askForQuiet();
            return await(() -> loop.isQuiet(asked), limit);
        }
    }

    /**
     * Waits until the connections are as somebody wants them.
     *
     * <pre>{@code
     * server.await(all -> all.stream().anyMatch(one -> !one.processes().isEmpty()), Duration.ofSeconds(10));
     * }</pre>
     *
     * @return whether they became so within the time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean await(Predicate<List<ConnectionSnapshot>> condition, Duration limit) throws InterruptedException {
        synchronized (lock) {
            return await(() -> condition.test(loop.views()), limit);
        }
    }

    private boolean await(BooleanSupplier condition, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0 || !thread.isAlive()) {
                return condition.getAsBoolean();
            }
            lock.wait(left);
        }
        return true;
    }

    /**
     * Waits until the server ends: it is closed, or it {@linkplain #failure() failed}.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void awaitEnd() throws InterruptedException {
        thread.join();
    }

    /**
     * Returns why the server ended by itself, as a sentence without its full stop; empty if it runs or was closed.
     *
     * <p>A server that has no memory left, or that cannot use its socket any more, closes all connections. Its history then says that
     * reports are missing.
     */
    public Optional<String> failure() {
        synchronized (lock) {
            return loop.failure();
        }
    }

    /**
     * Returns why the log is not whole, as a sentence without its full stop; empty if all was written, or if there is no log.
     *
     * <p>The server goes on without its log, so that programs can still report.
     */
    public Optional<String> logFailure() {
        synchronized (lock) {
            return log == null ? Optional.empty() : log.failure();
        }
    }

    /**
     * Reads what was sent, logs the last statistics, removes the socket if it is still this server's, and closes all connections.
     *
     * <p>Programs that are still connected may allocate later, and no report of it is read. So the tracker then counts lost reports and
     * names the processes, and {@code LeakCheck} finds the history inconclusive, even if every buffer was freed. End the programs first.
     * A connection over which only questions were asked, such as a monitor's, does not count.
     */
    @Override
    public void close() {
        synchronized (lock) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        removeFile();
        loop.stop();
        join();
        try {
            channel.close();
            selector.close();
        } catch (IOException e) {
            problem("the socket could not be closed: " + e.getMessage());
        }
        if (log != null) {
            log.close();
        }
    }

    private void removeFile() {
        try {
            file.removeOwn();
        } catch (IOException e) {
            problem("the socket " + options.socket() + " could not be removed: " + e.getMessage());
        }
    }

    private void problem(String sentence) {
        synchronized (lock) {
            problems.add(sentence);
        }
    }

    /** An interrupt does not keep the last records from being read; it is passed on. */
    private void join() {
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Chooses how a server behaves; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private Path socket = DEFAULT_SOCKET;
        private Optional<RecordSize> recordSize = Optional.empty();
        private @Nullable AllocationTracker tracker;
        private Optional<LogTarget> log = Optional.empty();
        private @Nullable Boolean hasHexadecimalIds;
        private List<DeviceInfo> devices = List.of();
        private final EnumSet<Compatibility> compatibility = EnumSet.noneOf(Compatibility.class);
        private Set<PosixFilePermission> permissions =
                Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        private Duration processCheck = Duration.ofSeconds(5);
        private Duration statistics = Duration.ofSeconds(10);
        private InstantSource clock = InstantSource.system();
        private ProcessInspector probe = ProcessInspector.ofThisMachine();
        private ServerLimits limits = ServerLimits.ofHeap(Runtime.getRuntime().maxMemory());
        private boolean hasHistory = true;
        private Consumer<String> onProblem = problem -> {};

        private Builder() {}

        /** Listens at another socket than {@link #DEFAULT_SOCKET}; a path of at most 107 bytes. */
        public Builder socket(Path newSocket) {
            socket = newSocket;
            return this;
        }

        /**
         * Says which records the programs send.
         *
         * <p>Unless said, the first program decides, as soon as its bytes prove it: from the second record on. A program that asks
         * something first and waits for the answer proves nothing, and waits.
         */
        public Builder recordSize(RecordSize size) {
            recordSize = Optional.of(size);
            return this;
        }

        /** Records in a tracker that is there already; unless set, in one of the server's own that keeps all events. */
        public Builder tracker(AllocationTracker newTracker) {
            tracker = newTracker;
            return this;
        }

        /** Logs to a file, behind what is in it. */
        public Builder log(Path file) {
            log = Optional.of(LogTarget.to(file));
            return this;
        }

        /** Logs to something that stays open, from the server's thread. */
        public Builder log(Appendable text) {
            log = Optional.of(LogTarget.to(text));
            return this;
        }

        /** Logs addresses with hexadecimal digits; unless said, records of 144 bytes do and others do not. */
        public Builder hexadecimalIds() {
            hasHexadecimalIds = true;
            return this;
        }

        /** Logs addresses with decimal digits; unless said, records of 144 bytes do not and others do. */
        public Builder decimalIds() {
            hasHexadecimalIds = false;
            return this;
        }

        /** Says which devices there are, for programs that ask; without them devices 0 to 7 may be reported all the same. */
        public Builder devices(List<DeviceInfo> newDevices) {
            devices = List.copyOf(newDevices);
            return this;
        }

        /** Brings old behaviour back. */
        public Builder compatibleWith(Set<Compatibility> old) {
            compatibility.addAll(old);
            return this;
        }

        /** Allows others than this user to connect; whoever may write may. */
        public Builder permissions(Set<PosixFilePermission> newPermissions) {
            permissions = Set.copyOf(newPermissions);
            return this;
        }

        /** Looks for dead processes every so often, 5 seconds unless set; with zero only when asked. */
        public Builder processCheckEvery(Duration interval) {
            processCheck = notNegative(interval);
            return this;
        }

        /** Logs statistics every so often, 10 seconds unless set; with zero only at the end. */
        public Builder statisticsEvery(Duration interval) {
            statistics = notNegative(interval);
            return this;
        }

        private static Duration notNegative(Duration interval) {
            if (interval.isNegative()) {
                throw new IllegalArgumentException("Give an interval of zero or more: " + interval + " is less");
            }
            return interval;
        }

        /**
         * Keeps the server's own books and the log, and records nothing in a tracker: for a server that runs for months and whose log is
         * judged. Its {@link #tracker(AllocationTracker) tracker} stays empty, which proves nothing.
         */
        public Builder withoutHistory() {
            hasHistory = false;
            return this;
        }

        /**
         * Limits how many buffers are known at a time, where one that several processes refer to counts for each of them, and one of a dead
         * process as long as it is in the history; unless set, one for each 640 bytes of this JVM's heap.
         *
         * <p>What does not fit is refused and counts as lost, so the verdict is inconclusive. Programs are not held up, and what is
         * freed makes room.
         *
         * @throws IllegalArgumentException if the number is below 1
         */
        public Builder maxBuffers(long buffers) {
            limits = limits.withBuffers(positive(buffers));
            return this;
        }

        /**
         * Limits how many circular buffers and kernels are known at a time, as {@link #maxBuffers} does for buffers; unless set, one for
         * each 2,560 bytes of the heap.
         *
         * @throws IllegalArgumentException if the number is below 1
         */
        public Builder maxCircularBuffers(long circularBuffers) {
            limits = limits.withCircularBuffers(positive(circularBuffers));
            return this;
        }

        /**
         * Limits how many processes are known at a time; unless set, one for each 8 KiB of the heap.
         *
         * <p>Those that have nothing are forgotten when there is no room; the reports of a process for which there is none count as lost.
         *
         * @throws IllegalArgumentException if the number is below 1
         */
        public Builder maxProcesses(int newProcesses) {
            limits = limits.withProcesses((int) positive(newProcesses));
            return this;
        }

        /**
         * Limits how many events the tracker is given in the server's life; unless set, one for each 480 bytes of the heap. With
         * {@link Retention#LIVE_AND_TOTALS}, whose memory does not grow with each report, only what is said of processes and devices
         * counts.
         *
         * <p>After that the tracker notes that reports are missing, so the verdict is inconclusive; the server's own books and its log go
         * on.
         *
         * @throws IllegalArgumentException if the number is below 1
         */
        public Builder maxEvents(long events) {
            limits = limits.withEvents(positive(events));
            return this;
        }

        private static long positive(long number) {
            if (number < 1) {
                throw new IllegalArgumentException("Give a limit of one or more: " + number + " is less");
            }
            return number;
        }

        /** Takes the time from another source than the system's clock. */
        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        /** Finds processes in another way than this machine shows them. */
        public Builder processProbe(ProcessInspector newProbe) {
            probe = newProbe;
            return this;
        }

        /** Is told of what goes wrong, as sentences without their full stops; called by the server's thread and must not wait. */
        public Builder onProblem(Consumer<String> listener) {
            onProblem = listener;
            return this;
        }

        /**
         * Starts the server; when this returns, programs can connect.
         *
         * @throws IOException if another server listens at the socket, or it or the log cannot be made; the message says what would help
         */
        public AllocationServer start() throws IOException {
            AllocationServer server = new AllocationServer(options());
            server.begin();
            return server;
        }

        private ServerOptions options() {
            return new ServerOptions(
                    socket,
                    recordSize,
                    tracker == null ? newTracker() : tracker,
                    log,
                    hasHexadecimalIds == null
                            ? recordSize.filter(RecordSize::hasCircularBuffers).isPresent()
                            : hasHexadecimalIds,
                    devices,
                    compatibility,
                    permissions,
                    processCheck,
                    statistics,
                    clock,
                    probe,
                    hasHistory ? limits : limits.withEvents(0),
                    onProblem);
        }

        /** The stacks of the server's thread say nothing, and a report does not say over how many banks a buffer lies. */
        private AllocationTracker newTracker() {
            return AllocationTracker.builder()
                    .originCapture(OriginCapture.NONE)
                    .bankedAddresses()
                    .clock(clock)
                    .build();
        }
    }
}
