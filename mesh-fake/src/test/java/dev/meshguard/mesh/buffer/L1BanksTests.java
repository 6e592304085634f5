package dev.meshguard.mesh.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures were printed by a program that calls {@code std::shuffle} with {@code std::default_random_engine(0)} (g++ 12). */
class L1BanksTests {

    @ParameterizedTest
    @CsvSource({
        "8, 8, 34 63 38 6 52 33 4 37 20 35 14 22 2 31 36 19, 17 55 60 49 48 57 32 47 23 11 28",
        "8, 7, 34 28 38 6 52 33 4 37 20 35 14 22 2 31 36 19, 51 16 53 11 45 44 43 41 17 55 47",
        "7, 9, 35 29 39 10 60 9 8 58 21 44 36 24 23 3 37 50, 25 54 46 22 61 4 6 49 53 27 51",
        "13, 10, 81 63 38 66 95 33 123 118 20 35 14 22 67 73 36 19, 104 64 91 11 90 40 2 18 128 65 54"
    })
    void areShuffledAsTheRuntimeShufflesThem(int width, int height, String firstBanks, String lastBanks) {
        CoreRange grid = new CoreRange(0, 0, width - 1, height - 1);
        L1Banks banks = L1Banks.of(grid);

        List<String> numbers =
                grid.cores().stream().map(core -> "" + banks.bankOf(core)).toList();

        assertThat(String.join(" ", numbers)).startsWith(firstBanks + " ").endsWith(" " + lastBanks);
    }

    @Test
    void belongToOneCoreEach() {
        L1Banks banks = L1Banks.of(new CoreRange(0, 0, 7, 7));

        List<CoreCoord> cores =
                IntStream.range(0, banks.numBanks()).mapToObj(banks::coreOf).toList();

        assertThat(cores).containsExactlyInAnyOrderElementsOf(new CoreRange(0, 0, 7, 7).cores());
        assertThat(cores)
                .allSatisfy(core -> assertThat(banks.coreOf(banks.bankOf(core))).isEqualTo(core));
    }

    @Test
    void existOnlyForCoresThatCompute() {
        L1Banks banks = L1Banks.of(new CoreRange(0, 0, 7, 7));

        assertThatThrownBy(() -> banks.bankOf(new CoreCoord(8, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("No L1 bank exists for core 8-0");
    }

    @Test
    void countFromZero() {
        L1Banks banks = L1Banks.of(new CoreRange(0, 0, 7, 7));

        assertThatThrownBy(() -> banks.coreOf(64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no L1 bank 64: banks count from 0 to 63");
        assertThatThrownBy(() -> banks.coreOf(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
