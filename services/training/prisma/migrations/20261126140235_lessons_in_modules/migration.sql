-- backfill
UPDATE "lesson" SET "module_id" = found."module_id" FROM (
  SELECT "lesson"."tenant_id", "lesson"."environment", "lesson"."id", "module"."id" AS "module_id"
  FROM "lesson" JOIN "module" ON "module"."tenant_id" = "lesson"."tenant_id"
    AND "module"."environment" = "lesson"."environment" AND "module"."course_id" = "lesson"."course_id"
    AND "module"."title" = "lesson"."module"
  WHERE "lesson"."module_id" IS NULL AND "lesson"."module" <> '' LIMIT 5000) found
WHERE "lesson"."tenant_id" = found."tenant_id" AND "lesson"."environment" = found."environment" AND "lesson"."id" = found."id";
