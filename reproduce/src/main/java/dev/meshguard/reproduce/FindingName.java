package dev.meshguard.reproduce;

import dev.meshguard.history.Anomaly;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Comparator;
import java.util.Optional;

/** The name of a verdict's worst finding. */
final class FindingName {

    private FindingName() {}

    /** Returns the finding as the name of a method: {@code kvCacheIsLost}. */
    static String name(LeakVerdict verdict) {
        return worst(verdict)
                .map(FindingName::ofBuffer)
                .or(() -> verdict.unbalancingAnomalies().stream().findFirst().map(FindingName::ofReport))
                .orElse(verdict.outcome() == Outcome.OVERWRITTEN ? "dataIsOverwritten" : "cannotBeKnown");
    }

    /** Returns the buffers of the finding, if it is about buffers. */
    static Optional<SurvivorGroup> worst(LeakVerdict verdict) {
        return verdict.groups().stream()
                .filter(group -> group.status() != SurvivorStatus.EXPECTED)
                .max(Comparator.comparing(group -> group.status().outcome()));
    }

    private static String ofBuffer(SurvivorGroup group) {
        Survivor first = group.first();
        String subject = group.label()
                .map(JavaNames::camelCase)
                .filter(name -> !name.isEmpty())
                .orElse(JavaNames.camelCase(first.buffer().type().name()) + "Buffer");
        return subject + (group.status() == SurvivorStatus.UNDECIDED ? "IsUndecided" : outcome(group.cause()));
    }

    private static String outcome(Cause cause) {
        return switch (cause) {
            case PROCESS_DIED -> "OutlivesItsProcess";
            case LATE -> "IsFreedLate";
            case REPORTED_TWICE -> "IsReportedTwice";
            case FREE_UNREPORTED -> "IsFreedWithoutReport";
            case CIRCULAR_BUFFER_UNREPORTED -> "EndsWithoutReport";
            case CACHED -> "StaysInTheCache";
            case SYSTEM -> "IsLeftByTheRuntime";
            case FREED_ON_OTHER_DEVICES -> "IsFreedOnOtherDevicesOnly";
            case KEPT_AFTER_RELEASE -> "OutlivesItsTrace";
            case HELD -> "IsHeld";
            case LOST -> "IsLost";
            case UNEXPLAINED -> "IsNeverFreed";
        };
    }

    private static String ofReport(Anomaly anomaly) {
        return switch (anomaly.kind()) {
            case DOUBLE_FREE -> "bufferIsFreedTwice";
            case NEVER_REPORTED -> "bufferIsNeverReported";
            default -> "freesWhatIsNotAllocated";
        };
    }
}
