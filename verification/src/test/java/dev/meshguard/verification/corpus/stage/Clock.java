package dev.meshguard.verification.corpus.stage;

/** The time of one run of a program: steps, which are the same in every run of it, and moments, which order the reports. */
final class Clock {

    private int step;
    private int moment;
    private int checkedAt = Life.NEVER;

    void nextStep() {
        step++;
    }

    int step() {
        return step;
    }

    int nextMoment() {
        return ++moment;
    }

    int moment() {
        return moment;
    }

    void check() {
        checkedAt = nextMoment();
    }

    int checkedAt() {
        return checkedAt;
    }
}
