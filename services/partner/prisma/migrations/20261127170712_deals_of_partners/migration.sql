-- backfill
-- Won deals of earlier releases get the partner whose commission is in the ledger. The time of the win is not stored; the
-- commission was recorded moments after it.
WITH "credited" AS (
  SELECT DISTINCT ON ("commission"."tenant_id", "commission"."environment", "commission"."opportunity_id") "commission".*
  FROM "commission"
  LEFT JOIN "deal" ON "deal"."tenant_id" = "commission"."tenant_id" AND "deal"."environment" = "commission"."environment"
    AND "deal"."opportunity_id" = "commission"."opportunity_id"
  WHERE "commission"."type" = 'earned' AND "commission"."level" = 1 AND "commission"."status" <> 'cancelled'
    AND "commission"."opportunity_id" IS NOT NULL AND "commission"."basis_minor" IS NOT NULL
    AND "deal"."partner_id" IS NULL AND "commission"."deal_version" >= coalesce("deal"."version", 0)
  LIMIT 5000)
INSERT INTO "deal" ("tenant_id", "environment", "opportunity_id", "version", "partner_id", "value_minor", "currency", "won_at")
SELECT "tenant_id", "environment", "opportunity_id", "deal_version", "partner_id", "basis_minor", "currency", "created_at" FROM "credited"
ON CONFLICT ("tenant_id", "environment", "opportunity_id") DO UPDATE SET "partner_id" = excluded."partner_id",
  "value_minor" = excluded."value_minor", "currency" = excluded."currency", "won_at" = excluded."won_at"
WHERE "deal"."partner_id" IS NULL AND "deal"."version" <= excluded."version";
