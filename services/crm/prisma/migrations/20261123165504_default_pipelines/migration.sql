-- backfill
INSERT INTO "pipeline" ("tenant_id", "environment", "name", "is_default")
SELECT DISTINCT "tenant_id", "environment", 'Sales', true FROM "status_definition" stage
WHERE "entity_type" = 'opportunity' AND NOT EXISTS (
  SELECT FROM "pipeline" WHERE "pipeline"."tenant_id" = stage."tenant_id" AND "pipeline"."environment" = stage."environment")
LIMIT 5000 ON CONFLICT DO NOTHING;
