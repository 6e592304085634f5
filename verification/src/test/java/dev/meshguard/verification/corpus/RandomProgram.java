package dev.meshguard.verification.corpus;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.verification.corpus.faults.RunFaults;
import dev.meshguard.verification.corpus.stage.Handle;
import dev.meshguard.verification.corpus.stage.Setting;
import dev.meshguard.verification.corpus.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A program and a runtime, both generated from a seed.
 *
 * <p>It allocates and frees memory of all kinds, on one mesh and parts of it. At the end it leaks some of it, keeps some, frees
 * some after the close, and some after the check. Two runs of one seed do the same, whatever the runtime rejects.
 */
final class RandomProgram {

    private static final int STEPS = 30;
    private static final long KIB = 1_024;

    private final Stage stage;
    private final Random random;
    private final List<MeshDevice> meshes = new ArrayList<>();
    private final List<Handle> handles = new ArrayList<>();
    private final List<Handle> tensors = new ArrayList<>();

    private int singles;

    private RandomProgram(Stage stage, long seed) {
        this.stage = stage;
        this.random = new Random(seed);
    }

    /** Returns the case that a seed stands for. */
    static CorpusCase of(long seed) {
        Scenario scenario = Scenario.onAMesh("-Dmeshguard.seed=" + seed, stage -> new RandomProgram(stage, seed).run());
        return new CorpusCase(scenario, setting(seed));
    }

    private static Setting setting(long seed) {
        Random random = new Random(31 * seed + 7);
        Setting setting = Setting.faultless().reporting(one(random, ReportingModel.values()));
        int version = random.nextInt(4);
        if (version == 0) {
            setting = setting.on(RuntimePreset.OCTOBER_2025, Architecture.WORMHOLE_B0);
        } else if (version == 1) {
            setting = setting.on(RuntimePreset.MAY_2026, Architecture.BLACKHOLE);
        }
        if (random.nextInt(4) == 0) {
            setting = setting.ownBuffers(
                    random.nextBoolean() ? Optional.empty() : Optional.of(BufferLifetime.PERSISTENT));
        }
        RuntimeDefect[] defects = RuntimeDefect.values();
        int some = random.nextInt(6);
        if (some == 0 || some == 1) {
            setting = setting.with(one(random, defects));
        } else if (some == 2) {
            int first = random.nextInt(defects.length);
            int second = (first + 1 + random.nextInt(defects.length - 1)) % defects.length;
            setting = setting.with(defects[first], defects[second]);
        }
        return random.nextInt(4) == 0 ? setting.with(RunFaults.random(seed)) : setting;
    }

    private static <T> T one(Random random, T[] some) {
        return some[random.nextInt(some.length)];
    }

    private void run() {
        Ttnn runtime = stage.runtime();
        int lives = 1 + random.nextInt(4) / 3;
        for (int life = 1; life <= lives; life++) {
            boolean isLast = life == lives;
            stage.open(runtime, 1 + random.nextInt(2), 2 * (1 + random.nextInt(2)))
                    .ifPresent(root -> liveOn(root, isLast));
        }
    }

    private void liveOn(MeshDevice root, boolean isLast) {
        meshes.clear();
        handles.clear();
        tensors.clear();
        meshes.add(root);
        for (int step = 0; step < STEPS; step++) {
            step();
        }
        end(root, isLast);
    }

    private void step() {
        MeshDevice mesh = meshes.get(random.nextInt(meshes.size()));
        switch (random.nextInt(14)) {
            case 0 -> submesh(mesh);
            case 1, 2 -> keepTensor(stage.tensor(mesh, "tensor", 32, 32 * (1 + random.nextInt(4))));
            case 3 -> keep(stage.buffer(mesh, "buffer", one(random, types()), KIB * (1 + random.nextInt(8))));
            case 4 -> keep(stage.onDevice(mesh, deviceOf(mesh), "single", BufferType.L1_SMALL, nextSize()));
            case 5 -> keep(stage.onDevice(mesh, deviceOf(mesh), "single", BufferType.DRAM, nextSize()));
            case 6 -> operate(mesh);
            case 7 -> keep(stage.workload(mesh, "copy", 2 * KIB * (1 + random.nextInt(2))));
            case 8 ->
                stage.capture(mesh, 1_000L + random.nextInt(3_000)).ifPresent(trace -> {
                    stage.replay(mesh, trace);
                    if (random.nextInt(5) > 0) {
                        stage.release(mesh, trace);
                    }
                });
            case 9 -> share();
            case 10 -> stage.clearCache(mesh);
            default -> freeOne();
        }
    }

    /** Buffers of one device are alike to nobody: no two of a program are meant to go together. */
    private long nextSize() {
        singles++;
        return singles * KIB;
    }

    private static BufferType[] types() {
        return new BufferType[] {BufferType.DRAM, BufferType.L1};
    }

    private int deviceOf(MeshDevice mesh) {
        return mesh.deviceIds().get(random.nextInt(mesh.numDevices()));
    }

    private void submesh(MeshDevice parent) {
        if (parent.parent().isEmpty() && meshes.size() < 3) {
            stage.submesh(parent, 1, 2, 0, 0).ifPresent(meshes::add);
        }
    }

    private void keep(Handle handle) {
        handles.add(handle);
    }

    private void keepTensor(Handle handle) {
        handles.add(handle);
        tensors.add(handle);
    }

    private void operate(MeshDevice mesh) {
        Handle a = stage.tensor(mesh, "a", 32, 32);
        keepTensor(a);
        keepTensor(stage.add(mesh, "sum", a, a));
    }

    private void share() {
        if (!tensors.isEmpty()) {
            Handle tensor = tensors.get(random.nextInt(tensors.size()));
            Handle alias = stage.alias(tensor);
            stage.deallocateUnlessShared(tensor);
            stage.free(alias);
        }
    }

    private void freeOne() {
        if (!handles.isEmpty()) {
            stage.free(handles.remove(random.nextInt(handles.size())));
        }
    }

    private void end(MeshDevice root, boolean isLast) {
        boolean forgets = random.nextInt(3) == 0;
        List<Handle> afterClose = new ArrayList<>();
        List<Handle> afterCheck = new ArrayList<>();
        for (Handle handle : handles) {
            switch (forgets ? random.nextInt(8) : 7) {
                case 0 -> stage.drop(handle);
                case 1 -> {}
                case 2 -> afterClose.add(handle);
                case 3 -> afterCheck.add(handle);
                default -> stage.free(handle);
            }
        }
        boolean clearsTheCaches = !forgets || random.nextInt(3) > 0;
        stage.quiesce(root);
        for (int i = meshes.size() - 1; i >= 0; i--) {
            if (clearsTheCaches) {
                stage.clearCache(meshes.get(i));
            }
            stage.close(meshes.get(i));
        }
        afterClose.forEach(stage::free);
        if (forgets && random.nextInt(3) == 0) {
            stage.destroy(root);
        }
        if (!afterCheck.isEmpty() && random.nextInt(3) == 0) {
            // A program is checked once: what it does later nobody judges.
            if (isLast) {
                stage.check();
            }
            afterCheck.forEach(stage::free);
        }
    }
}
