package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command {@code client}: prints MeshGuard's client for a language, a file that a program takes along. */
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
final class ClientFile implements Subcommand {

    /** The languages of the clients. */
    private enum Language {
        C,
        PYTHON
    }

    @Parameters(paramLabel = "c|python", description = "The language of the program.")
    private Language language = Language.PYTHON;

    @Override
    public int run(Terminal terminal) throws IOException {
        String name = language == Language.C ? "meshguard.h" : "meshguard.py";
        try (InputStream file = Objects.requireNonNull(ClientFile.class.getResourceAsStream(name))) {
            terminal.out().print(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
        terminal.out().flush();
        return ExitStatus.CLEAN.code();
    }
}
