-- backfill
UPDATE "notification_batch" SET "purge_at" = now()
WHERE ("tenant_id", "id") IN (SELECT "tenant_id", "id" FROM "notification_batch" WHERE "purge_at" IS NULL LIMIT 5000);
