package dev.meshguard.samples.support;

import static dev.meshguard.mesh.tensor.TensorDistribution.sharded2d;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The steps of {@code test_mesh_allocation.py}: two tensors, their sum, two more, their product, and the clean-up.
 *
 * <p>Every tensor is cut into eighths over the 2x4 mesh; the program frees what it made in the opposite order.
 */
public final class MeshAllocation {

    private static final TensorDistribution ONE_EIGHTH = sharded2d(0, 1);

    private final Ttnn ttnn;
    private final MeshDevice mesh;
    private final Deque<Tensor> tensors = new ArrayDeque<>();

    /** Prepares the steps; nothing is allocated yet. */
    public MeshAllocation(Ttnn ttnn, MeshDevice mesh) {
        this.ttnn = ttnn;
        this.mesh = mesh;
    }

    /** Runs everything up to the clean-up. */
    public MeshAllocation compute() {
        add();
        multiply();
        return this;
    }

    /** Steps 2 to 4: two tensors and their sum. */
    public void add() {
        Tensor first = tensor(8, 8, 512, 512);
        Tensor second = tensor(8, 8, 512, 512);
        tensors.push(ttnn.add(first, second));
    }

    /** Step 5: two smaller tensors and their product. */
    public void multiply() {
        Tensor a = tensor(8, 8, 256, 128);
        Tensor b = tensor(8, 8, 128, 256);
        tensors.push(ttnn.matmul(a, b));
    }

    /** Step 6: every tensor is deallocated, the latest first. */
    public void freeTensors() {
        while (!tensors.isEmpty()) {
            ttnn.deallocate(tensors.pop());
        }
    }

    /** Step 7: the cached programs go. */
    public void clearCache() {
        mesh.disableAndClearProgramCache();
    }

    /** Step 8: the mesh is closed. */
    public void close() {
        ttnn.closeMeshDevice(mesh);
    }

    /** What happens when the last reference to the mesh object goes, after its close. */
    public void dropMesh() {
        mesh.destroy();
    }

    /** Runs all steps. */
    public void run() {
        compute();
        freeTensors();
        clearCache();
        close();
    }

    private Tensor tensor(int... shape) {
        Tensor tensor = ttnn.empty(TensorShape.of(shape), DataType.BFLOAT16, mesh, ONE_EIGHTH);
        tensors.push(tensor);
        return tensor;
    }
}
