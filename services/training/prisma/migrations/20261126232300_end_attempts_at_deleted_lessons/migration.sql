-- backfill
UPDATE "attempt" SET "status" = 'ended', "version" = "version" + 1 WHERE ("tenant_id", "environment", "id") IN (
  SELECT "attempt"."tenant_id", "attempt"."environment", "attempt"."id" FROM "attempt"
  JOIN "lesson" ON "lesson"."tenant_id" = "attempt"."tenant_id" AND "lesson"."environment" = "attempt"."environment"
    AND "lesson"."id" = "attempt"."lesson_id"
  WHERE "attempt"."status" = 'in_progress' AND "lesson"."deleted_at" IS NOT NULL LIMIT 5000);
