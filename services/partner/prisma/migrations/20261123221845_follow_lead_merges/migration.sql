-- AlterTable
ALTER TABLE "referral" ADD COLUMN     "merged_from_lead_id" BIGINT;

-- AlterTable
ALTER TABLE "uncredited_deal" ADD COLUMN     "merged_from_lead_id" BIGINT;

-- CreateTable
CREATE TABLE "merged_lead" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "merged_into_id" BIGINT,
    "version" INTEGER NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "merged_lead_pkey" PRIMARY KEY ("tenant_id","environment","lead_id")
);

-- CreateIndex
CREATE INDEX "merged_lead_tenant_id_environment_merged_into_id_idx" ON "merged_lead"("tenant_id", "environment", "merged_into_id");

ALTER TABLE "merged_lead" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "merged_lead" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "merged_lead" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- A row of a lead that was merged meanwhile is stored for the lead that remains.
CREATE TRIGGER "referral_of_merged_lead" BEFORE INSERT ON "referral" FOR EACH ROW
  WHEN (NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();
CREATE TRIGGER "uncredited_deal_of_merged_lead" BEFORE INSERT ON "uncredited_deal" FOR EACH ROW
  WHEN (NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();
