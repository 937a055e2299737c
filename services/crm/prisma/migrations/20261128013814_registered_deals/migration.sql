-- CreateTable
CREATE TABLE "registered_deal" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "deal_registration_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "opportunity_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "registered_deal_pkey" PRIMARY KEY ("tenant_id","environment","deal_registration_id")
);

ALTER TABLE "registered_deal" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "registered_deal" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "registered_deal" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
