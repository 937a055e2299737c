-- AlterTable
ALTER TABLE "form_submission" ADD COLUMN     "merged_from_lead_id" BIGINT;

-- AlterTable
ALTER TABLE "segment_lead" ADD COLUMN     "merged_from_lead_id" BIGINT;

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
CREATE TRIGGER "execution_of_merged_lead" BEFORE INSERT ON "execution" FOR EACH ROW
  EXECUTE FUNCTION platform.follow_merged_lead();
CREATE TRIGGER "message_of_merged_lead" BEFORE INSERT ON "message" FOR EACH ROW
  EXECUTE FUNCTION platform.follow_merged_lead();
CREATE TRIGGER "engagement_of_merged_lead" BEFORE INSERT ON "engagement" FOR EACH ROW
  WHEN (NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();
CREATE TRIGGER "segment_lead_of_merged_lead" BEFORE INSERT ON "segment_lead" FOR EACH ROW
  EXECUTE FUNCTION platform.follow_merged_lead();
-- A submission gets its lead when it is processed.
CREATE TRIGGER "form_submission_of_merged_lead" BEFORE UPDATE OF "lead_id" ON "form_submission" FOR EACH ROW
  WHEN (OLD."lead_id" IS NULL AND NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();
