package dev.meshguard.example.fleet;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The queries in Spark SQL, on one machine. */
class SparkTests extends FleetQueries {

    @Override
    QueryEngine open() {
        return new Spark(SparkSession.builder()
                .master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "1")
                .config("spark.sql.codegen.wholeStage", "false")
                .config("spark.sql.adaptive.enabled", "false")
                .getOrCreate());
    }

    @Override
    int fleets() {
        return 2;
    }

    private record Spark(SparkSession session) implements QueryEngine {

        @Override
        public String lines() {
            return "spark.sql";
        }

        @Override
        public void execute(String statement) {
            session.sql(statement);
        }

        @Override
        public List<List<String>> rows(String query) {
            List<List<String>> rows = new ArrayList<>();
            for (Row row : session.sql(query).collectAsList()) {
                List<String> texts = new ArrayList<>();
                for (int column = 0; column < row.length(); column++) {
                    texts.add(String.valueOf(row.get(column)));
                }
                rows.add(texts);
            }
            return rows;
        }

        @Override
        public void close() {
            session.stop();
        }
    }
}
