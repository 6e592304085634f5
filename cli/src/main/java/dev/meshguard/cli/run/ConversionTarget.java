package dev.meshguard.cli.run;

import dev.meshguard.capture.RuntimeOutputWriter;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.export.CollapsedStacks;
import dev.meshguard.report.export.PerfettoTrace;
import dev.meshguard.report.export.SurvivorsCsv;
import dev.meshguard.server.log.AllocationLogWriter;
import dev.meshguard.server.log.LogDialect;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.Writer;
import java.util.Optional;
import java.util.function.Function;

/** The formats in which a run can be written, other than a history. */
enum ConversionTarget {
    /** A log in the dialect. */
    WITHOUT_DEVICE(LogDialect.WITHOUT_DEVICE),
    /** A log in the dialect. */
    WITHOUT_REFERENCES(LogDialect.WITHOUT_REFERENCES),
    /** A log in the dialect. */
    REFERENCE_COUNTED(LogDialect.REFERENCE_COUNTED),
    /** A log in the dialect. */
    HEXADECIMAL(LogDialect.HEXADECIMAL),
    /** A log in the dialect. */
    WITH_BUFFER_HISTORIES(LogDialect.WITH_BUFFER_HISTORIES),
    /** A log in the dialect. */
    WITH_CIRCULAR_BUFFERS(LogDialect.WITH_CIRCULAR_BUFFERS),
    /** A log in the dialect. */
    BUFFER_DEBUG_LOG(LogDialect.BUFFER_DEBUG_LOG),
    /** A log in the dialect. */
    STACK_TRACE_LOG(LogDialect.STACK_TRACE_LOG),
    /** The origins of leaked bytes, for flame graphs. */
    COLLAPSED((history, writer) -> CollapsedStacks.write(LeakCheck.create().examine(history), writer)),
    /** Counters and slices, for Perfetto. */
    PERFETTO((history, writer) -> PerfettoTrace.write(LeakCheck.create().examine(history), writer)),
    /** The survivors, as a table. */
    CSV((history, writer) -> SurvivorsCsv.write(LeakCheck.create().examine(history), writer)),
    /** A graph capture. */
    GRAPH_CAPTURE(RuntimeOutputWriter::graphCapture),
    /** A report database. */
    REPORT_DATABASE(RuntimeOutputWriter::reportDatabase);

    /** Writes a history as text in one format. */
    @FunctionalInterface
    private interface Writing {
        void write(AllocationHistory history, Writer writer) throws IOException;
    }

    @SuppressWarnings("ImmutableEnumChecker") // All of them are stateless lambdas.
    private final Writing writing;

    @SuppressWarnings("ImmutableEnumChecker") // All of them are stateless lambdas.
    private final Optional<Function<AllocationHistory, RuntimeOutputWriter>> runtimeOutput;

    ConversionTarget(LogDialect dialect) {
        this((history, writer) -> AllocationLogWriter.write(history, dialect, writer));
    }

    ConversionTarget(Writing writing) {
        this.writing = writing;
        this.runtimeOutput = Optional.empty();
    }

    ConversionTarget(Function<AllocationHistory, RuntimeOutputWriter> runtimeOutput) {
        this.writing = (history, writer) -> {
            throw new IllegalArgumentException(name() + " is no text");
        };
        this.runtimeOutput = Optional.of(runtimeOutput);
    }

    /**
     * Returns the writer of the file of the runtime that this is; empty if it is a text.
     *
     * @throws IllegalArgumentException if the history cannot be written so
     */
    Optional<RuntimeOutputWriter> runtimeOutput(AllocationHistory history) {
        return runtimeOutput.map(writer -> writer.apply(history));
    }

    void write(AllocationHistory history, Writer writer) throws IOException {
        writing.write(history, writer);
    }
}
