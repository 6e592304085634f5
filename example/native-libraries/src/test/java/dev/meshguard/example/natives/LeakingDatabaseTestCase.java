package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

@TrackAllocations
class LeakingDatabaseTestCase {

    @Test
    void dropsItsIterator(NativeHandles handles, @TempDir Path folder) throws RocksDBException {
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB database = RocksDB.open(options, folder.toString())) {
            RocksIterator entries = handles.track(database.newIterator(), one -> !one.isOwningHandle());
            entries.seekToFirst();

            assertFalse(entries.isValid());
        }
    }
}
