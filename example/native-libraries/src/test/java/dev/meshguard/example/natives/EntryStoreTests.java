package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;

@TrackAllocations
@TrackCloseables({RocksIterator.class, DBOptions.class, ColumnFamilyOptions.class, Statistics.class, RocksDB.class})
class EntryStoreTests {

    @Test
    void closesItsHandles(@TempDir Path folder) throws RocksDBException {
        try (EntryStore store = new MendedEntryStore(folder)) {
            store.put("key", "value");

            assertEquals(1, store.size());
        }
    }
}
