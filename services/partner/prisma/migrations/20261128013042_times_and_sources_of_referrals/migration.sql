-- backfill
-- Referrals of earlier releases occurred when they were recorded, and those with a code came by it.
UPDATE "referral" SET "occurred_at" = "created_at",
  "source" = CASE WHEN "code" IS NULL THEN "source" ELSE 'code' END
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "referral"
  WHERE "occurred_at" > "created_at" OR ("source" = 'manual' AND "code" IS NOT NULL) LIMIT 5000);
