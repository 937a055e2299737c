-- CreateTable
CREATE TABLE "erasure" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "job_id" BIGINT NOT NULL,
    "person" JSONB,
    "erased" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "erasure_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "erasure_created_at_idx" ON "erasure"("created_at");

ALTER TABLE "erasure" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "erasure" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "erasure" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The certificate of an erasure is kept for a year. The role of housekeeping sees only older rows.
GRANT SELECT ("created_at"), DELETE ON "erasure" TO "tandem_crm_relay";
CREATE POLICY purge ON "erasure" TO "tandem_crm_relay" USING ("created_at" < now() - interval '365 days');
