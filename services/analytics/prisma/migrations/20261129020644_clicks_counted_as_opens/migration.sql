-- backfill
-- The first click of a message that nobody opened, which earlier releases did not count as an open.
WITH "part" AS (
  SELECT "tenant_id", "environment", "id", "timestamp" FROM "engagement_event" AS "event"
  WHERE "type" = 'link_click' AND "is_first" AND "is_counted" AND "is_opening" IS NULL AND NOT EXISTS (
    SELECT FROM "engagement_key" AS "key" WHERE "key"."tenant_id" = "event"."tenant_id" AND "key"."environment" = "event"."environment"
      AND "key"."key" IN (concat_ws(' ', 'first', 'email_open', "event"."lead_id", "event"."message_id"),
        concat_ws(' ', 'first', 'email_open', "event"."merged_from_lead_id", "event"."message_id")))
  LIMIT 5000),
"changed" AS (
  UPDATE "engagement_event" AS "event" SET "is_opening" = true FROM "part"
  WHERE "event"."tenant_id" = "part"."tenant_id" AND "event"."environment" = "part"."environment" AND "event"."id" = "part"."id"
    AND "event"."timestamp" = "part"."timestamp"
  RETURNING "event".*),
"dated" AS (
  SELECT "changed".*, ("changed"."timestamp" AT TIME ZONE CASE
      -- A job counts the events up to this one by the days of another time zone.
      WHEN "timezone_before" IS NOT NULL AND "changed"."id" > "recounted_to" AND "changed"."id" <= "recount_up_to" THEN "timezone_before"
      ELSE coalesce("counting"."timezone", 'UTC') END)::date AS "day"
  FROM "changed" LEFT JOIN "counting" ON "counting"."tenant_id" = "changed"."tenant_id" AND "counting"."environment" = "changed"."environment")
INSERT INTO "measure" ("tenant_id", "environment", "name", "day", "value", "user_id", "team_id", "shard", "count")
SELECT "tenant_id", "environment", 'engagement.link_click', "day", "moved"."value", coalesce("assigned_to", 0), coalesce("team_id", 0), 0,
  sum("moved"."count")
FROM "dated" CROSS JOIN (VALUES ('first', -1), ('opening', 1)) AS "moved" ("value", "count")
GROUP BY 1, 2, 4, 5, 6, 7
ORDER BY 1, 2, 3, 4, 5, 6, 7
ON CONFLICT ("tenant_id", "environment", "name", "day", "value", "user_id", "team_id", "shard") DO UPDATE
  SET "count" = "measure"."count" + excluded."count";
