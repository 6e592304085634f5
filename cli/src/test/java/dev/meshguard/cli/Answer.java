package dev.meshguard.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The status and the output of one call of the program in this JVM. */
record Answer(int status, String out, String err) {

    /** Calls the program with an empty standard input. */
    static Answer to(String... arguments) {
        return to(InputStream.nullInputStream(), arguments);
    }

    /** Calls the program with a text as its standard input. */
    static Answer toInput(String in, String... arguments) {
        return to(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)), arguments);
    }

    /** Calls the program as if it ran in a folder: a word with a dot is a file there. */
    static Answer in(Path folder, String command) {
        return to(words(folder, command)).in(folder);
    }

    static String[] words(Path folder, String command) {
        return Stream.of(command.split(" "))
                .map(word -> word.matches("[^^]+\\.\\w+") ? folder.resolve(word).toString() : word)
                .toArray(String[]::new);
    }

    static Answer to(InputStream in, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = MeshGuard.run(in, out, err, arguments);
        return new Answer(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Leaves out where the folder lies, as if the program ran in it. */
    Answer in(Path folder) {
        String prefix = folder + "/";
        return new Answer(status, out.replace(prefix, ""), err.replace(prefix, ""));
    }
}
