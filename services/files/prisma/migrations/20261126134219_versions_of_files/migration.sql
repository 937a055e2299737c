-- AlterTable
ALTER TABLE "file" ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "version_id" BIGINT,
ADD COLUMN     "version_number" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "file_version" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "file_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "object_key" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "content_type" TEXT NOT NULL,
    "detected_content_type" TEXT,
    "checksum_sha256" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'available',
    "comment" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_version_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "file_version_tenant_id_environment_file_id_number_id_idx" ON "file_version"("tenant_id", "environment", "file_id", "number", "id");

-- CreateIndex
CREATE INDEX "file_version_tenant_id_environment_object_key_idx" ON "file_version"("tenant_id", "environment", "object_key");

-- CreateIndex
CREATE UNIQUE INDEX "file_version_tenant_id_environment_file_id_number_key" ON "file_version"("tenant_id", "environment", "file_id", "number");

-- AddForeignKey
ALTER TABLE "file_version" ADD CONSTRAINT "file_version_tenant_id_environment_file_id_fkey" FOREIGN KEY ("tenant_id", "environment", "file_id") REFERENCES "file"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "file_version" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "file_version" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "file_version" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Every file has a row for its content, also files that the previous release stores during a rolling update.
CREATE FUNCTION file_gets_version_id() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_catalog, pg_temp AS $$
BEGIN
  NEW.version_id := nextval('file_version_id_seq');
  RETURN NEW;
END $$;
CREATE TRIGGER "file_version_id" BEFORE INSERT ON "file" FOR EACH ROW
  WHEN (NEW."version_id" IS NULL) EXECUTE FUNCTION file_gets_version_id();

CREATE FUNCTION store_first_version() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO file_version (tenant_id, environment, id, file_id, number, object_key, size, content_type, detected_content_type,
    checksum_sha256, status, created_by, created_at)
  VALUES (NEW.tenant_id, NEW.environment, NEW.version_id, NEW.id, NEW.version_number, NEW.object_key, NEW.size, NEW.content_type,
    NEW.detected_content_type, NEW.checksum_sha256, NEW.status, NEW.uploaded_by, NEW.created_at);
  RETURN NULL;
END $$;
CREATE TRIGGER "file_first_version" AFTER INSERT ON "file" FOR EACH ROW EXECUTE FUNCTION store_first_version();

-- For the filter by tag.
SELECT platform.create_lookup('list', 'file', 'tags', 'tags');
