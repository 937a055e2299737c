-- CreateTable
CREATE TABLE "export" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "source" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "filters" JSONB NOT NULL DEFAULT '{}',
    "wire_filters" JSONB NOT NULL DEFAULT '{}',
    "columns" TEXT[],
    "requester" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "row_count" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_by" BIGINT,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "export_pkey" PRIMARY KEY ("tenant_id","environment","id")
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
CREATE INDEX "export_tenant_id_environment_created_at_id_idx" ON "export"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "export_tenant_id_environment_status_created_at_id_idx" ON "export"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "export_tenant_id_environment_source_created_at_id_idx" ON "export"("tenant_id", "environment", "source", "created_at", "id");

-- CreateIndex
CREATE INDEX "export_created_at_idx" ON "export"("created_at");

-- CreateIndex
CREATE INDEX "export_chunk_created_at_idx" ON "export_chunk"("created_at");

ALTER TABLE "export" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "export" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "export" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "export_chunk" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "export_chunk" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "export_chunk" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "export" ADD CONSTRAINT "export_status"
    CHECK ("status" IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'expired')),
  ADD CONSTRAINT "export_format" CHECK ("format" IN ('csv', 'json', 'ndjson', 'xlsx')),
  ADD CONSTRAINT "export_counts" CHECK (least("row_count", "bytes") >= 0);

-- Exports are kept for 90 days. A job removes their pages after 7; pages that it missed are kept for 14. Housekeeping works
-- under a role that sees no other rows, and of these only their age.
GRANT SELECT ("created_at"), DELETE ON "export" TO "tandem_analytics_relay";
CREATE POLICY purge ON "export" TO "tandem_analytics_relay" USING ("created_at" < now() - interval '90 days');
GRANT SELECT ("created_at"), DELETE ON "export_chunk" TO "tandem_analytics_relay";
CREATE POLICY purge ON "export_chunk" TO "tandem_analytics_relay" USING ("created_at" < now() - interval '14 days');
