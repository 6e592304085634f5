package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import dev.meshguard.closeables.NativeHandles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** Each library, where something is left open; the build has to fail. Run with {@code -Dtest='Leaking*'}. */
@TrackNativeLibraries
class LeakingRecipesTestCase {

    @Test
    void dropsWhatRocksDbNeedsAndAnIterator(@TempDir Path folder) throws RocksDBException {
        EntryStore store = new EntryStore(folder);
        store.put("key", "value");
        assertEquals(1, store.sizeAndForget());
        store.closeDatabase();
    }

    @Test
    void dropsASessionAndItsTensors() throws OrtException {
        assertArrayEquals(new float[] {1, 2}, new Scorer().scoreAndForget(1, 2));
    }

    @Test
    void dropsAContextOfZstd() {
        assertTrue(Packer.zstdAndForget(new byte[4096]).length < 4096);
    }

    @Test
    void dropsAStreamOfZstd() throws IOException {
        assertTrue(Packer.streamAndForget(new byte[4096]).length < 4096);
    }

    @Test
    void dropsATransaction(@TempDir Path folder) {
        try (Ledger ledger = new Ledger(folder)) {
            ledger.put(1, 7);
            assertEquals(7, ledger.getAndForget(1));
        }
    }

    @Test
    void dropsAConnection() throws SQLException {
        assertEquals(1, Customers.countAndForget());
    }

    @Test
    void dropsAChannel(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("customers"), new byte[] {7});
        assertEquals(7, Customers.firstByteAndForget(file));
    }

    @Test
    void dropsAPointer(NativeHandles handles) {
        try (TrackedPointers tracked = new TrackedPointers(handles)) {
            assertEquals(64, Samples.ofLength(64).capacity());
        }
    }
}
