-- DuckDB: the lines of all files of findings. It skips lines that it cannot read, such as the cut last line of a killed JVM.

CREATE OR REPLACE TEMPORARY TABLE lines AS
SELECT * FROM read_json('findings/*.jsonl', format = 'newline_delimited', ignore_errors = true, columns = {
    schema: 'INTEGER', kind: 'VARCHAR', run: 'VARCHAR', jvm: 'VARCHAR', began: 'TIMESTAMP', commit: 'VARCHAR', machine: 'VARCHAR',
    test: 'VARCHAR', subject: 'VARCHAR', source: 'VARCHAR', result: 'VARCHAR', completed: 'BOOLEAN', outcome: 'VARCHAR',
    fingerprint: 'VARCHAR', cause: 'VARCHAR', status: 'VARCHAR', known: 'BOOLEAN', type: 'VARCHAR',
    buffers: 'BIGINT', bytes: 'BIGINT', line: 'VARCHAR', checks: 'BIGINT', findings: 'BIGINT',
    peakBytes: 'BIGINT', leakedBytes: 'BIGINT'})
WHERE schema = 1;
