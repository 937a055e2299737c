-- CreateTable
CREATE TABLE "deal_registration" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "company" TEXT NOT NULL,
    "company_domain" TEXT,
    "company_key" TEXT,
    "domain_key" TEXT,
    "contact_email" TEXT NOT NULL,
    "contact_first_name" TEXT NOT NULL,
    "contact_last_name" TEXT NOT NULL,
    "contact_phone" TEXT,
    "contact_email_key" TEXT NOT NULL,
    "value_minor" BIGINT,
    "currency" TEXT,
    "expected_close_at" TIMESTAMPTZ(3),
    "notes" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "reason" TEXT,
    "protected_until" TIMESTAMPTZ(3),
    "converting_at" TIMESTAMPTZ(3),
    "lead_id" BIGINT,
    "opportunity_id" BIGINT,
    "created_by" BIGINT,
    "submitted_at" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deal_registration_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_created_at_id_idx" ON "deal_registration"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_updated_at_id_idx" ON "deal_registration"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_status_created_at_i_idx" ON "deal_registration"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_partner_id_created__idx" ON "deal_registration"("tenant_id", "environment", "partner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_partner_id_updated__idx" ON "deal_registration"("tenant_id", "environment", "partner_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_partner_id_status_c_idx" ON "deal_registration"("tenant_id", "environment", "partner_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_company_key_idx" ON "deal_registration"("tenant_id", "environment", "company_key");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_domain_key_idx" ON "deal_registration"("tenant_id", "environment", "domain_key");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_lead_id_idx" ON "deal_registration"("tenant_id", "environment", "lead_id");

-- CreateIndex
CREATE INDEX "deal_registration_tenant_id_environment_contact_email_key_idx" ON "deal_registration"("tenant_id", "environment", "contact_email_key");

-- AddForeignKey
ALTER TABLE "deal_registration" ADD CONSTRAINT "deal_registration_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "deal_registration" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deal_registration" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "deal_registration" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "deal_registration"
  ADD CONSTRAINT "deal_registration_value" CHECK ("value_minor" >= 0 AND ("value_minor" IS NULL OR "currency" IS NOT NULL)),
  ADD CONSTRAINT "deal_registration_currency" CHECK ("currency" ~ '^[A-Z]{3}$'),
  ADD CONSTRAINT "deal_registration_protection" CHECK ("status" NOT IN ('approved', 'converted', 'expired') OR "protected_until" IS NOT NULL);
-- The function for the search, and the index that it uses.
SELECT platform.create_lookup('text', 'deal_registration', 'text', 'company');
CREATE INDEX "deal_registration_lookup" ON "deal_registration" USING gin (tenant_id, company gin_trgm_ops) WITH (gin_pending_list_limit = 512);
