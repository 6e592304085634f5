package dev.meshguard.verification.corpus;

import dev.meshguard.verification.corpus.stage.Stage;
import java.util.function.Consumer;

/**
 * A program of the corpus.
 *
 * @param name what it does, in a few words
 * @param program what it does
 * @param onAMesh whether it uses a runtime, whose defects and faults then concern it
 */
public record Scenario(String name, boolean onAMesh, Consumer<Stage> program) {

    static Scenario onAMesh(String name, Consumer<Stage> program) {
        return new Scenario(name, true, program);
    }

    /** Returns a program on a mesh that loses a report by itself, so that no defect and fault is tried on it. */
    static Scenario losingAReport(String name, Consumer<Stage> program) {
        return new Scenario(name, false, program);
    }

    static Scenario bound(String name, Consumer<Stage> program) {
        return new Scenario(name, false, program);
    }

    @Override
    public String toString() {
        return name;
    }
}
