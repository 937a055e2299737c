-- backfill
UPDATE "opportunity" SET "pipeline_id" = stage."pipeline_id" FROM "status_definition" stage
WHERE stage."tenant_id" = "opportunity"."tenant_id" AND stage."environment" = "opportunity"."environment"
  AND stage."id" = "opportunity"."stage_id" AND ("opportunity"."tenant_id", "opportunity"."environment", "opportunity"."id") IN (
    SELECT "tenant_id", "environment", "id" FROM "opportunity" WHERE "pipeline_id" IS NULL LIMIT 5000);
