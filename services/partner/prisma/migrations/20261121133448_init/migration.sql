-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "partner" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "phone" TEXT,
    "company" TEXT,
    "tier" TEXT NOT NULL DEFAULT 'bronze',
    "status" TEXT NOT NULL DEFAULT 'pending',
    "parent_partner_id" BIGINT,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "approved_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "partner_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "referral_code" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "referral_code_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "referral" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "code" TEXT,
    "external_id" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "referral_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "commission_plan" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "tier_rates" JSONB NOT NULL,
    "hold_days" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commission_plan_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "commission" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "basis_minor" BIGINT,
    "rate" DOUBLE PRECISION,
    "level" INTEGER NOT NULL DEFAULT 1,
    "type" TEXT NOT NULL DEFAULT 'earned',
    "status" TEXT NOT NULL DEFAULT 'pending',
    "plan_id" BIGINT,
    "plan_version" INTEGER,
    "opportunity_id" BIGINT,
    "external_id" TEXT,
    "hold_until" TIMESTAMPTZ(3),
    "approved_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "payout_id" BIGINT,
    "original_commission_id" BIGINT,
    "reason" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commission_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "statement" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "period" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "statement_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "co_marketing_resource" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "source_type" TEXT NOT NULL,
    "description" TEXT,
    "file_type" TEXT,
    "file_size" TEXT,
    "file_url" TEXT,
    "file_id" BIGINT,
    "landing_page_id" BIGINT,
    "campaign_id" BIGINT,
    "thumbnail_url" TEXT,
    "share_enabled" BOOLEAN NOT NULL DEFAULT false,
    "share_token" TEXT,
    "share_caption" TEXT,
    "downloads" BIGINT NOT NULL DEFAULT 0,
    "shares" BIGINT NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL DEFAULT 'active',
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "co_marketing_resource_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "share_lookup" (
    "token_hash" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,
    "owner_environment" TEXT NOT NULL,
    "resource_id" BIGINT NOT NULL,

    CONSTRAINT "share_lookup_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "portal_user" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "last_login_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "portal_user_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "partner_tenant_id_environment_created_at_id_idx" ON "partner"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "partner_tenant_id_environment_updated_at_id_idx" ON "partner"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "partner_tenant_id_environment_last_name_id_idx" ON "partner"("tenant_id", "environment", "last_name", "id");

-- CreateIndex
CREATE INDEX "partner_tenant_id_environment_email_id_idx" ON "partner"("tenant_id", "environment", "email", "id");

-- CreateIndex
CREATE INDEX "partner_tenant_id_environment_parent_partner_id_idx" ON "partner"("tenant_id", "environment", "parent_partner_id");

-- CreateIndex
CREATE UNIQUE INDEX "partner_tenant_id_environment_email_key_key" ON "partner"("tenant_id", "environment", "email_key");

-- CreateIndex
CREATE INDEX "referral_code_tenant_id_environment_partner_id_id_idx" ON "referral_code"("tenant_id", "environment", "partner_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "referral_code_tenant_id_environment_code_key" ON "referral_code"("tenant_id", "environment", "code");

-- CreateIndex
CREATE INDEX "referral_tenant_id_environment_partner_id_id_idx" ON "referral"("tenant_id", "environment", "partner_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "referral_tenant_id_environment_lead_id_key" ON "referral"("tenant_id", "environment", "lead_id");

-- CreateIndex
CREATE UNIQUE INDEX "referral_tenant_id_environment_external_id_key" ON "referral"("tenant_id", "environment", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "commission_plan_tenant_id_environment_name_key" ON "commission_plan"("tenant_id", "environment", "name");

-- CreateIndex
CREATE INDEX "commission_tenant_id_environment_partner_id_created_at_id_idx" ON "commission"("tenant_id", "environment", "partner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "commission_tenant_id_environment_partner_id_currency_idx" ON "commission"("tenant_id", "environment", "partner_id", "currency");

-- CreateIndex
CREATE UNIQUE INDEX "commission_tenant_id_environment_opportunity_id_partner_id__key" ON "commission"("tenant_id", "environment", "opportunity_id", "partner_id", "level");

-- CreateIndex
CREATE INDEX "statement_tenant_id_environment_partner_id_period_id_idx" ON "statement"("tenant_id", "environment", "partner_id", "period", "id");

-- CreateIndex
CREATE UNIQUE INDEX "statement_tenant_id_environment_partner_id_period_currency_key" ON "statement"("tenant_id", "environment", "partner_id", "period", "currency");

-- CreateIndex
CREATE INDEX "co_marketing_resource_tenant_id_environment_created_at_id_idx" ON "co_marketing_resource"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "co_marketing_resource_tenant_id_environment_updated_at_id_idx" ON "co_marketing_resource"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "co_marketing_resource_tenant_id_environment_name_id_idx" ON "co_marketing_resource"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "co_marketing_resource_tenant_id_environment_category_create_idx" ON "co_marketing_resource"("tenant_id", "environment", "category", "created_at", "id");

-- CreateIndex
CREATE INDEX "portal_user_tenant_id_environment_partner_id_created_at_id_idx" ON "portal_user"("tenant_id", "environment", "partner_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "portal_user_tenant_id_environment_email_key" ON "portal_user"("tenant_id", "environment", "email");

-- AddForeignKey
ALTER TABLE "partner" ADD CONSTRAINT "partner_tenant_id_environment_parent_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "parent_partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "referral_code" ADD CONSTRAINT "referral_code_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "referral" ADD CONSTRAINT "referral_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "commission" ADD CONSTRAINT "commission_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "statement" ADD CONSTRAINT "statement_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "portal_user" ADD CONSTRAINT "portal_user_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "partner" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "partner" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "partner" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "referral_code" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "referral_code" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "referral_code" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "referral" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "referral" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "referral" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "commission_plan" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "commission_plan" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "commission_plan" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "commission" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "commission" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "commission" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "statement" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "statement" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "statement" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "co_marketing_resource" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "co_marketing_resource" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "co_marketing_resource" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "portal_user" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "portal_user" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "portal_user" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
