-- AlterTable
ALTER TABLE "co_marketing_resource" ADD COLUMN     "min_tier" TEXT;

-- AlterTable
ALTER TABLE "deal" ADD COLUMN     "currency" TEXT,
ADD COLUMN     "partner_id" BIGINT,
ADD COLUMN     "value_minor" BIGINT,
ADD COLUMN     "won_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "tier_grace_until" TIMESTAMPTZ(3),
ADD COLUMN     "tier_locked" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "tier_review_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "tier_rule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "tier" TEXT NOT NULL,
    "referrals" INTEGER,
    "won_deals" INTEGER,
    "won_minor" BIGINT,
    "won_currency" TEXT,
    "recruits" INTEGER,
    "window_days" INTEGER,
    "required_course_ids" BIGINT[],
    "grace_days" INTEGER NOT NULL,
    "benefits" TEXT[],
    "version" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tier_rule_pkey" PRIMARY KEY ("tenant_id","environment","tier")
);

-- CreateTable
CREATE TABLE "tier_change" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "from_tier" TEXT,
    "to_tier" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tier_change_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "tier_change_tenant_id_environment_partner_id_created_at_id_idx" ON "tier_change"("tenant_id", "environment", "partner_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "tier_change" ADD CONSTRAINT "tier_change_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "tier_rule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "tier_rule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "tier_rule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "tier_change" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "tier_change" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "tier_change" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "tier_rule" ADD CONSTRAINT "tier_rule_figures" CHECK ("referrals" > 0 AND "won_deals" > 0 AND "won_minor" > 0
  AND "recruits" > 0 AND "window_days" > 0 AND "grace_days" >= 0 AND ("won_minor" IS NULL) = ("won_currency" IS NULL));
-- The history of tiers is only read and appended to.
REVOKE UPDATE, TRUNCATE ON "tier_change" FROM "tandem_partner_app";
