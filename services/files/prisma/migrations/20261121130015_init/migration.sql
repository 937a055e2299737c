-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "file" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "detected_content_type" TEXT,
    "size" BIGINT NOT NULL,
    "checksum_sha256" TEXT NOT NULL,
    "object_key" TEXT NOT NULL,
    "entity_type" TEXT,
    "entity_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'available',
    "uploaded_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "file_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "file_tenant_id_environment_created_at_id_idx" ON "file"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "file_tenant_id_environment_filename_id_idx" ON "file"("tenant_id", "environment", "filename", "id");

-- CreateIndex
CREATE INDEX "file_tenant_id_environment_size_id_idx" ON "file"("tenant_id", "environment", "size", "id");

-- CreateIndex
CREATE INDEX "file_tenant_id_environment_entity_type_entity_id_idx" ON "file"("tenant_id", "environment", "entity_type", "entity_id");

-- CreateIndex
CREATE INDEX "file_tenant_id_environment_uploaded_by_idx" ON "file"("tenant_id", "environment", "uploaded_by");

-- CreateIndex
CREATE UNIQUE INDEX "file_tenant_id_environment_object_key_key" ON "file"("tenant_id", "environment", "object_key");

ALTER TABLE "file" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "file" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "file" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
