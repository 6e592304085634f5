package dev.meshguard.mesh.internal.tensor;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorLayout;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes the shape and layout of an operation's result from those of its inputs.
 *
 * <p>Operations work on the part on each device, so shapes are compared there: a replicated tensor may be added to a sharded
 * one. The memory of the result follows {@code ttnn/cpp/ttnn/operations}: that of the first tensor for sums, DRAM for products.
 */
public final class Shapes {

    private static final int TILE_EDGE = 32;

    private Shapes() {}

    /** The sum of two tensors; a dimension of size 1 is repeated. */
    public static TensorSpec ofSum(TensorSpec a, TensorSpec b, MeshShape mesh) {
        TensorShape left = onDevice(a, mesh);
        TensorShape right = onDevice(b, mesh);
        int rank = Math.max(left.rank(), right.rank());
        List<Integer> sum = repeated("add", left, right, rank, 0);
        return result(a, b, new TensorShape(sum), mesh, "add");
    }

    /** The matrix product of two tensors; all but the two innermost dimensions are repeated if they have size 1. */
    public static TensorSpec ofProduct(TensorSpec a, TensorSpec b, MeshShape mesh) {
        TensorShape left = onDevice(a, mesh);
        TensorShape right = onDevice(b, mesh);
        if (left.rank() < 2 || right.rank() < 2 || left.get(-1) != right.get(-2)) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot run matmul on tensors that are %s and %s on each device: the last dimension of the first must be the last but one of the second",
                    left, right));
        }
        int rank = Math.max(left.rank(), right.rank());
        List<Integer> product = repeated("matmul", left, right, rank, 2);
        product.add(left.get(-2));
        product.add(right.get(-1));
        return result(a, b, new TensorShape(product), mesh, "matmul").in(BufferType.DRAM);
    }

    /**
     * Returns whether the elements of a tensor lie, on every device, where they would lie in another shape.
     *
     * @throws MeshRuntimeException if the shapes have different numbers of elements
     */
    public static boolean canBeSeenAs(TensorSpec tensor, TensorShape newShape, MeshShape mesh) {
        TensorShape before = onDevice(tensor, mesh);
        TensorShape after = onDevice(tensor.withShape(newShape), mesh);
        if (before.volume() != after.volume()) {
            throw new MeshRuntimeException("Attempting to reshape between two shapes with different volumes");
        }
        int rows = rows(before);
        int newRows = rows(after);
        return before.volume() == 0
                || (before.get(-1) == after.get(-1)
                        && (tensor.layout() == TensorLayout.ROW_MAJOR
                                || rows == newRows
                                || (rows % TILE_EDGE == 0 && newRows % TILE_EDGE == 0)));
    }

    private static int rows(TensorShape shape) {
        return shape.rank() < 2 ? 1 : shape.get(-2);
    }

    private static TensorShape onDevice(TensorSpec tensor, MeshShape mesh) {
        return tensor.distribution().shapeOnDevice(tensor.shape(), mesh.dimensions());
    }

    private static List<Integer> repeated(
            String operation, TensorShape left, TensorShape right, int rank, int innermost) {
        List<Integer> sizes = new ArrayList<>();
        for (int dimension = -rank; dimension < -innermost; dimension++) {
            int a = -dimension > left.rank() ? 1 : left.get(dimension);
            int b = -dimension > right.rank() ? 1 : right.get(dimension);
            if (a != b && a != 1 && b != 1) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot run %s on tensors that are %s and %s on each device: %d and %d are neither equal nor 1",
                        operation, left, right, a, b));
            }
            sizes.add(a == 1 ? b : a);
        }
        return sizes;
    }

    private static TensorSpec result(
            TensorSpec a, TensorSpec b, TensorShape onDevice, MeshShape mesh, String operation) {
        if (a.distribution().isSharded()
                && b.distribution().isSharded()
                && !a.distribution().equals(b.distribution())) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot run %s on tensors that are sharded differently: %s and %s. Distribute both alike, or replicate one.",
                    operation, a.distribution(), b.distribution()));
        }
        TensorDistribution distribution = a.distribution().isSharded() ? a.distribution() : b.distribution();
        return a.unnamed().distributed(distribution).withShape(distribution.wholeShape(onDevice, mesh.dimensions()));
    }
}
