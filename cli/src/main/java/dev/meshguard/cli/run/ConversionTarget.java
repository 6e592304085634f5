package dev.meshguard.cli.run;

import dev.meshguard.report.export.CollapsedStacks;
import dev.meshguard.report.export.PerfettoTrace;
import dev.meshguard.report.export.SurvivorsCsv;
import dev.meshguard.server.log.AllocationLogWriter;
import dev.meshguard.server.log.LogDialect;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.Writer;

/** The forms besides a history in which a run can be written. */
enum ConversionTarget {
    /** As a log of the dialect. */
    WITHOUT_DEVICE(LogDialect.WITHOUT_DEVICE),
    /** As a log of the dialect. */
    WITHOUT_REFERENCES(LogDialect.WITHOUT_REFERENCES),
    /** As a log of the dialect. */
    REFERENCE_COUNTED(LogDialect.REFERENCE_COUNTED),
    /** As a log of the dialect. */
    HEXADECIMAL(LogDialect.HEXADECIMAL),
    /** As a log of the dialect. */
    WITH_BUFFER_HISTORIES(LogDialect.WITH_BUFFER_HISTORIES),
    /** As a log of the dialect. */
    WITH_CIRCULAR_BUFFERS(LogDialect.WITH_CIRCULAR_BUFFERS),
    /** As a log of the dialect. */
    BUFFER_DEBUG_LOG(LogDialect.BUFFER_DEBUG_LOG),
    /** As a log of the dialect. */
    STACK_TRACE_LOG(LogDialect.STACK_TRACE_LOG),
    /** Where leaked bytes came from, for flame graphs. */
    COLLAPSED((history, writer) -> CollapsedStacks.write(LeakCheck.create().examine(history), writer)),
    /** Counters and slices, for Perfetto. */
    PERFETTO((history, writer) -> PerfettoTrace.write(LeakCheck.create().examine(history), writer)),
    /** What is left, as a table. */
    CSV((history, writer) -> SurvivorsCsv.write(LeakCheck.create().examine(history), writer));

    /** Writes a history in one form. */
    @FunctionalInterface
    private interface Writing {
        void write(AllocationHistory history, Writer writer) throws IOException;
    }

    @SuppressWarnings("ImmutableEnumChecker") // All of them are lambdas without state.
    private final Writing writing;

    ConversionTarget(LogDialect dialect) {
        this((history, writer) -> AllocationLogWriter.write(history, dialect, writer));
    }

    ConversionTarget(Writing writing) {
        this.writing = writing;
    }

    void write(AllocationHistory history, Writer writer) throws IOException {
        writing.write(history, writer);
    }
}
