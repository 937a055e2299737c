-- The backfill is done.
DROP INDEX CONCURRENTLY IF EXISTS "measure_not_totalled";
