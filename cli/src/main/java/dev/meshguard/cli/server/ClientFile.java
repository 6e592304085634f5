package dev.meshguard.cli.server;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Subcommand;
import dev.meshguard.cli.common.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints MeshGuard's client for a language, a file that a program takes along. */
@Command(
        name = "client",
        description = "Prints MeshGuard's client for a language: one file to copy beside a program.",
        footer = {
            "",
            "A program that reports with it is told apart by owner, label, phase and line; meshguard record judges it. Without a"
                    + " server the client does nothing. The comment at its head says how it is used.",
            "",
            "Examples:",
            "  meshguard client c > meshguard.h",
            "  meshguard client python > meshguard.py && meshguard record -- python3 -m pytest -p meshguard"
        })
public final class ClientFile implements Subcommand {

    /** The languages, and the files of their clients. */
    private enum Language {
        C("meshguard.h"),
        PYTHON("meshguard.py");

        private final String file;

        Language(String file) {
            this.file = file;
        }
    }

    @Parameters(paramLabel = "c|python", description = "The language of the program.")
    private Language language = Language.PYTHON;

    @Override
    public int run(Terminal terminal) throws IOException {
        try (InputStream file = ClientFile.class.getResourceAsStream(language.file)) {
            if (file == null) {
                throw new IllegalStateException(language.file + " is missing in the jar of the command line");
            }
            terminal.out().print(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
        terminal.out().flush();
        return ExitStatus.CLEAN.code();
    }
}
