-- backfill
UPDATE "status_definition" stage SET "pipeline_id" = "pipeline"."id" FROM "pipeline"
WHERE "pipeline"."tenant_id" = stage."tenant_id" AND "pipeline"."environment" = stage."environment" AND "pipeline"."is_default"
  AND (stage."tenant_id", stage."environment", stage."id") IN (
    SELECT "tenant_id", "environment", "id" FROM "status_definition"
    WHERE "entity_type" = 'opportunity' AND "pipeline_id" IS NULL LIMIT 5000);
