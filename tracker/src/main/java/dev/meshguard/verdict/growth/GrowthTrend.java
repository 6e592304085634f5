package dev.meshguard.verdict.growth;

import java.util.Map;

/**
 * Decides the trend of a vector by the rule of {@link Trend}.
 *
 * @param trend the trend
 * @param growth the amount added after the warm-up, in the unit of the vector
 * @param roundsNeeded how many more rounds would decide at the earliest; 0 if it is decided
 */
record GrowthTrend(Trend trend, long growth, int roundsNeeded) {

    static GrowthTrend of(RoundVector vector, int warmUp) {
        Highs highs = new Highs(vector, warmUp);
        int missing = warmUp + Trend.MIN_ROUNDS_AFTER_WARM_UP - vector.rounds();
        if (missing > 0) {
            return new GrowthTrend(Trend.UNDECIDED, highs.growth, missing);
        }
        if (highs.afterWarmUp == 0) {
            return new GrowthTrend(Trend.SETTLED, 0, 0);
        }
        int quiet = vector.rounds() - highs.last;
        if (quiet > highs.longestPause) {
            return new GrowthTrend(Trend.SETTLING, highs.growth, 0);
        }
        if (highs.afterWarmUp > 1 && !highs.falling) {
            return new GrowthTrend(Trend.GROWING, highs.growth, 0);
        }
        return new GrowthTrend(Trend.UNDECIDED, highs.growth, highs.longestPause + 1 - quiet);
    }

    /** One pass over the rounds that retained something. */
    private static final class Highs {
        private int afterWarmUp;
        private long growth;
        private int longestPause;
        private int last;
        private boolean falling = true;

        private Highs(RoundVector vector, int warmUp) {
            long level = 0;
            long highest = 0;
            long lastHigh = Long.MAX_VALUE;
            for (Map.Entry<Integer, Long> amount : vector.amounts().entrySet()) {
                level += amount.getValue();
                if (level <= highest) {
                    continue;
                }
                long high = level - highest;
                int round = amount.getKey();
                highest = level;
                longestPause = Math.max(longestPause, last == 0 ? 0 : round - last - 1);
                last = round;
                falling &= high < lastHigh;
                lastHigh = high;
                if (round > warmUp) {
                    afterWarmUp++;
                    growth += high;
                }
            }
        }
    }
}
