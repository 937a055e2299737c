-- AlterTable
ALTER TABLE "commission" ADD COLUMN     "created_by" BIGINT,
ADD COLUMN     "held_by" TEXT,
ADD COLUMN     "lead_id" BIGINT,
ADD COLUMN     "ledger_state" TEXT,
ADD COLUMN     "plan_source" TEXT,
ADD COLUMN     "rate_source" TEXT;

-- AlterTable
ALTER TABLE "commission_plan" ADD COLUMN     "created_by" BIGINT,
ADD COLUMN     "is_default" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "plan_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "status" TEXT NOT NULL DEFAULT 'active',
ADD COLUMN     "terms" JSONB;

-- AlterTable
ALTER TABLE "deal" ADD COLUMN     "pipeline_id" BIGINT;

-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "plan_id" BIGINT;

-- AlterTable
ALTER TABLE "statement" ADD COLUMN     "adjustments_minor" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "clawbacks_minor" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "commission_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "earned_minor" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "finalized_at" TIMESTAMPTZ(3),
ADD COLUMN     "finalized_by" BIGINT,
ADD COLUMN     "paid_minor" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "uncredited_deal" ADD COLUMN     "pipeline_id" BIGINT;

-- CreateTable
CREATE TABLE "commission_plan_version" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "plan_id" BIGINT NOT NULL,
    "plan_version" INTEGER NOT NULL,
    "terms" JSONB NOT NULL,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commission_plan_version_pkey" PRIMARY KEY ("tenant_id","environment","plan_id","plan_version")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "period" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "commission_id" BIGINT NOT NULL,
    "payout_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "ledger_entry_tenant_id_environment_partner_id_currency_peri_idx" ON "ledger_entry"("tenant_id", "environment", "partner_id", "currency", "period", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_tenant_id_environment_commission_id_kind_key" ON "ledger_entry"("tenant_id", "environment", "commission_id", "kind");

-- AddForeignKey
ALTER TABLE "partner" ADD CONSTRAINT "partner_tenant_id_environment_plan_id_fkey" FOREIGN KEY ("tenant_id", "environment", "plan_id") REFERENCES "commission_plan"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "commission_plan_version" ADD CONSTRAINT "commission_plan_version_tenant_id_environment_plan_id_fkey" FOREIGN KEY ("tenant_id", "environment", "plan_id") REFERENCES "commission_plan"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "commission_plan_version" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "commission_plan_version" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "commission_plan_version" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "ledger_entry" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "ledger_entry" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "ledger_entry" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_amount" CHECK ("amount_minor" <> 0),
  ADD CONSTRAINT "ledger_entry_period" CHECK ("period" ~ '^[0-9]{4}-[0-9]{2}$');
-- The ledger and the versions of plans are only read and appended to.
REVOKE UPDATE, DELETE, TRUNCATE ON "ledger_entry", "commission_plan_version" FROM "tandem_partner_app";
