-- Each leak that the newest commit does not have.
--
-- last_seen: its last commit
-- gone_since: the commit at which the last of its tests had run again, certainly without the leak; empty as long as some did not
-- unseen: the number of its tests that did not

WITH last_seen AS (SELECT fingerprint, max(ordinal) AS ordinal FROM leaks GROUP BY fingerprint),
returns AS (
    SELECT l.fingerprint, l.ordinal, l.test, min(o.ordinal) AS clean
    FROM (SELECT DISTINCT fingerprint, ordinal, test FROM leaks) l
    JOIN last_seen s ON s.fingerprint = l.fingerprint AND s.ordinal = l.ordinal
    LEFT JOIN observations o
        ON o.fingerprint = l.fingerprint AND o.test = l.test AND o.ordinal > l.ordinal AND NOT o.has_leak
    GROUP BY l.fingerprint, l.ordinal, l.test),
ends AS (
    SELECT fingerprint, ordinal, count(*) AS tests, count(*) - count(clean) AS unseen,
           CASE WHEN count(*) = count(clean) THEN max(clean) END AS gone
    FROM returns GROUP BY fingerprint, ordinal)
SELECT e.fingerprint, last_seen.commit AS last_seen, gone.commit AS gone_since, e.tests, e.unseen
FROM ends e
JOIN commits last_seen ON last_seen.ordinal = e.ordinal
LEFT JOIN commits gone ON gone.ordinal = e.gone
WHERE e.ordinal < (SELECT max(ordinal) FROM commits)
ORDER BY e.ordinal DESC, e.fingerprint;
