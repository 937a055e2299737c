-- AlterTable
ALTER TABLE "file" ADD COLUMN     "scan" TEXT;

-- AlterTable
ALTER TABLE "file_version" ADD COLUMN     "scan" TEXT;

-- The first version has the result of its file too.
CREATE OR REPLACE FUNCTION store_first_version() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO file_version (tenant_id, environment, id, file_id, number, object_key, size, content_type, detected_content_type,
    checksum_sha256, status, quarantine_reason, scan, created_by, created_at)
  VALUES (NEW.tenant_id, NEW.environment, NEW.version_id, NEW.id, NEW.version_number, NEW.object_key, NEW.size, NEW.content_type,
    NEW.detected_content_type, NEW.checksum_sha256, NEW.status, NEW.quarantine_reason, NEW.scan, NEW.uploaded_by, NEW.created_at);
  RETURN NULL;
END $$;
