-- CreateTable
CREATE TABLE "payout" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "currency" TEXT NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "min_minor" BIGINT NOT NULL,
    "partner_ids" BIGINT[],
    "method" TEXT,
    "amount_minor" BIGINT NOT NULL DEFAULT 0,
    "item_count" INTEGER NOT NULL DEFAULT 0,
    "commission_count" INTEGER NOT NULL DEFAULT 0,
    "paid_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "carried_count" INTEGER NOT NULL DEFAULT 0,
    "prepared_through" BIGINT NOT NULL DEFAULT 0,
    "prepared_at" TIMESTAMPTZ(3),
    "approved_at" TIMESTAMPTZ(3),
    "approved_by" BIGINT,
    "processed_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "external_ref" TEXT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payout_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "payout_item" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "payout_id" BIGINT NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "amount_minor" BIGINT NOT NULL,
    "commission_count" INTEGER NOT NULL,
    "account_id" BIGINT,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "is_uncertain" BOOLEAN NOT NULL DEFAULT false,
    "external_ref" TEXT,
    "failure" TEXT,
    "paid_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payout_item_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "payout_account" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "seal_ref" UUID NOT NULL DEFAULT gen_random_uuid(),
    "account" TEXT NOT NULL,
    "masked" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payout_account_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "payout_tenant_id_environment_created_at_id_idx" ON "payout"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "payout_tenant_id_environment_status_created_at_id_idx" ON "payout"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "payout_tenant_id_environment_currency_created_at_id_idx" ON "payout"("tenant_id", "environment", "currency", "created_at", "id");

-- CreateIndex
CREATE INDEX "payout_item_tenant_id_environment_account_id_idx" ON "payout_item"("tenant_id", "environment", "account_id");

-- CreateIndex
CREATE INDEX "payout_item_tenant_id_environment_payout_id_id_idx" ON "payout_item"("tenant_id", "environment", "payout_id", "id");

-- CreateIndex
CREATE INDEX "payout_item_tenant_id_environment_payout_id_status_id_idx" ON "payout_item"("tenant_id", "environment", "payout_id", "status", "id");

-- CreateIndex
CREATE INDEX "payout_item_tenant_id_environment_partner_id_id_idx" ON "payout_item"("tenant_id", "environment", "partner_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "payout_item_tenant_id_environment_payout_id_partner_id_key" ON "payout_item"("tenant_id", "environment", "payout_id", "partner_id");

-- CreateIndex
CREATE INDEX "payout_account_tenant_id_environment_fingerprint_idx" ON "payout_account"("tenant_id", "environment", "fingerprint");

-- CreateIndex
CREATE UNIQUE INDEX "payout_account_current" ON "payout_account"("tenant_id", "environment", "partner_id") WHERE (replaced_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "payout_account_seal_ref_key" ON "payout_account"("seal_ref");

-- AddForeignKey
ALTER TABLE "payout_item" ADD CONSTRAINT "payout_item_tenant_id_environment_payout_id_fkey" FOREIGN KEY ("tenant_id", "environment", "payout_id") REFERENCES "payout"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payout_item" ADD CONSTRAINT "payout_item_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payout_item" ADD CONSTRAINT "payout_item_tenant_id_environment_account_id_fkey" FOREIGN KEY ("tenant_id", "environment", "account_id") REFERENCES "payout_account"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payout_account" ADD CONSTRAINT "payout_account_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "payout" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payout" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "payout" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "payout_item" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payout_item" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "payout_item" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "payout_account" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payout_account" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "payout_account" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "payout_item" ADD CONSTRAINT "payout_item_amount" CHECK ("amount_minor" > 0 AND "commission_count" > 0);
GRANT SELECT ("seal_ref", "account"), UPDATE ("account") ON "payout_account" TO "tandem_partner_relay";
