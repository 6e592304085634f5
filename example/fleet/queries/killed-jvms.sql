-- Each JVM whose file has no end: it was killed, or could not write. Tests after its last line count as not run.

SELECT commit, run, machine, jvm, sum(CASE WHEN kind = 'check' THEN 1 ELSE 0 END) AS checks
FROM lines
GROUP BY commit, run, machine, jvm
HAVING NOT bool_or(kind = 'end')
ORDER BY run, jvm;
