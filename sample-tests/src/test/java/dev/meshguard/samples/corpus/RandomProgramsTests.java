package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.corpus.stage.RememberedHandles;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What the verdict says of random programs on random runtimes, beside what is true.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of the next run.
 * {@code -Dmeshguard.programs=} says how many there are.
 */
class RandomProgramsTests {

    /** The same programs in every build; other seeds are for the nightly run and for whoever looks for more. */
    private static final long FIRST_SEED = 1_000;

    @Test
    void areToldTheTrueCauseOfEveryBuffer() {
        long firstSeed = Long.getLong("meshguard.seed", FIRST_SEED);
        int programs = Integer.getInteger("meshguard.programs", 300);
        CorpusResults results = new CorpusResults(programs + " random programs from seed " + firstSeed);

        LongStream.range(firstSeed, firstSeed + programs)
                .forEach(seed -> results.add(RandomProgram.of(seed).run(new RememberedHandles())));

        System.out.println(results.fullText());
        System.out.println(results.logText());
        assertThat(results.contradictions()).isEmpty();
        assertThat(results.wrongs()).isEmpty();
        assertThat(results.wrongsOfTheLog()).isEmpty();
        assertThat(results.falseAlarms()).isEmpty();
        assertThat(results.cleanCases()).as("programs that leak nothing").isBetween(1, programs - 1);
    }
}
