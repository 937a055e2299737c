-- AlterTable
ALTER TABLE "commission" ADD COLUMN     "attribution" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "deal" ADD COLUMN     "lead_id" BIGINT,
ADD COLUMN     "merged_from_lead_id" BIGINT;

-- AlterTable
ALTER TABLE "referral" ADD COLUMN     "click_id" TEXT,
ADD COLUMN     "last_touch_at" TIMESTAMPTZ(3),
ADD COLUMN     "moves" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'manual',
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "void_reason" TEXT,
ADD COLUMN     "voided_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "referral_code" ADD COLUMN     "bot_clicks" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "campaign_id" BIGINT,
ADD COLUMN     "clicks" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "created_by" BIGINT,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "is_active" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "label" TEXT,
ADD COLUMN     "landing_url" TEXT,
ADD COLUMN     "max_uses" INTEGER,
ADD COLUMN     "unique_clicks" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "referral_click" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "click_id" TEXT NOT NULL,
    "code_id" BIGINT NOT NULL,
    "visitor" TEXT NOT NULL,
    "is_first" BOOLEAN NOT NULL,
    "is_bot" BOOLEAN NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "referral_click_pkey" PRIMARY KEY ("tenant_id","environment","click_id")
);

-- CreateTable
CREATE TABLE "referral_conflict" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "winner_partner_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "code" TEXT,
    "click_id" TEXT,
    "source" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "external_id" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "referral_conflict_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "referral_click_at_idx" ON "referral_click"("at");

-- CreateIndex
CREATE UNIQUE INDEX "referral_click_first" ON "referral_click"("tenant_id", "environment", "code_id", "visitor") WHERE (is_first);

-- CreateIndex
CREATE INDEX "referral_conflict_tenant_id_environment_partner_id_created__idx" ON "referral_conflict"("tenant_id", "environment", "partner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "referral_conflict_tenant_id_environment_partner_id_occurred_idx" ON "referral_conflict"("tenant_id", "environment", "partner_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "referral_conflict_tenant_id_environment_external_id_idx" ON "referral_conflict"("tenant_id", "environment", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "referral_conflict_once" ON "referral_conflict"("tenant_id", "environment", "lead_id", "partner_id", "occurred_at");

-- AddForeignKey
ALTER TABLE "referral_click" ADD CONSTRAINT "referral_click_tenant_id_environment_code_id_fkey" FOREIGN KEY ("tenant_id", "environment", "code_id") REFERENCES "referral_code"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "referral_conflict" ADD CONSTRAINT "referral_conflict_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "referral_click" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "referral_click" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "referral_click" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "referral_conflict" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "referral_conflict" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "referral_conflict" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- A row of a lead that was merged meanwhile is stored for the lead that remains.
CREATE TRIGGER "deal_of_merged_lead" BEFORE INSERT ON "deal" FOR EACH ROW
  WHEN (NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();

-- The relay's role removes old clicks, and sees no more of them than their time.
GRANT SELECT ("at"), DELETE ON "referral_click" TO "tandem_partner_relay";
CREATE POLICY purge ON "referral_click" TO "tandem_partner_relay" USING ("at" < now() - interval '400 days');
