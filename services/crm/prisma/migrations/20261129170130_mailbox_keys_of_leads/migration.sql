-- backfill
-- The trigger "lead_mailbox_key" calculates the key.
UPDATE "lead" SET "email" = "email"
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "lead" WHERE "mailbox_key" IS NULL LIMIT 5000);
