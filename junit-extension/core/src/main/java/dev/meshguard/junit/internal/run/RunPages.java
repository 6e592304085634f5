package dev.meshguard.junit.internal.run;

import dev.meshguard.junit.internal.BuildTool;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.Lazy;
import dev.meshguard.junit.internal.OutputSettings;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.summary.OutputMode;
import dev.meshguard.report.CheckReport;
import dev.meshguard.report.FailureOutput;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The pages of one execution.
 *
 * <p>A {@link FailureOutput} writes them, those of failures while the next tests run. Without one on the class path or module
 * path failures have no page, and pages of all checks are an error. A passing test without a page costs a comparison. If the
 * folder has pages of an earlier run, the page of this test is deleted, so that it is not mistaken for this run's.
 *
 * <p>Safe for use by several threads.
 */
public final class RunPages {

    private final OutputMode mode;
    private final FailureOutput.Settings settings;
    private final long begunAt;
    private final @Nullable ClassLoader loader;
    private final boolean hasOldPages;
    private final Set<String> claimed = new HashSet<>();
    private final Set<String> ofFailures = new HashSet<>();
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());
    /** Writes one page while tests go on. A check that fails meanwhile writes its page itself, so that no histories pile up. */
    private final ExecutorService writer = new ThreadPoolExecutor(
            0,
            1,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            RunPages::thread,
            new ThreadPoolExecutor.CallerRunsPolicy());

    private final Lazy<Optional<FailureOutput.Folder>> output = new Lazy<>();
    private volatile boolean isChanged;
    private volatile boolean isOverviewWritten;

    /**
     * Creates the pages of an execution.
     *
     * @param machine the machine that runs the tests, if it is known
     * @param properties the system properties; build tools number their JVMs in them
     * @param begunAt the wall-clock time, in milliseconds
     * @param loader finds the module that writes pages
     * @throws IllegalArgumentException if all checks should leave a page, and nothing writes pages or two artifacts do
     */
    public RunPages(
            OutputSettings output,
            Optional<String> machine,
            Function<String, @Nullable String> properties,
            long begunAt,
            @Nullable ClassLoader loader) {
        this.mode = output.page();
        this.begunAt = begunAt;
        this.loader = loader;
        this.hasOldPages =
                mode != OutputMode.OFF && Files.isDirectory(output.pageFolder().resolve("runs"));
        String fork = Stream.of("surefire.forkNumber", BuildTool.GRADLE_WORKER)
                .flatMap(name -> Stream.ofNullable(properties.apply(name)))
                .findFirst()
                .orElse("1");
        this.settings = new FailureOutput.Settings(output.pageFolder(), machine, fork);
        if (mode == OutputMode.ALWAYS && found().isEmpty()) {
            throw ConfigurationKey.PAGE.rejected(
                    "always",
                    "Nothing writes pages here: add the artifact meshguard-page to the class path of the tests.");
        }
    }

    private static Thread thread(Runnable writing) {
        Thread thread = new Thread(writing, "meshguard-pages");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * The page of one failure. Its location is known before it is written, because the page shows the text of the failure,
     * which names it.
     *
     * @param location its location; empty if no page is configured, or none can be written
     * @param problem why no page can be written, for the failure that then names none; empty if none is configured
     * @param output begins to write the page, if there is one; {@link #finish()} returns an error
     */
    public record FailurePage(
            Optional<String> location, Optional<IllegalStateException> problem, Consumer<CheckReport> output) {}

    /** Reserves the page of a failure. */
    public synchronized FailurePage reserve(PageSubject subject) {
        try {
            Optional<FailureOutput.Folder> configured = mode == OutputMode.OFF ? Optional.empty() : output();
            if (configured.isEmpty()) {
                return new FailurePage(Optional.empty(), Optional.empty(), parts -> {});
            }
            FailureOutput.Folder folder = configured.get();
            String name = take(subject, folder);
            ofFailures.add(subject.identity());
            return new FailurePage(
                    Optional.of(folder.fileOf(name).toString()),
                    Optional.empty(),
                    parts -> writer.execute(() -> writeFailure(folder, name, subject, parts)));
        } catch (IOException | RuntimeException | LinkageError notWritten) {
            IllegalStateException problem = new IllegalStateException(
                    unwritten("The page of this failure", notWritten) + ". What is written here is all there is.",
                    notWritten);
            return new FailurePage(Optional.empty(), Optional.of(problem), parts -> {});
        }
    }

    /**
     * Returns the name of a page to write; names are unique in one execution.
     *
     * @throws IOException if the folder cannot be written to
     */
    private String take(PageSubject subject, FailureOutput.Folder folder) throws IOException {
        Path parent = folder.fileOf(nameOf(subject, 1, folder)).getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        for (int number = 1; ; number++) {
            String name = nameOf(subject, number, folder);
            if (!claimed.contains(name) && (!subject.isOfWholeRun() || isFirst(name, folder))) {
                claimed.add(name);
                return name;
            }
        }
    }

    private static String nameOf(PageSubject subject, int number, FailureOutput.Folder folder) {
        return number == 1
                ? folder.nameOf(subject.text(), subject.identity())
                : folder.nameOf(subject.text() + "-" + number, subject.identity() + "#" + number);
    }

    /**
     * JVMs of one build that check a mesh of all of their tests would write one file: the JVM that creates the mark
     * owns it. All JVMs of one build have the same parent process.
     */
    private static boolean isFirst(String name, FailureOutput.Folder folder) throws IOException {
        String build = ProcessHandle.current()
                .parent()
                .map(parent -> Long.toString(parent.pid()))
                .orElse("0");
        try {
            Files.createFile(folder.fileOf(name).resolveSibling("." + name + "-" + build + ".taken"));
            return true;
        } catch (FileAlreadyExistsException byAnother) {
            return false;
        }
    }

    private void writeFailure(FailureOutput.Folder folder, String name, PageSubject subject, CheckReport parts) {
        try {
            folder.write(name, subject.title(), parts);
            isChanged = true;
        } catch (IOException | RuntimeException | LinkageError notWritten) {
            problems.add(unwritten("The page of " + subject.title(), notWritten));
        }
    }

    /**
     * Writes the page of a check that passed, if these have pages, else deletes one of an earlier run. Does nothing if a
     * part of the same test has failed and has a more detailed page.
     *
     * @throws IOException if it cannot be written or deleted
     */
    public void writePassed(Supplier<PageSubject> passed, Supplier<CheckReport> parts) throws IOException {
        if (mode == OutputMode.ALWAYS || hasOldPages) {
            writePassed(passed.get(), parts);
        }
    }

    private synchronized void writePassed(PageSubject subject, Supplier<CheckReport> parts) throws IOException {
        Optional<FailureOutput.Folder> folder = output();
        if (folder.isEmpty() || ofFailures.contains(subject.identity())) {
            return;
        }
        if (mode == OutputMode.ALWAYS) {
            folder.get().write(take(subject, folder.get()), subject.title(), parts.get());
            isChanged = true;
        } else if (folder.get().removeOlder(nameOf(subject, 1, folder.get()), begunAt)) {
            isChanged = true;
        }
    }

    /** Returns the overview page, if this execution has written it. */
    public Optional<String> overview() {
        return isOverviewWritten
                ? Optional.of(settings.folder().resolve("index.html").toString())
                : Optional.empty();
    }

    /** Waits for the last page, and writes the overview page of all runs if one was added or deleted; returns errors as sentences. */
    public List<String> finish() {
        writer.shutdown();
        try {
            while (!writer.awaitTermination(1, TimeUnit.MINUTES)) {
                LoggerFactory.getLogger(RunPages.class)
                        .warn("A page is still being written to the folder of {}", ConfigurationKey.PAGE_FOLDER.key());
            }
        } catch (InterruptedException asksForTheEnd) {
            Thread.currentThread().interrupt();
        }
        try {
            if (isChanged) {
                output().orElseThrow().writeIndex();
                isOverviewWritten = true;
            }
        } catch (IOException | RuntimeException | LinkageError notWritten) {
            problems.add(unwritten("The page over all runs", notWritten));
        }
        return List.copyOf(problems);
    }

    /** Returns the sentence for an error of writing to the folder. */
    public String unwritten(String what, Throwable error) {
        return ConfigurationKey.PAGE_FOLDER.unwritten(what, settings.folder(), error);
    }

    /** Finds the module that writes pages when the first one is to be written; empty if it is not installed. */
    private Optional<FailureOutput.Folder> output() {
        return output.computeIfAbsent(() -> found().map(found -> found.open(settings)));
    }

    private Optional<FailureOutput> found() {
        try {
            List<FailureOutput> all = new ArrayList<>();
            ServiceLoader.load(FailureOutput.class, loader).forEach(all::add);
            if (all.size() > 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Two artifacts write pages: %s and %s. Remove one from the class path.",
                        ConfigurationErrors.locationOf(all.get(0)),
                        ConfigurationErrors.locationOf(all.get(1))));
            }
            return all.stream().findFirst();
        } catch (ServiceConfigurationError broken) {
            throw new IllegalStateException("The module that writes pages cannot be loaded", broken);
        }
    }
}
