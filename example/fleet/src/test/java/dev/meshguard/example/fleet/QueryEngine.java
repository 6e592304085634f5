package dev.meshguard.example.fleet;

import java.util.List;

/** A database that reads files of findings. */
interface QueryEngine extends AutoCloseable {

    /** Returns the name of the file with the statements that read the lines. */
    String lines();

    /** Executes a statement without a result. */
    void execute(String statement) throws Exception;

    /** Returns the rows of a query, with the values as texts. */
    List<List<String>> rows(String query) throws Exception;
}
