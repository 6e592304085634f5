package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdOutputStream;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import java.io.IOException;
import org.junit.jupiter.api.Test;

@TrackAllocations
@TrackCloseables({ZstdCompressCtx.class, ZstdOutputStream.class})
class LeakingPackerTestCase {

    @Test
    void dropsItsContext() {
        assertTrue(Packer.zstdAndForget(new byte[4096]).length < 4096);
    }

    @Test
    void dropsItsStream() throws IOException {
        assertTrue(Packer.streamAndForget(new byte[4096]).length < 4096);
    }
}
