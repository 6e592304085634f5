package dev.meshguard.samples.corpus;

import dev.meshguard.report.reproduction.ReproductionTest;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.minimize.*;
import java.util.*;
import org.junit.jupiter.api.Test;

class MinimizedCorpusTests {
    @Test
    void explore() throws Exception {
        Map<String, Integer> seen = new TreeMap<>();
        int failed = 0, all = 0, skipped = 0; long checks = 0, events = 0, most = 0;
        long t0 = System.nanoTime();
        for (CorpusCase one : Corpus.all()) {
            CaseRun run = one.run();
            Finding f = Finding.of(LeakCheck.create().examine(run.history()));
            if (f.isClean()) continue;
            if (seen.merge(f.toString(), 1, Integer::sum) > 3) { skipped++; continue; }
            all++;
            MinimizedHistory least = HistoryMinimizer.create().minimize(run.history());
            checks += least.checks(); events += least.after().events(); most = Math.max(most, least.after().events());
            if (!Finding.of(LeakCheck.create().examine(least.history())).equals(f)) System.out.println("OTHER " + f + " -> " + Finding.of(LeakCheck.create().examine(least.history())));
            try {
                String src = ReproductionTest.of(least.history()).from("corpus: " + one).source();
                if (seen.get(f.toString()) == 1) { System.out.println("=== " + f + "  " + least); System.out.println(src); }
            } catch (IllegalStateException e) { failed++; System.out.println("FAILED " + one + " " + f + " " + least + " " + least.history().events()); }
        }
        System.out.println(all + " all, failed " + failed + ", skipped " + skipped + " checks " + checks + " events " + events + " most " + most + " s " + (System.nanoTime() - t0) / 1e9);
        System.out.println(seen);
    }
}
