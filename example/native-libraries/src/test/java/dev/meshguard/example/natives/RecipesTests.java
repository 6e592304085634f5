package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.ExpectBuffers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.bytedeco.javacpp.IntPointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** Each library, where everything is closed. */
@TrackNativeLibraries
class RecipesTests {

    @Test
    void closesARocksDb(@TempDir Path folder) throws RocksDBException {
        try (EntryStore store = new EntryStore(folder)) {
            store.put("key", "value");
            assertEquals(1, store.size());
        }
    }

    @Test
    void closesASession() throws OrtException {
        try (Scorer scorer = new Scorer()) {
            assertArrayEquals(new float[] {1, 2}, scorer.score(1, 2));
        }
    }

    @Test
    void closesAContextOfZstd() {
        assertTrue(Packer.zstd(new byte[4096]).length < 4096);
    }

    @Test
    void closesAStreamOfZstd() throws IOException {
        assertTrue(Packer.stream(new byte[4096]).length < 4096);
    }

    @Test
    void closesATransaction(@TempDir Path folder) {
        try (Ledger ledger = new Ledger(folder)) {
            ledger.put(1, 7);
            assertEquals(7, ledger.get(1));
        }
    }

    @Test
    void closesAConnection() throws SQLException {
        assertEquals(1, Customers.count());
    }

    @Test
    void closesAChannel(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("customers"), new byte[] {7});
        assertEquals(7, Customers.firstByte(file));
    }

    @Test
    void closesAPointer(NativeHandles handles) {
        try (TrackedPointers tracked = new TrackedPointers(handles);
                IntPointer samples = Samples.ofLength(64)) {
            samples.put(0, 7);
            assertEquals(7, samples.get(0));
        }
    }

    @Test
    @ExpectBuffers(label = "IntPointer", exactly = 1, because = "one small array in each run is left to the collector")
    void mayLeaveAPointerToTheCollector(NativeHandles handles) {
        try (TrackedPointers tracked = new TrackedPointers(handles)) {
            assertEquals(64, Samples.ofLength(64).capacity());
        }
    }
}
