package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Compares random programs with shared tensors with a model that counts references like the runtime's classes. Handles share
 * attributes; attributes have a holder of their own memory and one of the root's.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of the run.
 */
class SharedTensorModelTests {

    private static final int PROGRAMS = 100;
    private static final int STEPS = 150;
    private static final long TILE = 2_048;

    @Test
    void sharesMemoryAsTheRuntimesHoldersDo() {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        for (int program = 0; program < PROGRAMS; program++) {
            run(firstSeed + program);
        }
    }

    private static void run(long seed) {
        var random = new Random(seed);
        Ttnn ttnn = Ttnn.create(new RecordedReports());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
        List<Pair> open = new ArrayList<>();
        List<Holder> roots = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            if (open.isEmpty() || random.nextInt(6) == 0) {
                Tensor tensor = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
                Holder root = new Holder();
                roots.add(root);
                open.add(new Pair(tensor, new Handle(new Attributes(root, root))));
            } else {
                act(random, open, open.get(random.nextInt(open.size())), ttnn);
            }
            check(open, roots, mesh, "-Dmeshguard.seed=" + seed + ", step " + step);
        }
    }

    private static void act(Random random, List<Pair> open, Pair pair, Ttnn ttnn) {
        switch (random.nextInt(6)) {
            case 0 -> {
                if (pair.model().isAllocated()) {
                    open.add(new Pair(pair.tensor().alias(), pair.model().copy()));
                }
            }
            case 1 -> {
                if (pair.model().isAllocated()) {
                    List<Integer> longer = new ArrayList<>(pair.tensor().shape().dimensions());
                    longer.add(0, 1);
                    open.add(new Pair(
                            ttnn.reshape(pair.tensor(), new TensorShape(longer)),
                            pair.model().view()));
                }
            }
            case 2, 3 -> {
                pair.tensor().close();
                pair.model().destroy();
                open.remove(pair);
            }
            case 4 -> {
                pair.tensor().deallocate();
                pair.model().deallocate(false);
            }
            default -> {
                ttnn.deallocate(pair.tensor());
                pair.model().deallocate(true);
            }
        }
    }

    private static void check(List<Pair> open, List<Holder> roots, MeshDevice mesh, String where) {
        for (Pair pair : open) {
            assertThat(pair.tensor().isAllocated())
                    .as(where)
                    .isEqualTo(pair.model().isAllocated());
            assertThat(pair.tensor().isSoleOwner())
                    .as(where)
                    .isEqualTo(pair.model().isSoleOwner());
        }
        long live = roots.stream().filter(root -> root.allocated).count();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).as(where).isEqualTo(live * TILE);
    }

    private record Pair(Tensor tensor, Handle model) {}

    /** {@code MeshTensorHolder}, behind a shared pointer. */
    private static final class Holder {
        private boolean allocated = true;
        private int references;

        void drop() {
            references--;
            if (references == 0) {
                allocated = false;
            }
        }
    }

    /** {@code TensorAttributes} with its {@code DeviceStorage}, behind a shared pointer. */
    private static final class Attributes {
        private final Holder own;
        private final Holder root;
        private int references;

        Attributes(Holder own, Holder root) {
            this.own = own;
            this.root = root;
            own.references++;
            if (root != own) {
                root.references++;
            }
        }

        void drop() {
            references--;
            if (references == 0) {
                own.drop();
                if (root != own) {
                    root.drop();
                }
            }
        }
    }

    /** {@code Tensor}. */
    private static final class Handle {
        private final Attributes attributes;

        Handle(Attributes attributes) {
            this.attributes = attributes;
            attributes.references++;
        }

        Handle copy() {
            return new Handle(attributes);
        }

        Handle view() {
            return new Handle(new Attributes(new Holder(), attributes.root));
        }

        boolean isAllocated() {
            return attributes.own.allocated && attributes.root.allocated;
        }

        boolean isSoleOwner() {
            return isAllocated()
                    && attributes.references == 1
                    && attributes.own.references == 1
                    && attributes.root.references == 1;
        }

        void deallocate(boolean force) {
            if (isAllocated() && (force || isSoleOwner())) {
                attributes.root.allocated = false;
                attributes.own.allocated = false;
            }
        }

        void destroy() {
            deallocate(false);
            attributes.drop();
        }
    }
}
