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
    private static final String REASON = "kept on purpose";

    private MoreScenarios() {}

    private static Consumer<Stage> onMesh(BiConsumer<Stage, MeshDevice> work) {
        return stage -> stage.open(2, 4).ifPresent(mesh -> {
            work.accept(stage, mesh);
            stage.closeClean(mesh);
        });
    }

    /** Returns those with an allowlist. */
    static List<Scenario> allowing() {
        return List.of(
                Scenario.onAMesh("allowed: a tensor, by type, size and number", onMesh((stage, mesh) -> {
                    Handle kept = stage.tensor(mesh, "kept", 64, 64);
                    stage.free(stage.tensor(mesh, "freed", 32, 32));
                    stage.allow(
                            Expectation.because(REASON)
                                    .type(BufferType.DRAM)
                                    .size(8 * KIB)
                                    .atMost(8),
                            kept);
                })),
                Scenario.onAMesh("allowed: one of two alike, the other freed", onMesh((stage, mesh) -> {
                    Handle freed = stage.tensor(mesh, "freed", 64, 64);
                    Handle kept = stage.tensor(mesh, "kept", 64, 64);
                    stage.free(freed);
                    stage.allow(
                            Expectation.because(REASON)
                                    .type(BufferType.DRAM)
                                    .size(8 * KIB)
                                    .atMost(8),
                            kept);
                })),
                Scenario.onAMesh("allowed: one of two alike that stay", onMesh((stage, mesh) -> {
                    Handle one = stage.tensor(mesh, "one", 64, 64);
                    Handle other = stage.tensor(mesh, "other", 64, 64);
                    stage.allow(
                            Expectation.because(REASON)
                                    .type(BufferType.DRAM)
                                    .size(8 * KIB)
                                    .exactly(8),
                            one,
                            other);
                })),
                Scenario.onAMesh("allowed: a dropped tensor, by label", onMesh((stage, mesh) -> {
                    Handle kept = stage.labelled("weights", () -> stage.tensor(mesh, "kept", 64, 64));
                    Handle forgotten = stage.tensor(mesh, "forgotten", 64, 64);
                    stage.drop(kept);
                    stage.allow(Expectation.because(REASON).label("weights"), kept);
                    stage.drop(forgotten);
                })),
                Scenario.onAMesh("allowed: what setup took", onMesh((stage, mesh) -> {
                    List<Handle> kept = new ArrayList<>();
                    try (Scope setup = stage.phase("setup")) {
                        kept.add(stage.buffer(mesh, "kept", BufferType.L1, 4 * KIB));
                    }
                    stage.free(stage.buffer(mesh, "freed", BufferType.L1, 8 * KIB));
                    stage.allow(Expectation.because(REASON).type(BufferType.L1).size(4 * KIB), kept.get(0));
                })),
                Scenario.onAMesh("allowed: on some devices, and one on another", onMesh((stage, mesh) -> {
                    List<Handle> kept = new ArrayList<>();
                    for (int device : mesh.deviceIds().subList(0, 5)) {
                        kept.add(stage.onDevice(mesh, device, "kept", BufferType.L1, (device + 2) * 2L * KIB));
                    }
                    stage.allow(
                            Expectation.because(REASON)
                                    .devices(DeviceSet.of(mesh.deviceIds().subList(0, 4)))
                                    .type(BufferType.L1),
                            kept.subList(0, 4).toArray(Handle[]::new));
                })),
                Scenario.onAMesh("allowed: fewer than promised", onMesh((stage, mesh) -> {
                    List<Handle> kept = new ArrayList<>();
                    for (int device : mesh.deviceIds().subList(0, 4)) {
                        kept.add(stage.onDevice(mesh, device, "kept", BufferType.L1, (device + 2) * 2L * KIB));
                    }
                    stage.free(kept.get(1));
                    stage.allow(
                            Expectation.because(REASON).type(BufferType.L1).exactly(4), kept.toArray(Handle[]::new));
                })),
                Scenario.onAMesh(
                        "allowed: what the cache keeps",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle a = stage.tensor(mesh, "a", 64, 64);
                            Handle sum = stage.add(mesh, "sum", a, a);
                            stage.allowCached(Expectation.because(REASON).owner("program"));
                            stage.free(sum, a);
                            stage.close(mesh);
                        })),
                Scenario.onAMesh("allowed: what is not there any more", onMesh((stage, mesh) -> {
                    Handle freed = stage.tensor(mesh, "freed", 64, 64);
                    stage.allow(
                            Expectation.because(REASON).type(BufferType.DRAM).size(8 * KIB), freed);
                    stage.free(freed);
                })),
                Scenario.onAMesh("allowed: until long ago", onMesh((stage, mesh) -> {
                    stage.allow(Expectation.because(REASON).until("2020-02-29"));
                    stage.tensor(mesh, "kept", 64, 64);
                })),
                Scenario.onAMesh("allowed: another size", onMesh((stage, mesh) -> {
                    stage.allow(Expectation.because(REASON).size(8 * KIB - 1));
                    stage.tensor(mesh, "kept", 64, 64);
                })),
                Scenario.bound("bound, allowed: one of two", stage -> {
                    Handle kept = stage.bound("kept", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1);
                    stage.drop(stage.bound("dropped", BufferType.L1, 0x1000, 4 * KIB, 0));
                    stage.allow(Expectation.because(REASON).type(BufferType.DRAM), kept);
                }),
                Scenario.bound("bound, allowed: all that is left", stage -> {
                    Handle kept = stage.bound("kept", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1);
                    stage.free(stage.bound("freed", BufferType.L1, 0x1000, 4 * KIB, 0));
                    stage.allow(
                            Expectation.because(REASON).type(BufferType.DRAM).exactly(2), kept);
                }));
    }

    /** Returns those that a source does not listen to all the time. */
    static List<Scenario> untracked() {
        return List.of(
                Scenario.onAMesh("untracked: nothing", onMesh((stage, mesh) -> {
                    Handle kept = stage.tensor(mesh, "freed", 64, 64);
                    stage.untracked(() -> {});
                    stage.free(kept);
                })),
                Scenario.onAMesh("untracked: a tensor that is taken and freed", onMesh((stage, mesh) -> {
                    Handle before = stage.tensor(mesh, "before", 64, 64);
                    stage.untracked(() -> stage.free(stage.tensor(mesh, "meanwhile", 32, 32)));
                    stage.free(before);
                })),
                Scenario.onAMesh("untracked: a free", onMesh((stage, mesh) -> {
                    Handle before = stage.tensor(mesh, "before", 64, 64);
                    stage.tensor(mesh, "kept", 32, 32);
                    stage.untracked(() -> stage.free(before));
                })),
                Scenario.onAMesh("untracked: a free, and the address taken anew", onMesh((stage, mesh) -> {
                    Handle before = stage.tensor(mesh, "before", 64, 64);
                    stage.untracked(() -> stage.free(before));
                    stage.free(stage.tensor(mesh, "anew", 64, 64));
                })),
                Scenario.onAMesh("untracked: a tensor that is kept", onMesh((stage, mesh) -> {
                    stage.free(stage.tensor(mesh, "before", 64, 64));
                    stage.untracked(() -> stage.tensor(mesh, "kept", 32, 32));
                })),
                Scenario.onAMesh("untracked: a tensor that is freed later", onMesh((stage, mesh) -> {
                    List<Handle> later = new ArrayList<>();
                    stage.untracked(() -> later.add(stage.tensor(mesh, "later", 32, 32)));
                    later.forEach(stage::free);
                })),
                Scenario.onAMesh("untracked: a program that ends", onMesh((stage, mesh) -> {
                    Handle program = stage.workload(mesh, "short", 4 * KIB);
                    stage.untracked(() -> stage.free(program));
                })),
                Scenario.onAMesh(
                        "untracked: from before the close",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            stage.tensor(mesh, "kept", 64, 64);
                            stage.trackingStops();
                            stage.closeClean(mesh);
                        })),
                Scenario.onAMesh(
                        "untracked: when all is over",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            stage.free(stage.tensor(mesh, "freed", 64, 64));
                            stage.closeClean(mesh);
                            stage.drop(Handle.nothing());
                            stage.trackingStops();
                        })),
                Scenario.onAMesh(
                        "untracked: a free after the close",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle outlives = stage.tensor(mesh, "outlives", 64, 64);
                            stage.closeClean(mesh);
                            stage.untracked(() -> stage.free(outlives));
                        })),
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
                    stage.drop(Handle.nothing());
                    stage.trackingStops();
                }));
    }

    /** Returns those in which handles are dropped, and the mesh called or not before it is closed and after. */
    static List<Scenario> collected() {
        return List.of(
                Scenario.onAMesh("collected: two tensors, one after the other", onMesh((stage, mesh) -> {
                    stage.drop(stage.tensor(mesh, "first", 64, 64));
                    stage.drop(stage.tensor(mesh, "second", 64, 64));
                })),
                Scenario.onAMesh("collected: one of two that share a tensor", onMesh((stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                    Handle alias = stage.alias(tensor);
                    stage.drop(tensor);
                    stage.free(stage.tensor(mesh, "between", 32, 32));
                    stage.free(alias);
                })),
                Scenario.onAMesh("collected: a program and a buffer of one device", onMesh((stage, mesh) -> {
                    Handle program = stage.workload(mesh, "dropped", 4 * KIB, 2 * KIB);
                    Handle single = stage.onDevice(mesh, 3, "single", BufferType.L1_SMALL, KIB);
                    stage.drop(List.of(program, single));
                    stage.free(stage.tensor(mesh, "between", 32, 32));
                })),
                Scenario.onAMesh(
                        "collected: after the close",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                            stage.closeClean(mesh);
                            stage.drop(tensor);
                        })),
                Scenario.onAMesh(
                        "collected: after the close, which is called again",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                            stage.closeClean(mesh);
                            stage.drop(tensor);
                            stage.close(mesh);
                        })),
                Scenario.onAMesh(
                        "collected: after the check",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                            stage.closeClean(mesh);
                            stage.check();
                            stage.drop(tensor);
                            stage.close(mesh);
                        })));
    }

    /** Returns those in which two allocators reserve one address, and those of meshes without device 0. */
    static List<Scenario> ofSeveralAllocators() {
        return List.of(
                Scenario.onAMesh("several allocators: all freed", onMesh((stage, mesh) -> {
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.free(ofMesh, ofDevice);
                })),
                Scenario.onAMesh("several allocators: all freed, the device's first", onMesh((stage, mesh) -> {
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.free(ofDevice, ofMesh);
                })),
                Scenario.onAMesh("several allocators: all freed, of every device", onMesh((stage, mesh) -> {
                    List<Handle> ofDevices = new ArrayList<>();
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    for (int device : mesh.deviceIds()) {
                        ofDevices.add(stage.onDevice(mesh, device, "ofDevice", BufferType.DRAM, 4 * KIB));
                    }
                    ofDevices.forEach(stage::free);
                    stage.free(ofMesh);
                })),
                Scenario.onAMesh("several allocators: all freed, and both addresses reused", onMesh((stage, mesh) -> {
                    for (int round = 0; round < 2; round++) {
                        Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                        Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                        stage.free(ofMesh, ofDevice);
                    }
                })),
                Scenario.onAMesh("several allocators: a tensor and a device's buffer freed", onMesh((stage, mesh) -> {
                    Handle ofMesh = stage.tensor(mesh, "ofMesh", 64, 64);
                    Handle ofDevice = stage.onDevice(mesh, 0, "ofDevice", BufferType.DRAM, 8 * KIB);
                    stage.free(ofMesh, ofDevice);
                })),
                Scenario.onAMesh("several allocators: the device's buffer kept", onMesh((stage, mesh) -> {
                    Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.free(ofMesh);
                })),
                Scenario.onAMesh("several allocators: the mesh's buffer kept", onMesh((stage, mesh) -> {
                    Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                    stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.free(ofDevice);
                })),
                Scenario.onAMesh("several allocators: both kept", onMesh((stage, mesh) -> {
                    stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                    stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                })),
                Scenario.onAMesh("several allocators: a tensor and a device's buffer dropped", onMesh((stage, mesh) -> {
                    stage.drop(stage.tensor(mesh, "ofMesh", 64, 64));
                    stage.drop(stage.onDevice(mesh, 0, "ofDevice", BufferType.DRAM, 8 * KIB));
                })),
                Scenario.onAMesh(
                        "several allocators: the device's buffer freed after the close",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                            Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                            stage.free(ofMesh);
                            stage.closeClean(mesh);
                            stage.free(ofDevice);
                        })),
                Scenario.onAMesh(
                        "several allocators: the mesh's buffer freed after the close",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                            Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                            stage.free(ofDevice);
                            stage.closeClean(mesh);
                            stage.free(ofMesh);
                        })),
                Scenario.losingAReport(
                        "several allocators: a lost free of the mesh's, the device's kept", onMesh((stage, mesh) -> {
                            Handle ofMesh = stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                            stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                            stage.unheard(() -> stage.free(ofMesh));
                        })),
                Scenario.losingAReport(
                        "several allocators: a lost free of the device's, the mesh's kept", onMesh((stage, mesh) -> {
                            Handle ofDevice = stage.onDevice(mesh, 2, "ofDevice", BufferType.DRAM, 4 * KIB);
                            stage.buffer(mesh, "ofMesh", BufferType.DRAM, LARGE);
                            stage.unheard(() -> stage.free(ofDevice));
                        })),
                Scenario.losingAReport("a lost free, and another buffer kept at its address", onMesh((stage, mesh) -> {
                    Handle before = stage.buffer(mesh, "before", BufferType.DRAM, LARGE);
                    stage.unheard(() -> stage.free(before));
                    stage.buffer(mesh, "anew", BufferType.DRAM, 4 * KIB);
                })),
                Scenario.onAMesh("two sub-devices, all freed", onMesh((stage, mesh) -> {
                    stage.divide(mesh);
                    Handle left = stage.local(mesh, "left", 0);
                    Handle right = stage.local(mesh, "right", 1);
                    stage.free(left, right);
                })),
                Scenario.onAMesh("two sub-devices, one of which keeps", onMesh((stage, mesh) -> {
                    stage.divide(mesh);
                    Handle left = stage.local(mesh, "left", 0);
                    stage.local(mesh, "right", 1);
                    stage.free(left);
                })),
                Scenario.onAMesh("two sub-devices, both of which keep", onMesh((stage, mesh) -> {
                    stage.divide(mesh);
                    stage.drop(stage.local(mesh, "left", 0));
                    stage.local(mesh, "right", 1);
                })),
                Scenario.onAMesh(
                        "two sub-devices, one freed after the close",
                        stage -> stage.open(2, 4).ifPresent(mesh -> {
                            stage.divide(mesh);
                            Handle left = stage.local(mesh, "left", 0);
                            Handle right = stage.local(mesh, "right", 1);
                            stage.free(left);
                            stage.closeClean(mesh);
                            stage.free(right);
                        })),
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
