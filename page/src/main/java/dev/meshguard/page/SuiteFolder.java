package dev.meshguard.page;

import dev.meshguard.file.FileReplacement;
import dev.meshguard.page.internal.PageResources;
import dev.meshguard.page.internal.PageTemplates;
import dev.meshguard.page.internal.suite.SuiteData;
import dev.meshguard.page.internal.template.PageContent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A folder of pages: one for each run, and an overview in {@code index.html}.
 *
 * <p>Each page has a small record beside it, from which any JVM can write the overview again. Any number of JVMs can
 * therefore write to one folder, concurrently or in sequence, and the last {@code index.html} lists the runs of all. To
 * combine the runs of several machines, copy them into one folder, or each into a subfolder.
 *
 * <p>A reader of a file that is being replaced sees the old one or the new one, never a part. Safe for use by several
 * threads and JVMs.
 *
 * <pre>{@code
 * SuiteFolder folder = SuiteFolder.at(Path.of("target/meshguard"));
 * folder.add(SuiteFolder.nameOf("KvCacheTest.decode", uniqueId), page);
 * folder.writeIndex();
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class SuiteFolder {

    private static final String INDEX = "index.html";
    private static final String TITLE = "MeshGuard: all tracked tests";
    private static final int MAX_TITLE_LENGTH = 80;
    private static final int DIGITS = 8;

    /** Each round means that another JVM wrote a record meanwhile; that ends when the others do. */
    private static final int MAX_ROUNDS = 1_000;

    private final Path folder;
    private final Optional<String> machine;
    private final String fork;

    private SuiteFolder(Path folder, Optional<String> machine, String fork) {
        this.folder = folder;
        this.machine = machine;
        this.fork = fork;
    }

    /** Returns a folder, which is created on the first write. */
    public static SuiteFolder at(Path folder) {
        return new SuiteFolder(folder, Optional.empty(), "1");
    }

    /** Returns this folder for a JVM that names its machine and its fork in its records. */
    public SuiteFolder writtenBy(Optional<String> newMachine, String newFork) {
        return new SuiteFolder(folder, newMachine, newFork);
    }

    /**
     * Returns the name of a page: stable for one identity, unique for each, and safe in every file system.
     *
     * @param words the title for readers
     * @param identity distinguishes it from all others
     */
    public static String nameOf(String words, String identity) {
        String safe = words.replaceAll("[^A-Za-z0-9_-]+", ".").replaceAll("^\\.+|\\.+$", "");
        String cut = safe.length() > MAX_TITLE_LENGTH ? safe.substring(0, MAX_TITLE_LENGTH) : safe;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
            String digits = HexFormat.of().formatHex(digest).substring(0, DIGITS);
            return cut.isEmpty() ? digits : cut + "-" + digits;
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java has SHA-256", impossible);
        }
    }

    /** Returns the path of the page with a name, even if it was not written. */
    public Path pageOf(String name) {
        return runs().resolve(name + SuiteData.PAGE);
    }

    private Path recordOf(String name) {
        return runs().resolve(name + SuiteData.RECORD);
    }

    private Path runs() {
        return folder.resolve(SuiteData.RUNS);
    }

    /**
     * Writes the page of a run and its record, replacing those with the same name.
     *
     * @param name the name, created by {@link #nameOf}
     * @return the page
     * @throws IOException if one cannot be written
     */
    public Path add(String name, RunPage page) throws IOException {
        Files.createDirectories(runs());
        Path file = pageOf(name);
        page.write(file);
        String record = page.record(name, machine, fork);
        replace(recordOf(name), writer -> writer.write(record));
        return file;
    }

    /**
     * Deletes the page of a run and its record.
     *
     * @return whether there was one
     * @throws IOException if one cannot be deleted
     */
    public boolean remove(String name) throws IOException {
        boolean wasListed = Files.deleteIfExists(recordOf(name));
        return Files.deleteIfExists(pageOf(name)) || wasListed;
    }

    /**
     * Writes the overview of all runs that have a record.
     *
     * @return the page
     * @throws IOException if it cannot be written
     */
    public Path writeIndex() throws IOException {
        Files.createDirectories(folder);
        Path index = folder.resolve(INDEX);
        SuiteData data = SuiteData.of(folder);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            String figures = data.json();
            SuiteData shown = data;
            replace(
                    index,
                    writer -> PageTemplates.suite(
                            PageContent.of(
                                    TITLE,
                                    shown.description(),
                                    figures,
                                    PageResources.styles(),
                                    PageResources.suiteScripts()),
                            writer));
            // A JVM that read before another one and writes after it would omit the runs of the other.
            data = SuiteData.of(folder);
            if (data.json().equals(figures)) {
                return index;
            }
        }
        return index;
    }

    /** Returns the number of listed runs. */
    public int size() throws IOException {
        return SuiteData.of(folder).size();
    }

    /** Returns warnings about unreadable files of the folder, as whole sentences. */
    public List<String> warnings() throws IOException {
        return SuiteData.of(folder).warnings();
    }

    private static void replace(Path file, FileReplacement.Text<RuntimeException> text) throws IOException {
        FileReplacement.writeText(file, text);
    }
}
