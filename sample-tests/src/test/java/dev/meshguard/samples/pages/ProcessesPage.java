package dev.meshguard.samples.pages;

import dev.meshguard.samples.support.Fixtures;

/** The output that the page about processes shows. */
final class ProcessesPage {

    /** Returns how a leak of a program reads; its id and its command are not the same in every run. */
    String keepsItsCache() throws ClassNotFoundException {
        Class<?> fixture = Class.forName("dev.meshguard.samples.processes.DecoderProgramTestCase");
        return String.valueOf(Fixtures.failureOf(fixture).getMessage())
                .replaceAll("of process \\d+", "of process 4711")
                .replaceAll("process \\d+ \\(java .*?\\)", "process 4711 (java … DecoderProgram --keep-cache)");
    }
}
