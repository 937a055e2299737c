-- AlterTable
ALTER TABLE "file" ADD COLUMN     "delete_at" TIMESTAMPTZ(3),
ADD COLUMN     "hold_reason" TEXT,
ADD COLUMN     "legal_hold" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "retain_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "file_version" ADD COLUMN     "counted" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "storage_usage" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "files" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "storage_usage_pkey" PRIMARY KEY ("tenant_id","environment")
);

ALTER TABLE "storage_usage" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "storage_usage" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "storage_usage" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Keeps the storage of a tenant exact for every release and every deletion. Bytes that several versions share count once.
CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_catalog, pg_temp AS $$
DECLARE
  shares boolean := EXISTS (SELECT FROM file_version
    WHERE tenant_id = NEW.tenant_id AND environment = NEW.environment AND object_key = NEW.object_key);
  further boolean := EXISTS (SELECT FROM file_version
    WHERE tenant_id = NEW.tenant_id AND environment = NEW.environment AND file_id = NEW.file_id);
BEGIN
  INSERT INTO storage_usage AS usage (tenant_id, environment, used_bytes, files)
  VALUES (NEW.tenant_id, NEW.environment, CASE WHEN shares THEN 0 ELSE NEW.size END, CASE WHEN further THEN 0 ELSE 1 END)
  ON CONFLICT (tenant_id, environment) DO UPDATE
    SET used_bytes = usage.used_bytes + excluded.used_bytes, files = usage.files + excluded.files;
  NEW.counted := true;
  RETURN NEW;
END $$;
CREATE TRIGGER "file_version_counted" BEFORE INSERT ON "file_version" FOR EACH ROW EXECUTE FUNCTION count_version();

-- BEFORE, because of several rows that are deleted together each sees those that are left.
CREATE FUNCTION discount_version() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_catalog, pg_temp AS $$
DECLARE
  shares boolean := EXISTS (SELECT FROM file_version WHERE tenant_id = OLD.tenant_id AND environment = OLD.environment
    AND object_key = OLD.object_key AND id <> OLD.id);
  further boolean := EXISTS (SELECT FROM file_version WHERE tenant_id = OLD.tenant_id AND environment = OLD.environment
    AND file_id = OLD.file_id AND id <> OLD.id);
BEGIN
  UPDATE storage_usage SET used_bytes = used_bytes - CASE WHEN shares THEN 0 ELSE OLD.size END,
    files = files - CASE WHEN further THEN 0 ELSE 1 END
  WHERE tenant_id = OLD.tenant_id AND environment = OLD.environment;
  RETURN OLD;
END $$;
CREATE TRIGGER "file_version_discounted" BEFORE DELETE ON "file_version" FOR EACH ROW
  WHEN (OLD."counted") EXECUTE FUNCTION discount_version();
