package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;

@TrackAllocations
@TrackCloseables({Env.class, Txn.class})
class LeakingLedgerTestCase {

    @Test
    void dropsItsTransaction(@TempDir Path folder) {
        try (Ledger ledger = new Ledger(folder)) {
            ledger.put(1, 7);

            assertEquals(7, ledger.get(1));
        }
    }
}
