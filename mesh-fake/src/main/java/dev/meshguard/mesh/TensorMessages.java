package dev.meshguard.mesh;

/**
 * The texts of the runtime about tensors, verbatim.
 *
 * <p>Sources: {@code tt_metal/impl/tensor/mesh_tensor_impl.hpp}, {@code ttnn/core/tensor/storage.cpp},
 * {@code ttnn/api/ttnn/device_operation.hpp}, {@code
 * ttnn/cpp/ttnn/operations/data_movement/{move/move,reshape_view/reshape}.cpp}.
 */
final class TensorMessages {

    static final String MESH_BUFFER_NULL = "MeshBuffer cannot be nullptr.";
    static final String MESH_BUFFER_NOT_ALLOCATED = "MeshBuffer must be allocated.";
    static final String MESH_BUFFER_TOO_SMALL = "MeshBuffer must be large enough to hold the tensor.";
    static final String NOT_ALLOCATED = "Tensor is not allocated";
    /** For a logger, with a placeholder for the index. */
    static final String INPUT_NOT_ALLOCATED = "Tensor at index {} is not allocated";

    static final String MOVED_NOT_ALLOCATED = "Move: Expected input tensor to be allocated";
    /** For a logger, with a placeholder for the address. */
    static final String NO_SPACE_TO_MOVE =
            "WARNING: No space to move the tensor. Move op's input address and output address are equal: {}";

    static final String VOLUMES_DIFFER = "Attempting to reshape between two shapes with different volumes";

    private TensorMessages() {}
}
