package dev.meshguard.example.natives;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;

/** Numbers in an LMDB. */
final class Ledger implements AutoCloseable {

    private final Env<ByteBuffer> environment;
    private final Dbi<ByteBuffer> numbers;

    Ledger(Path folder) {
        environment = Env.create().setMaxDbs(1).open(folder.toFile());
        numbers = environment.openDbi("numbers", DbiFlags.MDB_CREATE);
    }

    void put(int key, int number) {
        numbers.put(direct(key), direct(number));
    }

    int getAndForget(int key) {
        Txn<ByteBuffer> transaction = environment.txnRead();
        return numbers.get(transaction, direct(key)).getInt();
    }

    int get(int key) {
        try (Txn<ByteBuffer> transaction = environment.txnRead()) {
            return numbers.get(transaction, direct(key)).getInt();
        }
    }

    private static ByteBuffer direct(int number) {
        return ByteBuffer.allocateDirect(Integer.BYTES).putInt(number).flip();
    }

    @Override
    public void close() {
        environment.close();
    }
}
