-- Each leak that a test had in one JVM and certainly not in another one, both at one commit.

WITH by_commit AS (
    SELECT fingerprint, test, ordinal, sum(CASE WHEN has_leak THEN 1 ELSE 0 END) AS with_leak, count(*) AS runs
    FROM observations GROUP BY fingerprint, test, ordinal)
SELECT fingerprint, test, count(*) AS commits, sum(with_leak) AS with_leak, sum(runs) AS runs
FROM by_commit
WHERE with_leak > 0 AND with_leak < runs
GROUP BY fingerprint, test
ORDER BY fingerprint, test;
