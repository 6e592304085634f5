package dev.meshguard.page.internal.output;

import dev.meshguard.page.RunPage;
import dev.meshguard.page.SuiteFolder;
import dev.meshguard.report.CheckReport;
import dev.meshguard.report.FailureOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a page for each failed check; the JUnit extension finds it as a service. */
public final class PageOutput implements FailureOutput {

    /** Creates the service. */
    public PageOutput() {}

    @Override
    public Folder open(Settings settings) {
        return new PageFolder(SuiteFolder.at(settings.folder()).writtenBy(settings.machine(), settings.fork()));
    }

    private record PageFolder(SuiteFolder folder) implements Folder {

        @Override
        public String nameOf(String words, String identity) {
            return SuiteFolder.nameOf(words, identity);
        }

        @Override
        public Path fileOf(String name) {
            return folder.pageOf(name);
        }

        @Override
        public void write(String name, String title, CheckReport check) throws IOException {
            RunPage page = RunPage.of(title, check.report()).withText(check.text());
            page = check.budgets().isPresent()
                    ? page.withBudgets(check.budgets().get())
                    : page;
            page = check.growth().isPresent() ? page.withGrowth(check.growth().get()) : page;
            folder.add(name, page);
        }

        @Override
        public boolean removeOlder(String name, long millis) throws IOException {
            Path page = folder.pageOf(name);
            return Files.exists(page) && Files.getLastModifiedTime(page).toMillis() < millis && folder.remove(name);
        }

        @Override
        public void writeIndex() throws IOException {
            folder.writeIndex();
        }
    }
}
