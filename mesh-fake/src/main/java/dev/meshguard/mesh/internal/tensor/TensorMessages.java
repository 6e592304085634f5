package dev.meshguard.mesh.internal.tensor;

/**
 * The texts of the runtime about tensors, verbatim.
 *
 * <p>Sources: {@code tt_metal/impl/tensor/mesh_tensor_impl.hpp}, {@code ttnn/core/tensor/storage.cpp},
 * {@code ttnn/api/ttnn/device_operation.hpp}, {@code
 * ttnn/cpp/ttnn/operations/data_movement/{move/move,reshape_view/reshape}.cpp}.
 */
public final class TensorMessages {

    public static final String MESH_BUFFER_NULL = "MeshBuffer cannot be nullptr.";
    public static final String MESH_BUFFER_NOT_ALLOCATED = "MeshBuffer must be allocated.";
    public static final String MESH_BUFFER_TOO_SMALL = "MeshBuffer must be large enough to hold the tensor.";
    public static final String NOT_ALLOCATED = "Tensor is not allocated";
    /** For a logger, with a placeholder for the index. */
    public static final String INPUT_NOT_ALLOCATED = "Tensor at index {} is not allocated";

    public static final String MOVED_NOT_ALLOCATED = "Move: Expected input tensor to be allocated";
    /** For a logger, with a placeholder for the address. */
    public static final String NO_SPACE_TO_MOVE =
            "WARNING: No space to move the tensor. Move op's input address and output address are equal: {}";

    static final String VOLUMES_DIFFER = "Attempting to reshape between two shapes with different volumes";

    private TensorMessages() {}
}
