package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.cli.common.ExitStatus;

/**
 * The result of a file with the memory of one moment.
 *
 * @param file the content of the file
 * @param status the exit status for this file alone
 */
record EvidenceAnalysis(RuntimeEvidence file, ExitStatus status) implements Analysis {

    /**
     * Judges a file.
     *
     * @param judgesMoment whether nothing should be allocated at its moment; otherwise it may be freed later
     */
    static EvidenceAnalysis of(RuntimeEvidence file, boolean judgesMoment) {
        boolean hasMemory = file instanceof MemoryReport report
                ? report.hasAllocatedMemory()
                : file instanceof SharedMemory memory && memory.hasAllocatedMemory();
        if (hasMemory) {
            return new EvidenceAnalysis(file, judgesMoment ? ExitStatus.LEAKED : ExitStatus.INCONCLUSIVE);
        }
        return new EvidenceAnalysis(file, isWhole(file) ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE);
    }

    private static boolean isWhole(RuntimeEvidence file) {
        if (file instanceof MemoryReport report) {
            return report.notes().isEmpty() && report.saysWhatIsAllocated();
        }
        return file instanceof SharedMemory memory
                && memory.processes().stream().noneMatch(EvidenceAnalysis::isMissing);
    }

    private static boolean isMissing(ProcessMemory process) {
        return process.status() == ProcessStatus.MISSING;
    }
}
