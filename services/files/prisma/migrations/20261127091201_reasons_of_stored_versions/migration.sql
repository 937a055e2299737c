-- backfill
-- Current versions that were stored without the reason of their quarantine, which their file has.
WITH found AS (
  SELECT "file"."tenant_id", "file"."environment", "file"."version_id", "file"."quarantine_reason"
  FROM "file" JOIN "file_version" ON "file_version"."tenant_id" = "file"."tenant_id"
    AND "file_version"."environment" = "file"."environment" AND "file_version"."id" = "file"."version_id"
  WHERE "file"."status" = 'quarantined' AND "file"."quarantine_reason" IS NOT NULL
    AND "file_version"."quarantine_reason" IS NULL
  LIMIT 5000)
UPDATE "file_version" SET "quarantine_reason" = found."quarantine_reason" FROM found
WHERE "file_version"."tenant_id" = found."tenant_id" AND "file_version"."environment" = found."environment"
  AND "file_version"."id" = found."version_id";
