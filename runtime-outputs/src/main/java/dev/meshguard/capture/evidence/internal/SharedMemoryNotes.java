package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats what shared memory shows of processes that do not run. */
public final class SharedMemoryNotes {

    private static final int MAX_PROCESSES = 5;

    private SharedMemoryNotes() {}

    /** Returns a sentence for each of the first such processes, and one for the number of the others. */
    public static List<String> of(SharedMemory memory) {
        List<ProcessMemory> missing = memory.processes().stream()
                .filter(process -> process.status() == ProcessStatus.MISSING)
                .toList();
        List<String> notes = new ArrayList<>();
        missing.stream().limit(MAX_PROCESSES).forEach(process -> notes.add(sentence(process)));
        if (missing.size() > MAX_PROCESSES) {
            notes.add(String.format(
                    Locale.ROOT, "The processes of %d more slots do not run either.", missing.size() - MAX_PROCESSES));
        }
        return notes;
    }

    private static String sentence(ProcessMemory process) {
        return String.format(
                Locale.ROOT,
                "Process %d (%s) does not run, and its slot still has %s: it was killed or crashed, or runs in another"
                        + " container.",
                process.processId(),
                PrintableText.line(process.command()),
                Quantities.size(process.totals().buffers()));
    }
}
