package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdOutputStream;
import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.bytedeco.javacpp.IntPointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;

/** Each library, where everything is closed. */
@TrackAllocations
@TrackCloseables({
    // RocksDB
    RocksIterator.class,
    DBOptions.class,
    ColumnFamilyOptions.class,
    Statistics.class,
    RocksDB.class,
    // ONNX Runtime
    OnnxTensor.class,
    OrtSession.class,
    OrtSession.Result.class,
    OrtSession.SessionOptions.class,
    // zstd-jni
    ZstdCompressCtx.class,
    ZstdOutputStream.class,
    // LMDB
    Env.class,
    Txn.class,
    // JDBC and the JDK
    Connection.class,
    PreparedStatement.class,
    ResultSet.class,
    FileChannel.class
})
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
