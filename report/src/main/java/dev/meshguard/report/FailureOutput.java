package dev.meshguard.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A format of files that show a failed check in more detail than its text, for example HTML pages.
 *
 * <p>Implementations are services. A test extension looks for one with {@link java.util.ServiceLoader} when the first
 * check fails, so tests that pass load none.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface FailureOutput {

    /** Returns the output folder of one execution; creates no file. */
    Folder open(Settings settings);

    /**
     * The settings of an output folder.
     *
     * @param folder the folder
     * @param machine the machine that runs the tests, if it is known
     * @param fork the JVM of the build that runs the tests
     */
    record Settings(Path folder, Optional<String> machine, String fork) {}

    /** An output folder: a file for each check, and an overview. Any number of JVMs may write to it. */
    interface Folder {

        /**
         * Returns the name of a file: stable for one identity, unique for each, and safe in every file system.
         *
         * @param words the title for readers
         * @param identity distinguishes it from all others
         */
        String nameOf(String words, String identity);

        /** Returns the path of the file with a name, even if it was not written. */
        Path fileOf(String name);

        /**
         * Writes the file of a check, replacing one with the same name.
         *
         * @param name the result of {@link #nameOf}
         * @param title the title of the check for readers
         * @throws IOException if it cannot be written
         */
        void write(String name, String title, CheckReport check) throws IOException;

        /**
         * Deletes a file that is older than a moment.
         *
         * @param name the result of {@link #nameOf}
         * @param millis the wall-clock time, in milliseconds
         * @return whether there was one
         * @throws IOException if it cannot be deleted
         */
        boolean removeOlder(String name, long millis) throws IOException;

        /**
         * Writes the overview of all checks that have a file.
         *
         * @throws IOException if it cannot be written
         */
        void writeIndex() throws IOException;
    }
}
