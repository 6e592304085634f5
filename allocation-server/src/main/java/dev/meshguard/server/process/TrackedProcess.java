package dev.meshguard.server.process;

import dev.meshguard.event.Phase;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.ConnectionSnapshot;
import dev.meshguard.server.ProcessInspector;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A tracked program, started with an allocation server of its own and judged by the memory that it leaves allocated.
 *
 * <pre>{@code
 * try (TrackedProcess decoder = TrackedProcess.start("python3", "decode.py")) {
 *     assertThat(decoder.await(Duration.ofMinutes(1))).isZero();
 *     assertThat(decoder.verdict()).isLeakFree();
 * }
 * }</pre>
 *
 * <p>In a test with {@code @WatchedProcesses} declare a {@link TrackedProcesses} parameter instead;
 * its programs are checked at the end of the test.
 *
 * <h2>Requirements of the program</h2>
 *
 * <p>The program needs a client of tt-metal's allocation server, or MeshGuard's client for C or Python ({@code docs/processes.md}), which
 * reports more. It is started with {@code TT_ALLOC_TRACKING_ENABLED=1}, which enables the client of the runtime. The variable
 * {@value dev.meshguard.server.client.AllocationClient#SOCKET_VARIABLE} names the socket, for example for an
 * {@link dev.meshguard.server.client.AllocationClient}. Clients that know only the fixed path need
 * {@link ProcessSocket#DEFAULT_PATH}.
 *
 * <h2>Verdict</h2>
 *
 * <p>The verdict covers its own reports, and those of processes that it started. Memory still allocated at an exit with
 * status 0 is a leak. Memory allocated at a crash or kill is reported as {@code PROCESS_DIED}; for MeshGuard's clients a program that
 * ends in order has not crashed, whatever its status is. A program that never
 * connects makes the verdict INCONCLUSIVE, and {@link #notes()} names the things to check.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TrackedProcess implements AutoCloseable {

    private static final String TRACKING_VARIABLE = "TT_ALLOC_TRACKING_ENABLED";
    private static final Duration QUIET_TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 200;
    private static final int LAST_LINES = 3;
    private static final int MAX_NAME_LENGTH = 60;
    private static final int SIGNALLED = 128;
    private static final int MAX_SIGNAL = 64;
    private static final int MAX_UNHEARD = 20;

    private final List<String> command;
    private final ProcessSocket socket;

    /** The folder of a private socket. */
    private final @Nullable Path folder;

    private final AllocationServer server;
    private final Process process;
    private final CapturedOutput output;

    /** How long programs may take to end after they are asked to, and to complete what they report before a phase. */
    private final Duration timeToEnd;

    private final Instant started;
    private final List<String> remarks = new ArrayList<>();
    private boolean wasEnded;
    private boolean isConcluded;

    private TrackedProcess(Builder builder, @Nullable Path folder, AllocationServer server, Process process) {
        this.command = List.copyOf(builder.command);
        this.socket = builder.socket;
        this.folder = folder;
        this.server = server;
        this.process = process;
        this.timeToEnd = builder.timeToEnd;
        this.started = process.info().startInstant().orElseGet(Instant::now);
        this.output = new CapturedOutput(
                process.getInputStream(), builder.copyOfOutput, "output of process " + process.pid());
    }

    /**
     * Starts a program that reports to a private socket.
     *
     * @throws IOException if it cannot be started; the message names the command
     */
    public static TrackedProcess start(String... command) throws IOException {
        return command(command).start();
    }

    /** Returns a builder for a program with other options. */
    public static Builder command(String... command) {
        return new Builder(List.of(command), TrackedProcesses.create());
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns the server that it reports to. */
    public AllocationServer server() {
        return server;
    }

    /** Returns the tracker that records its reports. */
    public AllocationTracker tracker() {
        return server.tracker();
    }

    /**
     * Waits until it has ended, and at most a second more until its output was read: a process that it started may keep that open.
     *
     * @param atMost the longest wait for its end
     * @return its exit status; 128 plus the signal number if a signal killed it
     * @throws IllegalStateException if it runs for longer; it continues to run
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public int await(Duration atMost) throws InterruptedException {
        if (!process.waitFor(TimeUnit.NANOSECONDS.convert(atMost), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException(name() + " still runs after " + description(atMost)
                    + ". Wait longer, or end() it." + lastPrinted());
        }
        output.await();
        return process.exitValue();
    }

    /**
     * Returns the output of it and its children so far, including errors; of very long output the beginning and the
     * end.
     */
    public String output() {
        return output.text();
    }

    /** Returns the standard input of the program; closing it ends that input. */
    public OutputStream input() {
        return process.getOutputStream();
    }

    /**
     * Ends it and the processes that it started: requests termination first, then kills. Does nothing if it has ended.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; all are killed then
     */
    public void end() throws InterruptedException {
        boolean isRunning = process.isAlive();
        synchronized (this) {
            wasEnded |= isRunning;
        }
        Stream<ProcessHandle> own = isRunning ? Stream.of(process.toHandle()) : Stream.of();
        end(Stream.concat(own, process.descendants()).toList());
    }

    /** Only those that ignore the request are killed: a handle contains the start time of its process. */
    private void end(List<ProcessHandle> all) throws InterruptedException {
        all.forEach(ProcessHandle::destroy);
        try {
            awaitExit(all);
        } finally {
            all.forEach(ProcessHandle::destroyForcibly);
        }
        awaitExit(all);
    }

    private void awaitExit(List<ProcessHandle> all) throws InterruptedException {
        try {
            CompletableFuture.allOf(all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                    .get(TimeUnit.NANOSECONDS.convert(timeToEnd), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException stillRuns) {
            // It is killed next, or cannot be.
        }
    }

    /**
     * Returns the verdict on its memory.
     *
     * @throws IllegalStateException if it still runs
     */
    public LeakVerdict verdict() {
        return verdict(LeakCheck.create());
    }

    /**
     * Returns the verdict of a given check on its memory.
     *
     * @throws IllegalStateException if it still runs
     */
    public LeakVerdict verdict(LeakCheck check) {
        if (process.isAlive()) {
            throw new IllegalStateException(
                    name() + " still runs, and may free what it has. Await it, or end() it, before you judge it.");
        }
        conclude();
        return check.examine(tracker().history());
    }

    /**
     * Returns the notes for a reader of its verdict, as sentences without their full stops: how it ended, why no report
     * may have arrived, its last output.
     */
    public synchronized List<String> notes() {
        List<String> notes = new ArrayList<>();
        notes.add(name() + " " + ending());
        notes.addAll(remarks);
        server.problems().forEach(problem -> notes.add("its server: " + problem));
        if (server.connections().stream().allMatch(connection -> connection.records() == 0)) {
            notes.add("it never connected to " + server.socketPath() + ". " + whatToLookAt());
        }
        return notes;
    }

    private String ending() {
        if (process.isAlive()) {
            return "still runs";
        }
        int status = process.exitValue();
        boolean isSignal = status > SIGNALLED && status <= SIGNALLED + MAX_SIGNAL;
        String how = isSignal
                ? "ended with status " + status + ", as after signal " + (status - SIGNALLED)
                : "exited with status " + status;
        return (wasEnded ? "still ran and was ended; it " : "") + how + (status == 0 ? "" : lastPrinted());
    }

    private String whatToLookAt() {
        List<String> checks = new ArrayList<>();
        if (command.get(0).matches("(.*/)?(py\\.test|pytest)") && command.contains("meshguard")) {
            checks.add("Start it as python3 -m pytest: pytest alone finds no plugin in the working directory.");
        }
        checks.add("Does its runtime have the tracking built in, and does the program allocate on a device at all?");
        if (socket == ProcessSocket.PRIVATE) {
            checks.add("Does its client look for the socket in " + AllocationClient.SOCKET_VARIABLE
                    + "? One that knows only the fixed path needs" + " ProcessSocket.DEFAULT_PATH.");
        }
        checks.add(
                "Is the environment handed on where it starts others, and is the socket to be seen from inside a container?");
        return String.join(" ", checks);
    }

    private String lastPrinted() {
        List<String> lines = output().lines().filter(line -> !line.isBlank()).toList();
        return lines.isEmpty()
                ? "; it printed nothing"
                : "; it last printed: "
                        + String.join(" | ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    private String name() {
        List<String> words = new ArrayList<>(command);
        words.set(0, String.valueOf(Path.of(command.get(0)).getFileName()));
        String text = String.join(" ", words);
        return "process " + pid() + " ("
                + (text.length() > MAX_NAME_LENGTH ? text.substring(0, MAX_NAME_LENGTH) + "…" : text) + ")";
    }

    /** Receives the last reports, ends processes that outlived the program, and closes the server. */
    private synchronized void conclude() {
        if (isConcluded) {
            return;
        }
        isConcluded = true;
        try {
            receiveAll();
        } catch (InterruptedException asksForTheEnd) {
            remarks.add("the wait for its last reports was interrupted");
            Thread.currentThread().interrupt();
        }
        server.checkProcesses();
        Path unheard = unheardFile(server.socketPath());
        if (Files.exists(unheard)) {
            tracker().reportsLost(-1, processesIn(unheard) + " could not report to the server");
        }
        delete(unheard);
        server.close();
        if (folder != null) {
            delete(folder);
        }
    }

    /** The file in which clients that the server did not hear name their processes. */
    private static Path unheardFile(Path socket) {
        return socket.resolveSibling(socket.getFileName() + ".unheard");
    }

    private static String processesIn(Path unheard) {
        try {
            List<String> ids = new String(Files.readAllBytes(unheard), StandardCharsets.UTF_8)
                    .lines()
                    .distinct()
                    .limit(MAX_UNHEARD)
                    .toList();
            return (ids.size() == 1 ? "process " : "processes ") + String.join(", ", ids);
        } catch (IOException e) {
            return "the processes in " + unheard + ", which cannot be read,";
        }
    }

    private void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            remarks.add(file + " cannot be deleted: " + e.getMessage());
        }
    }

    private void receiveAll() throws InterruptedException {
        server.awaitQuiet(QUIET_TIMEOUT);
        endOrphans();
        server.awaitQuiet(QUIET_TIMEOUT);
        output.await();
    }

    /** Begins a phase, after everything sent before is recorded. */
    void enter(Phase phase) {
        try {
            server.awaitQuiet(timeToEnd);
        } catch (InterruptedException asksForTheEnd) {
            Thread.currentThread().interrupt();
        }
        tracker().phase(phase);
    }

    private static boolean areClosed(List<ConnectionSnapshot> connections) {
        return connections.stream().noneMatch(ConnectionSnapshot::isOpen);
    }

    /** Only the program and its children report to a private socket. */
    private void endOrphans() throws InterruptedException {
        List<ProcessHandle> orphans = server.connections().stream()
                .filter(ConnectionSnapshot::isOpen)
                .flatMap(connection -> connection.processes().stream())
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .filter(this::isOrphan)
                .toList();
        if (orphans.isEmpty()
                || socket == ProcessSocket.DEFAULT_PATH
                || server.await(TrackedProcess::areClosed, timeToEnd)) {
            return;
        }
        String ids = orphans.stream().map(one -> Long.toString(one.pid())).collect(Collectors.joining(", "));
        remarks.add(Quantities.count(orphans.size(), "process") + " that it started outlived it and was ended: " + ids);
        end(orphans);
    }

    /** A process that is older than the program is not its child, even if it reported: this JVM, for example. */
    private boolean isOrphan(ProcessHandle other) {
        return other.isAlive()
                && other.info()
                        .startInstant()
                        .filter(start -> !start.isBefore(started))
                        .isPresent();
    }

    /** Ends it if it still runs, closes the server, and releases the socket. Does nothing the second time. */
    @Override
    public void close() {
        try {
            end();
        } catch (InterruptedException asksForTheEnd) {
            Thread.currentThread().interrupt();
        }
        conclude();
    }

    private static String description(Duration duration) {
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    /** Returns the command, the process id and the state. */
    @Override
    public String toString() {
        return name() + " " + ending();
    }

    /**
     * Inspects the program by its exit status: if that is 0 it did not crash, and its survivors are leaks, for which a cause is searched.
     *
     * @param main the program; it may report before it is known, and is inspected after that
     */
    private record Ends(CompletableFuture<Process> main) implements ProcessInspector {

        @Override
        public Optional<Instant> inspect(long processId) {
            if (main.join().pid() != processId) {
                return ProcessInspector.ofThisMachine().inspect(processId);
            }
            return hasFailed(processId) ? Optional.empty() : Optional.of(Instant.EPOCH);
        }

        @Override
        public boolean hasFailed(long processId) {
            Process program = main.join();
            return program.pid() == processId && !program.isAlive() && program.exitValue() != 0;
        }
    }

    /**
     * Configures and starts a program. Not safe for use by several threads.
     *
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final List<String> command;
        private final TrackedProcesses group;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private ProcessSocket socket = ProcessSocket.PRIVATE;
        private Path defaultPath = AllocationServer.DEFAULT_SOCKET;
        private Duration longestWait = Duration.ofMinutes(1);
        private Duration timeToEnd = Duration.ofSeconds(3);
        private OutputStream copyOfOutput = OutputStream.nullOutputStream();
        private Redirect input = Redirect.PIPE;
        private @Nullable File directory;
        private Optional<RecordSize> recordSize = Optional.empty();

        Builder(List<String> command, TrackedProcesses group) {
            if (command.isEmpty()) {
                throw new IllegalArgumentException(
                        "Give the command of the program, for example \"python3\", \"decode.py\".");
            }
            this.command = command;
            this.group = group;
        }

        /** Sets the socket on which the program finds the server; {@link ProcessSocket#PRIVATE} by default. */
        public Builder socket(ProcessSocket newSocket) {
            socket = newSocket;
            return this;
        }

        /** Sets another path instead of the fixed one of tt-metal's clients. */
        Builder defaultPath(Path path, Duration newLongestWait) {
            defaultPath = path;
            longestWait = newLongestWait;
            return this;
        }

        /** Sets how long programs may take to end after they are asked to, and to complete what they report before a phase. */
        Builder timeToEnd(Duration atMost) {
            timeToEnd = atMost;
            return this;
        }

        /** Sets the size of the program's records; by default its first bytes must prove it. */
        public Builder recordSize(RecordSize size) {
            recordSize = Optional.of(size);
            return this;
        }

        /** Copies the output of the program to a stream, which another thread writes to and which is not closed. */
        public Builder copyOutputTo(OutputStream copy) {
            copyOfOutput = copy;
            return this;
        }

        /** Sets where the program reads its input, for example {@link Redirect#INHERIT}; {@link TrackedProcess#input()} is closed then. */
        public Builder inputFrom(Redirect from) {
            input = from;
            return this;
        }

        /** Sets the working directory of the program; by default that of this JVM. */
        public Builder directory(Path newDirectory) {
            directory = newDirectory.toFile();
            return this;
        }

        /** Adds an environment variable to those of this JVM. */
        public Builder environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /**
         * Starts it.
         *
         * @throws IOException if it cannot be started, or another server listens at the fixed path for more than a minute
         */
        public TrackedProcess start() throws IOException {
            Path folder = socket == ProcessSocket.PRIVATE ? Files.createTempDirectory("meshguard") : null;
            CompletableFuture<Process> main = new CompletableFuture<>();
            AllocationServer server = null;
            try {
                server = listening(folder == null ? defaultPath : folder.resolve("server.sock"), new Ends(main));
                Files.deleteIfExists(unheardFile(server.socketPath()));
                Phase begun = group.beginPhase(server.tracker());
                Process process = processBuilder(server.socketPath()).start();
                main.complete(process);
                return group.add(new TrackedProcess(this, folder, server, process), begun);
            } catch (IOException | RuntimeException failure) {
                main.cancel(true);
                if (server != null) {
                    server.close();
                }
                if (folder != null) {
                    Files.deleteIfExists(folder);
                }
                throw failure;
            }
        }

        /** Starts a server; waits while one of another test listens at the path that all clients know. */
        private AllocationServer listening(Path path, ProcessInspector ends) throws IOException {
            AllocationServer.Builder builder =
                    AllocationServer.builder().socket(path).processInspector(ends);
            recordSize.ifPresent(builder::recordSize);
            long start = System.nanoTime();
            while (true) {
                try {
                    return builder.start();
                } catch (BindException anotherListens) {
                    if (System.nanoTime() - start >= TimeUnit.NANOSECONDS.convert(longestWait)) {
                        throw new IOException(
                                String.format(
                                        Locale.ROOT,
                                        "Another server has listened at %s for %d s. Only one program at a time can report there: run"
                                                + " the tests that need it one after another, or start the program with"
                                                + " ProcessSocket.PRIVATE if its client can use another path.",
                                        path,
                                        longestWait.toSeconds()),
                                anotherListens);
                    }
                    pause(path);
                }
            }
        }

        private static void pause(Path path) throws IOException {
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException asksForTheEnd) {
                Thread.currentThread().interrupt();
                throw new IOException("The wait for " + path + " was interrupted", asksForTheEnd);
            }
        }

        private ProcessBuilder processBuilder(Path path) {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(input)
                    .directory(directory);
            Map<String, String> ofProgram = builder.environment();
            ofProgram.put(TRACKING_VARIABLE, "1");
            ofProgram.put(AllocationClient.SOCKET_VARIABLE, path.toString());
            ofProgram.putAll(environment);
            return builder;
        }
    }
}
