-- Spark SQL: the lines of all files of findings. It skips lines that it cannot read, such as the cut last line of a killed JVM.

CREATE OR REPLACE TEMPORARY VIEW files (
    schema INT, kind STRING, run STRING, jvm STRING, began TIMESTAMP, commit STRING, machine STRING,
    test STRING, subject STRING, source STRING, result STRING, completed BOOLEAN, outcome STRING,
    fingerprint STRING, cause STRING, status STRING, known BOOLEAN, type STRING,
    buffers BIGINT, bytes BIGINT, line STRING, checks BIGINT, findings BIGINT,
    peakBytes BIGINT, leakedBytes BIGINT)
USING json OPTIONS (path 'findings/*.jsonl', mode 'DROPMALFORMED');

CREATE OR REPLACE TEMPORARY VIEW lines AS SELECT * FROM files WHERE schema = 1;

CACHE TABLE lines;
