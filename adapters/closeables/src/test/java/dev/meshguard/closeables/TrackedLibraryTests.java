package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.Channel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A library in a jar, which the class loader of the test does not know, constructs objects for its caller and for itself. */
@SuppressWarnings("UnusedVariable") // A field holds what leaks.
class TrackedLibraryTests implements WithFixtures {

    private static final String LIBRARY = """
            package org.example.store;
            public class Store implements AutoCloseable {
                private final Options options = new Options();
                public AutoCloseable scan() { return new Cursor(); }
                @Override public void close() {}
            }
            class Options implements AutoCloseable {
                @Override public void close() {}
            }
            class Cursor implements AutoCloseable {
                @Override public void close() {}
            }
            """;

    private static final String DRIVER = """
            package org.example;
            public class Driver {
                public static java.nio.channels.Channel connect() { return new org.example.wire.WireChannel(); }
            }
            """;

    private static final String WIRE = """
            package org.example.wire;
            public class WireChannel implements java.nio.channels.Channel {
                @Override public boolean isOpen() { return true; }
                @Override public void close() {}
            }
            """;

    private static URL jar;

    @BeforeAll
    static void compile(@TempDir Path folder) throws IOException {
        Path source = Files.writeString(folder.resolve("Store.java"), LIBRARY);
        Path driver = Files.writeString(folder.resolve("Driver.java"), DRIVER);
        Path wire = Files.writeString(folder.resolve("WireChannel.java"), WIRE);
        int status = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "-d",
                        folder.toString(),
                        source.toString(),
                        driver.toString(),
                        wire.toString());
        assertThat(status).isZero();
        Path file = Files.createTempFile("library", ".jar");
        try (OutputStream bytes = Files.newOutputStream(file);
                JarOutputStream entries = new JarOutputStream(bytes)) {
            for (String name : List.of("store/Store", "store/Options", "store/Cursor", "Driver", "wire/WireChannel")) {
                String entry = "org/example/" + name + ".class";
                entries.putNextEntry(new JarEntry(entry));
                Files.copy(folder.resolve(entry), entries);
            }
        }
        file.toFile().deleteOnExit();
        jar = file.toUri().toURL();
    }

    @TrackCloseables(names = {"org.example.store.Options", "org.example.store.Cursor"})
    static class LibraryTestCase {
        private AutoCloseable store;
        private AutoCloseable cursor;

        @Test
        @MustFail(message = """
                LEAK  1 Options and 1 Cursor, 2 findings; first Options HELD by Store.options (Store.java:NN)

                1. 1 Options
                   at org.example.store.Store.<init>(Store.java:NN)
                   at dev.meshguard.closeables.TrackedLibraryTests$LibraryTestCase.scans(TrackedLibraryTests.java:NN)
                   why   HELD: still referenced by LibraryTestCase.store -> Store.options ({handle traced 1})
                   fix   Close the Options before the test ends.
                   seen  constructed in TEST ({allocated 1})
                2. 1 Cursor
                   at dev.meshguard.closeables.TrackedLibraryTests$LibraryTestCase.scans(TrackedLibraryTests.java:NN)
                   why   HELD: still referenced by LibraryTestCase.cursor ({handle traced 2})
                   fix   Close the Cursor before the test ends.
                   seen  constructed in TEST ({allocated 2})

                sum     2 constructed = 0 closed + 2 leaked
                expect  one of them: @ExpectBuffers(atMost = 1, label = "Options", origin = "Store.<init>", because = "…")
                rerun   mvn test -Dtest='TrackedLibraryTests$LibraryTestCase#scans'""")
        void scans() throws ReflectiveOperationException {
            Class<?> type = new URLClassLoader(new URL[] {jar}).loadClass("org.example.store.Store");
            store = (AutoCloseable) type.getConstructor().newInstance();
            cursor = (AutoCloseable) type.getMethod("scan").invoke(store);
        }
    }

    @TrackCloseables(names = "org.example.store.Cursor", closedBy = "dispose")
    static class UnknownMethodTestCase {
        @Test
        @MustFail(text = {"INCONCLUSIVE  ", "org.example.store.Cursor are not seen. It has no method [dispose] with"})
        void loadsTheClass() throws ReflectiveOperationException {
            new URLClassLoader(new URL[] {jar}).loadClass("org.example.store.Cursor");
        }
    }

    @TrackCloseables(Channel.class)
    static class DriverTestCase {
        private Object channel;

        @Test
        @MustFail(
                text =
                        "LEAK  1 WireChannel, HELD by DriverTestCase.channel; constructed in TrackedLibraryTests.java:NN")
        void connects() throws ReflectiveOperationException {
            channel = new URLClassLoader(new URL[] {jar})
                    .loadClass("org.example.Driver")
                    .getMethod("connect")
                    .invoke(null);
        }
    }
}
