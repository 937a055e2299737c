-- backfill
UPDATE "win_loss_reason" SET "updated_at" = "created_at"
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "win_loss_reason" WHERE "updated_at" < "created_at" LIMIT 5000);
