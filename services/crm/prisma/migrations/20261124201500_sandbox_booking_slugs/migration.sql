-- backfill
-- Slugs of sandbox links end with two dashes before `sandbox` since live links with that word led to the sandbox.
UPDATE "booking_link" SET "slug" = regexp_replace("slug", '-+sandbox-([0-9A-Za-z]+)$', '--sandbox-\1')
WHERE ("tenant_id", "environment", "id") IN (
  SELECT "tenant_id", "environment", "id" FROM "booking_link"
  WHERE "environment" = 'sandbox' AND "slug" ~ '-sandbox-[0-9A-Za-z]+$' AND "slug" !~ '--sandbox-[0-9A-Za-z]+$' LIMIT 5000);
