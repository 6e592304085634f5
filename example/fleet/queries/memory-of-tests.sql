-- Each test whose peak or leaked bytes at the newest commit differ from those at the last commit before it, at which the test completed
-- too. Of several JVMs the most counts. The largest growth of a peak comes first.

WITH by_commit AS (
    SELECT c.ordinal, l.test, max(l.peakBytes) AS peak, max(l.leakedBytes) AS leaked
    FROM lines l JOIN commits c ON c.commit = l.commit
    WHERE l.kind = 'check' AND l.completed
    GROUP BY c.ordinal, l.test),
compared AS (
    SELECT ordinal, test, peak, leaked,
           lag(ordinal) OVER (PARTITION BY test ORDER BY ordinal) AS earlier,
           lag(peak) OVER (PARTITION BY test ORDER BY ordinal) AS earlier_peak,
           lag(leaked) OVER (PARTITION BY test ORDER BY ordinal) AS earlier_leaked
    FROM by_commit)
SELECT t.test, c.commit AS earlier, t.earlier_peak, t.peak, t.earlier_leaked, t.leaked
FROM compared t JOIN commits c ON c.ordinal = t.earlier
WHERE t.ordinal = (SELECT max(ordinal) FROM commits) AND (t.peak <> t.earlier_peak OR t.leaked <> t.earlier_leaked)
ORDER BY t.peak - t.earlier_peak DESC, t.test;
