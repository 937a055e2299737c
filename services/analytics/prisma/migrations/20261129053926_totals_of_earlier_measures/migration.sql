-- backfill
-- A shard of its own, so that no writer waits for the backfill.
WITH "part" AS (SELECT "tenant_id", "environment", "name", "day", "value", "user_id", "team_id", "shard" FROM "measure" WHERE NOT "is_totalled" LIMIT 5000),
"changed" AS (
  UPDATE "measure" SET "is_totalled" = true
  WHERE ("tenant_id", "environment", "name", "day", "value", "user_id", "team_id", "shard") IN (SELECT * FROM "part") AND NOT "is_totalled"
  RETURNING "measure".*)
INSERT INTO "measure_total" AS "total" ("tenant_id", "environment", "team_id", "name", "day", "value", "shard", "count", "amount")
SELECT "tenant_id", "environment", "owner"."team_id", "name", "day", "value", -1, sum("count"), sum("amount")
FROM "changed" CROSS JOIN LATERAL (SELECT DISTINCT unnest(ARRAY[0, "changed"."team_id"])) AS "owner" ("team_id")
GROUP BY 1, 2, 3, 4, 5, 6
ON CONFLICT ("tenant_id", "environment", "team_id", "name", "day", "value", "shard") DO UPDATE
  SET "count" = "total"."count" + excluded."count", "amount" = "total"."amount" + excluded."amount";
