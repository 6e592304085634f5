package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.samples.corpus.stage.RememberedHandles;
import dev.meshguard.samples.corpus.stage.Setting;
import dev.meshguard.tracker.Retention;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the verdict of a tracker that keeps only live buffers with the ground truth. */
class KeepingLittleTests {

    /** Programs that such verdicts are wrong about so far. */
    private static final Set<String> MISJUDGED = Set.of(
            "test_mesh_allocation, cache not cleared",
            "a program never ended",
            "submeshes that forget",
            "a language model that stays",
            "the free of one device forgotten",
            "one device takes one more",
            "a mesh that is opened again over what was forgotten",
            "a bit of everything",
            "a tensor freed after the close",
            "a tensor freed after the close and kept",
            "a lost free, and another buffer kept at its address",
            "two sub-devices, one freed after the close",
            "a mesh without device 0, a tensor freed after the close",
            "several allocators: the mesh's buffer freed after the close",
            "several allocators: the device's buffer freed after the close",
            "a tensor freed after the check",
            "a program ended after the check",
            "untracked: a tensor that is kept",
            "untracked: a tensor that is freed later",
            "untracked: a free after the close",
            "bound: the free of one device forgotten",
            "bound: freed after the check",
            "bound: a lost allocation");

    @Test
    void distinguishesKeptAndLostHandlesByLiveBuffers() {
        List<String> wrongs = new ArrayList<>();
        int cases = 0;
        for (Scenario scenario : Scenarios.all()) {
            if (!MISJUDGED.contains(scenario.name())) {
                for (CorpusCase one : cases(scenario)) {
                    cases++;
                    CaseRun run = one.start(new RememberedHandles(), Retention.LIVE_AND_TOTALS)
                            .get();
                    run.full().wrongs().forEach(wrong -> wrongs.add(one + ": " + wrong));
                }
            }
        }

        assertThat(wrongs).isEmpty();
        assertThat(cases).isGreaterThan(120);
    }

    /** The owner is unknown, so it is not named; but the verdict must not be green. */
    @Test
    void aBufferWhoseLateFreeOrLeakIsNotKeptMakesTheVerdictInconclusive() {
        List<Outcome> outcomes = Scenarios.all().stream()
                .filter(scenario -> scenario.name().contains("freed after the")
                        || scenario.name().equals("a mesh that is opened again over what was forgotten"))
                .flatMap(scenario -> cases(scenario).stream())
                .map(one -> one.start(new RememberedHandles(), Retention.LIVE_AND_TOTALS)
                        .get()
                        .full()
                        .verdict()
                        .outcome())
                .toList();

        assertThat(outcomes).hasSize(17).containsOnly(Outcome.INCONCLUSIVE);
    }

    private static List<CorpusCase> cases(Scenario scenario) {
        return Stream.of(Setting.faultless(), Setting.faultless().reporting(ReportingModel.TRACKING_BRANCH))
                .limit(scenario.onAMesh() ? 2 : 1)
                .map(setting -> new CorpusCase(scenario, setting))
                .toList();
    }
}
