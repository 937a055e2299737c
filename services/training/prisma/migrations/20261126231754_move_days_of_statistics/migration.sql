-- backfill
-- Counters of earlier releases, which are by day only, become deltas again: the job adds these to all sums.
WITH "moved" AS (
  DELETE FROM "statistic_rollup"
  WHERE ("tenant_id", "environment", "course_id", "day", "lesson_id", "learner_type", "metric") IN (
    SELECT "tenant_id", "environment", "course_id", "day", "lesson_id", "learner_type", "metric" FROM "statistic_rollup" LIMIT 5000)
  RETURNING *)
INSERT INTO "statistic_delta" ("tenant_id", "environment", "course_id", "lesson_id", "learner_type", "day", "metric", "value")
SELECT "tenant_id", "environment", "course_id", "lesson_id", "learner_type", "day", "metric", "value" FROM "moved";
