-- backfill
UPDATE "landing_page" SET "owner_id" = "created_by"
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "landing_page" WHERE "owner_id" IS NULL AND "created_by" IS NOT NULL LIMIT 5000);
