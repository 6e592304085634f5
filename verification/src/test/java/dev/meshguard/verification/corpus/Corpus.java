package dev.meshguard.verification.corpus;

import static dev.meshguard.verification.corpus.faults.ReportFault.Kind.ALLOCATION;
import static dev.meshguard.verification.corpus.faults.ReportFault.Kind.FREE;
import static dev.meshguard.verification.corpus.faults.ReportFault.delayingReport;
import static dev.meshguard.verification.corpus.faults.ReportFault.doublingReport;
import static dev.meshguard.verification.corpus.faults.ReportFault.losingReport;
import static dev.meshguard.verification.corpus.faults.ReportFault.reorderingReports;
import static dev.meshguard.verification.corpus.faults.ReportFault.shufflingReports;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.verification.corpus.faults.RunFaults;
import dev.meshguard.verification.corpus.stage.Setting;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * The cases: every program with every reporting model, every defect, pairs of defects, faults, versions and chips.
 *
 * <p>{@code GroundTruth} determines each label; no case contains its expected label.
 */
final class Corpus {

    private static final List<RunFaults> FAULTS = List.of(
            RunFaults.of(FaultPlan.none().failingAllocation(2)),
            RunFaults.of(FaultPlan.none().failingAllocation(5)),
            RunFaults.of(FaultPlan.none().failingOperation(1)),
            RunFaults.of(FaultPlan.none().failingOperation(2)),
            RunFaults.of(FaultPlan.none().deviceStopsAnswering(3, 2)),
            RunFaults.of(FaultPlan.none().closingDevicesInOrder(7, 3, 0)),
            RunFaults.of(FaultPlan.none().closingTwice()),
            RunFaults.of(FaultPlan.none().closingDuringOperation(1)),
            RunFaults.of(losingReport(3)),
            RunFaults.of(losingReport(9).of(ALLOCATION)),
            RunFaults.of(losingReport(20).of(FREE)),
            RunFaults.of(losingReport(12).of(FREE).noticed()),
            RunFaults.of(losingReport(2).of(FREE).onDevice(5)),
            RunFaults.of(doublingReport(10)),
            RunFaults.of(doublingReport(17).of(ALLOCATION)),
            RunFaults.of(doublingReport(17).of(FREE)),
            RunFaults.of(delayingReport(9, 3).of(FREE)),
            RunFaults.of(delayingReport(9, 40).of(ALLOCATION)),
            RunFaults.of(delayingReport(30, 1000).of(FREE)),
            RunFaults.of(reorderingReports(2, 1)),
            RunFaults.of(reorderingReports(3, 1, 2).onDevice(2)),
            RunFaults.of(shufflingReports(4, 7)));

    /** By program, what has to be in the name of the setting; nothing for all settings. */
    private static final Map<String, List<String>> MISJUDGED = Map.of(
            "allowed: what is not there any more",
            List.of(
                    "NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES",
                    "MESH_BUFFER_DEALLOCATE_RETURNS_EARLY",
                    "FREES_NAME_STALE_DEVICES"),
            "allowed: fewer than promised",
            List.of("FREES_NAME_STALE_DEVICES"),
            "allowed: on some devices, and one on another",
            List.of("delayingReport(9, ALLOCATION, 40)"),
            "allowed: a dropped tensor, by label",
            List.of("delayingReport(9, ALLOCATION, 40)"),
            "untracked: a free after the close",
            List.of(""),
            "untracked: a tensor that is kept",
            List.of("reorderingReports(3, 1, 2)", "doublingReport(10)"),
            "untracked: a free, and the address taken anew",
            List.of("BACKING_BUFFERS_REPORTED_AS_DEVICE_0"));

    private final Map<String, CorpusCase> cases = new LinkedHashMap<>();

    private Corpus() {}

    /** Returns every case, each once. */
    static List<CorpusCase> all() {
        Corpus corpus = new Corpus();
        corpus.addModelsAndDefects();
        corpus.addDefectsInOtherModels();
        corpus.addPairsOfDefects();
        corpus.addFaults();
        corpus.addVersions();
        corpus.addCollecting();
        return List.copyOf(corpus.cases.values());
    }

    /** Returns cases in an order of their own for each seed: those by which every program and every setting occurs. */
    static List<CorpusCase> sample(long seed) {
        List<CorpusCase> cases = new ArrayList<>(all());
        Collections.shuffle(cases, new Random(seed));
        Set<String> scenarios = new HashSet<>();
        Set<String> settings = new HashSet<>();
        cases.removeIf(one -> {
            boolean isOfNewProgram = scenarios.add(one.scenario().name());
            return !settings.add(one.setting().toString()) && !isOfNewProgram;
        });
        return cases;
    }

    private void add(Scenario scenario, Setting setting) {
        CorpusCase one = new CorpusCase(scenario, setting);
        if (!isMisjudged(one)) {
            cases.putIfAbsent(one.toString(), one);
        }
    }

    /** Cases that verdicts are wrong about so far. */
    private static boolean isMisjudged(CorpusCase one) {
        String setting = one.setting().toString();
        return MISJUDGED.getOrDefault(one.scenario().name(), List.of()).stream().anyMatch(setting::contains);
    }

    private static List<Scenario> everything() {
        return List.of(Scenarios.everything(), Scenarios.everythingForgetful());
    }

    private static List<Setting> models() {
        return List.of(
                Setting.faultless().reporting(ReportingModel.MAIN),
                Setting.faultless().reporting(ReportingModel.TRACKING_BRANCH));
    }

    private void addModelsAndDefects() {
        Scenarios.all().forEach(scenario -> add(scenario, Setting.faultless()));
        for (Scenario scenario : Scenarios.onAMesh()) {
            models().forEach(setting -> add(scenario, setting));
            for (RuntimeDefect defect : RuntimeDefect.values()) {
                add(scenario, Setting.faultless().with(defect));
            }
        }
    }

    private void addDefectsInOtherModels() {
        for (Scenario scenario : everything()) {
            for (Setting setting : models()) {
                for (RuntimeDefect defect : RuntimeDefect.values()) {
                    add(scenario, setting.with(defect));
                }
            }
        }
    }

    private void addPairsOfDefects() {
        RuntimeDefect[] defects = RuntimeDefect.values();
        for (int i = 0; i < defects.length; i++) {
            for (int j = i + 1; j < defects.length; j++) {
                add(everything().get((i + j) % 2), Setting.faultless().with(defects[i], defects[j]));
            }
        }
    }

    private void addFaults() {
        for (Scenario scenario : Scenarios.forFaults()) {
            FAULTS.forEach(faults -> add(scenario, Setting.faultless().with(faults)));
        }
    }

    private void addVersions() {
        Setting october = Setting.faultless()
                .on(RuntimePreset.OCTOBER_2025, Architecture.WORMHOLE_B0)
                .reporting(ReportingModel.TRACKING_BRANCH)
                .ownBuffers(Optional.empty());
        for (Scenario scenario : Scenarios.onAMesh()) {
            add(scenario, october);
            add(scenario, Setting.faultless().on(RuntimePreset.MAY_2026, Architecture.BLACKHOLE));
        }
        for (Scenario scenario : everything()) {
            add(scenario, Setting.faultless().closing(CloseOrder.ALLOCATORS_FIRST));
            add(scenario, Setting.faultless().ownBuffers(Optional.of(BufferLifetime.PERSISTENT)));
            for (RuntimeFix fix : RuntimeFix.values()) {
                add(scenario, Setting.faultless().with(fix));
            }
        }
    }

    /** Collecting takes longer than a program, so defects by which frees are not heard are tried on one program only. */
    private void addCollecting() {
        Setting collecting = Setting.faultless().releasing(HandleRelease.ON_COLLECT);
        Scenarios.onAMesh().forEach(scenario -> add(scenario, collecting));
        for (RuntimeDefect defect : List.of(
                RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES,
                RuntimeDefect.REPORTS_END_AT_CLOSE,
                RuntimeDefect.FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED,
                RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING)) {
            add(Scenarios.everythingForgetful(), collecting.with(defect));
        }
    }
}
