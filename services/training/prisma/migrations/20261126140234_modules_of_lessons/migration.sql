-- backfill
INSERT INTO "module" ("tenant_id", "environment", "course_id", "title", "order")
SELECT "tenant_id", "environment", "course_id", "module", min("order")
FROM "lesson" WHERE "module" <> '' AND "module_id" IS NULL AND NOT EXISTS (
  SELECT FROM "module" WHERE "module"."tenant_id" = "lesson"."tenant_id" AND "module"."environment" = "lesson"."environment"
    AND "module"."course_id" = "lesson"."course_id" AND "module"."title" = "lesson"."module")
GROUP BY "tenant_id", "environment", "course_id", "module" LIMIT 5000;
