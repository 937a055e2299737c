-- backfill
UPDATE "notification" SET "purge_at" = "created_at" + interval '365 days'
WHERE ("tenant_id", "id") IN (SELECT "tenant_id", "id" FROM "notification" WHERE "purge_at" IS NULL LIMIT 5000);
