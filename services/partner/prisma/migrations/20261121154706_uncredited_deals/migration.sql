-- CreateTable
CREATE TABLE "uncredited_deal" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "opportunity_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "value_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "uncredited_deal_pkey" PRIMARY KEY ("tenant_id","environment","opportunity_id")
);

-- CreateIndex
CREATE INDEX "uncredited_deal_tenant_id_environment_lead_id_idx" ON "uncredited_deal"("tenant_id", "environment", "lead_id");

ALTER TABLE "uncredited_deal" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "uncredited_deal" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "uncredited_deal" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- A lead is told of within hours of its deal, a flagged referral cleared within weeks. The relay's role removes what is
-- older, and sees no more of it than that.
CREATE INDEX "uncredited_deal_created_at_idx" ON "uncredited_deal"("created_at");
GRANT SELECT ("created_at"), DELETE ON "uncredited_deal" TO "tandem_partner_relay";
CREATE POLICY purge ON "uncredited_deal" TO "tandem_partner_relay" USING ("created_at" < now() - interval '90 days');
