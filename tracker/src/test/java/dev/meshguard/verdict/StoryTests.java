package dev.meshguard.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A story says nothing that is not checked. */
class StoryTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            allocate DRAM 0x1000 on 0..1 and 2          | No history can report "and"
            allocate DRAM 0x1000 on 0, shiny            | No history can report "shiny"
            allocate DRAM 0x1000 at 0                   | "at" stands where "on" belongs
            allocate DRAM 0x1000                        | A word is missing after "allocate DRAM 0x1000"
            ignore DRAM 0x1000 on 0, STILL_SHARED, soon | No history can report "soon"
            ignore DRAM 0x1000 on 0, SOON               | SOON
            witness CLOSE_BEGUN DRAM on 0: x            | "x"
            close everything                            | "everything"
            mesh 0 near 1                               | No history can report "near"
            started again                               | No history can report "again"
            explode                                     | No history can report "explode"
            """)
    void namesAWordThatNoHistoryCanReport(String sentence, String message) {
        Story story =
                Story.of("name\n    " + sentence + "\n    = LEAKED").findFirst().orElseThrow();

        assertThatIllegalArgumentException()
                .isThrownBy(story::holds)
                .withMessageContaining(message)
                .withMessageEndingWith(" in \"" + sentence + "\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            = LEAKT                          | No story can claim "LEAKT"
            = UNEXPLAINED LEAKED SOMEHOW     | No story can claim "LEAKED SOMEHOW"
            = LEAKED; although no free came  | No story can say "although"
            """)
    void namesAWordThatNoStoryCanSay(String lines, String message) {
        Story story = Story.of("name\n    allocate DRAM 0x1000 on 0\n    " + lines.replace("; ", "\n    "))
                .findFirst()
                .orElseThrow();

        assertThatIllegalArgumentException().isThrownBy(story::holds).withMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "= LEAK_FREE",
                "= conclusive, no live buffers",
                "= not conclusive",
                "= leaks 2",
                "because no free was",
                "because no free …; because no free …",
                "leak nothing",
                "expecting L1; = EXPECTED_ONLY",
                "part of decode; = LEAKED"
            })
    void failsIfTheVerdictIsAnotherOne(String lines) {
        Story story = Story.of("name\n    for decode; for all; allocate DRAM 0x1000 on 0\n    "
                        + lines.replace("; ", "\n    "))
                .findFirst()
                .orElseThrow();

        assertThatThrownBy(story::holds).isInstanceOf(AssertionError.class);
    }

    @Test
    void expectsSomething() {
        Story story = Story.of("name\n    close").findFirst().orElseThrow();

        assertThatIllegalArgumentException().isThrownBy(story::holds).withMessage("The story \"name\" expects nothing");
    }

    @Test
    void isOneOfEachChoice() {
        assertThat(Story.of("is [one | two]\n    close [0 | 1]\n    = live on devices [0 | 1 2]"))
                .containsExactly(
                        new Story("is one", "close 0", List.of("= live on devices 0")),
                        new Story("is two", "close 1", List.of("= live on devices 1 2")));
    }
}
