package dev.meshguard.example.natives;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;

/** Numbers in an LMDB. It leaves a transaction of a reader open. */
class Ledger implements AutoCloseable {

    final Env<ByteBuffer> environment;
    final Dbi<ByteBuffer> numbers;

    Ledger(Path folder) {
        environment = Env.create().setMaxDbs(1).open(folder.toFile());
        numbers = environment.openDbi("numbers", DbiFlags.MDB_CREATE);
    }

    void put(int key, int number) {
        numbers.put(direct(key), direct(number));
    }

    int get(int key) {
        Txn<ByteBuffer> transaction = environment.txnRead();
        return numbers.get(transaction, direct(key)).getInt();
    }

    static ByteBuffer direct(int number) {
        return ByteBuffer.allocateDirect(Integer.BYTES).putInt(number).flip();
    }

    @Override
    public void close() {
        environment.close();
    }
}
