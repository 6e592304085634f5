package dev.meshguard.junit.internal.pages;

import dev.meshguard.page.RunPage;
import dev.meshguard.page.suite.SuiteFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Isolates all code that writes pages: loaded when the first one is written, because most runs write none. */
final class PageWriting {

    private final SuiteFolder folder;
    private final boolean showsSources;

    PageWriting(PageSettings settings, Map<String, String> environment, String fork) {
        Optional<String> machine = Optional.ofNullable(environment.get("HOSTNAME"))
                .or(() -> Optional.ofNullable(environment.get("COMPUTERNAME")))
                .filter(name -> !name.isBlank());
        this.folder = SuiteFolder.at(settings.folder()).writtenBy(machine, fork);
        this.showsSources = settings.showsSources();
    }

    String nameOf(String words, String identity) {
        return SuiteFolder.nameOf(words, identity);
    }

    Path pageOf(String name) {
        return folder.pageOf(name);
    }

    void write(String name, String title, PageParts parts) throws IOException {
        RunPage page = RunPage.of(title, parts.report()).saying(parts.text());
        page = parts.known().isPresent() ? page.knowing(parts.known().get()) : page;
        page = parts.budgets().isPresent() ? page.within(parts.budgets().get()) : page;
        page = parts.growth().isPresent() ? page.growing(parts.growth().get()) : page;
        folder.add(name, showsSources ? page : page.withoutSources());
    }

    /** Deletes a page that is older than a moment; returns whether there was one. */
    boolean removeOlder(String name, long millis) throws IOException {
        Path page = folder.pageOf(name);
        return Files.exists(page) && Files.getLastModifiedTime(page).toMillis() < millis && folder.remove(name);
    }

    void writeIndex() throws IOException {
        folder.writeIndex();
    }
}
