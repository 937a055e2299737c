-- backfill
UPDATE "status_definition" SET "updated_at" = "created_at"
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "status_definition" WHERE "updated_at" < "created_at" LIMIT 5000);
