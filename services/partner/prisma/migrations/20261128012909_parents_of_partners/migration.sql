-- backfill
-- Earlier releases set the parent when they created the partner, and never changed it.
INSERT INTO "parent_change" ("tenant_id", "environment", "partner_id", "to_parent_id", "effective_at", "created_by", "created_at")
SELECT "tenant_id", "environment", "id", "parent_partner_id", "created_at", "created_by", "created_at" FROM "partner"
WHERE "parent_partner_id" IS NOT NULL AND NOT EXISTS (
  SELECT FROM "parent_change" WHERE "parent_change"."tenant_id" = "partner"."tenant_id"
    AND "parent_change"."environment" = "partner"."environment" AND "parent_change"."partner_id" = "partner"."id")
LIMIT 5000;
