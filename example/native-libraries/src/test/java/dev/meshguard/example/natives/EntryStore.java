package dev.meshguard.example.natives;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;

/** A RocksDB of entries. It leaves its options, their statistics and an iterator open. */
class EntryStore implements AutoCloseable {

    final Statistics statistics = new Statistics();
    final DBOptions options = new DBOptions()
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setStatistics(statistics);
    final ColumnFamilyOptions families = new ColumnFamilyOptions();
    final RocksDB database;
    final ColumnFamilyHandle entries;

    EntryStore(Path folder) throws RocksDBException {
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        database = RocksDB.open(
                options,
                folder.toString(),
                List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, families),
                        new ColumnFamilyDescriptor("entries".getBytes(StandardCharsets.UTF_8), families)),
                opened);
        opened.get(0).close();
        entries = opened.get(1);
    }

    void put(String key, String value) throws RocksDBException {
        database.put(entries, key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
    }

    int size() {
        return sizeOf(database.newIterator(entries));
    }

    static int sizeOf(RocksIterator iterator) {
        int size = 0;
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
            size++;
        }
        return size;
    }

    @Override
    public void close() {
        entries.close();
        database.close();
    }
}
