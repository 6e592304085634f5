package dev.meshguard.cli.packaged;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** A program that starts fast: it prints its arguments and the length of its input. */
final class EchoProgram {

    private EchoProgram() {}

    public static void main(String[] arguments) throws IOException {
        System.out.println(String.join(" ", arguments) + ": " + System.in.readAllBytes().length + " B");
    }

    /** Writes it as a runnable jar. */
    static Path writeJar(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, EchoProgram.class.getName());
        String entry = EchoProgram.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                var contents = EchoProgram.class.getResourceAsStream("/" + entry)) {
            out.putNextEntry(new ZipEntry(entry));
            contents.transferTo(out);
            out.closeEntry();
        }
        return jar;
    }
}
