-- Counts the jobs that were given up, for the metrics.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_dead ON platform.job (id) WHERE state = 'dead';
