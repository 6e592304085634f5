package dev.meshguard.example.foreign;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import org.apache.spark.util.kvstore.LevelDBIteratorSuite;
import org.apache.spark.util.kvstore.LevelDBSuite;
import org.apache.spark.util.kvstore.RocksDBIteratorSuite;
import org.apache.spark.util.kvstore.RocksDBSuite;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.junit.jupiter.api.Nested;
import org.rocksdb.BloomFilter;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** Runs tests of Spark's stores, of which one keeps native handles of RocksDB and the other those of LevelDB. */
class StoreTests {

    @TrackCloseables({
        BloomFilter.class,
        Options.class,
        RocksDB.class,
        RocksIterator.class,
        WriteBatch.class,
        WriteOptions.class,
        DB.class,
        DBIterator.class,
        org.iq80.leveldb.WriteBatch.class
    })
    interface NativeHandlesTracked {}

    @Nested
    class RocksTests extends RocksDBSuite implements NativeHandlesTracked {}

    @Nested
    class LevelTests extends LevelDBSuite implements NativeHandlesTracked {}

    /** Its tests share a store. */
    @Nested
    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    class RocksIteratorTests extends RocksDBIteratorSuite implements NativeHandlesTracked {}

    /** Its tests share a store. */
    @Nested
    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    class LevelIteratorTests extends LevelDBIteratorSuite implements NativeHandlesTracked {}
}
