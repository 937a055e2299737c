-- backfill
UPDATE "lead" SET "status_code" = "status"
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "lead" WHERE "status_code" IS NULL LIMIT 5000);
