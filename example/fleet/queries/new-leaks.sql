-- Each leak of the newest commit, the newest first.
--
-- since: its first commit after the last one without it; the leak is new if that is the newest commit
-- without: the last commit at which one of its tests certainly ran without it, and no test had it; empty if no test with this leak ever did
-- bytes: the sum over the tests of the most that one JVM reported

WITH newest AS (SELECT max(ordinal) AS ordinal FROM commits),
states AS (SELECT fingerprint, ordinal, bool_or(has_leak) AS has_leak FROM observations GROUP BY fingerprint, ordinal),
absences AS (SELECT fingerprint, max(ordinal) AS ordinal FROM states WHERE NOT has_leak GROUP BY fingerprint),
beginnings AS (
    SELECT s.fingerprint, min(s.ordinal) AS ordinal, max(a.ordinal) AS absence
    FROM states s LEFT JOIN absences a ON a.fingerprint = s.fingerprint
    WHERE s.has_leak AND s.ordinal > coalesce(a.ordinal, 0)
    GROUP BY s.fingerprint),
by_test AS (
    SELECT fingerprint, test, min(cause) AS cause, min(line) AS line, max(buffers) AS buffers, max(bytes) AS bytes
    FROM leaks WHERE ordinal = (SELECT ordinal FROM newest)
    GROUP BY fingerprint, test)
SELECT t.fingerprint, since.commit AS since, without.commit AS without, count(*) AS tests, sum(t.buffers) AS buffers,
       sum(t.bytes) AS bytes, min(t.cause) AS cause, min(t.line) AS line
FROM by_test t
JOIN beginnings b ON b.fingerprint = t.fingerprint
JOIN commits since ON since.ordinal = b.ordinal
LEFT JOIN commits without ON without.ordinal = b.absence
GROUP BY t.fingerprint, since.commit, since.ordinal, without.commit
ORDER BY since.ordinal DESC, sum(t.bytes) DESC, t.fingerprint;
