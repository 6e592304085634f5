-- The views of the queries, for both engines.
--
-- commits: the commits in the order of their first tests, with their positions from 1 on
-- leaks: the findings that failed a check, summed up for each JVM and test; change its condition to count others
-- runs_of_tests: each test of each JVM, and whether it proves the absence of a leak: it completed, and its verdict was certain
-- observations: for each leak and each test that ever had it, each JVM that ran the test: with the leak, or certainly without it

CREATE OR REPLACE TEMPORARY VIEW commits AS
SELECT commit, row_number() OVER (ORDER BY min(began), commit) AS ordinal
FROM lines WHERE commit IS NOT NULL GROUP BY commit;

CREATE OR REPLACE TEMPORARY VIEW leaks AS
SELECT c.ordinal, l.commit, l.machine, l.run, l.jvm, l.test, l.fingerprint, min(l.cause) AS cause, min(l.line) AS line,
       sum(l.buffers) AS buffers, sum(l.bytes) AS bytes
FROM lines l JOIN commits c ON c.commit = l.commit
WHERE l.kind = 'finding' AND l.result IN ('FAILED', 'ABORTED') AND l.status <> 'EXPECTED' AND NOT l.known
GROUP BY c.ordinal, l.commit, l.machine, l.run, l.jvm, l.test, l.fingerprint;

CREATE OR REPLACE TEMPORARY VIEW runs_of_tests AS
SELECT c.ordinal, l.run, l.jvm, l.test,
       bool_and(l.completed AND l.outcome <> 'INCONCLUSIVE') AS is_certain
FROM lines l JOIN commits c ON c.commit = l.commit
WHERE l.kind = 'check'
GROUP BY c.ordinal, l.run, l.jvm, l.test;

CREATE OR REPLACE TEMPORARY VIEW observations AS
SELECT fingerprint, test, ordinal, run, jvm, true AS has_leak FROM leaks
UNION ALL
SELECT ever.fingerprint, ran.test, ran.ordinal, ran.run, ran.jvm, false AS has_leak
FROM (SELECT DISTINCT fingerprint, test FROM leaks) ever
JOIN runs_of_tests ran ON ran.test = ever.test AND ran.is_certain
LEFT JOIN leaks had ON had.fingerprint = ever.fingerprint AND had.test = ran.test AND had.run = ran.run AND had.jvm = ran.jvm
WHERE had.fingerprint IS NULL;
