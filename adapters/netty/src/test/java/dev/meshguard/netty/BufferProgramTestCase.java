package dev.meshguard.netty;

import dev.meshguard.junit.TrackAllocations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs each program as a tracked test. */
@TrackAllocations
class BufferProgramTestCase {

    private final List<Object> kept = new ArrayList<>();

    @ParameterizedTest(name = "{0}")
    @EnumSource
    void runs(BufferProgram program) throws Exception {
        program.run(kept);
    }
}
