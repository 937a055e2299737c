-- backfill
-- Files of earlier releases get their content as version 1.
WITH found AS (
  SELECT * FROM "file" WHERE "version_id" IS NULL LIMIT 5000),
stored AS (
  INSERT INTO "file_version" ("tenant_id", "environment", "file_id", "number", "object_key", "size", "content_type",
    "detected_content_type", "checksum_sha256", "status", "created_by", "created_at")
  SELECT "tenant_id", "environment", "id", "version_number", "object_key", "size", "content_type",
    "detected_content_type", "checksum_sha256", "status", "uploaded_by", "created_at"
  FROM found
  RETURNING "tenant_id", "environment", "file_id", "id")
UPDATE "file" SET "version_id" = stored."id" FROM stored
WHERE "file"."tenant_id" = stored."tenant_id" AND "file"."environment" = stored."environment" AND "file"."id" = stored."file_id";
