package dev.meshguard.example.natives;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtSession;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdOutputStream;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.channels.FileChannel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;

/** Tracks the classes of each library that must be closed. */
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
@Retention(RetentionPolicy.RUNTIME)
@interface TrackNativeLibraries {}
