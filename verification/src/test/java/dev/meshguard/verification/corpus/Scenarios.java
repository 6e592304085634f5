package dev.meshguard.verification.corpus;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verification.corpus.stage.Handle;
import dev.meshguard.verification.corpus.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The programs of the corpus: small versions of those of the field, and common mistakes of users. */
final class Scenarios {

    private static final long KIB = 1_024;

    private Scenarios() {}

    /** Returns every program. */
    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        all.addAll(clean());
        all.addAll(leaking());
        all.addAll(late());
        all.addAll(bindings());
        all.addAll(MoreScenarios.allowing());
        all.addAll(MoreScenarios.untracked());
        all.addAll(MoreScenarios.collected());
        all.addAll(MoreScenarios.ofSeveralAllocators());
        return all;
    }

    /** Returns those on which every defect and fault is tried. */
    static List<Scenario> onAMesh() {
        return all().stream().filter(Scenario::onAMesh).toList();
    }

    /** Returns those on which every fault is tried: every second, of each kind some. */
    static List<Scenario> forFaults() {
        List<Scenario> onAMesh = onAMesh();
        return IntStream.range(0, onAMesh.size())
                .filter(index -> index % 2 == 1)
                .mapToObj(onAMesh::get)
                .toList();
    }

    /** Returns the program that meets every defect: operations, traces, programs that end while others live, addresses lent anew, a free after the close. */
    static Scenario everything() {
        return Scenario.onAMesh("a bit of everything", stage -> everything(stage, false));
    }

    /** Returns the same program when it forgets some of it. */
    static Scenario everythingForgetful() {
        return Scenario.onAMesh("a bit of everything, some of it forgotten", stage -> everything(stage, true));
    }

    // Programs that give everything back

    static List<Scenario> clean() {
        return List.of(
                Scenario.onMesh("nothing", (stage, mesh) -> {}),
                Scenario.onAMesh("test_mesh_allocation", stage -> meshAllocation(stage, 8, true, 0)),
                Scenario.onAMesh("test_mesh_allocation in small", stage -> meshAllocation(stage, 2, true, 0)),
                Scenario.onAMesh("accumulation, three rounds", Scenarios::accumulation),
                Scenario.onAMesh("test_cache_clear_simple", Scenarios::cacheClear),
                Scenario.onAMesh("test_leak_simple, five rounds", Scenarios::openAndClose),
                Scenario.onAMesh("a language model in small", stage -> languageModel(stage, true, true)),
                Scenario.onAMesh("submeshes", stage -> submeshes(stage, 0)),
                Scenario.onAMesh("traces, one after the other", stage -> traces(stage, true)),
                Scenario.onMesh("sub-devices", Scenarios::subDevices),
                Scenario.onMesh("sharded and replicated", Scenarios::shardedAndReplicated),
                Scenario.onMesh("aliases and views", Scenarios::aliasesAndViews),
                Scenario.onMesh("buffers of one device and of all", Scenarios::oneDeviceAndAll),
                Scenario.onMesh("circular buffers of several programs", Scenarios::programs),
                Scenario.onAMesh("a mesh that is opened again", Scenarios::reopened),
                Scenario.onAMesh("two meshes side by side", stage -> twoMeshes(stage, false)),
                Scenario.onMesh("nested phases", Scenarios::phases),
                everything());
    }

    private static void meshAllocation(Stage stage, int scale, boolean clearsTheCache, int forgotten) {
        stage.open(2, 4).ifPresent(mesh -> {
            List<Handle> tensors = new ArrayList<>();
            tensors.add(stage.shardedTensor(mesh, "first", scale, 8, 512, 512));
            tensors.add(stage.shardedTensor(mesh, "second", scale, 8, 512, 512));
            tensors.add(stage.add(mesh, "sum", tensors.get(0), tensors.get(1)));
            tensors.add(stage.shardedTensor(mesh, "a", scale, 8, 256, 128));
            tensors.add(stage.shardedTensor(mesh, "b", scale, 8, 128, 256));
            tensors.add(stage.matmul(mesh, "product", tensors.get(3), tensors.get(4)));
            for (int i = tensors.size() - 1; i >= forgotten; i--) {
                stage.deallocate(tensors.get(i));
            }
            if (clearsTheCache) {
                stage.clearCache(mesh);
            }
            stage.close(mesh);
        });
    }

    private static void accumulation(Stage stage) {
        Ttnn runtime = stage.runtime();
        for (int round = 0; round < 3; round++) {
            try (Scope phase = stage.phase("round " + (round + 1))) {
                stage.open(runtime, 2, 4).ifPresent(mesh -> {
                    stage.deallocate(stage.tensor(mesh, "round's tensor", 2, 2, 128, 128));
                    stage.close(mesh);
                });
            }
        }
    }

    private static void cacheClear(Stage stage) {
        stage.open(2, 4).ifPresent(mesh -> {
            Handle a = stage.tensor(mesh, "a", 8, 8, 256, 256);
            Handle b = stage.tensor(mesh, "b", 8, 8, 256, 256);
            Handle sum = stage.add(mesh, "sum", a, b);
            Handle product = stage.matmul(mesh, "product", a, b);
            stage.free(sum, product, a, b);
            stage.closeClean(mesh);
        });
    }

    private static void openAndClose(Stage stage) {
        Ttnn runtime = stage.runtime();
        for (int round = 0; round < 5; round++) {
            stage.open(runtime, 2, 4).ifPresent(stage::close);
        }
    }

    private static void languageModel(Stage stage, boolean releasesTheTrace, boolean dropsTheModel) {
        stage.open(1, 2).ifPresent(mesh -> {
            List<Handle> model = new ArrayList<>();
            for (int layer = 0; layer < 4; layer++) {
                for (int device : mesh.deviceIds()) {
                    model.add(stage.onDevice(
                            mesh, device, "weights" + layer, BufferType.DRAM, (8 + layer + device) * KIB));
                    model.add(stage.onDevice(mesh, device, "cache" + layer, BufferType.L1, 2 * KIB));
                }
            }
            for (int token = 0; token < 6; token++) {
                for (int device : mesh.deviceIds()) {
                    stage.free(stage.onDevice(mesh, device, "activation", BufferType.L1, (1 + token % 3) * KIB));
                }
            }
            stage.capture(mesh, 10_000).ifPresent(trace -> {
                stage.replay(mesh, trace);
                if (releasesTheTrace) {
                    stage.release(mesh, trace);
                }
            });
            if (dropsTheModel) {
                model.forEach(stage::free);
            }
            stage.closeClean(mesh);
        });
    }

    private static void submeshes(Stage stage, int forgotten) {
        stage.open(2, 4).ifPresent(root -> {
            Handle ofRoot = stage.tensor(root, "ofRoot", 64, 64);
            List<MeshDevice> parts = new ArrayList<>();
            List<Handle> handles = new ArrayList<>();
            for (int row = 0; row < 2; row++) {
                stage.submesh(root, 1, 2, row, 1).ifPresent(part -> {
                    parts.add(part);
                    handles.add(stage.tensor(part, "ofPart", 64, 64));
                    handles.add(stage.buffer(part, "bufferOfPart", BufferType.L1, 4 * KIB));
                });
            }
            for (int i = forgotten; i < handles.size(); i++) {
                stage.free(handles.get(i));
            }
            stage.free(ofRoot);
            parts.forEach(stage::closeClean);
            stage.closeClean(root);
        });
    }

    private static void traces(Stage stage, boolean releasesTheLast) {
        stage.open(2, 4).ifPresent(mesh -> {
            for (int sweep = 0; sweep < 3; sweep++) {
                boolean isLast = sweep == 2;
                stage.capture(mesh, 3_000).ifPresent(trace -> {
                    stage.replay(mesh, trace);
                    if (!isLast || releasesTheLast) {
                        stage.release(mesh, trace);
                    }
                });
            }
            stage.closeClean(mesh);
        });
    }

    private static void subDevices(Stage stage, MeshDevice mesh) {
        Handle before = stage.buffer(mesh, "before", BufferType.DRAM, 8 * KIB);
        Handle local = stage.inSubDevice(
                mesh, "local", () -> stage.free(stage.buffer(mesh, "meanwhile", BufferType.DRAM, 4 * KIB)));
        stage.free(before, local);
    }

    private static void shardedAndReplicated(Stage stage, MeshDevice mesh) {
        Handle sharded = stage.shardedTensor(mesh, "sharded", 8, 8, 256, 256);
        Handle replicated = stage.tensor(mesh, "replicated", 8, 8, 256, 256);
        Handle anew = stage.tensor(mesh, "anew", 64, 64);
        stage.free(replicated, anew, sharded);
        stage.free(stage.tensor(mesh, "where the others lay", 32, 32));
    }

    private static void aliasesAndViews(Stage stage, MeshDevice mesh) {
        Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
        Handle alias = stage.alias(tensor);
        Handle reshaped = stage.reshape(tensor, 1, 64, 64);
        stage.deallocateUnlessShared(tensor);
        stage.free(tensor, alias, reshaped);
        Handle buffer = stage.closingBuffer(mesh, "buffer", BufferType.DRAM, 4 * KIB);
        Handle view = stage.view(mesh, "view", buffer);
        stage.free(view, buffer);
    }

    private static void oneDeviceAndAll(Stage stage, MeshDevice mesh) {
        List<Handle> handles = new ArrayList<>();
        handles.add(stage.buffer(mesh, "all", BufferType.DRAM, 16 * KIB));
        for (int device : mesh.deviceIds()) {
            handles.add(stage.onDevice(mesh, device, "one", BufferType.L1_SMALL, KIB));
        }
        handles.add(stage.buffer(mesh, "all of L1", BufferType.L1, 8 * KIB));
        handles.forEach(stage::free);
    }

    private static void programs(Stage stage, MeshDevice mesh) {
        Handle long1 = stage.workload(mesh, "long", 4 * KIB, 2 * KIB);
        Handle short1 = stage.workload(mesh, "short", 4 * KIB);
        stage.free(short1);
        Handle short2 = stage.workload(mesh, "short", 2 * KIB, 2 * KIB);
        stage.free(short2, long1);
    }

    private static void reopened(Stage stage) {
        Ttnn runtime = stage.runtime();
        for (int round = 0; round < 2; round++) {
            stage.open(runtime, 2, 4).ifPresent(mesh -> {
                Handle tensor = stage.tensor(mesh, "tensor", 64, 64);
                Handle sum = stage.add(mesh, "sum", tensor, tensor);
                stage.free(sum, tensor);
                stage.closeClean(mesh);
            });
        }
    }

    private static void twoMeshes(Stage stage, boolean forgets) {
        Ttnn runtime = stage.runtime();
        stage.open(runtime, 1, 2)
                .ifPresent(one -> stage.openWith(
                                runtime,
                                MeshDeviceOptions.defaults()
                                        .withMeshShape(MeshShape.of(1, 2))
                                        .withPhysicalDeviceIds(6, 7))
                        .ifPresentOrElse(
                                other -> {
                                    Handle here = stage.tensor(one, "here", 64, 64);
                                    Handle there = stage.tensor(other, "there", 64, 64);
                                    if (!forgets) {
                                        stage.free(there);
                                    }
                                    stage.free(here);
                                    stage.closeClean(one);
                                    stage.closeClean(other);
                                },
                                () -> stage.closeClean(one)));
    }

    private static void phases(Stage stage, MeshDevice mesh) {
        try (Scope outer = stage.phase("outer")) {
            Handle kept = stage.tensor(mesh, "kept", 64, 64);
            try (Scope inner = stage.phase("inner")) {
                stage.free(stage.tensor(mesh, "short", 32, 32));
            }
            stage.free(kept);
        }
    }

    private static void everything(Stage stage, boolean forgets) {
        stage.open(2, 4).ifPresent(mesh -> {
            Handle a = stage.tensor(mesh, "a", 64, 64);
            Handle b = stage.tensor(mesh, "b", 64, 64);
            Handle sum = stage.add(mesh, "sum", a, b);
            stage.free(stage.workload(mesh, "copy", 2 * KIB));
            stage.capture(mesh, 1_000).ifPresent(trace -> stage.release(mesh, trace));
            stage.free(a);
            stage.free(stage.tensor(mesh, "anew", 64, 64));
            Handle single = stage.onDevice(mesh, mesh.deviceIds().get(0), "single", BufferType.L1_SMALL, KIB);
            if (forgets) {
                stage.drop(b);
            } else {
                stage.free(b);
                stage.free(single);
            }
            stage.closeClean(mesh);
            if (!forgets) {
                stage.destroy(mesh);
                stage.free(sum);
            }
        });
    }

    // Programs that forget something

    static List<Scenario> leaking() {
        return List.of(
                Scenario.onAMesh(
                        "test_mesh_allocation, cache not cleared", stage -> meshAllocation(stage, 2, false, 0)),
                Scenario.onAMesh("test_mesh_allocation, two tensors kept", stage -> meshAllocation(stage, 2, true, 2)),
                Scenario.onMesh("a tensor dropped", (stage, mesh) -> {
                    stage.drop(stage.tensor(mesh, "dropped", 64, 64));
                    stage.free(stage.tensor(mesh, "freed", 64, 64));
                }),
                Scenario.onMesh("one kept, one dropped, one freed, all alike", (stage, mesh) -> {
                    List<Handle> alike = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        alike.add(stage.tensor(mesh, "alike" + i, 64, 64));
                    }
                    stage.drop(alike.get(1));
                    stage.free(alike.get(2));
                }),
                Scenario.onMesh("a deallocate that another handle prevents", (stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "shared", 64, 64);
                    Handle alias = stage.alias(tensor);
                    stage.deallocateUnlessShared(tensor);
                    stage.drop(alias);
                }),
                Scenario.onMesh("the free of one device forgotten", (stage, mesh) -> single(stage, mesh, false)),
                Scenario.onMesh("one device takes one more", (stage, mesh) -> single(stage, mesh, true)),
                Scenario.onMesh("every device forgets one", (stage, mesh) -> {
                    List<Handle> row = new ArrayList<>();
                    for (int device : mesh.deviceIds()) {
                        row.add(stage.onDevice(mesh, device, "weights", BufferType.L1, 2 * KIB));
                    }
                    stage.row(row);
                    stage.drop(row);
                }),
                Scenario.onMesh("a program never ended", (stage, mesh) -> {
                    stage.workload(mesh, "kept", 4 * KIB);
                    stage.free(stage.workload(mesh, "ended", 2 * KIB));
                }),
                Scenario.onMesh(
                        "a program dropped",
                        (stage, mesh) -> stage.drop(stage.workload(mesh, "dropped", 4 * KIB, 2 * KIB))),
                Scenario.onAMesh("a trace never released", stage -> traces(stage, false)),
                Scenario.onAMesh("a language model that stays", stage -> languageModel(stage, false, false)),
                Scenario.onAMesh("submeshes that forget", stage -> submeshes(stage, 1)),
                Scenario.onAMesh("two meshes, one of which forgets", stage -> twoMeshes(stage, true)),
                Scenario.onAMesh("a mesh that is opened again over what was forgotten", Scenarios::reopenedOverALeak),
                Scenario.opening("a mesh never closed", (stage, mesh) -> {
                    stage.tensor(mesh, "open", 64, 64);
                    stage.free(stage.tensor(mesh, "freed", 64, 64));
                }),
                everythingForgetful());
    }

    /** One buffer for each device; where one takes one more, that is the one which is forgotten. */
    private static void single(Stage stage, MeshDevice mesh, boolean oneMore) {
        List<Handle> row = new ArrayList<>();
        for (int device : mesh.deviceIds()) {
            int some = oneMore && device == 3 ? 2 : 1;
            for (int i = 0; i < some; i++) {
                row.add(stage.onDevice(mesh, device, "weights", BufferType.L1, 2 * KIB));
            }
        }
        stage.row(row);
        Handle forgotten = row.get(mesh.deviceIds().indexOf(3) + (oneMore ? 1 : 0));
        row.remove(forgotten);
        row.forEach(stage::free);
    }

    private static void reopenedOverALeak(Stage stage) {
        Ttnn runtime = stage.runtime();
        stage.open(runtime, 2, 4).ifPresent(mesh -> {
            stage.drop(stage.tensor(mesh, "first life", 64, 64));
            stage.close(mesh);
        });
        stage.open(runtime, 2, 4).ifPresent(mesh -> {
            stage.free(stage.tensor(mesh, "second life", 64, 64));
            stage.close(mesh);
        });
    }

    // Programs that are late, or die

    static List<Scenario> late() {
        return List.of(
                Scenario.opening("a tensor freed after the close", (stage, mesh) -> {
                    Handle outlives = stage.tensor(mesh, "outlives", 64, 64);
                    stage.closeClean(mesh);
                    stage.free(outlives);
                }),
                Scenario.opening("a tensor freed after the close and kept", (stage, mesh) -> {
                    Handle outlives = stage.tensor(mesh, "outlives", 64, 64);
                    Handle before = stage.tensor(mesh, "before", 32, 32);
                    stage.freeAndKeep(before);
                    stage.closeClean(mesh);
                    stage.freeAndKeep(outlives);
                }),
                Scenario.opening("a mesh object that goes after its close", (stage, mesh) -> {
                    Handle a = stage.tensor(mesh, "a", 64, 64);
                    stage.free(stage.add(mesh, "sum", a, a), a);
                    stage.close(mesh);
                    stage.destroy(mesh);
                }),
                Scenario.opening("a tensor freed after the check", (stage, mesh) -> {
                    Handle late = stage.tensor(mesh, "late", 64, 64);
                    stage.closeClean(mesh);
                    stage.check();
                    stage.free(late);
                }),
                Scenario.opening("a check before the close", (stage, mesh) -> {
                    Handle tensor = stage.tensor(mesh, "still there", 64, 64);
                    stage.free(stage.tensor(mesh, "freed", 32, 32));
                    stage.check();
                    stage.free(tensor);
                    stage.closeClean(mesh);
                }),
                Scenario.opening("a program ended after the check", (stage, mesh) -> {
                    Handle late = stage.workload(mesh, "late", 4 * KIB);
                    stage.closeClean(mesh);
                    stage.check();
                    stage.free(late);
                }),
                Scenario.onAMesh("a process that dies with its mesh open", stage -> {
                    Ttnn runtime = stage.runtimeOfProcess(314_528);
                    stage.open(runtime, 2, 4).ifPresent(mesh -> {
                        Handle a = stage.tensor(mesh, "a", 64, 64);
                        stage.add(mesh, "sum", a, a);
                        stage.free(stage.tensor(mesh, "freed", 32, 32));
                    });
                    stage.die(314_528);
                }),
                Scenario.onAMesh("a process that forgets, closes and dies", stage -> {
                    Ttnn runtime = stage.runtimeOfProcess(314_528);
                    stage.open(runtime, 2, 4).ifPresent(mesh -> {
                        stage.tensor(mesh, "forgotten", 64, 64);
                        stage.free(stage.tensor(mesh, "freed", 32, 32));
                        stage.closeClean(mesh);
                    });
                    stage.die(314_528);
                }),
                Scenario.onAMesh("a process that ends clean, and one that lives", stage -> {
                    Ttnn first = stage.runtimeOfProcess(314_528);
                    stage.open(first, 2, 4).ifPresent(mesh -> {
                        stage.free(stage.tensor(mesh, "freed", 64, 64));
                        stage.closeClean(mesh);
                    });
                    stage.die(314_528);
                    Ttnn second = stage.runtimeOfProcess(314_529);
                    stage.open(second, 2, 4).ifPresent(mesh -> {
                        stage.drop(stage.tensor(mesh, "dropped", 64, 64));
                        stage.closeClean(mesh);
                    });
                }));
    }

    // Device bindings that know no mesh

    static List<Scenario> bindings() {
        return List.of(
                Scenario.bound("bound: everything freed", stage -> {
                    Handle one = stage.bound("one", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1, 2, 3);
                    Handle other = stage.bound("other", BufferType.L1, 0x1000, KIB, 0);
                    stage.free(one, other);
                    stage.free(stage.bound("anew", BufferType.DRAM, 0x1000, 2 * KIB, 0));
                }),
                Scenario.bound("bound: one kept", stage -> {
                    stage.bound("kept", BufferType.DRAM, 0x1000, 4 * KIB, 0);
                    stage.free(stage.bound("freed", BufferType.DRAM, 0x4000, 4 * KIB, 0));
                }),
                Scenario.bound(
                        "bound: one dropped on all devices",
                        stage -> stage.drop(stage.bound("dropped", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1, 2, 3))),
                Scenario.bound("bound: the free of one device forgotten", stage -> {
                    Handle all = stage.bound("all", BufferType.DRAM, 0x1000, 4 * KIB, 0, 1, 2, 3);
                    stage.freeOn(all, 0, 1, 3);
                    stage.drop(all);
                }),
                Scenario.bound("bound: freed after the check", stage -> {
                    Handle late = stage.bound("late", BufferType.L1, 0x2000, 4 * KIB, 0, 1);
                    stage.check();
                    stage.free(late);
                }),
                Scenario.bound("bound: a process that dies", stage -> {
                    AllocationDetails ofProcess = AllocationDetails.user().reportedBy(77);
                    stage.bound("left", ofProcess, BufferType.DRAM, 0x1000, 4 * KIB, 0, 1);
                    stage.free(stage.bound("freed", ofProcess, BufferType.L1, 0x1000, KIB, 0));
                    stage.dieBound(77);
                    AllocationDetails ofNext = AllocationDetails.user().reportedBy(78);
                    stage.free(stage.bound("next", ofNext, BufferType.L1, 0x1000, KIB, 0));
                }),
                Scenario.bound("bound: a number of a process that is used again", stage -> {
                    AllocationDetails ofProcess = AllocationDetails.user().reportedBy(77);
                    stage.free(stage.bound("freed", ofProcess, BufferType.L1, 0x1000, KIB, 0));
                    stage.dieBound(77);
                    stage.drop(stage.bound("dropped", ofProcess, BufferType.L1, 0x2000, KIB, 0));
                }),
                Scenario.bound("bound: a lost free", stage -> {
                    Handle unheard = stage.bound("unheard", BufferType.DRAM, 0x1000, 4 * KIB, 0);
                    stage.unheard(() -> stage.free(unheard));
                }),
                Scenario.bound("bound: a lost allocation", stage -> {
                    List<Handle> unheard = new ArrayList<>();
                    stage.unheard(() -> unheard.add(stage.bound("unheard", BufferType.DRAM, 0x1000, 4 * KIB, 0)));
                    unheard.forEach(stage::free);
                }),
                Scenario.bound(
                        "bound: a leak nobody heard of",
                        stage -> stage.unheard(
                                () -> stage.drop(stage.bound("unheard", BufferType.DRAM, 0x1000, KIB, 0)))),
                Scenario.bound("bound: overlapping buffers, both freed", stage -> {
                    Handle one = stage.bound("one", BufferType.DRAM, 0x1000, 4 * KIB, 0);
                    Handle over = stage.bound("over", BufferType.DRAM, 0x1800, 4 * KIB, 0);
                    stage.free(one, over);
                }));
    }
}
