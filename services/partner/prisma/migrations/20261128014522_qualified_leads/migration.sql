-- CreateTable
CREATE TABLE "qualified_lead" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "qualified_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "qualified_lead_pkey" PRIMARY KEY ("tenant_id","environment","lead_id")
);

-- CreateIndex
CREATE INDEX "qualified_lead_created_at_idx" ON "qualified_lead"("created_at");

ALTER TABLE "qualified_lead" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "qualified_lead" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "qualified_lead" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
-- The relay's role removes old rows, and sees no more of them than their time.
GRANT SELECT ("created_at"), DELETE ON "qualified_lead" TO "tandem_partner_relay";
CREATE POLICY purge ON "qualified_lead" TO "tandem_partner_relay" USING ("created_at" < now() - interval '90 days');
