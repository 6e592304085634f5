package dev.meshguard.verification.runpages;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A run with a page, in a file that goes when the Java machine ends: tests compare the page with the verdict and its report. */
record SampleRun(LeakVerdict verdict, VerdictReport report, RunPage page, Path file) {

    SampleRun(LeakVerdict verdict, VerdictReport report, RunPage page) {
        this(verdict, report, page, written(page));
    }

    static SampleRun of(String title, AllocationTracker tracker) {
        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        VerdictReport report = VerdictReport.of(verdict);
        return new SampleRun(verdict, report, RunPage.of(title, report));
    }

    /** Returns the buffers that leaked. */
    Stream<BufferGeneration> leaked() {
        return verdict.survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED).stream()
                .map(Survivor::buffer);
    }

    Stream<BufferGeneration> generations() {
        return verdict.history().generations().stream();
    }

    List<HistoryEvent> events() {
        return verdict.history().events();
    }

    /** Returns the number of the event in which the first mesh began to close. */
    long closing() {
        return verdict.history().events(HistoryEvent.MeshClosing.class).get(0).number();
    }

    /** Returns the most bytes of some buffers that were live at once in a range of events, counted anew and not as the page does. */
    long peak(long from, long to, Predicate<BufferGeneration> buffers) {
        return LongStream.rangeClosed(from, to)
                .map(event -> liveAt(event, buffers))
                .max()
                .orElseThrow();
    }

    /** Returns the bytes of some buffers that were live after an event, counted anew too. */
    long liveAt(long event, Predicate<BufferGeneration> buffers) {
        return bytes(generations()
                .filter(buffers)
                .filter(life -> life.allocatedAt() <= event && life.freedAt().orElse(Long.MAX_VALUE) > event));
    }

    static long bytes(Stream<BufferGeneration> buffers) {
        return buffers.mapToLong(BufferGeneration::size).sum();
    }

    private static Path written(RunPage page) {
        try {
            Path file = Files.createTempFile("meshguard-run", ".html");
            file.toFile().deleteOnExit();
            page.write(file);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
