package dev.meshguard.samples.growth;

import dev.meshguard.verdict.growth.RoundVector;
import java.util.ArrayList;
import java.util.List;

/** The amounts after each round, for comparison with an oracle. */
final class RoundLevels {

    private RoundLevels() {}

    static List<Long> of(RoundVector changes) {
        List<Long> levels = new ArrayList<>();
        long level = 0;
        for (long change : changes.toList()) {
            level += change;
            levels.add(level);
        }
        return levels;
    }
}
