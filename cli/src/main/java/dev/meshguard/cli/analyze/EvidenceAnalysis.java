package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.server.ProcessInspector;
import java.time.Instant;

/**
 * The result of a file with the memory of one moment.
 *
 * @param file the content of the file
 * @param status the exit status for this file alone
 */
record EvidenceAnalysis(RuntimeEvidence file, ExitStatus status) implements Analysis {

    /**
     * Judges a file, with the status of its processes if it has any.
     *
     * @param judgesMoment whether nothing should be allocated at its moment; otherwise it may be freed later
     */
    static EvidenceAnalysis of(RuntimeEvidence content, boolean judgesMoment) {
        RuntimeEvidence file = content instanceof SharedMemory memory ? inspected(memory) : content;
        if (file.hasAllocatedMemory()) {
            return new EvidenceAnalysis(file, judgesMoment ? ExitStatus.LEAKED : ExitStatus.INCONCLUSIVE);
        }
        return new EvidenceAnalysis(file, isWhole(file) ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE);
    }

    private static SharedMemory inspected(SharedMemory memory) {
        ProcessInspector inspector = ProcessInspector.ofThisMachine();
        return memory.inspected(processId -> inspector
                .inspect(processId)
                .filter(state -> !state.hasEnded())
                .map(state -> state.started().orElse(Instant.EPOCH)));
    }

    private static boolean isWhole(RuntimeEvidence file) {
        return file.notes().isEmpty() && (!(file instanceof MemoryReport report) || report.saysWhatIsAllocated());
    }
}
