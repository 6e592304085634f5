package dev.meshguard.verification.corpus;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verification.corpus.stage.HandleFinder;
import dev.meshguard.verification.corpus.stage.PhysicalMemory;
import dev.meshguard.verification.corpus.stage.RememberedHandles;
import dev.meshguard.verification.corpus.stage.Setting;
import dev.meshguard.verification.corpus.stage.Stage;
import dev.meshguard.verification.corpus.truth.GroundTruth;
import java.util.List;
import java.util.function.Supplier;

/**
 * One case of the corpus: a program on a runtime.
 *
 * @param scenario the program
 * @param setting the runtime, with its defects and faults
 */
public record CorpusCase(Scenario scenario, Setting setting) {

    /** Runs the program twice: once for the truth, once for the verdict. */
    public CaseRun run() {
        return run(new RememberedHandles());
    }

    /** Runs the program twice, and looks for handles in another way. */
    public CaseRun run(HandleFinder finder) {
        return start(finder).get();
    }

    /** Runs the program twice; what came of it can be had as soon as the finder has found what it was to find. */
    Supplier<CaseRun> start(HandleFinder finder) {
        Stage truth = Stage.ofTheTruth(setting);
        scenario.program().accept(truth);
        truth.end();
        AllocationTracker tracker =
                AllocationTracker.builder().bankedAddresses().build();
        Stage told = Stage.ofTheCase(setting, tracker, finder);
        scenario.program().accept(told);
        told.end();
        return () -> new CaseRun(
                this, new GroundTruth(truth, told), tracker.history(), told.allowed(), contradictions(truth));
    }

    private static List<String> contradictions(Stage truth) {
        return truth.memories().stream()
                .map(PhysicalMemory::contradictions)
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public String toString() {
        return scenario.onAMesh() ? scenario + " on " + setting : scenario.toString();
    }
}
