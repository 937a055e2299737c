-- The files of a lead, deleted ones included, and those that were moved.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_of_lead" ON "file" ("tenant_id", "environment", "entity_id")
  WHERE "entity_type" = 'lead' AND "merged_from_entity_id" IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_merged_from" ON "file" ("tenant_id", "environment", "merged_from_entity_id")
  WHERE "merged_from_entity_id" IS NOT NULL;
