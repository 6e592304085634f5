package dev.meshguard.verdict.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaselineFileTests {

    @TempDir
    private Path folder;

    private static Baseline leak(int number) {
        return Baseline.of(List.of(BaselineEntry.of(
                new Fingerprint(String.format("%012x", number), BufferType.DRAM, 64, "Model.load"), 1)));
    }

    @Test
    void knowsNothingBeforeItIsWritten() throws IOException {
        BaselineFile file = new BaselineFile(folder.resolve("not/yet/baseline.txt"));

        assertThat(file.exists()).isFalse();
        assertThat(file.read()).isEqualTo(Baseline.empty());
    }

    @Test
    void isWrittenAsAWholeWithItsFolderAndNothingElseBesideIt() throws IOException {
        BaselineFile file = new BaselineFile(folder.resolve("kept/baseline.txt"));

        file.update(before -> before.and(leak(1)));

        assertThat(file.read()).isEqualTo(leak(1));
        try (Stream<Path> files = Files.list(folder.resolve("kept"))) {
            assertThat(files).containsExactly(folder.resolve("kept/baseline.txt"));
        }
    }

    @Test
    void isNotTouchedByAChangeThatChangesNothing() throws IOException {
        BaselineFile file = new BaselineFile(folder.resolve("baseline.txt"));
        file.update(before -> leak(1));
        FileTime longAgo = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(file.path(), longAgo);

        file.update(before -> before.and(leak(1)));

        assertThat(Files.getLastModifiedTime(file.path())).isEqualTo(longAgo);
    }

    @Test
    void losesNoneOfTheChangesThatAreMadeAtTheSameTime() throws Exception {
        Path path = folder.resolve("baseline.txt");
        List<Callable<Baseline>> changes = IntStream.range(0, 40)
                .<Callable<Baseline>>mapToObj(
                        number -> () -> new BaselineFile(path).update(before -> before.and(leak(number))))
                .toList();
        var threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<Baseline> change : threads.invokeAll(changes)) {
                change.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(new BaselineFile(path).read().entries()).hasSize(40);
    }

    @Test
    void returnsWhatIsInItAfterAChange() throws IOException {
        BaselineFile file = new BaselineFile(folder.resolve("baseline.txt"));

        assertThat(file.update(before -> leak(1))).isEqualTo(leak(1));
        assertThat(file.update(before -> before.and(leak(2)))).isEqualTo(leak(1).and(leak(2)));
    }
}
