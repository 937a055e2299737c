-- backfill
UPDATE "calendar_event" SET "from_booking" = true
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "exception"."tenant_id", "exception"."environment", "exception"."id" FROM "calendar_event" AS "exception"
  JOIN "calendar_event" AS "series" ON "series"."tenant_id" = "exception"."tenant_id"
    AND "series"."environment" = "exception"."environment" AND "series"."id" = "exception"."recurring_event_id"
  WHERE "series"."booking_link_id" IS NOT NULL AND NOT "exception"."from_booking" LIMIT 5000);
