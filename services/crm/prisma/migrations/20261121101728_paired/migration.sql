-- DropIndex
DROP INDEX "lead_tenant_id_environment_email_idx";

-- DropIndex
DROP INDEX "lead_tenant_id_environment_email_key_idx";

-- DropIndex
DROP INDEX "lead_tenant_id_environment_name_key_idx";

-- DropIndex
DROP INDEX "lead_tenant_id_environment_phone_idx";

-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "is_paired" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_email_key_id_idx" ON "lead"("tenant_id", "environment", "email_key", "id");

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_phone_id_idx" ON "lead"("tenant_id", "environment", "phone", "id");

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_name_key_id_idx" ON "lead"("tenant_id", "environment", "name_key", "id");

UPDATE "lead" SET "is_paired" = true
WHERE EXISTS (SELECT FROM "duplicate_pair" pair WHERE pair."tenant_id" = "lead"."tenant_id" AND pair."environment" = "lead"."environment"
  AND "lead"."id" IN (pair."first_lead_id", pair."second_lead_id"));
