-- backfill
-- Leads that share an external id keep it, but only the newest of them has the key that new leads are compared with.
UPDATE "lead" SET "external_key" = "external_id"
WHERE ("tenant_id", "environment", "id") IN (
  SELECT one."tenant_id", one."environment", one."id" FROM "lead" AS one
  WHERE one."external_id" IS NOT NULL AND one."external_key" IS NULL AND one."deleted_at" IS NULL
    AND NOT EXISTS (SELECT FROM "lead" AS other
      WHERE other."tenant_id" = one."tenant_id" AND other."environment" = one."environment"
        AND other."external_id" = one."external_id" AND other."deleted_at" IS NULL
        AND (other."external_key" IS NOT NULL OR other."id" > one."id"))
  LIMIT 5000);
