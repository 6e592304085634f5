package dev.meshguard.verification.corpus;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verification.corpus.stage.Stage;
import java.util.function.BiConsumer;
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

    /** Returns a program that opens a mesh of 2x4 devices, and closes it or not. */
    static Scenario opening(String name, BiConsumer<Stage, MeshDevice> work) {
        return onAMesh(name, stage -> stage.open(2, 4).ifPresent(mesh -> work.accept(stage, mesh)));
    }

    /** Returns a program between the opening of a mesh of 2x4 devices and its close, which also ends what is cached. */
    static Scenario onMesh(String name, BiConsumer<Stage, MeshDevice> work) {
        return opening(name, (stage, mesh) -> {
            work.accept(stage, mesh);
            stage.closeClean(mesh);
        });
    }

    /** Returns such a program that loses a report by itself, so that no defect and fault is tried on it. */
    static Scenario losingAReport(String name, BiConsumer<Stage, MeshDevice> work) {
        return new Scenario(name, false, onMesh(name, work).program());
    }

    static Scenario bound(String name, Consumer<Stage> program) {
        return new Scenario(name, false, program);
    }

    @Override
    public String toString() {
        return name;
    }
}
