package dev.meshguard.verification.corpus;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verification.corpus.stage.Handle;
import dev.meshguard.verification.corpus.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Programs with an allowlist, with an absent source, with collected handles, and with several allocators over a device. */
final class MoreScenarios {

    private static final long KIB = 1_024;
    private static final long LARGE = 32L << 20;

    private MoreScenarios() {}

    private static Expectation allowed() {
        return Expectation.because("kept on purpose");
    }

    /** Returns those with an allowlist. */
    static List<Scenario> allowing() {
        return List.of(
                Scenario.onMesh("allowed: a tensor, by type, size and number", (stage, mesh) -> {
                    Handle kept = stage.tensor(mesh, "kept", 64, 64);
                    stage.free(stage.tensor(mesh, "freed", 32, 32));
                    stage.allow(allowed().type(BufferType.DRAM).size(8 * KIB).atMost(8), kept);
                }),
                Scenario.onMesh("allowed: one of two alike, the other freed", (stage, mesh) -> {
                    Handle freed = stage.tensor(mesh, "freed", 64, 64);
                    Handle kept = stage.tensor(mesh, "kept", 64, 64);
                    stage.free(freed);
                    stage.allow(allowed().type(BufferType.DRAM).size(8 * KIB).atMost(8), kept);
                }),
                Scenario.onMesh("allowed: one of two alike that stay", (stage, mesh) -> {
                    Handle one = stage.tensor(mesh, "one", 64, 64);
                    Handle other = stage.tensor(mesh, "other", 64, 64);
                    stage.allow(allowed().type(BufferType.DRAM).size(8 * KIB).exactly(8), one, other);
                }),
                Scenario.onMesh("allowed: a dropped tensor, by label", (stage, mesh) -> {
                    Handle kept = stage.labelled("weights", () -> stage.tensor(mesh, "kept", 64, 64));
                    Handle forgotten = stage.tensor(mesh, "forgotten", 64, 64);
                    stage.drop(kept);
                    stage.allow(allowed().label("weights"), kept);
                    stage.drop(forgotten);
                }),
                Scenario.onMesh("allowed: what setup took", (stage, mesh) -> {
                    List<Handle> kept = new ArrayList<>();
                    try (Scope setup = stage.phase("setup")) {
                        kept.add(stage.buffer(mesh, "kept", BufferType.L1, 4 * KIB));
                    }
                    stage.free(stage.buffer(mesh, "freed", BufferType.L1, 8 * KIB));
                    stage.allow(allowed().type(BufferType.L1).size(4 * KIB), kept.get(0));
                }),
                Scenario.onMesh("allowed: on some devices, and one on another", (stage, mesh) -> {
                    List<Handle> kept = new ArrayList<>();
                    for (int device : mesh.deviceIds().subList(0, 5)) {
                        kept.add(stage.onDevice(mesh, device, "kept", BufferType.L1, (device + 2) * 2L * KIB));
                    }
                    stage.allow(
                            allowed()
                                    .devices(DeviceSet.of(mesh.deviceIds().subList(0, 4)))
                                    .type(BufferType.L1),
                            kept.subList(0, 4).toArray(Handle[]::new));
                }),
                Scenario.onMesh("allowed: fewer than promised", (stage, mesh) -> {
                    List<Handle> kept = new ArrayList<>();
                    for (int device : mesh.deviceIds().subList(0, 4)) {
                        kept.add(stage.onDevice(mesh, device, "kept", BufferType.L1, (device + 2) * 2L * KIB));
                    }
                    stage.free(kept.get(1));
                    stage.allow(allowed().type(BufferType.L1).exactly(4), kept.toArray(Handle[]::new));
                }),
                Scenario.opening("allowed: what the cache keeps", (stage, mesh) -> {
                    Handle a = stage.tensor(mesh, "a", 64, 64);
                    Handle sum = stage.add(mesh, "sum", a, a);
                    stage.allowCached(allowed().owner("program"));
                    stage.free(sum, a);
                    stage.close(mesh);
                }),
                Scenario.onMesh("allowed: what is not there any more", (stage, mesh) -> {
                    Handle freed = stage.tensor(mesh, "freed", 64, 64);
                    stage.allow(allowed().type(BufferType.DRAM).size(8 * KIB), freed);
                    stage.free(freed);
                }),
                Scenario.onMesh("allowed: until long ago", (stage, mesh) -> {
                    stage.allow(allowed().until("2020-02-29"));
                    stage.tensor(mesh, "kept", 64, 64);
                }),
                Scenario.onMesh("allowed: another size", (stage, mesh) -> {
                    stage.allow(allowed().size(8 * KIB - 1));
                    stage.tensor(mesh, "kept", 64, 64);
                }),
                Scenario.bound("bound, allowed: one of two", stage -> {
                    Handle kept = stage.bound("kept", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1);
                    stage.drop(stage.bound("dropped", BufferType.L1, 0x1000, 4 * KIB, 0));
                    stage.allow(allowed().type(BufferType.DRAM), kept);
                }),
                Scenario.bound("bound, allowed: all that is left", stage -> {
                    Handle kept = stage.bound("kept", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1);
                    stage.free(stage.bound("freed", BufferType.L1, 0x1000, 4 * KIB, 0));
                    stage.allow(allowed().type(BufferType.DRAM).exactly(2), kept);
                }));
    }

    /** Returns those that a source does not listen to all the time. */
    static List<Scenario> untracked() {
        return List.of(
                Scenario.onMesh("untracked: nothing", (stage, mesh) -> {
                    Handle kept = stage.tensor(mesh, "freed", 64, 64);
                    stage.untracked(() -> {});
                    stage.free(kept);
                }),
                Scenario.onMesh("untracked: a tensor that is taken and freed", (stage, mesh) -> {
                    Handle before = stage.tensor(mesh, "before", 64, 64);
                    stage.untracked(() -> stage.free(stage.tensor(mesh, "meanwhile", 32, 32)));
                    stage.free(before);
                }),
                Scenario.onMesh("untracked: a free", (stage, mesh) -> {
                    Handle before = stage.tensor(mesh, "before", 64, 64);
                    stage.tensor(mesh, "kept", 32, 32);
                    stage.untracked(() -> stage.free(before));
                }),
                Scenario.onMesh("untracked: a free, and the address taken anew", (stage, mesh) -> {
                    Handle before = stage.tensor(mesh, "before", 64, 64);
                    stage.untracked(() -> stage.free(before));
                    stage.free(stage.tensor(mesh, "anew", 64, 64));
                }),
                Scenario.onMesh("untracked: a tensor that is kept", (stage, mesh) -> {
                    stage.free(stage.tensor(mesh, "before", 64, 64));
                    stage.untracked(() -> stage.tensor(mesh, "kept", 32, 32));
                }),
                Scenario.onMesh("untracked: a tensor that is freed later", (stage, mesh) -> {
                    List<Handle> later = new ArrayList<>();
                    stage.untracked(() -> later.add(stage.tensor(mesh, "later", 32, 32)));
                    later.forEach(stage::free);
                }),
                Scenario.onMesh("untracked: a program that ends", (stage, mesh) -> {
                    Handle program = stage.workload(mesh, "short", 4 * KIB);
                    stage.untracked(() -> stage.free(program));
                }),
                Scenario.opening("untracked: from before the close", (stage, mesh) -> {
                    stage.tensor(mesh, "kept", 64, 64);
                    stage.trackingStops();
                    stage.closeClean(mesh);
                }),
                Scenario.opening("untracked: when all is over", (stage, mesh) -> {
                    stage.free(stage.tensor(mesh, "freed", 64, 64));
                    stage.closeClean(mesh);
                    stage.drop(Handle.NOTHING);
                    stage.trackingStops();
                }),
                Scenario.opening("untracked: a free after the close", (stage, mesh) -> {
                    Handle outlives = stage.tensor(mesh, "outlives", 64, 64);
                    stage.closeClean(mesh);
                    stage.untracked(() -> stage.free(outlives));
                }),
                Scenario.bound("bound, untracked: a free", stage -> {
                    Handle before = stage.bound("before", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1);
                    stage.untracked(() -> stage.free(before));
                }),
                Scenario.bound("bound, untracked: one dropped before", stage -> {
                    stage.drop(stage.bound("dropped", BufferType.DRAM, 0x1000, 4 * KIB, 0));
                    stage.untracked(() -> {});
                }),
                Scenario.bound("bound, untracked: one dropped after", stage -> {
                    stage.untracked(() -> stage.free(stage.bound("before", BufferType.L1, 0x1000, 4 * KIB, 0)));
                    stage.drop(stage.bound("dropped", BufferType.DRAM, 0x1000, 4 * KIB, 0));
                }),
                Scenario.bound("bound, untracked: from the first on", stage -> {
                    stage.trackingStops();
                    stage.drop(stage.bound("dropped", BufferType.DRAM, 0x1000, 4 * KIB, 0));
                }),
                Scenario.bound("bound, untracked: when all is over", stage -> {
                    stage.free(stage.bound("freed", BufferType.DRAM, 0x1000, 4 * KIB, 0));
                    stage.drop(Handle.NOTHING);
                    stage.trackingStops();
                }));
    }

    /** Returns those in which handles are dropped, and the mesh called or not before it is closed and after. */
    static List<Scenario> collected() {
        return List.of(
                Scenario.onMesh("collected: two tensors, one after the other", (stage, mesh) -> {
                    stage.drop(stage.tensor(mesh, "first", 64, 64));
                    stage.drop(stage.tensor(mesh, "second", 64, 64));
                }),
                Scenario.onMesh("collected: one of two that share a tensor", (stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                    Handle alias = stage.alias(tensor);
                    stage.drop(tensor);
                    stage.free(stage.tensor(mesh, "between", 32, 32));
                    stage.free(alias);
                }),
                Scenario.onMesh("collected: a program and a buffer of one device", (stage, mesh) -> {
                    Handle program = stage.workload(mesh, "dropped", 4 * KIB, 2 * KIB);
                    Handle single = stage.onDevice(mesh, 3, "single", BufferType.L1_SMALL, KIB);
                    stage.drop(List.of(program, single));
                    stage.free(stage.tensor(mesh, "between", 32, 32));
                }),
                Scenario.opening("collected: after the close", (stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                    stage.closeClean(mesh);
                    stage.drop(tensor);
                }),
                Scenario.opening("collected: after the close, which is called again", (stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                    stage.closeClean(mesh);
                    stage.drop(tensor);
                    stage.close(mesh);
                }),
                Scenario.opening("collected: after the check", (stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                    stage.closeClean(mesh);
                    stage.check();
                    stage.drop(tensor);
                    stage.close(mesh);
                }));
    }

    /** Returns those in which two allocators reserve one address, and those of meshes without device 0. */
    static List<Scenario> ofSeveralAllocators() {
        return List.of(
                Scenario.onMesh("several allocators: all freed", (stage, mesh) -> {
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.free(ofMesh, ofDevice);
                }),
                Scenario.onMesh("several allocators: all freed, the device's first", (stage, mesh) -> {
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.free(ofDevice, ofMesh);
                }),
                Scenario.onMesh("several allocators: all freed, of every device", (stage, mesh) -> {
                    List<Handle> ofDevices = new ArrayList<>();
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    for (int device : mesh.deviceIds()) {
                        ofDevices.add(stage.onDevice(mesh, device, "ofDevice", BufferType.DRAM, 4 * KIB));
                    }
                    ofDevices.forEach(stage::free);
                    stage.free(ofMesh);
                }),
                Scenario.onMesh("several allocators: all freed, and both addresses reused", (stage, mesh) -> {
                    for (int round = 0; round < 2; round++) {
                        Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                        Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                        stage.free(ofMesh, ofDevice);
                    }
                }),
                Scenario.onMesh("several allocators: a tensor and a device's buffer freed", (stage, mesh) -> {
                    Handle ofMesh = stage.tensor(mesh, "ofMesh", 64, 64);
                    Handle ofDevice = stage.onDevice(mesh, 0, "ofDevice", BufferType.DRAM, 8 * KIB);
                    stage.free(ofMesh, ofDevice);
                }),
                Scenario.onMesh("several allocators: the device's buffer kept", (stage, mesh) -> {
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.free(ofMesh);
                }),
                Scenario.onMesh("several allocators: the mesh's buffer kept", (stage, mesh) -> {
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.free(ofDevice);
                }),
                Scenario.onMesh("several allocators: both kept", (stage, mesh) -> {
                    stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                }),
                Scenario.onMesh("several allocators: a tensor and a device's buffer dropped", (stage, mesh) -> {
                    stage.drop(stage.tensor(mesh, "ofMesh", 64, 64));
                    stage.drop(stage.onDevice(mesh, 0, "ofDevice", BufferType.DRAM, 8 * KIB));
                }),
                Scenario.opening("several allocators: the device's buffer freed after the close", (stage, mesh) -> {
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.free(ofMesh);
                    stage.closeClean(mesh);
                    stage.free(ofDevice);
                }),
                Scenario.opening("several allocators: the mesh's buffer freed after the close", (stage, mesh) -> {
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.free(ofDevice);
                    stage.closeClean(mesh);
                    stage.free(ofMesh);
                }),
                Scenario.losingAReport(
                        "several allocators: a lost free of the mesh's, the device's kept", (stage, mesh) -> {
                            Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                            stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                            stage.unheard(() -> stage.free(ofMesh));
                        }),
                Scenario.losingAReport(
                        "several allocators: a lost free of the device's, the mesh's kept", (stage, mesh) -> {
                            Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                            stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                            stage.unheard(() -> stage.free(ofDevice));
                        }),
                Scenario.losingAReport("a lost free, and another buffer kept at its address", (stage, mesh) -> {
                    Handle before = stage.buffer(mesh, "before", BufferType.DRAM, LARGE);
                    stage.unheard(() -> stage.free(before));
                    stage.buffer(mesh, "anew", BufferType.DRAM, 4 * KIB);
                }),
                Scenario.onMesh("two sub-devices, all freed", (stage, mesh) -> {
                    stage.divide(mesh);
                    Handle left = stage.local(mesh, "left", 0);
                    Handle right = stage.local(mesh, "right", 1);
                    stage.free(left, right);
                }),
                Scenario.onMesh("two sub-devices, one of which keeps", (stage, mesh) -> {
                    stage.divide(mesh);
                    Handle left = stage.local(mesh, "left", 0);
                    stage.local(mesh, "right", 1);
                    stage.free(left);
                }),
                Scenario.onMesh("two sub-devices, both of which keep", (stage, mesh) -> {
                    stage.divide(mesh);
                    stage.drop(stage.local(mesh, "left", 0));
                    stage.local(mesh, "right", 1);
                }),
                Scenario.opening("two sub-devices, one freed after the close", (stage, mesh) -> {
                    stage.divide(mesh);
                    Handle left = stage.local(mesh, "left", 0);
                    Handle right = stage.local(mesh, "right", 1);
                    stage.free(left);
                    stage.closeClean(mesh);
                    stage.free(right);
                }),
                Scenario.onAMesh("a mesh without device 0, all freed", withoutDevice0((stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                    Handle sum = stage.add(mesh, "sum", tensor, tensor);
                    stage.free(sum, tensor, stage.onDevice(mesh, 3, "single", BufferType.DRAM, 4 * KIB));
                })),
                Scenario.onAMesh("a mesh without device 0, one tensor kept", withoutDevice0((stage, mesh) -> {
                    stage.tensor(mesh, "kept", 64, 64);
                    stage.free(stage.tensor(mesh, "freed", 64, 64));
                })),
                Scenario.onAMesh(
                        "a mesh without device 0, a buffer of one device kept", withoutDevice0((stage, mesh) -> {
                            stage.free(stage.tensor(mesh, "freed", 64, 64));
                            stage.onDevice(mesh, 3, "kept", BufferType.DRAM, 4 * KIB);
                        })),
                Scenario.onAMesh(
                        "a mesh without device 0, a tensor freed after the close",
                        stage -> openWithoutDevice0(stage).ifPresent(mesh -> {
                            Handle outlives = stage.tensor(mesh, "outlives", 64, 64);
                            stage.closeClean(mesh);
                            stage.free(outlives);
                        })));
    }

    private static Consumer<Stage> withoutDevice0(BiConsumer<Stage, MeshDevice> work) {
        return stage -> openWithoutDevice0(stage).ifPresent(mesh -> {
            work.accept(stage, mesh);
            stage.closeClean(mesh);
        });
    }

    private static Optional<MeshDevice> openWithoutDevice0(Stage stage) {
        return stage.openWith(
                stage.runtime(),
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withPhysicalDeviceIds(2, 3));
    }
}
