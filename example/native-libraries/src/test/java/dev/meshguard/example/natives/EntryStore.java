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

/** A RocksDB of entries. */
final class EntryStore implements AutoCloseable {

    private final Statistics statistics = new Statistics();
    private final DBOptions options = new DBOptions()
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setStatistics(statistics);
    private final ColumnFamilyOptions families = new ColumnFamilyOptions();
    private final RocksDB database;
    private final ColumnFamilyHandle entries;

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

    int sizeAndForget() {
        return sizeOf(database.newIterator(entries));
    }

    int size() {
        try (RocksIterator iterator = database.newIterator(entries)) {
            return sizeOf(iterator);
        }
    }

    private static int sizeOf(RocksIterator iterator) {
        int size = 0;
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
            size++;
        }
        return size;
    }

    /** Leaves the options and their statistics open. */
    void closeDatabase() {
        entries.close();
        database.close();
    }

    @Override
    public void close() {
        closeDatabase();
        families.close();
        options.close();
        statistics.close();
    }
}
