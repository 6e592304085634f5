package dev.meshguard.example.natives;

import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Closes all that it constructs. */
final class MendedEntryStore extends EntryStore {

    MendedEntryStore(Path folder) throws RocksDBException {
        super(folder);
    }

    @Override
    int size() {
        try (RocksIterator iterator = database.newIterator(entries)) {
            return sizeOf(iterator);
        }
    }

    @Override
    public void close() {
        super.close();
        families.close();
        options.close();
        statistics.close();
    }
}
