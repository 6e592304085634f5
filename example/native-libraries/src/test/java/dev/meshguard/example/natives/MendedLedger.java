package dev.meshguard.example.natives;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.lmdbjava.Txn;

/** Closes all that it constructs. */
final class MendedLedger extends Ledger {

    MendedLedger(Path folder) {
        super(folder);
    }

    @Override
    int get(int key) {
        try (Txn<ByteBuffer> transaction = environment.txnRead()) {
            return numbers.get(transaction, direct(key)).getInt();
        }
    }
}
