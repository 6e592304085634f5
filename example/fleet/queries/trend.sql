-- For each commit: the checked tests, those with a leak, the leaks, their bytes, and the JVMs whose file has no end.

WITH checked AS (SELECT ordinal, count(DISTINCT test) AS tests FROM runs_of_tests GROUP BY ordinal),
by_test AS (SELECT ordinal, fingerprint, test, max(bytes) AS bytes FROM leaks GROUP BY ordinal, fingerprint, test),
leaking AS (
    SELECT ordinal, count(DISTINCT test) AS tests, count(DISTINCT fingerprint) AS leaks, sum(bytes) AS bytes
    FROM by_test GROUP BY ordinal),
files AS (
    SELECT commit, run, jvm, bool_or(kind = 'end') AS has_end FROM lines GROUP BY commit, run, jvm),
cut AS (SELECT commit, count(*) AS files FROM files WHERE NOT has_end GROUP BY commit)
SELECT c.commit, coalesce(checked.tests, 0) AS tests, coalesce(leaking.tests, 0) AS leaking_tests,
       coalesce(leaking.leaks, 0) AS leaks, coalesce(leaking.bytes, 0) AS bytes, coalesce(cut.files, 0) AS killed_jvms
FROM commits c
LEFT JOIN checked ON checked.ordinal = c.ordinal
LEFT JOIN leaking ON leaking.ordinal = c.ordinal
LEFT JOIN cut ON cut.commit = c.commit
ORDER BY c.ordinal;
