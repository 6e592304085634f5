package dev.meshguard.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Inspects the processes of this machine: finds the start time of one that runs; a zombie counts as ended. */
final class MachineProcessInspector implements ProcessInspector {

    @Override
    public Optional<Instant> inspect(long processId) {
        return ProcessHandle.of(processId)
                .filter(process -> process.isAlive() && !isZombie(processId))
                .map(process -> process.info().startInstant().orElse(Instant.EPOCH));
    }

    /**
     * The state follows the name, which is in brackets and may contain any characters. On systems other than Linux no
     * zombie is found.
     */
    private static boolean isZombie(long processId) {
        try {
            String status = new String(
                    Files.readAllBytes(Path.of("/proc", Long.toString(processId), "stat")),
                    StandardCharsets.ISO_8859_1);
            int state = status.lastIndexOf(')') + 2;
            return state > 1 && state < status.length() && "ZX".indexOf(status.charAt(state)) >= 0;
        } catch (IOException e) {
            return false;
        }
    }
}
