-- CreateTable
CREATE TABLE "import" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "entity_type" TEXT NOT NULL,
    "file_id" BIGINT NOT NULL,
    "filename" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'mapped',
    "format" JSONB,
    "columns" JSONB NOT NULL DEFAULT '[]',
    "mapping" JSONB NOT NULL DEFAULT '{}',
    "is_read" BOOLEAN NOT NULL DEFAULT false,
    "dedupe" JSONB NOT NULL,
    "defaults" JSONB NOT NULL DEFAULT '{}',
    "preview" JSONB NOT NULL DEFAULT '[]',
    "rows" INTEGER NOT NULL DEFAULT 0,
    "valid" INTEGER NOT NULL DEFAULT 0,
    "invalid" INTEGER NOT NULL DEFAULT 0,
    "processed" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "next_chunk" INTEGER NOT NULL DEFAULT 0,
    "job_id" BIGINT,
    "error_code" TEXT,
    "error_message" TEXT,
    "actor" JSONB NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "import_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "import_chunk" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "import_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "rows" JSONB NOT NULL,
    "errors" JSONB NOT NULL DEFAULT '[]',
    "results" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "import_chunk_pkey" PRIMARY KEY ("tenant_id","environment","import_id","number")
);

-- CreateTable
CREATE TABLE "export_chunk" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "job_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "rows" JSONB NOT NULL,
    "last" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "export_chunk_pkey" PRIMARY KEY ("tenant_id","environment","job_id","number")
);

-- CreateIndex
CREATE INDEX "import_tenant_id_environment_entity_type_created_at_id_idx" ON "import"("tenant_id", "environment", "entity_type", "created_at", "id");

-- CreateIndex
CREATE INDEX "import_tenant_id_environment_entity_type_status_created_at__idx" ON "import"("tenant_id", "environment", "entity_type", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "import_running" ON "import"("tenant_id", "environment", "id") WHERE (status = 'running');

-- CreateIndex
CREATE INDEX "import_updated_at_idx" ON "import"("updated_at");

-- CreateIndex
CREATE INDEX "export_chunk_created_at_idx" ON "export_chunk"("created_at");

-- AddForeignKey
ALTER TABLE "import_chunk" ADD CONSTRAINT "import_chunk_tenant_id_environment_import_id_fkey" FOREIGN KEY ("tenant_id", "environment", "import_id") REFERENCES "import"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "import" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "import" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "import" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "import_chunk" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "import_chunk" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "import_chunk" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "export_chunk" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "export_chunk" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "export_chunk" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "import" ADD CONSTRAINT "import_entity_type" CHECK ("entity_type" IN ('lead', 'opportunity', 'account')),
  ADD CONSTRAINT "import_status" CHECK ("status" IN ('mapped', 'validated', 'running', 'completed', 'failed', 'undoing', 'undone')),
  ADD CONSTRAINT "import_counts" CHECK (least("rows", "valid", "invalid", "processed", "created", "updated", "skipped", "failed") >= 0);

-- Imports are kept for 30 days after their last change, pages of exports for 7 days. Housekeeping works under a role that
-- sees no other rows, and of these only their age.
GRANT SELECT ("updated_at"), DELETE ON "import" TO "tandem_crm_relay";
CREATE POLICY purge ON "import" TO "tandem_crm_relay" USING ("updated_at" < now() - interval '30 days');
GRANT SELECT ("created_at"), DELETE ON "export_chunk" TO "tandem_crm_relay";
CREATE POLICY purge ON "export_chunk" TO "tandem_crm_relay" USING ("created_at" < now() - interval '7 days');
