-- backfill
UPDATE "enrollment" SET "user_id" = "learner_id" FROM (
  SELECT "tenant_id", "environment", "id" FROM "enrollment" WHERE "user_id" IS NULL AND "learner_type" = 'user' LIMIT 5000) found
WHERE "enrollment"."tenant_id" = found."tenant_id" AND "enrollment"."environment" = found."environment"
  AND "enrollment"."id" = found."id";
