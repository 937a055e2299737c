-- backfill
-- Versions that were stored before their storage was counted.
WITH found AS (
  SELECT "tenant_id", "environment", "id" FROM "file_version" WHERE NOT "counted" LIMIT 5000),
counted AS (
  UPDATE "file_version" SET "counted" = true FROM found
  WHERE "file_version"."tenant_id" = found."tenant_id" AND "file_version"."environment" = found."environment"
    AND "file_version"."id" = found."id"
  RETURNING "file_version"."tenant_id", "file_version"."environment", "file_version"."object_key", "file_version"."id",
    "file_version"."size", "file_version"."number")
INSERT INTO "storage_usage" AS usage ("tenant_id", "environment", "used_bytes", "files")
SELECT "tenant_id", "environment",
  coalesce(sum("size") FILTER (WHERE NOT EXISTS (
    SELECT 1 FROM "file_version" earlier WHERE earlier."tenant_id" = counted."tenant_id"
      AND earlier."environment" = counted."environment" AND earlier."object_key" = counted."object_key"
      AND earlier."id" < counted."id")), 0),
  count(*) FILTER (WHERE "number" = 1)
FROM counted GROUP BY "tenant_id", "environment"
ON CONFLICT ("tenant_id", "environment") DO UPDATE
  SET "used_bytes" = usage."used_bytes" + excluded."used_bytes", "files" = usage."files" + excluded."files";
