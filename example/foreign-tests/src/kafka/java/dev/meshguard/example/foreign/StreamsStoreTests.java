package dev.meshguard.example.foreign;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.ExpectBuffers;
import org.apache.kafka.streams.state.internals.RocksDBSegmentedBytesStoreTest;
import org.apache.kafka.streams.state.internals.RocksDBSessionStoreTest;
import org.apache.kafka.streams.state.internals.RocksDBStoreTest;
import org.apache.kafka.streams.state.internals.RocksDBTimeOrderedKeyValueBufferTest;
import org.apache.kafka.streams.state.internals.RocksDBTimestampedStoreTest;
import org.apache.kafka.streams.state.internals.RocksDBVersionedStoreTest;
import org.apache.kafka.streams.state.internals.RocksDBWindowStoreTest;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Filter;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** Runs tests of the stores of Kafka Streams, which keep native handles of RocksDB. */
class StreamsStoreTests {

    /** Without snapshots, which a method of their database releases. */
    @TrackCloseables({
        Cache.class,
        ColumnFamilyHandle.class,
        ColumnFamilyOptions.class,
        DBOptions.class,
        Filter.class,
        FlushOptions.class,
        Options.class,
        ReadOptions.class,
        RocksDB.class,
        RocksIterator.class,
        Statistics.class,
        WriteBatch.class,
        WriteOptions.class
    })
    @ExpectBuffers(
            atMost = 20,
            label = "ReadOptions",
            origin = "RocksDB.<init>",
            because = "a RocksDB never closes its own (rocksdb #15036)")
    interface NativeHandlesTracked {}

    @Nested
    class StoreTests extends RocksDBStoreTest implements NativeHandlesTracked {

        @Override
        @Disabled("expects a folder that root could not write")
        public void shouldThrowProcessorStateExceptionOnOpeningReadOnlyDir() {}
    }

    @Nested
    class TimestampedStoreTests extends RocksDBTimestampedStoreTest implements NativeHandlesTracked {

        @Override
        @Disabled("expects a folder that root could not write")
        public void shouldThrowProcessorStateExceptionOnOpeningReadOnlyDir() {}
    }

    @Nested
    class VersionedStoreTests extends RocksDBVersionedStoreTest implements NativeHandlesTracked {}

    @Nested
    class WindowStoreTests extends RocksDBWindowStoreTest implements NativeHandlesTracked {}

    @Nested
    class SessionStoreTests extends RocksDBSessionStoreTest implements NativeHandlesTracked {}

    @Nested
    class SegmentedStoreTests extends RocksDBSegmentedBytesStoreTest implements NativeHandlesTracked {}

    @Nested
    class BufferTests extends RocksDBTimeOrderedKeyValueBufferTest implements NativeHandlesTracked {}
}
