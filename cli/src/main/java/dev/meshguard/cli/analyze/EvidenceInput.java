package dev.meshguard.cli.analyze;

import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.cli.common.InputFile;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.server.ProcessInspector;
import dev.meshguard.server.ProcessInspector.ProcessState;
import java.io.IOException;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of evidence on the command line.
 *
 * @param operation the operation after which it was written, if it is named
 * @param file its content
 */
record EvidenceInput(OptionalInt operation, RuntimeEvidence file) {

    private static final Pattern AFTER_OPERATION = Pattern.compile("(\\d{1,9})=(.+)");

    /** Reads a file, before whose name the number of an operation may stand. */
    static EvidenceInput of(String argument) throws UsageException {
        Matcher after = AFTER_OPERATION.matcher(argument);
        boolean isAfter = after.matches();
        String name = isAfter ? after.group(2) : argument;
        try {
            RuntimeEvidence file = RuntimeEvidence.read(InputFile.path(name, "Name one file in it."));
            return new EvidenceInput(
                    isAfter ? OptionalInt.of(Integer.parseInt(after.group(1))) : OptionalInt.empty(), inspected(file));
        } catch (IOException e) {
            throw InputFile.unreadable(name, "a memory report, shared memory or a log", e);
        }
    }

    RuntimeOutputReader addTo(RuntimeOutputReader reader) {
        return operation.isPresent() ? reader.evidenceAfter(operation.getAsInt(), file) : reader.evidence(file);
    }

    /** Returns a file with the status of its processes, if it has any. */
    static RuntimeEvidence inspected(RuntimeEvidence file) {
        ProcessInspector inspector = ProcessInspector.ofThisMachine();
        return file instanceof SharedMemory memory
                ? memory.inspected(processId -> inspector
                        .inspect(processId)
                        .filter(state -> !state.hasEnded())
                        .map(EvidenceInput::start))
                : file;
    }

    private static Instant start(ProcessState state) {
        return state.started().orElse(Instant.EPOCH);
    }
}
