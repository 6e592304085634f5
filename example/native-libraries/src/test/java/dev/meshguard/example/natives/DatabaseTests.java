package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksObject;

@TrackAllocations
class DatabaseTests {

    @Test
    void closesWhatItOpens(NativeHandles handles, @TempDir Path folder) throws RocksDBException {
        try (Options options = tracked(handles, new Options().setCreateIfMissing(true));
                RocksDB database = tracked(handles, RocksDB.open(options, folder.toString()));
                ReadOptions reads = tracked(handles, new ReadOptions())) {
            database.put(new byte[] {1}, new byte[] {2});

            assertArrayEquals(new byte[] {2}, database.get(reads, new byte[] {1}));
        }
    }

    // region: recipe
    private static <T extends RocksObject> T tracked(NativeHandles handles, T object) {
        return handles.track(object, one -> !one.isOwningHandle());
    }
    // end region
}
