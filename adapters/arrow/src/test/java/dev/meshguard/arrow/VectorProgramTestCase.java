package dev.meshguard.arrow;

import dev.meshguard.junit.TrackAllocations;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs each program as a tracked test. */
@TrackAllocations
class VectorProgramTestCase {

    private final List<Object> kept = new ArrayList<>();

    @ParameterizedTest(name = "{0}")
    @EnumSource
    void runs(VectorProgram program, BufferAllocator allocator) throws Exception {
        program.run(allocator, kept);
    }
}
