package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code meshguard record} with a program that reports, called like from a shell. */
class RecordTests {

    /** The output and the status of the program. */
    private record Answer(int status, String out, String err) {}

    @TempDir
    private Path folder;

    @Test
    void aLeakIsJudgedAndShownOnAPageInTheSameStep() throws Exception {
        Path page = folder.resolve("decode.html");

        Answer answer = record(List.of("-p", page.toString()), DecodingProgram.command());

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).startsWith("LEAK").contains(page.toString());
        assertThat(Files.readString(page)).contains("\"outcome\":\"LEAKED\"", "DecodingProgram");
    }

    @Test
    void aProgramThatFreesEverythingHasAPageToo() {
        Path page = folder.resolve("decode.html");

        Answer answer = record(List.of("-p", page.toString()), DecodingProgram.command("free"));

        assertThat(answer.status()).isZero();
        assertThat(page).exists();
    }

    @Test
    void aLeakNamesTheLineOfTheProgram() {
        Path stacks = folder.resolve("stacks.log");

        Answer answer =
                record(List.of("--without-page", "--stacks=" + stacks), DecodingProgram.command(stacks.toString()));

        assertThat(answer.out())
                .contains("at decode.load(decode.py:41)")
                .contains("the call stacks of 1 of 2 allocations are those in");
    }

    @Test
    void theFileOfStacksNeedsNoName() {
        Answer answer = record(List.of("--without-page", "--stacks"), "sh", "-c", "echo stacks=$TT_ALLOC_STACK_TRACE");

        assertThat(answer.err()).isEqualTo("stacks=1\n");
    }

    @Test
    void withoutAPageNoneIsNamed() {
        Answer answer = record(List.of("--without-page"), DecodingProgram.command());

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.out()).startsWith("LEAK").doesNotContain(".html");
    }

    @Test
    void aPageThatCannotBeWrittenHidesNoVerdict() {
        Path nowhere = folder.resolve("no/such/page.html");
        Path history = folder.resolve("run.jsonl");

        Answer answer = record(List.of("-p", nowhere.toString(), "-o", history.toString()), DecodingProgram.command());

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.err())
                .isEqualTo("meshguard: " + nowhere
                        + " cannot be written: its folder does not exist. Give another path with -p.\n");
        assertThat(answer.out()).startsWith("LEAK").doesNotContain(".html");
        assertThat(history).exists();
    }

    private static Answer record(List<String> options, String... program) {
        List<String> arguments = new ArrayList<>(List.of("record"));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(List.of(program));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = MeshGuard.run(InputStream.nullInputStream(), out, err, arguments.toArray(String[]::new));
        return new Answer(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
