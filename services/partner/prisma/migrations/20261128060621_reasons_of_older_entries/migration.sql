-- backfill
UPDATE "ledger_entry" SET "reason" = found."reason" FROM (
  SELECT "entry"."tenant_id", "entry"."environment", "entry"."id", "commission"."reason"
  FROM "ledger_entry" AS "entry" JOIN "commission" ON "commission"."tenant_id" = "entry"."tenant_id"
    AND "commission"."environment" = "entry"."environment" AND "commission"."id" = "entry"."commission_id"
  WHERE "entry"."reason" IS NULL AND "commission"."reason" IS NOT NULL AND "commission"."status" <> 'on_hold'
    AND "entry"."kind" <> 'payment' LIMIT 5000) found
WHERE "ledger_entry"."tenant_id" = found."tenant_id" AND "ledger_entry"."environment" = found."environment"
  AND "ledger_entry"."id" = found."id";
